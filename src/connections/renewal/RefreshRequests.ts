/**
 * Performs one refresh of one connection: with its refresh token (RFC 6749 section 6), or with a stored grant. The new token is
 * released only after `RefreshedTokens` has stored it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { isStoredGrant, type OAuthProvider } from "../../domain/definition/Provider.ts"
import type { VaultUnavailableError } from "../../domain/Errors.ts"
import { isOwnFlow } from "../../domain/wire/ProviderName.ts"
import { refusesCredentials } from "../../oauth/GrantTokenRequests.ts"
import { isLost, type OAuthError, type OAuthRejected, refusesResource } from "../../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import * as TokenEndpoint from "../../oauth/TokenEndpoint.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import {
  type ConnectionContent,
  ConnectionRepo,
  isRenewable,
  type Secrets,
  type StoredConnection
} from "../ConnectionRepo.ts"
import { contextOf, grantIssuer, requestToken } from "../grants/GrantRequests.ts"
import { type Issuer, Issuers, IssuerUnusableError } from "../oauth/Issuers.ts"
import { obstacleOf } from "../use/DefinitionBinding.ts"
import { makeKeyRenewal } from "./KeyRenewal.ts"
import { contentWith, makeRefreshedTokens, type RenewalFailure, renewalFailureOf } from "./RefreshedTokens.ts"
import { makeRefreshLeases } from "./RefreshLeases.ts"
import { freshnessOf, lifeOf } from "./TokenLife.ts"

/** One refresh of a connection: the row as it was read, and how to ask for its next token. */
interface Attempt {
  readonly before: StoredConnection
  readonly definition: OAuthProvider
  readonly issuer: Issuer
  /** Whether an earlier attempt, which may have used up the refresh token, has an unknown outcome. */
  readonly again: boolean
  /** The scopes to name in the request, at a server that refuses or narrows a refresh without them. */
  readonly scopes?: ReadonlyArray<string>
  /** Whether the last refresh has lost scopes: then its token stays valid if the server refuses to return them. */
  readonly isNarrowed?: boolean
}

const leasePoll = Duration.millis(250)
const secondLook = Duration.seconds(5)

/**
 * Whether the server may have rejected a refresh token because it is still processing an earlier request with it. True
 * if the server says so, or if this request was a repetition.
 */
const isPremature = (error: OAuthError, repeated: boolean): boolean =>
  error._tag === "OAuthRejected" && error.error === "invalid_grant" &&
  (repeated || /\b(?:being (?:processed|refreshed|used)|in progress|concurrent)/i.test(error.description ?? ""))

/** Whether a refresh may succeed without the resource indicator: some servers reject the parameter without naming it. */
const mayRefuseResource = (error: OAuthRejected): boolean =>
  refusesResource(error) || (error.status === 400 && error.error === "invalid_request")

/** Whether a refresh may succeed with scopes: without them, Entra ID assumes that an app requests a token for itself. */
const mayRequireScopes = ({ description = "", error }: OAuthRejected): boolean =>
  error === "invalid_scope" || (error === "invalid_request" && /\bscopes?\b|\bAADSTS90009\b/i.test(description))

/** The request for a new token, or undefined if the connection has neither a grant nor a refresh token. */
const requestOf = ({ before, definition, issuer, scopes }: Attempt, secrets: Secrets) => {
  const context = contextOf(before, definition, secrets)
  if (context !== undefined) return requestToken(context, issuer)
  const { refreshToken } = secrets
  return refreshToken === undefined ? undefined : TokenEndpoint.refresh({
    server: issuer.server,
    client: issuer.client,
    refreshToken,
    style: issuer.style,
    scopes,
    resource: issuer.binding.resource ?? undefined
  })
}

/** Whether a request may name the scopes of the connection. A stored grant has scopes of its own. */
const mayNameScopes = ({ scopes }: Attempt, { grantValues }: Secrets): boolean =>
  scopes === undefined && grantValues === undefined

interface End {
  readonly status: "expired" | "invalid"
  readonly reason: string
}

/**
 * What follows a rejection: another attempt, the end of the connection, or nothing, if the token of the last refresh stays.
 * Undefined if this attempt has failed.
 */
const afterRejection = (
  attempt: Attempt,
  secrets: Secrets,
  error: OAuthRejected
): Attempt | End | "nothing" | undefined => {
  const { before: { metadata: { scopes }, row: { provider } }, isNarrowed, issuer } = attempt
  const { binding } = issuer
  if (isNarrowed === true) return "nothing"
  if (binding.resource !== null && mayRefuseResource(error)) {
    return { ...attempt, issuer: { ...issuer, binding: { ...binding, resource: null } } }
  }
  if (secrets.grantValues !== undefined && refusesCredentials(error)) {
    return { status: "invalid", reason: `${provider} refused the credentials of this login: ${error.message}.` }
  }
  if (mayNameScopes(attempt, secrets) && scopes.length > 0 && mayRequireScopes(error)) {
    return { ...attempt, scopes }
  }
  return error.error === "invalid_grant"
    ? { status: "expired", reason: `${provider} has ended this login.` }
    : undefined
}

/** Returns the connection if it can be renewed and its token is not fresh. */
const ifDue = Effect.fnUntraced(function*(current: StoredConnection | undefined, rejected: number | undefined) {
  if (current?.metadata.status !== "connected" || !isRenewable(current)) return undefined
  const life = lifeOf(current.metadata)
  // Succeeds even if the caller already has this token: a refresh may have stored it a moment ago.
  const isFresh = freshnessOf(life, yield* Clock.currentTimeMillis) === "fresh" && life.issuedAt !== rejected
  return isFresh ? undefined : current
})

const make = Effect.gen(function*() {
  const repo = yield* ConnectionRepo
  const issuers = yield* Issuers
  const http = yield* OAuthHttp
  const registry = yield* ProviderRegistry
  const leases = yield* makeRefreshLeases
  const refreshed = yield* makeRefreshedTokens
  const { endConnection, recordFailure, save, saveTokens, unsaved } = refreshed
  const renewKey = yield* makeKeyRenewal(refreshed)

  const issuerOf = Effect.fnUntraced(function*(stored: StoredConnection, definition: OAuthProvider) {
    if (!isStoredGrant(stored.row.flow)) return yield* issuers.of(stored, definition)
    const context = contextOf(stored, definition, yield* repo.openSecrets(stored))
    const issuer = context === undefined ? undefined : grantIssuer(context)
    return issuer ?? (yield* new IssuerUnusableError({
      message: `The definition of ${definition.name} no longer has a token request for the flow ${stored.row.flow}.`
    }))
  })

  /** Sends a request, again if its outcome is unknown. Returns undefined if another refresh has replaced the token. */
  const send = Effect.fnUntraced(
    function*(before: StoredConnection, request: Effect.Effect<TokenEndpoint.TokenResponse, OAuthError, OAuthHttp>) {
      const ask = request.pipe(Effect.provideService(OAuthHttp, http), Effect.result)
      // This process may have been paused for so long that another daemon has used up the token.
      const askAgain = Effect.flatMap(
        leases.begin(before),
        (begun) => begun === "superseded" || begun === "taken" ? Effect.undefined : ask
      )
      const first = yield* ask
      // Only sending the token again can show whether the server has used it up.
      const lost = Result.isFailure(first) && isLost(first.failure)
      const result = lost ? yield* askAgain : first
      if (result === undefined || Result.isSuccess(result) || !isPremature(result.failure, lost)) return result
      yield* Effect.sleep(secondLook)
      return yield* askAgain
    }
  )

  /** Names the scopes that the stored token lacks: Entra ID returns only its default scopes to a request that names none. */
  const widen = Effect.fnUntraced(function*(attempt: Attempt, { metadata }: ConnectionContent) {
    const { before: { metadata: { scopes }, row } } = attempt
    const isNarrowed = scopes.some((scope) => !metadata.scopes.includes(scope))
    const before = isNarrowed ? yield* repo.findRecord(row.record_id) : undefined
    if (before?.row.generation !== row.generation + 1 || (yield* leases.begin(before)) !== "begun") return
    yield* exchange({ ...attempt, before, scopes, isNarrowed, again: false })
  })

  /** Requests a token and stores it, or the failure. */
  const exchange = Effect.fnUntraced(
    function*(attempt: Attempt): Effect.fn.Return<void, RenewalFailure | VaultUnavailableError> {
      const { again, before, definition, issuer } = attempt
      const secrets = yield* repo.openSecrets(before)
      const request = requestOf(attempt, secrets)
      if (request === undefined) return yield* leases.end(before.row)
      const result = yield* send(before, request)
      if (result === undefined) return yield* renew(before)
      if (Result.isSuccess(result)) {
        const content = yield* contentWith(before, issuer, secrets, result.success)
        yield* saveTokens({ before, issuer, content, again })
        // RFC 6749 section 6 requires all scopes in the response to a request that names none.
        return mayNameScopes(attempt, secrets) ? yield* widen(attempt, content) : undefined
      }
      const error = result.failure
      const next = error._tag === "OAuthRejected" ? afterRejection(attempt, secrets, error) : undefined
      if (next === "nothing") return yield* leases.end(before.row)
      if (next !== undefined) {
        return yield* "status" in next
          ? endConnection(before, secrets, next.status, next.reason)
          : exchange(next)
      }
      if (error._tag === "OAuthRejected" && error.error === "invalid_client") {
        yield* issuers.markRejected(before, definition)
      }
      const isUnknown = again || (error._tag === "OAuthUnavailable" && error.sent)
      return yield* recordFailure(before, secrets, renewalFailureOf(before, error), isUnknown ? "unknown" : "known")
    }
  )

  /** Refreshes a token whose lease this process holds. */
  const refresh = Effect.fnUntraced(function*(attempt: Omit<Attempt, "issuer">) {
    const { again, before, definition } = attempt
    const issuer = yield* Effect.result(issuerOf(before, definition))
    if (Result.isSuccess(issuer)) return yield* exchange({ ...attempt, issuer: issuer.success })
    if (issuer.failure._tag === "VaultUnavailableError") return yield* issuer.failure
    const failure = renewalFailureOf(before, issuer.failure)
    return yield* recordFailure(before, yield* repo.openSecrets(before), failure, again ? "unknown" : "known")
  })

  /**
   * Refreshes the stored token of the connection unless it is fresh. The caller reads the connection again afterwards.
   * `rejected` is the issue time of a token that the upstream rejected: that token is refreshed even if it is fresh.
   * Must not be interrupted during a request; run at most one per connection.
   */
  const renew = Effect.fn("RefreshRequests.renew")(function*(stored: StoredConnection, rejected?: number) {
    while (true) {
      const current = yield* ifDue(yield* repo.findRecord(stored.row.record_id), rejected)
      if (current === undefined) return
      const waiting = unsaved.get(current.row.record_id)
      if (waiting !== undefined) return yield* save(waiting)
      const provider = Option.getOrUndefined(yield* registry.find(current.row.provider))
      const isKey = provider?.definition.authType === "api_key"
      if (provider !== undefined && (isKey || (isOwnFlow(current.row.flow) && !current.metadata.hasRefreshToken))) {
        return yield* renewKey(current, provider)
      }
      if (provider?.definition.authType !== "oauth2" || obstacleOf(current, provider) !== undefined) return
      const begun = yield* leases.begin(current)
      if (begun === "begun" || begun === "again") {
        return yield* refresh({ before: current, definition: provider.definition, again: begun === "again" })
      }
      if (begun === "taken") yield* Effect.sleep(leasePoll)
    }
  })

  return { renew }
})

/** Sends one refresh of a connection. `TokenRefresher` starts it, at most once at a time for each connection. */
export class RefreshRequests
  extends Context.Service<RefreshRequests, Effect.Success<typeof make>>()("credsvc/connections/RefreshRequests")
{
  static readonly layerNoDeps = Layer.effect(RefreshRequests, make)
}
