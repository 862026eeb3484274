/**
 * Sends batches to the receivers.
 *
 * Uses Node's own HTTP client: no proxy of the environment, no redirects, and none of the connections to providers.
 * Few batches exist at a time, each for a limited time; more are dropped, so a receiver that is slow or gone costs a
 * bounded amount of memory.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import { builtins } from "../platform/builtins.ts"
import type { Receiver } from "./OtlpSettings.ts"

const maxBatches = 4
const retryDelay = "1 second"
const maxAttempts = 3

/** Responses after which the specification of OTLP allows another attempt. */
const retryable = new Set([429, 502, 503, 504])

/** Why a batch was not accepted. Contains nothing of a request or a response. */
type Failure = { readonly reason: string; readonly isFinal: boolean }

/** A client of one receiver. It reports the outcome of each batch, and retries until `closing` is done. */
export const makeTransport = (
  receiver: Receiver,
  closing: Deferred.Deferred<void>,
  report: (failure: string | undefined) => void
): Effect.Effect<HttpClient.HttpClient, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { certificate, timeoutMillis, url } = receiver
    const secure = url.protocol === "https:"
    const { http, https, tls } = builtins
    const agentOptions = { keepAlive: true, maxSockets: maxBatches, maxFreeSockets: 1 }
    const agent = secure
      ? new https.Agent({
        ...agentOptions,
        ca: [
          ...tls.getCACertificates("default"),
          ...tls.getCACertificates("system"),
          ...certificate ? [certificate] : []
        ]
      })
      : new http.Agent(agentOptions)
    yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
    let batches = 0

    const attempt = (headers: Record<string, string>, body: Uint8Array): Effect.Effect<number, Failure> =>
      Effect.callback((resume) => {
        const failed = (reason: string) => resume(Effect.fail({ reason, isFinal: false }))
        const options: Http.RequestOptions = {
          method: "POST",
          agent,
          headers: { ...headers, "content-length": String(body.byteLength) }
        }
        const request = (secure ? https : http).request(url, options, (response) => {
          const { statusCode = 0 } = response
          response.on("error", () => {})
          response.resume()
          resume(
            statusCode >= 200 && statusCode <= 299
              ? Effect.succeed(statusCode)
              : Effect.fail({ reason: `it responded with status ${statusCode}`, isFinal: !retryable.has(statusCode) })
          )
        })
        const timer = setTimeout(() => request.destroy(new Error("timeout")), timeoutMillis)
        request.on("close", () => clearTimeout(timer))
        request.on(
          "error",
          (error: NodeJS.ErrnoException) =>
            failed(error.message === "timeout" ? `no response in ${timeoutMillis} ms` : error.code ?? "connection lost")
        )
        request.end(body)
        return Effect.sync(() => request.destroy())
      })

    const retried = (headers: Record<string, string>, body: Uint8Array) =>
      Effect.retry(Effect.tapError(attempt(headers, body), ({ reason }) => Effect.sync(() => report(reason))), {
        schedule: Schedule.spaced(retryDelay),
        times: maxAttempts - 1,
        while: ({ isFinal }) => !isFinal && !Deferred.isDoneUnsafe(closing)
      })

    return HttpClient.make((request) => {
      const { body } = request
      // The error of a client that retries by itself: the exporter must not, and it drops the batch.
      const dropped = new HttpClientError.HttpClientError({
        reason: new HttpClientError.EncodeError({ request: HttpClientRequest.post(url.origin) })
      })
      if (body._tag !== "Uint8Array" || batches >= maxBatches) {
        report("it is too slow")
        return Effect.fail(dropped)
      }
      batches++
      return retried(request.headers, body.body).pipe(
        Effect.mapBoth({
          onFailure: () => dropped,
          onSuccess: (status) => {
            report(undefined)
            return HttpClientResponse.fromWeb(request, new Response(null, { status }))
          }
        }),
        Effect.ensuring(Effect.sync(() => {
          batches--
        }))
      )
    })
  })
