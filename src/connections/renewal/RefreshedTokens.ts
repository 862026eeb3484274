/**
 * Stores the result of a refresh in one transaction, as the next generation of exactly the row that was read. A connection that was
 * logged out or replaced in the meantime stays unchanged.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { AuditLog } from "../../audit/AuditLog.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import type { OAuthError } from "../../oauth/OAuthErrors.ts"
import type { TokenResponse } from "../../oauth/TokenEndpoint.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import {
  type ConnectionContent,
  ConnectionRepo,
  contentOf,
  type Secrets,
  type StoredConnection
} from "../ConnectionRepo.ts"
import type { Issuer, IssuerUnusableError } from "../oauth/Issuers.ts"
import { Revocations } from "../oauth/Revocations.ts"
import { makeRefreshLeases } from "./RefreshLeases.ts"
import { lifeOf } from "./TokenLife.ts"

/** The refresh produced no new token. The stored token remains valid until it expires. */
export class RenewalFailure extends Schema.TaggedError<RenewalFailure>()("RenewalFailure", {
  /** The cause and the remedy. */
  message: Schema.String,
  /** Whether the server responded. If so, the next attempt waits longer. */
  answered: Schema.Boolean,
  retryAfterSeconds: Schema.optionalKey(Schema.Number)
}) {}

/** The failure of a renewal that the authorization server refused or that could not be sent. */
export const renewalFailureOf = (
  { row }: StoredConnection,
  error: OAuthError | IssuerUnusableError
): RenewalFailure => {
  const isClient = error._tag === "OAuthRejected" && error.error === "invalid_client"
  const because = isClient
    ? "the authorization server does not accept the OAuth client of this login"
    : error.message.replace(/\.$/, "")
  const failed = `The token of ${row.provider} could not be refreshed: ${because}.`
  const again = `Log in again with: ${loginCommand(row.provider, row.name, true)}`
  if (error._tag === "OAuthUnavailable") {
    return new RenewalFailure({
      message: `${failed} credsvc keeps the login and retries the refresh. If this persists: ${again}`,
      answered: error.sent || error.reason === "rate_limited",
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds })
    })
  }
  const isFinal = isClient || error._tag === "IssuerUnusableError"
  return new RenewalFailure({ message: `${failed} ${isFinal ? "" : "If this persists: "}${again}`, answered: true })
}

export interface Renewed {
  readonly before: StoredConnection
  readonly content: ConnectionContent
  readonly issuer: Issuer
  /** Whether the refresh token may already have been sent. */
  readonly again: boolean
}

const storeRetry = Schedule.spaced("2 seconds")

/** Returns the stored content with the tokens of the response. */
export const contentWith = Effect.fnUntraced(
  function*(before: StoredConnection, issuer: Issuer, secrets: Secrets, response: TokenResponse) {
    const requestedAt = DateTime.makeUnsafe(response.requestedAtMillis)
    const { metadata } = before
    const { expiresAt, issuedAt } = lifeOf(metadata)
    // If a server states a lifetime only for the first token, it applies to all later tokens.
    const seconds = response.expiresInSeconds ?? (expiresAt === null ? undefined : (expiresAt - issuedAt) / 1000)
    const missing = response.scopes === undefined
      ? []
      : metadata.scopes.filter((scope) => !response.scopes?.includes(scope))
    if (missing.length > 0) {
      yield* Effect.logWarning(
        // Scope names are server-controlled text, which is never logged.
        `${before.row.provider}/${before.row.name}: the refreshed token lacks ${missing.length} of the previous scopes`
      )
    }
    if (metadata.account.id !== null && response.account.id !== null && metadata.account.id !== response.account.id) {
      yield* Effect.logWarning(
        `${before.row.provider}/${before.row.name}: the refreshed token belongs to another account than the login`
      )
    }
    return contentOf({
      row: before.row,
      metadata: {
        ...metadata,
        scopes: response.scopes ?? metadata.scopes,
        tokenType: response.tokenType,
        expiresAt: seconds === undefined ? null : DateTime.addDuration(requestedAt, Duration.seconds(seconds)),
        lastRefreshAt: requestedAt,
        lastRefreshError: null,
        oauth: issuer.binding
      }
    }, {
      ...secrets,
      values: { ...secrets.values, access_token: response.accessToken },
      // Without a refresh token in the response, the one that was sent stays valid (RFC 6749 section 6).
      refreshToken: response.refreshToken ?? secrets.refreshToken
    })
  }
)

export const makeRefreshedTokens = Effect.gen(function*() {
  const audit = yield* AuditLog
  const repo = yield* ConnectionRepo
  const leases = yield* makeRefreshLeases
  const revocations = yield* Revocations
  const manifest = yield* StoreManifest
  const scope = yield* Effect.scope
  // Responses that could not be stored yet. A rotated refresh token exists nowhere else.
  const unsaved = new Map<string, Renewed>()

  const record = ({ row: { name, profile, provider } }: StoredConnection, status: "failed" | "ok") =>
    audit.append({ event: "refresh", provider, connection: name, identity: profile, status })

  const isStored = Effect.fnUntraced(function*(now: StoredConnection, { content }: Renewed) {
    const { values } = yield* repo.openSecrets(now)
    return Equal.equals(values["access_token"], content.secrets.values["access_token"])
  })

  /**
   * Writes the tokens unless the connection was logged out, revoked or replaced by another login. Another daemon
   * may have sent the same refresh token after this lease expired; the tokens of the later request are kept.
   * Returns whether the connection still belongs to the login.
   */
  const writeTokens = Effect.fnUntraced(function*(renewed: Renewed) {
    const { again, before, content } = renewed
    if (yield* repo.replace(before, content)) {
      yield* record(before, "ok")
      return true
    }
    const now = yield* repo.findRecord(before.row.record_id)
    if (now === undefined) return false
    const isNext = now.row.generation === before.row.generation + 1
    // A commit that reported a failure may still have succeeded.
    if (isNext && (yield* isStored(now, renewed))) return true
    const isSameLogin = DateTime.Equivalence(now.metadata.obtainedAt, before.metadata.obtainedAt)
    if (!isSameLogin || now.metadata.status === "revoking") return false
    if (isNext && (again || now.metadata.status === "expired") && (yield* repo.replace(now, content))) {
      yield* record(before, "ok")
    }
    return true
  })

  const save = Effect.fnUntraced(function*(renewed: Renewed) {
    const { before, content, issuer } = renewed
    const id = before.row.record_id
    const kept = yield* manifest.transact(Effect.gen(function*() {
      if (unsaved.get(id) !== renewed) return true
      yield* leases.end(before.row)
      return yield* writeTokens(renewed)
    }))
    if (unsaved.get(id) === renewed) unsaved.delete(id)
    if (!kept) yield* Effect.forkIn(revocations.giveBack(issuer, content.secrets), scope)
  })

  /** Stores the response as soon as possible. Until then the token is not released, and no other request is sent. */
  const saveTokens = (renewed: Renewed) =>
    Effect.suspend(() => {
      unsaved.set(renewed.before.row.record_id, renewed)
      return Effect.tapError(save(renewed), () =>
        Effect.logWarning("a refreshed token could not be stored and is kept in memory until it can be stored")
          .pipe(Effect.andThen(Effect.forkIn(Effect.retry(save(renewed), storeRetry), scope))))
    })

  /** Stores a key that was obtained again, unless the connection has changed. */
  const saveKey = Effect.fnUntraced(function*(before: StoredConnection, content: ConnectionContent) {
    if (yield* repo.replace(before, content)) yield* record(before, "ok")
  }, manifest.transact)

  /** Ends the connection but keeps its record, so that users can see the reason. */
  const endConnection = Effect.fnUntraced(function*(
    before: StoredConnection,
    secrets: Secrets,
    status: "expired" | "invalid",
    reason: string
  ) {
    const { metadata, row } = before
    const lastRefreshError = `${reason} Log in again with: ${loginCommand(row.provider, row.name, true)}`
    const content = contentOf({ row, metadata: { ...metadata, status, lastRefreshError } }, secrets)
    yield* leases.end(row)
    if (yield* repo.replace(before, content)) yield* record(before, "failed")
  }, manifest.transact)

  /**
   * Records a failure, unless it repeats the last one, which is not worth another generation of the record. `outcome`: whether
   * it is known what the server did with the request.
   */
  const recordFailure = Effect.fnUntraced(
    function*(before: StoredConnection, secrets: Secrets, failure: RenewalFailure, outcome: "known" | "unknown") {
      const { metadata, row } = before
      const content = contentOf({ row, metadata: { ...metadata, lastRefreshError: failure.message } }, secrets)
      yield* manifest.transact(Effect.gen(function*() {
        const written = metadata.lastRefreshError !== failure.message && (yield* repo.replace(before, content))
        yield* outcome === "unknown"
          ? leases.release(row, row.generation + (written ? 1 : 0))
          : leases.end(row)
      }))
      return yield* failure
    }
  )

  return { endConnection, recordFailure, save, saveKey, saveTokens, unsaved }
})
export type RefreshedTokens = Effect.Success<typeof makeRefreshedTokens>
