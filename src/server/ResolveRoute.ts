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
import { Connections, type Stamp } from "../connections/Connections.ts"
import { InvalidRequestError, published, type PublishedError } from "../domain/Errors.ts"
import { problemsOf } from "../domain/SchemaProblems.ts"
import { parseStrictJson } from "../domain/StrictJson.ts"
import { builtins } from "../platform/builtins.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { ChildRefusal } from "./ChildRefusal.ts"
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

interface Given {
  readonly stamp: Stamp
  readonly body: string
}

const fixedHeaders = Object.entries(everyAnswer).flat()
const maxGiven = 64
const givenMillis = 1000

/** Answers the requests that it takes; false means that the ordinary route has to. */
export type ResolveRoute = (request: Http.IncomingMessage, response: Http.ServerResponse) => boolean

export const make: Effect.Effect<
  ResolveRoute,
  never,
  Connections | Profiles | Instance | PeerAdmission | ChildRefusal | DaemonLog
> = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const { authorities } = yield* Instance
  const admission = yield* PeerAdmission
  const children = yield* ChildRefusal
  const log = yield* DaemonLog

  const resolve = (request: Http.IncomingMessage, text: string) => {
    const asked = readRequest(text)
    if (Result.isFailure(asked)) return Effect.fail(asked.failure)
    const named = request.headers["credsvc-profile"]
    const run = Option.fromUndefinedOr(request.headers["credsvc-run"] as string | undefined)
    return Effect.flatMap(
      named === undefined ? profiles.active : profiles.find(String(named)),
      (profile) => connections.resolve(profile, asked.success, { run })
    )
  }

  const send = (response: Http.ServerResponse, status: number, type: string, body: string): void => {
    if (response.destroyed) return
    response.sendDate = false
    response.writeHead(status, [
      ...fixedHeaders,
      "content-type",
      type,
      "content-length",
      String(Buffer.byteLength(body))
    ])
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

  // Answers given within the last second to runs whose use of the connection is on record. Each is checked against all
  // that it was made from before it is given again, so a logout holds at once.
  const given = new Map<string, Given>()

  const isCurrent = ({ stamp: { connections: rows, definitions, foreign } }: Given): boolean => {
    const now = Effect.runSyncExit(connections.stamp)
    return Exit.isSuccess(now) && foreign !== undefined && now.value.foreign === foreign &&
      now.value.connections === rows && now.value.definitions === definitions
  }

  const keep = (key: string, answer: Given): void => {
    if (given.size >= maxGiven) return
    given.set(key, answer)
    setTimeout(() => given.delete(key), givenMillis).unref()
  }

  /** Undefined when the answer depends on more than the stamp: on time, on which profile is active, or on the audit log. */
  const keyOf = ({ headers }: Http.IncomingMessage, text: string): string | undefined => {
    const run = headers["credsvc-run"]
    const profile = headers["credsvc-profile"]
    return run === undefined || profile === undefined ? undefined : `${String(run)} ${String(profile)} ${text}`
  }

  return (request, response) => {
    const { rawHeaders, socket } = request
    if (!isPlain(request) || !admission.isAdmitted(socket) || !children.mayResolve(socket)) return false
    if (!mayReveal(rawHeaders)) return false
    const head = {
      method: "POST",
      target: "/credentials/resolve",
      rawHeaders,
      httpVersion: request.httpVersion
    }
    if (decide(head, authorities) !== undefined) return false
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString("utf8")
      const key = keyOf(request, text)
      const known = key === undefined ? undefined : given.get(key)
      if (known !== undefined) {
        if (isCurrent(known)) return send(response, 200, "application/json", known.body)
        if (key !== undefined) given.delete(key)
      }
      const stamp = key === undefined ? undefined : Effect.runSyncExit(connections.stamp)
      const fiber = Effect.runFork(resolve(request, text))
      const gone = (): void => {
        if (!response.writableFinished) fiber.interruptUnsafe()
      }
      response.on("close", gone)
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit)) {
          const body = JSON.stringify(encodeAnswer(exit.value))
          send(response, 200, "application/json", body)
          if (key !== undefined && stamp?._tag === "Success" && exit.value.expiresAt === null) {
            keep(key, { stamp: stamp.value, body })
          }
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
