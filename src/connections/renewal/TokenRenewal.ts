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
import { isStoredGrant, type OAuthProvider, type ProviderDefinition } from "../../domain/definition/Provider.ts"
import { optionalFields, plainFieldNames } from "../../domain/definition/ProviderFields.ts"
import type { AuthenticationFailedError, EndpointUnreachableError, VaultUnavailableError } from "../../domain/Errors.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import { isOwnFlow } from "../../domain/wire/ProviderName.ts"
import { refusesCredentials } from "../../oauth/GrantTokenRequests.ts"
import { isLost, type OAuthError, type OAuthRejected, refusesResource } from "../../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import * as TokenEndpoint from "../../oauth/TokenEndpoint.ts"
import type { CommandFailure } from "../../platform/process/CommandOutput.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import {
  ConnectionRepo,
  contentOf,
  isRenewable,
  plainFieldsOf,
  type Secrets,
  type StoredConnection
} from "../ConnectionRepo.ts"
import { assumeRole, refusesKeys } from "../grants/AssumeRole.ts"
import { runCredentialCommand } from "../grants/CredentialCommands.ts"
import { contextOf, grantIssuer, requestToken } from "../grants/GrantRequests.ts"
import { type Issuer, Issuers, IssuerUnusableError } from "../oauth/Issuers.ts"
import { obstacleOf } from "../use/DefinitionBinding.ts"
import { OwnRenewals, type RenewedCredential } from "./OwnRenewals.ts"
import { contentWith, makeRefreshedTokens, type RefreshedTokens, RenewalFailure } from "./RefreshedTokens.ts"
import { makeRefreshLeases } from "./RefreshLeases.ts"
import { freshnessOf, lifeOf } from "./TokenLife.ts"

type KeySourceError =
  | AuthenticationFailedError
  | CommandFailure
  | EndpointUnreachableError
  | OAuthError
  | RenewalFailure

interface Asking extends Issuer {
  /** The scopes to name in the request, at a server that refuses or narrows a refresh without them. */
  readonly scopes?: ReadonlyArray<string>
  /** Whether the last refresh has lost scopes: then its token stays valid if the server refuses to return them. */
  readonly isNarrowed?: boolean
}

const leasePoll = Duration.millis(250)
const secondLook = Duration.seconds(5)

const renewalFailureOf = ({ row }: StoredConnection, error: OAuthError | IssuerUnusableError): RenewalFailure => {
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

/**
 * Whether a new credential has the fields of the stored one. Optional fields may be missing. Without this check, a
 * changed definition could give a secret the name, and so the meaning, of another field.
 */
const hasSameFields = (definition: ProviderDefinition, before: FieldValues, after: FieldValues): boolean => {
  const optional = new Set(optionalFields(definition))
  const lacks = (values: FieldValues) => (name: string) => !Object.hasOwn(values, name) && !optional.has(name)
  return !Object.keys(before).some(lacks(after)) && !Object.keys(after).some(lacks(before))
}

/** The request for a new token, or undefined if the connection has neither a grant nor a refresh token. */
const requestOf = (before: StoredConnection, issuer: Asking, definition: OAuthProvider, secrets: Secrets) => {
  const context = contextOf(before, definition, secrets)
  if (context !== undefined) return requestToken(context, issuer)
  const { refreshToken } = secrets
  return refreshToken === undefined ? undefined : TokenEndpoint.refresh({
    server: issuer.server,
    client: issuer.client,
    refreshToken,
    style: issuer.style,
    scopes: issuer.scopes,
    resource: issuer.binding.resource ?? undefined
  })
}

/** The failure of this attempt, or the reason why the connection has ended. */
const keyFailureOf = (before: StoredConnection, error: KeySourceError): RenewalFailure | string => {
  switch (error._tag) {
    case "AuthenticationFailedError":
      return error.message
    case "RenewalFailure":
      return error
    case "CommandFailure":
      return new RenewalFailure({
        message: `${error.message} The daemon will run the command again later.`,
        answered: true
      })
    case "EndpointUnreachableError":
      return new RenewalFailure({ message: error.message, answered: false })
    default:
      return error._tag === "OAuthRejected" && refusesKeys(error)
        ? `${before.row.provider} refused the keys of this login: ${error.message}.`
        : renewalFailureOf(before, error)
  }
}

/** Makes the function that obtains a key again. It needs no lease, because the request can be repeated without harm. */
const makeKeyRenewal = Effect.fnUntraced(function*({ endConnection, recordFailure, saveKey }: RefreshedTokens) {
  const repo = yield* ConnectionRepo
  const http = yield* OAuthHttp
  const ownRenewals = yield* OwnRenewals

  /** Returns an effect that obtains new values for a key, or undefined if the connection has no source for them. */
  const keySourceOf = (
    { metadata, row }: StoredConnection,
    definition: ProviderDefinition,
    { grantValues }: Secrets
  ): Effect.Effect<RenewedCredential, KeySourceError> | undefined => {
    const { baseUrl, command, requestedScopes: scopes = [] } = metadata
    if (isOwnFlow(row.flow)) {
      if (grantValues === undefined) return undefined
      const renewal = ownRenewals.get(row.flow)
      if (renewal !== undefined) {
        return renewal({ profile: row.profile, definition, connection: row.name, baseUrl, scopes, grantValues })
      }
      const message = `This daemon cannot renew connections of the login method ${row.flow}, which only a ` +
        "program that embeds credsvc provides."
      return Effect.fail(new RenewalFailure({ message, answered: true }))
    }
    if (definition.authType !== "api_key") return undefined
    if (command !== undefined) return runCredentialCommand(definition, command)
    if (row.flow !== "assume_role" || grantValues === undefined) return undefined
    const ask = Effect.provideService(assumeRole(definition, grantValues), OAuthHttp, http)
    return Effect.catchIf(ask, isLost, () => ask)
  }

  return Effect.fnUntraced(function*(before: StoredConnection, provider: Provider) {
    const { definition } = provider
    const { metadata: { refusedAt: _, ...metadata }, row } = before
    if (obstacleOf(before, provider) !== undefined) return
    const secrets = yield* repo.openSecrets(before)
    const source = keySourceOf(before, definition, secrets)
    if (source === undefined) return
    const result = yield* Effect.result(source)
    if (Result.isFailure(result)) {
      const failure = keyFailureOf(before, result.failure)
      return yield* typeof failure === "string"
        ? endConnection(before, secrets, "invalid", failure)
        : recordFailure(before, secrets, failure, false)
    }
    const { expiresAt = null, obtainedAt, values } = result.success
    if (!hasSameFields(definition, secrets.values, values)) {
      const reason = `The fields in the definition of ${row.provider} have changed since this login.`
      return yield* endConnection(before, secrets, "invalid", reason)
    }
    // The definition may have changed: fields that were secret at the login stay secret.
    const plain = plainFieldNames(definition, row.flow).filter((name) => Object.hasOwn(metadata.plainFields, name))
    const content = contentOf({
      row,
      metadata: {
        ...metadata,
        expiresAt,
        lastRefreshAt: obtainedAt,
        lastRefreshError: null,
        plainFields: plainFieldsOf(values, plain)
      }
    }, { ...secrets, values })
    yield* saveKey(before, content)
  })
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

  const exchange = Effect.fnUntraced(
    function*(
      before: StoredConnection,
      issuer: Asking,
      definition: OAuthProvider,
      again: boolean
    ): Effect.fn.Return<void, RenewalFailure | VaultUnavailableError> {
      const { metadata: { scopes }, row: { provider } } = before
      const secrets = yield* repo.openSecrets(before)
      const mayNameScopes = issuer.scopes === undefined && secrets.grantValues === undefined
      const request = requestOf(before, issuer, definition, secrets)
      if (request === undefined) return yield* leases.end(before.row)
      const ask = request.pipe(Effect.provideService(OAuthHttp, http), Effect.result)
      // This process may have been paused for so long that another daemon has used up the token.
      const askAgain = Effect.flatMap(
        leases.begin(before),
        (begun) => begun === "superseded" || begun === "taken" ? Effect.undefined : ask
      )
      const first = yield* ask
      // Only sending the token again can show whether the server has used it up.
      const lost = Result.isFailure(first) && isLost(first.failure)
      let result = lost ? yield* askAgain : first
      if (result !== undefined && Result.isFailure(result) && isPremature(result.failure, lost)) {
        yield* Effect.sleep(secondLook)
        result = yield* askAgain
      }
      if (result === undefined) return yield* renew(before)
      if (Result.isSuccess(result)) {
        const content = yield* contentWith(before, issuer, secrets, result.success)
        yield* saveTokens({ before, issuer, content, again })
        const isNarrowed = scopes.some((scope) => !content.metadata.scopes.includes(scope))
        if (!isNarrowed || !mayNameScopes) return
        // Entra ID returns only its default scopes to a request that names none (RFC 6749 section 6 requires all).
        const next = yield* repo.findRecord(before.row.record_id)
        if (next?.row.generation !== before.row.generation + 1 || (yield* leases.begin(next)) !== "begun") return
        return yield* exchange(next, { ...issuer, scopes, isNarrowed }, definition, false)
      }
      const error = result.failure
      if (error._tag === "OAuthRejected") {
        if (issuer.isNarrowed === true) return yield* leases.end(before.row)
        const { binding } = issuer
        if (binding.resource !== null && mayRefuseResource(error)) {
          return yield* exchange(before, { ...issuer, binding: { ...binding, resource: null } }, definition, again)
        }
        if (secrets.grantValues !== undefined && refusesCredentials(error)) {
          const reason = `${provider} refused the credentials of this login: ${error.message}.`
          return yield* endConnection(before, secrets, "invalid", reason)
        }
        if (mayNameScopes && scopes.length > 0 && mayRequireScopes(error)) {
          return yield* exchange(before, { ...issuer, scopes }, definition, again)
        }
        if (error.error === "invalid_grant") {
          return yield* endConnection(before, secrets, "expired", `${provider} has ended this login.`)
        }
        if (error.error === "invalid_client") yield* issuers.markRejected(before, definition)
      }
      const unknown = again || (error._tag === "OAuthUnavailable" && error.sent)
      return yield* recordFailure(before, secrets, renewalFailureOf(before, error), unknown)
    }
  )

  /**
   * Refreshes the stored token of the connection unless it is fresh. The caller reads the connection again afterwards.
   * `rejected` is the issue time of a token that the upstream rejected: that token is refreshed even if it is fresh.
   * Must not be interrupted during a request; run at most one per connection.
   */
  const renew = Effect.fn("TokenRenewal.renew")(function*(stored: StoredConnection, rejected?: number) {
    while (true) {
      const current = yield* repo.findRecord(stored.row.record_id)
      if (current?.metadata.status !== "connected" || !isRenewable(current)) return
      const life = lifeOf(current.metadata)
      // Succeeds even if the caller already has this token: a refresh may have stored it a moment ago.
      if (freshnessOf(life, yield* Clock.currentTimeMillis) === "fresh" && life.issuedAt !== rejected) return
      const waiting = unsaved.get(current.row.record_id)
      if (waiting !== undefined) return yield* save(waiting)
      const provider = Option.getOrUndefined(yield* registry.find(current.row.provider))
      const isKey = provider?.definition.authType === "api_key"
      if (provider !== undefined && (isKey || (isOwnFlow(current.row.flow) && !current.metadata.hasRefreshToken))) {
        return yield* renewKey(current, provider)
      }
      if (provider?.definition.authType !== "oauth2" || obstacleOf(current, provider) !== undefined) return
      const { definition } = provider
      const begun = yield* leases.begin(current)
      if (begun === "superseded") continue
      if (begun === "taken") {
        yield* Effect.sleep(leasePoll)
        continue
      }
      const issuer = yield* Effect.result(issuerOf(current, definition))
      if (Result.isSuccess(issuer)) return yield* exchange(current, issuer.success, definition, begun === "again")
      if (issuer.failure._tag === "VaultUnavailableError") return yield* issuer.failure
      const failure = renewalFailureOf(current, issuer.failure)
      return yield* recordFailure(current, yield* repo.openSecrets(current), failure, begun === "again")
    }
  })

  return { renew }
})

export class TokenRenewal
  extends Context.Service<TokenRenewal, Effect.Success<typeof make>>()("credsvc/connections/TokenRenewal")
{
  static readonly layerNoDeps = Layer.effect(TokenRenewal, make)
}
