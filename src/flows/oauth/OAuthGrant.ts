/** Creates the grant of a login from its tokens and account, with warnings for the user. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { bindingTo } from "../../connections/oauth/OAuthBinding.ts"
import { learnedBaseUrl } from "../../domain/definition/ProviderHosts.ts"
import type { AuthenticationFailedError } from "../../domain/Errors.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { FoundAccount } from "../../oauth/AccountLookup.ts"
import type { TokenResponse } from "../../oauth/TokenEndpoint.ts"
import type { FlowState, Grant, HeldTokens, OAuthLogin } from "../Flow.ts"
import { stoppedLogin } from "../ProviderFailure.ts"
import { encodeState, type Granted, type OAuthTarget } from "./OAuthState.ts"

/** The tokens of a login that is not stored yet. */
export interface ArrivedTokens {
  readonly tokens: TokenResponse
  readonly held: HeldTokens
  readonly grantFor: (account?: FoundAccount) => Effect.Effect<Grant, AuthenticationFailedError>
  /** Encodes a state that keeps the tokens until the lookup, or until the user has chosen one of the accounts. */
  readonly keep: (accounts?: ReadonlyArray<FoundAccount>) => Effect.Effect<FlowState>
}

const scopeList = (scopes: ReadonlyArray<string>): string =>
  scopes.slice(0, 20).join(", ") + (scopes.length > 20 ? ` and ${scopes.length - 20} more` : "")

/** Warns about missing scopes, except those that only shape the response, and `offline_access` with a refresh token. */
const scopeWarning = (
  asked: ReadonlyArray<string>,
  granted: ReadonlyArray<string> | undefined,
  hasRefreshToken: boolean
): string | undefined => {
  if (granted === undefined || asked.length === 0) return undefined
  const implied = (scope: string) =>
    scope === "openid" || (hasRefreshToken && (scope === "offline_access" || scope === "offline"))
  const missing = asked.filter((scope) => !granted.includes(scope) && !implied(scope))
  const further = granted.filter((scope) => !asked.includes(scope))
  const sentences = [
    ...(missing.length === 0 ? [] : [`The provider did not grant these scopes: ${scopeList(missing)}.`]),
    ...(further.length === 0 ? [] : [`The provider granted additional scopes: ${scopeList(further)}.`])
  ]
  return sentences.length === 0 ? undefined : sentences.join(" ")
}

/** The base URL, checked against the definition. */
export const baseUrlOf = (
  { baseUrl, definition }: OAuthLogin,
  returned: string | undefined
): Result.Result<string | null, string> => {
  if (returned !== undefined) return learnedBaseUrl(definition, returned)
  return baseUrl === null && definition.oauth.tokenResponse.baseUrl !== undefined
    ? Result.fail("the provider did not return the URL of the account")
    : Result.succeed(baseUrl)
}

/**
 * Builds the grant from tokens and an account, for every flow. Fails if the tokens are refused, or if the definition
 * does not allow the URL of the account.
 */
export const grantOfTokens = Effect.fnUntraced(function*(
  request: OAuthLogin,
  tokens: TokenResponse,
  scopes: ReadonlyArray<string>,
  account?: FoundAccount
) {
  const { base_url: found = undefined, ...looked } = account?.values ?? {}
  const baseUrl = tokens.refused === undefined
    ? baseUrlOf(request, found ?? tokens.baseUrl)
    : Result.fail(tokens.refused)
  if (Result.isFailure(baseUrl)) {
    const { displayName } = request.definition
    return yield* stoppedLogin(request.definition, `The login to ${displayName} was stopped: ${baseUrl.failure}.`)
  }
  const warning = scopeWarning(scopes, tokens.scopes, tokens.refreshToken !== undefined)
  const obtainedAt = DateTime.makeUnsafe(tokens.requestedAtMillis)
  return {
    values: {
      ...Object.fromEntries(Object.entries(looked).map(([name, value]) => [name, Redacted.make(value)])),
      access_token: tokens.accessToken
    },
    scopes: tokens.scopes ?? scopes,
    tokenType: tokens.tokenType,
    expiresAt: tokens.expiresInSeconds === undefined
      ? undefined
      : DateTime.add(obtainedAt, { seconds: tokens.expiresInSeconds }),
    obtainedAt,
    account: { id: tokens.account.id, label: tokens.account.label ?? account?.label ?? null },
    baseUrl: baseUrl.success ?? undefined,
    warning
  }
})

/** Warns that the login must be repeated when its token expires, and tells how to get a token that can be renewed. */
const expiryWarning = (
  { connection, definition, scopes }: OAuthLogin,
  { server }: OAuthTarget,
  { expiresInSeconds, refreshToken }: TokenResponse
): string | undefined => {
  if (expiresInSeconds === undefined || refreshToken !== undefined) return undefined
  const offline = server.scopesSupported?.includes("offline_access") === true && !scopes.includes("offline_access")
  const remedy = offline
    ? `To get one: ${loginCommand(definition.name, connection)} --add-scopes offline_access`
    : `Log in again then with: ${loginCommand(definition.name, connection, true)}`
  const minutes = plural(Math.ceil(expiresInSeconds / 60), "minute")
  return `The token expires in ${minutes} and cannot be renewed, because the provider issued no refresh token. ${remedy}`
}

/** Warns that the tokens are not limited to the resource, because the server has rejected the parameter in this login. */
const unlimitedWarning = ({ refusedResource, server }: OAuthTarget): string | undefined =>
  refusedResource === undefined
    ? undefined
    : `The server refused to limit the tokens to ${refusedResource}: they may be valid for all services of ${server.issuer}.`

/** The tokens with the parameters of their revocation, independent of the definition, which may have changed meanwhile. */
export const heldBy = (
  { client: { authentication, credentials, unproven }, existing, fields, target, tokens }: Granted,
  noResource?: true
): HeldTokens => {
  const { discovered, resource, server } = target
  const { clientId } = credentials
  return {
    values: { ...fields, access_token: tokens.accessToken, client_id: Redacted.make(clientId) },
    refreshToken: tokens.refreshToken,
    existing,
    oauth: bindingTo(server, { authentication, clientId }, { discovered, noResource, resource }),
    // The client is stored again: the server may have deleted a registered client since the browser was sent there.
    client: unproven || credentials.source === "registered" ? { issuer: server.issuer, credentials } : undefined
  }
}

const grantedBy = (request: OAuthLogin, { target, tokens }: Granted, held: HeldTokens, account?: FoundAccount) =>
  Effect.map(grantOfTokens(request, tokens, target.scopes, account), (found): Grant => ({
    ...found,
    ...held,
    values: { ...held.values, ...found.values, client_id: held.values["client_id"]! },
    warning: [found.warning, unlimitedWarning(target), expiryWarning(request, target, tokens)].filter(Boolean).join(" ")
      || undefined
  }))

export const arrivedTokens = (login: OAuthLogin, state: Granted): ArrivedTokens => {
  const held = heldBy(state, login.noResource === true || undefined)
  return {
    tokens: state.tokens,
    held,
    grantFor: (account) => grantedBy(login, state, held, account),
    keep: (accounts) =>
      encodeState(accounts === undefined ? { ...state, phase: "lookup" } : { ...state, phase: "choice", accounts })
  }
}
