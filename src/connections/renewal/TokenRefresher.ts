/**
 * Keeps access tokens usable.
 *
 * A due token is refreshed in the background while it is valid; callers wait only once it is spent. Concurrent callers
 * share one refresh, which continues if they are interrupted. Connections in use are refreshed ahead of expiry.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import { RefreshFailedError, type VaultUnavailableError } from "../../domain/Errors.ts"
import { setNewest } from "../../platform/BoundedMap.ts"
import { refreshDuration, refreshes, refreshesInProgress } from "../../telemetry/Metrics.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { ConnectionRepo, isRenewable, type StoredConnection } from "../ConnectionRepo.ts"
import { expiredToken } from "../use/CredentialFailures.ts"
import { RenewalFailure } from "./RefreshedTokens.ts"
import { makeRefreshLeases } from "./RefreshLeases.ts"
import { RefreshRequests } from "./RefreshRequests.ts"
import { sharedFiber } from "./SharedFiber.ts"
import { dueAt, freshnessOf, isValid, lifeOf } from "./TokenLife.ts"

/** The use of a token. `now`: for one request. `keeping`: the caller keeps the token and waits for a fresh one. */
export type Use = "now" | "keeping"

const resultOf = (exit: Exit.Exit<void, RenewalFailure | VaultUnavailableError>): string => {
  if (Exit.isSuccess(exit)) return "renewed"
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error?._tag !== "RenewalFailure") return "unavailable"
  return error.answered ? "failed" : "unreachable"
}

interface InUse {
  readonly generation: number
  usedAt: number
  dueAt: number
}

const idleMillis = 15 * 60_000
const jitterMillis = 30_000
const watchInterval = Duration.seconds(15)
const waitLimit = Duration.seconds(30)
const drainLimit = Duration.seconds(9)

/** The pause after rejections, in milliseconds: if the upstream keeps rejecting new tokens, their age is not the cause. */
const rejectionPause = 5 * 60_000

interface Trouble {
  readonly failures: number
  readonly message: string
  readonly until: number
}

const firstPause = 2_000
/**
 * The longest pauses after a failure, in milliseconds. The pause is short for an unreachable server: a retry puts no
 * load on it, and it may be back at any time.
 */
const longestPause = { unreached: 30_000, answered: 15 * 60_000, asked: 24 * 3600_000 }
/** The maximum number of connections whose failures are remembered. */
const maxRemembered = 10_000

/** Whether `now` is before `until`. False if the clock went back so far that `until` is meaningless. */
const isBefore = (now: number, until: number, longest: number): boolean => now < until && until - now <= longest

/** Makes the memory of failures, each until the next attempt is due. */
const makeRefreshPauses = () => {
  const troubles = new Map<string, Trouble>()
  return {
    record: Effect.fnUntraced(function*(id: string, failure: RenewalFailure) {
      const now = yield* Clock.currentTimeMillis
      const failures = (troubles.get(id)?.failures ?? 0) + 1
      const longest = failure.answered ? longestPause.answered : longestPause.unreached
      const pause = Math.min(longest, firstPause * 2 ** Math.min(failures - 1, 20))
      const jittered = pause * (yield* Random.nextBetween(0.5, 1))
      const asked = Math.min((failure.retryAfterSeconds ?? 0) * 1000, longestPause.asked)
      const until = now + Math.max(jittered, asked)
      setNewest(troubles, id, { failures, message: failure.message, until }, maxRemembered)
    }),

    of: (id: string, now: number): Trouble | undefined => {
      const known = troubles.get(id)
      return known !== undefined && isBefore(now, known.until, longestPause.asked) ? known : undefined
    },

    end: (id: string) => troubles.delete(id)
  }
}

/** Measures a refresh, which may find that another process has already refreshed the token. */
const measured = Effect.fnUntraced(
  function*(provider: string, refresh: Effect.Effect<void, RenewalFailure | VaultUnavailableError>) {
    const context = yield* Effect.context<never>()
    const began = performance.now()
    refreshesInProgress.record(context, [], 1)
    return yield* Effect.onExit(refresh, (exit) =>
      Effect.sync(() => {
        refreshesInProgress.record(context, [], -1)
        refreshes.record(context, [provider, resultOf(exit)], 1)
        refreshDuration.record(context, [provider], (performance.now() - began) / 1000)
      }))
  }
)

/** Makes the watch over tokens in use, which starts a refresh when one is due. */
const makeTokensInUse = Effect.fnUntraced(function*(
  isPaused: (id: string, now: number) => boolean,
  startRefresh: (stored: StoredConnection) => Effect.Effect<unknown>
) {
  const repo = yield* ConnectionRepo
  const watch = yield* FiberMap.make<string, void>()
  const inUse = new Map<string, InUse>()

  /** Refreshes a token that is in use when it is due, and keeps checking it until the connection is idle. */
  const refreshIfDue = Effect.fnUntraced(function*(id: string, entry: InUse, now: number) {
    const stored = yield* repo.findRecord(id)
    if (stored?.metadata.status !== "connected") return inUse.delete(id)
    entry.dueAt = dueAt(lifeOf(stored.metadata))
    // Checked after reading the row, because a refresh may have failed meanwhile.
    if (now >= entry.dueAt && !isPaused(id, now)) yield* startRefresh(stored)
  })

  const watchTokens = Effect.gen(function*() {
    while (inUse.size > 0) {
      yield* Effect.sleep(watchInterval)
      const now = yield* Clock.currentTimeMillis
      for (const [id, entry] of inUse) {
        if (Math.abs(now - entry.usedAt) > idleMillis) inUse.delete(id)
        else if (now >= entry.dueAt) yield* Effect.ignore(refreshIfDue(id, entry, now))
      }
    }
  })

  /** Notes that a request uses the token. */
  return ({ metadata, row }: StoredConnection, now: number) => {
    const known = inUse.get(row.record_id)
    if (known !== undefined && known.generation === row.generation) {
      known.usedAt = now
      return Effect.void
    }
    // Adds jitter: connections created on the same day would otherwise all be refreshed together.
    return Effect.flatMap(Random.nextBetween(0, jitterMillis), (delay) => {
      const due = dueAt(lifeOf(metadata)) + delay
      inUse.set(row.record_id, { generation: row.generation, usedAt: now, dueAt: due })
      return sharedFiber(watch, "watch", watchTokens)
    })
  }
})

const make = Effect.gen(function*() {
  const repo = yield* ConnectionRepo
  const leases = yield* makeRefreshLeases
  const manifest = yield* StoreManifest
  const renewal = yield* RefreshRequests
  const context = yield* Effect.context<never>()
  const fibers = yield* FiberMap.make<string, void, RenewalFailure | VaultUnavailableError>()
  const troubles = makeRefreshPauses()
  const rejections = new Map<string, number>()
  const replacing = new Set<string>()

  const startRefresh = (stored: StoredConnection, rejected?: number) => {
    const id = stored.row.record_id
    return sharedFiber(
      fibers,
      id,
      measured(stored.row.provider, renewal.renew(stored, rejected)).pipe(
        Effect.tap(() => Effect.sync(() => troubles.end(id))),
        Effect.tapErrorTag("RenewalFailure", (failure) => troubles.record(id, failure)),
        // Several callers share this work, so it must not run in the transaction, logger or trace of the first caller.
        Effect.provideContext(context)
      )
    )
  }

  const noteUse = yield* makeTokensInUse((id, now) => troubles.of(id, now) !== undefined, startRefresh)

  // Waits for requests in progress: a response may contain the only valid refresh token.
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeoutOption(FiberMap.awaitEmpty(fibers), drainLimit)))

  const readAgain = (stored: StoredConnection) => repo.findRecord(stored.row.record_id)

  /** Returns the connection with its old token while that is valid, else fails. */
  const fallBack = Effect.fnUntraced(function*(stored: StoredConnection, message: string) {
    const current = yield* readAgain(stored)
    const now = yield* Clock.currentTimeMillis
    if (current === undefined || isValid(lifeOf(current.metadata), now)) return current
    const { name, provider } = stored.row
    return yield* new RefreshFailedError({ provider, connection: name, detail: message })
  })

  /** Waits for the refresh, which continues if its caller stops waiting. */
  const waitFor = (stored: StoredConnection, rejected?: number) =>
    startRefresh(stored, rejected).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeoutOrElse({
        duration: waitLimit,
        orElse: () =>
          new RenewalFailure({
            message: `The refresh of ${stored.row.provider}/${stored.row.name} takes longer than ` +
              `${Duration.toSeconds(waitLimit)} seconds, and continues in the background.`,
            answered: false
          })
      }),
      Effect.andThen(readAgain(stored)),
      Effect.catchTag("RenewalFailure", ({ message }) => fallBack(stored, message))
    )

  /** Returns the connection with a fresh token, or undefined if it no longer exists. The caller checks its status. */
  const fresh = Effect.fnUntraced(function*(stored: StoredConnection, wanted: Use) {
    const { metadata, row } = stored
    const now = yield* Clock.currentTimeMillis
    const life = lifeOf(metadata)
    if (!isRenewable(stored)) return isValid(life, now) ? stored : yield* expiredToken(stored)
    if (wanted === "now") yield* noteUse(stored, now)
    // The upstream rejected this token and a replacement is being obtained.
    if (replacing.has(row.record_id)) return yield* waitFor(stored)
    const freshness = freshnessOf(life, now)
    if (freshness === "fresh") return stored
    const known = troubles.of(row.record_id, now)
    if (known !== undefined) return isValid(life, now) ? stored : yield* fallBack(stored, known.message)
    if (freshness === "spent" || wanted === "keeping") return yield* waitFor(stored)
    yield* startRefresh(stored)
    return stored
  })

  /**
   * Refreshes a token that the upstream has rejected, if that token is still stored. The rate is limited. A connection
   * that cannot be refreshed is returned unchanged.
   */
  const replaceRejected = Effect.fnUntraced(function*(stored: StoredConnection, issuedAt: DateTime.Utc) {
    const { metadata, row } = stored
    const now = yield* Clock.currentTimeMillis
    const rejected = DateTime.toEpochMillis(issuedAt)
    const before = rejections.get(row.record_id)
    const isStored = isRenewable(stored) && lifeOf(metadata).issuedAt === rejected
    if (
      !isStored || troubles.of(row.record_id, now) !== undefined ||
      (before !== undefined && isBefore(now, before + rejectionPause, rejectionPause))
    ) {
      return yield* fresh(stored, "now")
    }
    setNewest(rejections, row.record_id, now, maxRemembered)
    replacing.add(row.record_id)
    return yield* Effect.ensuring(waitFor(stored, rejected), Effect.sync(() => replacing.delete(row.record_id)))
  })

  /** Repeats refreshes that an earlier process did not finish: some servers then send the lost tokens again. */
  const resume = Effect.gen(function*() {
    const unfinished = yield* leases.unfinished
    if (unfinished.length === 0) return
    yield* manifest.verified("rows")
    for (const entry of unfinished) {
      const stored = yield* repo.findRecord(entry.record_id)
      if (stored?.row.generation === entry.generation) yield* startRefresh(stored, lifeOf(stored.metadata).issuedAt)
      else yield* leases.end(entry)
    }
  }).pipe(Effect.withSpan("TokenRefresher.resume"))

  return { fresh, replaceRejected, resume }
})

/** Keeps access tokens usable, with one refresh at a time for all callers of a connection. */
export class TokenRefresher
  extends Context.Service<TokenRefresher, Effect.Success<typeof make>>()("credsvc/connections/TokenRefresher")
{
  static readonly layerNoDeps = Layer.effect(TokenRefresher, make)
}
