/**
 * Sends batches to the receivers.
 *
 * Uses Node's own HTTP client: no proxy of the environment, no redirects, and none of the connections to providers.
 * Few batches exist at a time, each for a limited time; more are dropped, so a receiver that is slow or gone costs a
 * bounded amount of memory.
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import { builtins } from "../platform/builtins.ts"
import type { Receiver } from "./OtlpSettings.ts"

const maxBatches = 4

/** The statuses after which the specification of OTLP allows another attempt. */
const retryable = new Set([429, 502, 503, 504])

/** Sends a batch. Returns the status of the response, or fails with the reason for the missing response. */
const postBatch = (
  { timeoutMillis, url }: Receiver,
  agent: Http.Agent,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array
): Effect.Effect<number, string> =>
  Effect.callback((resume) => {
    const { request: send } = url.protocol === "https:" ? builtins.https : builtins.http
    const options: Http.RequestOptions = {
      method: "POST",
      agent,
      headers: { ...headers, "content-length": String(body.byteLength) }
    }
    const request = send(url, options, (response) => {
      response.on("error", () => {})
      response.resume()
      resume(Effect.succeed(response.statusCode ?? 0))
    })
    const timer = setTimeout(() => request.destroy(new Error(`no response in ${timeoutMillis} ms`)), timeoutMillis)
    request.on("close", () => clearTimeout(timer))
    request.on("error", ({ code, message }: NodeJS.ErrnoException) => resume(Effect.fail(code ?? message)))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

const agentOf = ({ certificate, url }: Receiver): Http.Agent => {
  const { http, https, tls } = builtins
  const options = { keepAlive: true, maxSockets: maxBatches, maxFreeSockets: 1 }
  if (url.protocol !== "https:") return new http.Agent(options)
  const ca = [
    ...tls.getCACertificates("default"),
    ...tls.getCACertificates("system"),
    ...certificate ? [certificate] : []
  ]
  return new https.Agent({ ...options, ca })
}

/**
 * A client of one receiver. It reports the outcome of each attempt, without any content of a request or a response. The exporter repeats an
 * attempt unless `isClosing`.
 */
export const makeTransport = (
  receiver: Receiver,
  isClosing: () => boolean,
  report: (failure: string | undefined) => void
): Effect.Effect<HttpClient.HttpClient, never, Scope.Scope> =>
  Effect.gen(function*() {
    const agent = agentOf(receiver)
    yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
    let batches = 0

    const about = { request: HttpClientRequest.post(receiver.url.origin) }
    // The exporter repeats a batch after a transport error, and drops it after an encoding error.
    const dropped = new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError(about) })
    const repeatable = new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError(about) })
    const fail = (reason: string, error: HttpClientError.HttpClientError) => {
      report(reason)
      return Effect.fail(isClosing() ? dropped : error)
    }

    return HttpClient.make((batch) => {
      const { body, headers } = batch
      if (body._tag !== "Uint8Array" || batches >= maxBatches) return fail("it is too slow", dropped)
      batches++
      return postBatch(receiver, agent, headers, body.body).pipe(
        Effect.onInterrupt(() => Effect.sync(() => report("no response"))),
        Effect.matchEffect({
          onFailure: (reason) => fail(reason, repeatable),
          onSuccess: (status) => {
            if (status < 200 || status > 299) {
              return fail(`it responded with status ${status}`, retryable.has(status) ? repeatable : dropped)
            }
            report(undefined)
            return Effect.succeed(HttpClientResponse.fromWeb(batch, new Response(null, { status })))
          }
        }),
        Effect.ensuring(Effect.sync(() => {
          batches--
        }))
      )
    })
  })
