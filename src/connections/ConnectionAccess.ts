/** The dependencies that all operations on connections share: the verified store, the audit log, and lookups. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { AuditLog } from "../audit/AuditLog.ts"
import type { AuditRecord } from "../audit/AuditRecord.ts"
import type { ProviderName } from "../domain/definition/Provider.ts"
import { ConnectionNotFoundError } from "../domain/Errors.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import type { Provider } from "../providers/ProviderSnapshot.ts"
import { asOneOperation, StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { recordOf } from "./ConnectionRecord.ts"
import { ConnectionRepo, isRenewable, type StoredConnection } from "./ConnectionRepo.ts"
import { Revocations } from "./oauth/Revocations.ts"
import { TokenRefresher } from "./renewal/TokenRefresher.ts"
import { checkUsable, notConnected } from "./use/CredentialFailures.ts"

export const makeAccess = Effect.gen(function*() {
  const audit = yield* AuditLog
  const manifest = yield* StoreManifest
  const refresher = yield* TokenRefresher
  const registry = yield* ProviderRegistry
  const repo = yield* ConnectionRepo
  const revocations = yield* Revocations
  const scope = yield* Effect.scope

  // Resumes refreshes and revocations that an earlier process did not finish, at startup or once the key is available.
  let isResumed = false
  const resume = Effect.suspend(() => {
    isResumed = true
    return Effect.onError(Effect.andThen(revocations.resume, refresher.resume), () =>
      Effect.sync(() => {
        isResumed = false
      }))
  }).pipe(Effect.ignore, Effect.forkIn(scope))
  yield* resume

  // Until the store is verified, an attacker may have deleted a missing row, so "not found" is not reported.
  const whenReady = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    asOneOperation(
      manifest.verified("manifest").pipe(
        Effect.andThen(Effect.suspend(() => isResumed ? Effect.void : resume)),
        Effect.andThen(effect)
      )
    )

  const record = (
    event: AuditRecord["event"],
    identity: ProfileHandle,
    provider: ProviderName | null,
    connection: ConnectionName | null
  ) => Effect.suspend(() => audit.append({ event, provider, connection, identity, status: "ok" }))

  /** Describes the connection from the view of a profile. */
  const describe = Effect.fnUntraced(
    function*(profile: ProfileHandle, stored: StoredConnection, secret?: Redacted.Redacted<string>) {
      const { name, provider } = stored.row
      return recordOf(stored, {
        profile,
        provider: Option.getOrUndefined(yield* registry.find(provider)),
        isDefault: (yield* repo.defaultOf(profile, provider)) === name,
        now: yield* Clock.currentTimeMillis,
        secret
      })
    }
  )

  /** Fails with the reason: the provider is unknown or, if it is known, the connection does not exist. */
  const notFound = Effect.fnUntraced(function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
    yield* registry.get(provider)
    const others = yield* repo.list(profile, provider)
    return yield* ConnectionNotFoundError.of(provider, name, others.map(({ row }) => row.name))
  })

  const requireOwned = Effect.fnUntraced(
    function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
      const stored = yield* repo.find({ profile, provider, name })
      return stored ?? (yield* notFound(profile, provider, name))
    }
  )

  /** Returns the connection that `refresh` returns, if its credential is currently usable. */
  const usable = Effect.fnUntraced(
    function*(stored: StoredConnection, provider: Provider, refresh: ReturnType<TokenRefresher["Service"]["fresh"]>) {
      yield* checkUsable(stored, provider)
      if (stored.row.auth_type === "api_key" && !isRenewable(stored)) return stored
      const fresh = yield* refresh
      if (fresh === stored) return stored
      if (fresh === undefined) return yield* notConnected(stored.row.provider, stored.row.name)
      yield* checkUsable(fresh, provider)
      return fresh
    }
  )

  /** Returns the connection with a fresh token, which the caller keeps. */
  const renewed = (stored: StoredConnection) =>
    Effect.flatMap(
      registry.get(stored.row.provider),
      (provider) => usable(stored, provider, refresher.fresh(stored, "keeping"))
    )

  /** Removes a connection of its owner. Returns the name of the new default connection, if the default changes. */
  const removeOwned = Effect.fnUntraced(function*(stored: StoredConnection) {
    const { name, profile, provider } = stored.row
    yield* repo.remove(stored)
    const newDefault = yield* repo.inheritDefault(profile, provider)
    yield* record("logout", profile, provider, name)
    return newDefault
  })

  return { describe, removeOwned, notFound, record, renewed, requireOwned, usable, whenReady }
})

export type Access = Effect.Success<typeof makeAccess>
