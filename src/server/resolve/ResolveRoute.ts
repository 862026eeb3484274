/**
 * The `resolve` operation for the proxy, which calls it for every request that it relays.
 *
 * It uses the schemas and the service of the API operation and gives the same responses, but skips the HTTP API
 * layers: they cost several times as much as resolving.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Connections, type Stamp } from "../../connections/Connections.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { Resolved, ResolveRequest } from "../../domain/Resolve.ts"
import { resolvePath } from "../../domain/ResolveChannel.ts"
import { problemsOf } from "../../domain/SchemaProblems.ts"
import { parseStrictJson } from "../../domain/StrictJson.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import type { DaemonLog } from "../DaemonLog.ts"
import { bodyLimits, bodyProblem } from "../http/RequestProblems.ts"
import * as DirectResponse from "./DirectResponse.ts"

const decodeRequest = Schema.decodeUnknownResult(ResolveRequest, { onExcessProperty: "error", errors: "all" })
const encodeResolved = Schema.encodeSync(Resolved)

/**
 * Parses strict JSON. Text that `JSON.stringify` reproduces exactly has no duplicate keys, so only other text needs
 * the slower strict parser.
 */
const parse = (text: string): Result.Result<unknown, InvalidRequestError> => {
  try {
    const value: unknown = JSON.parse(text)
    if (JSON.stringify(value) === text) return Result.succeed(value)
  } catch {
    // The strict parser below reports the error.
  }
  return Result.mapError(parseStrictJson(text, bodyLimits), (problem) => InvalidRequestError.of([bodyProblem(problem)]))
}

const readRequest = (text: string): Result.Result<ResolveRequest, InvalidRequestError> =>
  Result.flatMap(
    parse(text),
    (value) =>
      Result.mapError(decodeRequest(value), (error) => InvalidRequestError.of(problemsOf(error).map(bodyProblem)))
  )

interface CachedResponse {
  readonly stamp: Stamp
  readonly body: string
}

const maxCached = 64
const cacheMillis = 1000

/** The run and the profile on whose behalf the proxy asks. Without a profile the active one is used. */
export interface Asker {
  readonly run: string | undefined
  readonly profile: string | undefined
}

/** Whether connections and definitions are unchanged since `stamp` was taken. */
export const isCurrent = (stamp: Stamp, connections: Connections["Service"]): boolean => {
  const now = connections.knownStamp()
  return now?.foreign !== undefined && now.foreign === stamp.foreign && now.connections === stamp.connections &&
    now.definitions === stamp.definitions
}

/** Resolves a credential and calls `reply`, synchronously if possible. The returned function cancels the operation. */
export type Resolve = (asker: Asker, text: string, reply: DirectResponse.Reply) => () => void

const nothing = (): void => {}

export const make: Effect.Effect<Resolve, never, Connections | Profiles | DaemonLog> = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const respond = yield* DirectResponse.make("POST", resolvePath)

  const resolve = (asker: Asker, text: string) => {
    const asked = readRequest(text)
    if (Result.isFailure(asked)) return Effect.fail(asked.failure)
    return Effect.flatMap(
      asker.profile === undefined ? profiles.active : profiles.find(asker.profile),
      (profile) => connections.resolve(profile, asked.success, { run: Option.fromUndefinedOr(asker.run) })
    )
  }

  // Responses of the last second, for runs whose use of the connection is already in the audit log. Each is checked
  // against the current stamp before it is reused, so a logout takes effect immediately.
  const cached = new Map<string, CachedResponse>()

  const keep = (key: string, response: CachedResponse, until: number): void => {
    const millis = Math.min(cacheMillis, until - Date.now())
    if (cached.size >= maxCached || millis <= 0) return
    cached.set(key, response)
    setTimeout(() => cached.delete(key), millis).unref()
  }

  /** The cache key. Undefined when the response also depends on the active profile or needs an audit entry. */
  const keyOf = ({ profile, run }: Asker, text: string): string | undefined =>
    run === undefined || profile === undefined ? undefined : `${run} ${profile} ${text}`

  return (asker, text, reply) => {
    const key = keyOf(asker, text)
    const known = key === undefined ? undefined : cached.get(key)
    if (known !== undefined) {
      if (isCurrent(known.stamp, connections)) {
        reply(200, known.body)
        return nothing
      }
      if (key !== undefined) cached.delete(key)
    }
    const stamp = key === undefined ? undefined : connections.knownStamp()
    return respond(
      Effect.map(resolve(asker, text), (resolved) => {
        const body = JSON.stringify(encodeResolved(resolved))
        if (key !== undefined && stamp !== undefined) keep(key, { stamp, body }, resolved.refreshDueAt)
        return { status: 200, body }
      }),
      reply
    )
  }
})
