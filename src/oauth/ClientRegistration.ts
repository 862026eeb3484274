/** Dynamic client registration (RFC 7591) and deletion of a registration (RFC 7592). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import type { ClientAuthentication, OAuthClient } from "./OAuthClient.ts"
import { malformedError, OAuthRejected, unsafeError } from "./OAuthErrors.ts"
import type { OAuthHttp, OAuthResponse } from "./OAuthHttp.ts"
import {
  type JsonObject,
  member,
  nameList,
  numberOf,
  plainText,
  presentValue,
  printableText,
  safeUrl
} from "./ServerValues.ts"

export interface RegistrationRequest {
  readonly server: AuthorizationServer
  readonly clientName: string
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<string>
  /** Whether the client will request device codes. */
  readonly device?: boolean | undefined
  /** Whether to leave out the members that some servers refuse. */
  readonly bare?: boolean | undefined
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

export interface Registration extends OAuthClient {
  readonly secretExpiresAtMillis: number | null
  /** The client configuration endpoint, if it is at the same host as the registration endpoint. */
  readonly management: { readonly uri: string; readonly accessToken: Redacted.Redacted<string> } | null
}

const methods: ReadonlyArray<ClientAuthentication> = ["none", "client_secret_post", "client_secret_basic"]

const isMethod = (value: unknown): value is ClientAuthentication => methods.some((method) => method === value)

const preferredMethod = (server: AuthorizationServer): ClientAuthentication => {
  const offered = server.tokenEndpointAuthMethods
  return methods.find((method) => offered === undefined || offered.includes(method)) ?? "none"
}

/** The default authentication method (RFC 7591 section 2), or `client_secret_post` if the server does not support it. */
const defaultMethod = ({ tokenEndpointAuthMethods }: AuthorizationServer): ClientAuthentication =>
  tokenEndpointAuthMethods?.includes("client_secret_basic") === false ? "client_secret_post" : "client_secret_basic"

/** Removes the port of a loopback address: a server may omit the port, because it accepts any port (RFC 8252 section 7.3). */
const withoutPort = (redirectUri: string): string =>
  redirectUri.replace(/^(http:\/\/(?:127\.0\.0\.1|localhost)):\d+\//, "$1/")

/** The latest date that JavaScript can represent, in seconds since 1970. */
const LAST_SECOND = 8_640_000_000_000

/** Statuses that, without an error of section 3.2.2, mean that registration is not open. Others reject the content. */
const CLOSED_STATUSES = new Set([401, 403, 404, 405])

/** Leaves out `refresh_token` if the metadata lists only other grant types, because some servers reject unlisted ones. */
const grantTypes = ({ grantTypes }: AuthorizationServer): Array<string> =>
  ["authorization_code", "refresh_token"].filter((type) =>
    type === "authorization_code" || grantTypes === undefined || grantTypes.includes(type)
  )

const messageOf = (request: RegistrationRequest, endpoint: string) => {
  const { bare = false, clientName, device = false, redirectUri, scopes, server } = request
  const metadata = {
    client_name: clientName,
    application_type: bare ? undefined : "native",
    redirect_uris: [redirectUri],
    grant_types: [...grantTypes(server), ...(device ? [deviceGrant] : [])],
    response_types: ["code"],
    token_endpoint_auth_method: preferredMethod(server),
    scope: bare || scopes.length === 0 ? undefined : scopes.join(" ")
  }
  return {
    method: "POST" as const,
    url: endpoint,
    headers: { accept: "application/json", "content-type": "application/json" },
    body: Redacted.make(JSON.stringify(metadata))
  }
}

/** The error for a rejection without an error of section 3.2.2. Some servers fail (500) at an unknown member, or at every request. */
const rejectionOf = (response: OAuthResponse): OAuthRejected | undefined => {
  const { status } = response
  const body = Messages.bodyOf(response)
  const isStated = status !== 500 && presentValue(body?.["error"]) !== undefined
  if (status < 400 || status === 429 || status > 500 || isStated) return undefined
  const description = Messages.descriptionOf(body, [])
  const rejected = status === 500 ? "server_error" : "invalid_client_metadata"
  return new OAuthRejected({
    error: CLOSED_STATUSES.has(status) ? "access_denied" : rejected,
    status,
    ...(description === undefined ? {} : { description })
  })
}

/** The ID and the secret of the registered client. */
const credentialsIn = (body: JsonObject) => {
  const clientId = printableText(body["client_id"], 2048)
  const secret = member(body, "client_secret")
  const clientSecret = printableText(secret, 16_384)
  return clientId === undefined || (clientSecret === undefined && secret !== undefined)
    ? Effect.fail(malformedError(
      "the registration response of the authorization server lacks a client_id, or its client_secret is not printable text"
    ))
    : Effect.succeed({ clientId, clientSecret })
}

/** Fails unless the server has registered the requested redirect URI. */
const requireRedirectUri = (body: JsonObject, redirectUri: string) => {
  const stated = member(body, "redirect_uris")
  const registered = nameList(stated) ?? []
  return stated === undefined || [redirectUri, withoutPort(redirectUri)].some((uri) => registered.includes(uri))
    ? Effect.void
    : Effect.fail(unsafeError(
      "the authorization server registered a redirect URI other than the requested one: " +
        `"${registered[0] ?? "none"}" instead of "${redirectUri}"`
    ))
}

const methodIn = (body: JsonObject, server: AuthorizationServer) => {
  const stated = member(body, "token_endpoint_auth_method") ?? defaultMethod(server)
  if (isMethod(stated)) return Effect.succeed(stated)
  const name = plainText(stated) ?? "unknown"
  return Effect.fail(
    unsafeError(`the authorization server registered an unsupported client authentication method, "${name}"`)
  )
}

export const register = Effect.fnUntraced(function*(request: RegistrationRequest) {
  const { server } = request
  const endpoint = yield* Messages.endpointOf(server, "registrationEndpoint")
  const response = yield* Messages.send(server.reach, messageOf(request, endpoint))
  const rejection = rejectionOf(response)
  if (rejection !== undefined) return yield* rejection
  yield* Messages.requireAnswer(response)
  const { body } = yield* Messages.acceptedResponse(response, { secrets: [] })
  const { clientId, clientSecret } = yield* credentialsIn(body)
  yield* requireRedirectUri(body, request.redirectUri)
  const stated = yield* methodIn(body, server)
  // A server may state its default method even for a client without a secret.
  const method = clientSecret === undefined ? "none" : stated
  // Some servers omit the required expiry of a secret: the secret then does not expire. Others send a date out of range.
  const expiry = numberOf(member(body, "client_secret_expires_at")) ?? 0
  const expiresAt = expiry > 0 && expiry <= LAST_SECOND ? expiry * 1000 : null
  if (expiresAt !== null && expiresAt <= (yield* Clock.currentTimeMillis)) {
    return yield* unsafeError("the authorization server registered a client whose secret has already expired")
  }
  const management = safeUrl(body["registration_client_uri"], server.reach)
  const accessToken = printableText(body["registration_access_token"], 16_384)
  return {
    clientId,
    clientSecret: method === "none" || clientSecret === undefined ? undefined : Redacted.make(clientSecret),
    authentication: method,
    secretExpiresAtMillis: method === "none" ? null : expiresAt,
    management: management !== undefined && management.host === new URL(endpoint).host && accessToken !== undefined
      ? { uri: management.href, accessToken: Redacted.make(accessToken) }
      : null
  }
})

const requestManagement = (
  server: AuthorizationServer,
  { accessToken, uri }: NonNullable<Registration["management"]>,
  method: "DELETE" | "GET"
) =>
  Effect.flatMap(
    Messages.requireEndpoint("client configuration endpoint", uri, server.reach),
    (url) =>
      Messages.send(server.reach, {
        method,
        url,
        headers: { accept: "application/json" },
        authorization: Redacted.make(`Bearer ${Redacted.value(accessToken)}`)
      })
  )

/**
 * Fails with `invalid_client` if the server no longer knows a registration. To find out, it reads the registration (RFC
 * 7592 section 2.1), or requests the page that a browser would get. Succeeds if the server does not respond.
 */
export const requireRegistered = (
  server: AuthorizationServer,
  management: Registration["management"],
  authorizationUrl: string
): Effect.Effect<void, OAuthRejected, OAuthHttp> => {
  const asked = management === null
    ? Messages.send(server.reach, { method: "GET", url: authorizationUrl, headers: { accept: "text/html" } })
    : requestManagement(server, management, "GET")
  const gone = management === null ? [400, 401, 422] : [401, 404]
  return Effect.flatMap(
    Effect.option(asked),
    (response) =>
      Option.isSome(response) && gone.includes(response.value.status)
        ? Effect.fail(new OAuthRejected({ error: "invalid_client", status: response.value.status }))
        : Effect.void
  )
}

/** Deletes a registration (RFC 7592 section 2.3). A registration that no longer exists counts as deleted. */
export const deregister = Effect.fnUntraced(function*(
  server: AuthorizationServer,
  management: NonNullable<Registration["management"]>
) {
  const response = yield* requestManagement(server, management, "DELETE")
  const { status } = yield* Messages.requireAnswer(response)
  if (status < 300 || status === 401 || status === 404) return
  return yield* malformedError(`the authorization server did not delete the registration (${status})`)
})
