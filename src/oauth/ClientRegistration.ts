/** Dynamic client registration (RFC 7591) and deletion of a registration (RFC 7592). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import { safeUrl } from "./Endpoint.ts"
import * as Messages from "./Messages.ts"
import type { ClientAuthentication, OAuthClient } from "./OAuthClient.ts"
import {
  malformed,
  type OAuthError,
  OAuthRejected,
  type OAuthUnavailable,
  type OAuthUnsafe,
  unsafe
} from "./OAuthErrors.ts"
import type { OAuthHttp } from "./OAuthHttp.ts"
import { record } from "./RecordedRequest.ts"

export interface RegistrationRequest {
  readonly server: AuthorizationServer
  readonly clientName: string
  readonly clientUri?: string
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<string>
}

export interface Registration extends OAuthClient {
  readonly secretExpiresAtMillis: number | null
  /** The client configuration endpoint, if it is at the host of the registration endpoint. */
  readonly management: { readonly uri: string; readonly accessToken: Redacted.Redacted<string> } | null
}

const methods: ReadonlyArray<ClientAuthentication> = ["none", "client_secret_post", "client_secret_basic"]

const isMethod = (value: unknown): value is ClientAuthentication => methods.some((method) => method === value)

const preferred = (server: AuthorizationServer): ClientAuthentication => {
  const offered = server.tokenEndpointAuthMethods
  return methods.find((method) => offered === undefined || offered.includes(method)) ?? "none"
}

/** The default of section 2, unless the server does not support it. */
const withSecret = ({ tokenEndpointAuthMethods }: AuthorizationServer): ClientAuthentication =>
  tokenEndpointAuthMethods?.includes("client_secret_basic") === false ? "client_secret_post" : "client_secret_basic"

/** Statuses that mean registration is not open, from servers that do not send an error of section 3.2.2. */
const closed = new Set([401, 403, 404, 405])

/** Only listed grant types, because some servers reject a registration that names others. */
const grantTypes = ({ grantTypes }: AuthorizationServer): Array<string> =>
  ["authorization_code", "refresh_token"].filter((type) =>
    type === "authorization_code" || grantTypes === undefined || grantTypes.includes(type)
  )

const printable = (value: unknown, max: number): value is string =>
  typeof value === "string" && value.length <= max && /^[\u0020-\u007e]+$/.test(value)

const expiry = (seconds: unknown): number | null =>
  typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null

export const register = (request: RegistrationRequest): Effect.Effect<Registration, OAuthError, OAuthHttp> =>
  Effect.gen(function*() {
    const { clientName, clientUri, redirectUri, scopes, server } = request
    const endpoint = yield* Messages.endpoint("registration endpoint", server.registrationEndpoint, server.reach)
    const asked = preferred(server)
    const outgoing = yield* record((recording) =>
      oauth.dynamicClientRegistrationRequest(
        { issuer: server.issuer, registration_endpoint: endpoint },
        {
          client_name: clientName,
          ...(clientUri === undefined ? {} : { client_uri: clientUri }),
          application_type: "native",
          redirect_uris: [redirectUri],
          grant_types: grantTypes(server),
          response_types: ["code"],
          token_endpoint_auth_method: asked,
          ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") })
        },
        recording
      )
    )
    const response = yield* Effect.flatMap(Messages.send(server.reach, outgoing), Messages.settled)
    if (closed.has(response.status) && Messages.bodyOf(response)?.["error"] === undefined) {
      return yield* new OAuthRejected({ error: "access_denied", status: response.status })
    }
    const { body } = yield* Messages.accepted(response, { secrets: [] })
    const registered = yield* Messages.check(
      "registration response",
      201,
      // Required with a secret, but omitted by some servers: the secret then does not expire.
      { ...body, client_secret_expires_at: body["client_secret_expires_at"] ?? 0 },
      oauth.processDynamicClientRegistrationResponse
    )
    const { client_id, client_secret, redirect_uris } = registered
    const method = registered.token_endpoint_auth_method ?? (client_secret === undefined ? "none" : withSecret(server))
    if (!printable(client_id, 2048) || (client_secret !== undefined && !printable(client_secret, 16_384))) {
      return yield* malformed("the registration response of the authorization server is not well-formed")
    }
    if (redirect_uris !== undefined && !(Array.isArray(redirect_uris) && redirect_uris.includes(redirectUri))) {
      return yield* unsafe("the authorization server registered a redirect URI other than the requested one")
    }
    if (!isMethod(method) || (method !== "none" && client_secret === undefined)) {
      return yield* unsafe("the authorization server registered an unsupported client authentication method")
    }
    const expiresAt = expiry(registered.client_secret_expires_at)
    if (expiresAt !== null && expiresAt <= (yield* Clock.currentTimeMillis)) {
      return yield* unsafe("the authorization server registered a client whose secret has already expired")
    }
    const management = safeUrl(registered.registration_client_uri, server.reach)
    const accessToken = registered.registration_access_token
    return {
      clientId: client_id,
      ...(method === "none" || client_secret === undefined ? {} : { clientSecret: Redacted.make(client_secret) }),
      authentication: method,
      secretExpiresAtMillis: method === "none" ? null : expiresAt,
      management:
        management !== undefined && management.host === new URL(endpoint).host && printable(accessToken, 16_384)
          ? { uri: management.href, accessToken: Redacted.make(accessToken) }
          : null
    }
  })

/** Deletes a registration (RFC 7592 section 2.3). A registration that no longer exists counts as deleted. */
export const deregister = (
  server: AuthorizationServer,
  management: NonNullable<Registration["management"]>
): Effect.Effect<void, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.gen(function*() {
    const url = yield* Messages.endpoint("client configuration endpoint", management.uri, server.reach)
    const value = Redacted.value(management.accessToken)
    const response = yield* Messages.send(server.reach, {
      method: "DELETE",
      url,
      headers: { accept: "application/json" },
      authorization: Redacted.make(`Bearer ${value}`)
    })
    const { status } = yield* Messages.settled(response)
    if (status < 300 || status === 401 || status === 404) return
    return yield* malformed(`the authorization server did not delete the registration (${status})`)
  })
