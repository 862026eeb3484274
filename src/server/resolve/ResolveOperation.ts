/**
 * The `resolve` operation, from the request text to the response text, for its HTTP route and for resolve channels. It
 * caches responses for a second, because the proxy asks before every request (docs/decisions/0016-resolve-once.md).
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Peer } from "../../callers/Caller.ts"
import { Connections } from "../../connections/Connections.ts"
import {
  type AmbiguousProviderError,
  type CredentialError,
  InvalidRequestError,
  OperationNotAllowedError
} from "../../domain/Errors.ts"
import { problemsOf } from "../../domain/text/SchemaProblems.ts"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { Resolved, ResolveRequest } from "../../domain/wire/Resolve.ts"
import { holdMillis } from "../../domain/wire/ResolveMessages.ts"
import type { RunLimits } from "../../domain/wire/Run.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { bodyLimits, bodyProblem } from "../http/RequestProblems.ts"

const decodeRequest = Schema.decodeUnknownResult(ResolveRequest, { onExcessProperty: "error", errors: "all" })
const encodeResolved = Schema.encodeSync(Resolved)

const readRequest = (text: string): Effect.Effect<ResolveRequest, InvalidRequestError> =>
  Effect.suspend(() =>
    parseStrictJson(text, bodyLimits).pipe(
      Result.mapError((problem) => [problem]),
      Result.flatMap((value) => Result.mapError(decodeRequest(value), problemsOf)),
      Result.mapError((problems) => InvalidRequestError.of(problems.map(bodyProblem))),
      Effect.fromResult
    )
  )

/** The client on whose behalf a credential is resolved. `run` is a run ID, which may not be registered or not be the client's. */
interface Caller {
  readonly peer: Peer
  readonly profile: ProfileHandle
  readonly run: string | undefined
}

interface KeptResponse {
  readonly revision: object
  readonly limits: RunLimits | undefined
  readonly use: Pick<Resolved, "provider" | "connection">
  readonly body: string
}

const keepMillis = 1000
const maxKept = 64

/** A credential that expires sooner is resolved each time, so that a cached response never outlives its credential. */
const leastLifeMillis = 60_000

const isLasting = ({ expiresAt }: Resolved): boolean =>
  expiresAt === null || DateTime.toEpochMillis(expiresAt) - Date.now() > leastLifeMillis

const isOver = ({ expiresAt }: RunLimits, inMillis = 0): boolean =>
  expiresAt !== null && DateTime.toEpochMillis(expiresAt) <= Date.now() + inMillis

type ResolveError = AmbiguousProviderError | CredentialError | InvalidRequestError

const attemptIn = (text: string) =>
  Effect.map(readRequest(text), ({ connection = null, provider = null }) => ({
    event: "resolve" as const,
    provider,
    connection
  }))

/** Tells whether a request belongs to a use of the credential that was already counted. */
const isPartOfUse = (text: string) =>
  Effect.map(readRequest(text), ({ confirm, rejected }) => confirm === true || rejected !== undefined)

/** Resolves requests, and reuses the responses to earlier ones. */
const makeResolver = Effect.gen(function*() {
  const connections = yield* Connections
  const runs = yield* RunRegistry
  const kept = new Map<string, KeptResponse>()

  /** Keeps a response until the oldest one is a second old, if there are not too many. */
  const keep = (key: string, response: KeptResponse): void => {
    if (kept.size === 0) setTimeout(() => kept.clear(), keepMillis).unref()
    if (kept.size < maxKept) kept.set(key, response)
  }

  const resolve = ({ profile, run: claimed }: Caller, limits: RunLimits | undefined, text: string) =>
    Effect.flatMap(
      connections.revision,
      ({ content: revision, isVerified }): Effect.Effect<string, ResolveError> => {
        // The audit log records the first use of a connection by a run, and every use without a run.
        const run = limits === undefined ? undefined : claimed
        const key = run === undefined || !isVerified ? undefined : `${run} ${profile} ${text}`
        const known = key === undefined ? undefined : kept.get(key)
        if (run !== undefined && known?.revision === revision && known.limits === limits) {
          runs.used(run, known.use.provider, known.use.connection)
          return Effect.succeed(known.body)
        }
        return readRequest(text).pipe(
          Effect.flatMap((request) =>
            connections.resolve(profile, request, { run: Option.fromUndefinedOr(run), limits })
          ),
          Effect.map((resolved) => {
            const body = JSON.stringify(encodeResolved(resolved))
            const use = { provider: resolved.provider, connection: resolved.connection }
            if (key !== undefined && isLasting(resolved)) keep(key, { revision, limits, use, body })
            if (run !== undefined) runs.used(run, use.provider, use.connection)
            return body
          })
        )
      }
    )

  /**
   * Returns an earlier result of `respond`, if the daemon knows without reading the database that nothing has changed. For
   * `holdMillis`, the result stays valid unless something changes.
   */
  const keptResponse = (
    { peer, profile, run }: Omit<Caller, "profile"> & { readonly profile: string },
    text: string
  ): string | undefined => {
    const known = run === undefined ? undefined : kept.get(`${run} ${profile} ${text}`)
    if (run === undefined || known?.limits === undefined || known.limits.maxUses !== null) return undefined
    const isValid = runs.knownLimits(peer, run) === known.limits && !isOver(known.limits, holdMillis) &&
      connections.knownRevision() === known.revision
    if (!isValid) return undefined
    runs.used(run, known.use.provider, known.use.connection)
    return known.body
  }

  return { keptResponse, resolve }
})

const make = Effect.gen(function*() {
  const children = yield* ChildRefusal
  const runs = yield* RunRegistry
  const { keptResponse, resolve } = yield* makeResolver

  /** Counts the request if the run has a limit on uses. */
  const count = (caller: Caller, limits: RunLimits, text: string) => {
    const resolved = resolve(caller, limits, text)
    if (limits.maxUses === null) return resolved
    return Effect.flatMap(isPartOfUse(text), (isCounted) =>
      isCounted
        ? resolved
        : Effect.flatMap(runs.countUse(caller.run!, caller.peer), (undo) =>
          Effect.onExit(resolved, (exit) => Exit.isFailure(exit) ? undo : Effect.void)))
  }

  const resolveWithinLimits = (caller: Caller, text: string) =>
    Effect.flatMap(runs.limitsOf(caller.peer, caller.run), (limits) =>
      limits === undefined
        ? Effect.andThen(
          children.refuseResolve(caller.peer, caller.profile, attemptIn(text)),
          resolve(caller, undefined, text)
        )
        : isOver(limits)
        ? OperationNotAllowedError.of(
          `The credentials of this run expired at ${DateTime.formatIso(limits.expiresAt!)} (--expires).`
        )
        : count(caller, limits, text))

  return {
    keptResponse,
    /** Reads the request, resolves it within the limits of the run, and returns the body of the response. */
    respond: (caller: Caller, text: string): Effect.Effect<string, ResolveError> =>
      Effect.suspend(() => {
        const body = keptResponse(caller, text)
        return body === undefined ? resolveWithinLimits(caller, text) : Effect.succeed(body)
      })
  }
})

export class ResolveOperation
  extends Context.Service<ResolveOperation, Effect.Success<typeof make>>()("credsvc/server/ResolveOperation")
{
  static readonly layerNoDeps = Layer.effect(ResolveOperation, make)
}
