/** Exchanges grants for tokens at the token endpoint (RFC 6749 sections 4.1.3 and 6). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as IdToken from "./IdToken.ts"
import * as Messages from "./Messages.ts"
import { type OAuthClient, parameterRequest, type Parameters, secretsOf } from "./OAuthClient.ts"
import {
  malformedError,
  type OAuthRejected,
  type OAuthUnavailable,
  type OAuthUnsafe,
  unsafeError
} from "./OAuthErrors.ts"
import type { OAuthRequest, OAuthResponse } from "./OAuthHttp.ts"
import { type JsonObject, safeUrl } from "./ServerValues.ts"
import * as TokenDialect from "./TokenDialect.ts"
import type { TokenRequestStyle } from "./TokenDialect.ts"

export { standardStyle, type TokenRequestStyle, type TokenResponsePointers } from "./TokenDialect.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

export const TokenResponse = Schema.Struct({
  accessToken: Secret,
  refreshToken: Schema.optional(Secret),
  tokenType: Schema.Literal("Bearer"),
  /** When the request was sent. The lifetime starts then, because a suspended process may read the response late. */
  requestedAtMillis: Schema.Number,
  expiresInSeconds: Schema.optional(Schema.Number),
  scopes: Schema.optional(Schema.Array(Schema.String)),
  account: Schema.Struct({ id: Schema.NullOr(Schema.String), label: Schema.NullOr(Schema.String) }),
  /** The base URL, if the server returns it. Not checked against the definition. */
  baseUrl: Schema.optional(Schema.String),
  subject: Schema.optional(Schema.Struct({ iss: Schema.String, sub: Schema.String })),
  /** Why a login must not use the tokens, but revoke them. Other requests fail instead. */
  refused: Schema.optional(Schema.String)
})
export type TokenResponse = typeof TokenResponse.Type

export interface Grant {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  readonly style: TokenRequestStyle
  readonly resource?: string | undefined
  /** Whether the caller revokes refused tokens, as a login does. Such a caller gets them with `refused`. */
  readonly revokes?: boolean | undefined
}

export interface CodeGrant extends Grant {
  readonly code: Redacted.Redacted<string>
  readonly redirectUri: string
  readonly codeVerifier?: Redacted.Redacted<string> | undefined
  /** The scopes of the authorization request. If they include `openid`, the ID token must be valid. */
  readonly scopes?: ReadonlyArray<string>
}

export interface RefreshGrant extends Grant {
  readonly refreshToken: Redacted.Redacted<string>
  readonly scopes?: ReadonlyArray<string> | undefined
}

/** The name of a rejected token type, for the error. */
const typeOf = (type: unknown): string => typeof type === "string" ? type : "unknown"

const MAX_TOKEN = 16_384

/** Whether a string is printable ASCII without spaces, so that it fits into a header field and cannot end it (RFC 6750 section 2.1). */
const isToken = (text: string): boolean => text.length <= MAX_TOKEN && /^[\u0021-\u007e]+$/.test(text)

/** Extends the time limit: a server may use up the grant before it responds, so giving up early would lose the tokens. */
const patience = 6

export const tokenRequest = (
  grant: Grant,
  endpoint: string,
  grantType: string,
  parameters: Parameters
): OAuthRequest => {
  const { client, resource, style } = grant
  const all = { ...style.params, resource, ...parameters, grant_type: grantType }
  return { ...parameterRequest(endpoint, client, all, style), patience }
}

export const tokenResponse = (
  grant: Grant,
  body: JsonObject,
  options: { readonly openid: boolean; readonly refresh: boolean; readonly sentAtMillis: number }
): Effect.Effect<TokenResponse, OAuthUnavailable | OAuthUnsafe> =>
  Effect.gen(function*() {
    const { client, server } = grant
    // A clock that went back in the meantime must not extend the token's lifetime.
    const requestedAtMillis = Math.min(options.sentAtMillis, yield* Clock.currentTimeMillis)
    const fields = TokenDialect.tokenFields(body, grant.style, { now: requestedAtMillis, isRefresh: options.refresh })
    const { accessToken, refreshToken } = fields
    if (typeof accessToken !== "string" || (refreshToken !== undefined && typeof refreshToken !== "string")) {
      return yield* malformedError(
        "the token response of the authorization server lacks an access token, or a token in it is not a string"
      )
    }
    if (!isToken(accessToken) || (refreshToken !== undefined && !isToken(refreshToken))) {
      return yield* malformedError("the authorization server sent a token that is too long or not printable")
    }
    const identity = IdToken.read(fields.idToken, server, client.clientId)
    const isForeign = options.openid && fields.idToken !== undefined && identity === undefined
    const foreign = isForeign ? "the ID token of the login has another issuer or audience" : undefined
    const refused = TokenDialect.isBearer(fields.tokenType)
      ? foreign
      : `the authorization server issues tokens of the type "${typeOf(fields.tokenType)}", not Bearer`
    if (refused !== undefined && grant.revokes !== true) return yield* unsafeError(refused)
    return {
      refused,
      accessToken: Redacted.make(accessToken),
      refreshToken: refreshToken === undefined ? undefined : Redacted.make(refreshToken),
      tokenType: "Bearer",
      requestedAtMillis,
      expiresInSeconds: fields.expiresInSeconds,
      scopes: fields.scopes,
      account: {
        id: fields.account.id ?? identity?.sub ?? null,
        label: fields.account.label ?? identity?.label ?? null
      },
      baseUrl: safeUrl(fields.baseUrl, server.reach) === undefined ? undefined : fields.baseUrl,
      subject: identity === undefined ? undefined : { iss: identity.iss, sub: identity.sub }
    }
  })

export const expectation = (
  grant: Grant,
  ...secrets: ReadonlyArray<Redacted.Redacted<string> | undefined>
): Messages.Expectation => ({
  secrets: secretsOf(grant.client, ...secrets),
  errorOf: (body) => TokenDialect.errorOf(body, grant.style.pointers)
})

/** Sends a request for tokens. `refusal` recognizes the errors of a server that does not use OAuth error codes. */
export const requestTokens = Effect.fnUntraced(function*(
  grant: Grant,
  request: OAuthRequest,
  /** The secrets in the request, besides that of the client. */
  secrets: ReadonlyArray<Redacted.Redacted<string> | undefined>,
  options: {
    readonly openid?: boolean
    readonly refresh?: boolean
    readonly refusal?: (response: OAuthResponse, nowMillis: number) => OAuthRejected | OAuthUnavailable | undefined
  } = {}
) {
  const { openid = false, refresh = false, refusal } = options
  const sentAtMillis = yield* Clock.currentTimeMillis
  const response = yield* Effect.flatMap(Messages.send(grant.server.reach, request), Messages.requireAnswer)
  const refused = refusal?.(response, sentAtMillis)
  if (refused !== undefined) return yield* refused
  const { body } = yield* Messages.acceptedResponse(response, expectation(grant, ...secrets))
  return yield* tokenResponse(grant, body, { openid, refresh, sentAtMillis })
})

export const endpointOf = ({ server }: Grant): Effect.Effect<string, OAuthUnsafe> =>
  Messages.endpointOf(server, "tokenEndpoint")

/** Whether a token endpoint belongs to Entra ID, which may require scopes with a code, as Microsoft's clients send them. */
const wantsScopes = (endpoint: string): boolean => new URL(endpoint).pathname.endsWith("/oauth2/v2.0/token")

/** Exchanges the code. The code counts as used up whatever the response is, and is never sent twice. */
export const exchangeCode = Effect.fnUntraced(function*(grant: CodeGrant) {
  const { code, codeVerifier, redirectUri, scopes = [], style } = grant
  const endpoint = yield* endpointOf(grant)
  const request = tokenRequest(grant, endpoint, "authorization_code", {
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    ...(scopes.length > 0 && wantsScopes(endpoint) ? { scope: scopes.join(style.scopeSeparator) } : {})
  })
  const openid = scopes.includes("openid")
  return yield* requestTokens({ ...grant, revokes: true }, request, [code, codeVerifier], { openid })
})

/** Refreshes tokens. After a failure with `sent`, a rotating refresh token may already be used up. */
export const refresh = Effect.fnUntraced(function*(grant: RefreshGrant) {
  const { refreshToken, scopes, style } = grant
  const request = tokenRequest(grant, yield* endpointOf(grant), "refresh_token", {
    refresh_token: refreshToken,
    ...(scopes === undefined ? {} : { scope: scopes.join(style.scopeSeparator) })
  })
  // Ignores an invalid ID token: an error here would lose the rotated refresh token.
  return yield* requestTokens(grant, request, [refreshToken], { refresh: true })
})
