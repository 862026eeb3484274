/**
 * `POST /credentials/resolve` as the proxy sends it, once for every request that it relays.
 *
 * It is the operation of the interface, with the same guard, schemas, service and answers, but for the layers between
 * them, which cost several times what resolving does. Only the plain case goes this way: a connection that was admitted
 * before, and a short body of known length. Every other request takes the ordinary route.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Http from "node:http"
import { Resolved, ResolveRequest } from "../api/CredentialsGroup.ts"
import { Connections } from "../connections/Connections.ts"
import { InvalidRequestError, published, type PublishedError } from "../domain/Errors.ts"
import { problemsOf } from "../domain/SchemaProblems.ts"
import { parseStrictJson } from "../domain/StrictJson.ts"
import { builtins } from "../platform/builtins.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { DaemonLog, describeCause } from "./DaemonLog.ts"
import { everyAnswer } from "./FrontDoor.ts"
import { decide, mayReveal } from "./Guard.ts"
import { Instance } from "./Instance.ts"
import type { RequestHandler } from "./Listener.ts"
import { PeerAdmission } from "./PeerAdmission.ts"
import { problemType, unexpectedProblem } from "./Refusals.ts"
import { bodyLimits, bodyProblem } from "./RequestProblems.ts"

const maxBytes = 16 * 1024
const runId = /^[A-Za-z0-9_-]{16,64}$/

const decodeRequest = Schema.decodeUnknownResult(ResolveRequest, { onExcessProperty: "error", errors: "all" })
const encodeAnswer = Schema.encodeSync(Resolved)

const errorEncoders = new Map<string, (error: unknown) => unknown>(
  published.map((errorClass) => [
    errorClass.identifier,
    Schema.encodeUnknownSync(errorClass as unknown as Schema.Codec<unknown>)
  ])
)

/** The same text that JSON.stringify gives is strict JSON: it repeats no key. Any other text is looked at closely. */
const parse = (text: string): Result.Result<unknown, InvalidRequestError> => {
  try {
    const value: unknown = JSON.parse(text)
    if (JSON.stringify(value) === text) return Result.succeed(value)
  } catch {
    // The strict parser says what is wrong.
  }
  return Result.mapError(parseStrictJson(text, bodyLimits), (problem) => InvalidRequestError.of([bodyProblem(problem)]))
}

const readRequest = (text: string): Result.Result<ResolveRequest, InvalidRequestError> =>
  Result.flatMap(
    parse(text),
    (value) =>
      Result.mapError(decodeRequest(value), (error) => InvalidRequestError.of(problemsOf(error).map(bodyProblem)))
  )

const isPlain = (request: Http.IncomingMessage): boolean => {
  if (request.method !== "POST" || request.url !== "/credentials/resolve" || request.httpVersion !== "1.1") return false
  const { headers } = request
  const run = headers["credsvc-run"]
  return Number(headers["content-length"]) <= maxBytes && headers.expect === undefined &&
    headers["transfer-encoding"] === undefined && (run === undefined || runId.test(String(run)))
}

/** Answers the requests that it takes; false means that the ordinary route has to. */
export type ResolveRoute = (request: Http.IncomingMessage, response: Http.ServerResponse) => boolean

export const make: Effect.Effect<ResolveRoute, never, Connections | Profiles | Instance | PeerAdmission | DaemonLog> =
  Effect.gen(function*() {
    const connections = yield* Connections
    const profiles = yield* Profiles
    const { authorities } = yield* Instance
    const admission = yield* PeerAdmission
    const log = yield* DaemonLog

    // The proxy asks for the same thing again and again, in the same words.
    let last = { text: "", read: readRequest("") }
    const resolve = (request: Http.IncomingMessage, text: string) => {
      if (text !== last.text) last = { text, read: readRequest(text) }
      const given = last.read
      if (Result.isFailure(given)) return Effect.fail(given.failure)
      const named = request.headers["credsvc-profile"]
      const run = Option.fromUndefinedOr(request.headers["credsvc-run"] as string | undefined)
      return Effect.flatMap(
        named === undefined ? profiles.active : profiles.find(String(named)),
        (profile) => connections.resolve(profile, given.success, { run })
      )
    }

    const send = (response: Http.ServerResponse, status: number, type: string, body: string): void => {
      if (response.destroyed) return
      response.writeHead(status, { ...everyAnswer, "content-type": type, "content-length": Buffer.byteLength(body) })
      response.end(body)
    }

    const sendProblem = (response: Http.ServerResponse, error: PublishedError): void =>
      send(response, error.status, problemType, JSON.stringify(errorEncoders.get(error._tag)?.(error)))

    const sendUnexpected = (response: Http.ServerResponse, cause: Cause.Cause<unknown>): void => {
      const id = builtins.crypto.randomBytes(8).toString("hex")
      log.write("error", "unexpected", {
        id,
        method: "POST",
        route: "/credentials/resolve",
        cause: describeCause(cause)
      })
      send(response, 500, problemType, JSON.stringify(unexpectedProblem(id)))
    }

    return (request, response) => {
      if (!isPlain(request) || !admission.isAdmitted(request.socket) || !mayReveal(request.rawHeaders)) return false
      const head = {
        method: "POST",
        target: "/credentials/resolve",
        rawHeaders: request.rawHeaders,
        httpVersion: request.httpVersion
      }
      if (decide(head, authorities) !== undefined) return false
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString("utf8")
        const fiber = Effect.runFork(resolve(request, text))
        const gone = (): void => {
          if (!response.writableFinished) fiber.interruptUnsafe()
        }
        response.on("close", gone)
        fiber.addObserver((exit) => {
          if (Exit.isSuccess(exit)) {
            send(response, 200, "application/json", JSON.stringify(encodeAnswer(exit.value)))
            return
          }
          const error = Cause.findErrorOption(exit.cause)
          if (Option.isSome(error) && errorEncoders.has(error.value._tag)) sendProblem(response, error.value)
          else if (!Cause.hasInterruptsOnly(exit.cause)) sendUnexpected(response, exit.cause)
        })
      })
      return true
    }
  })

/** Resolves first, everything else after. */
export const before = (route: ResolveRoute, handler: RequestHandler): RequestHandler => (request, response) => {
  if (!route(request, response)) handler(request, response)
}
