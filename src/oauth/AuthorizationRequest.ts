/** Authorization requests (RFC 6749 section 4.1.1), pushed first if the server supports that (RFC 9126). */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import { type OAuthClient, type ParameterNames, parameterRequest, secretsOf, withServerNames } from "./OAuthClient.ts"
import { malformedError, type OAuthRejected, refusesResource, unsafeError } from "./OAuthErrors.ts"
import { isScope } from "./ServerValues.ts"

export interface AuthorizationRequest {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  /** The redirect URI. Must be byte-identical to the registered URI and to the URI in the token request. */
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<string>
  readonly scopeSeparator: string
  readonly state: Redacted.Redacted<string>
  /** The code challenge, absent only for servers that reject one. */
  readonly codeChallenge?: string | undefined
  readonly resource?: string | undefined
  readonly extraParams: Readonly<Record<string, string>>
  /** Maps parameter names of RFC 6749 to the server's own. */
  readonly names?: ParameterNames
}

const parametersOf = (request: AuthorizationRequest): Readonly<Record<string, string>> => ({
  ...offlineAccess(request),
  ...request.extraParams,
  ...withServerNames(standardParameters(request), request.names ?? {})
})

/** Parameters without which Google issues no refresh token. `prompt` makes it issue another one after a repeated consent. */
const offlineAccess = ({ extraParams, server }: AuthorizationRequest): Readonly<Record<string, string>> => {
  const endpoint = new URL(server.authorizationEndpoint!)
  return endpoint.host !== "accounts.google.com" || endpoint.searchParams.has("access_type") ||
      Object.hasOwn(extraParams, "access_type")
    ? {}
    : { access_type: "offline", prompt: "consent" }
}

const standardParameters = (request: AuthorizationRequest): Readonly<Record<string, string>> => ({
  response_type: "code",
  client_id: request.client.clientId,
  redirect_uri: request.redirectUri,
  ...(request.scopes.length === 0 ? {} : { scope: request.scopes.join(request.scopeSeparator) }),
  state: Redacted.value(request.state),
  ...(request.codeChallenge === undefined
    ? {}
    : { code_challenge: request.codeChallenge, code_challenge_method: "S256" }),
  ...(request.resource === undefined ? {} : { resource: request.resource })
})

const withParameters = (endpoint: string, parameters: Readonly<Record<string, string>>): string => {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  // Only form decoders read a plus as a space, but every decoder reads %20 as a space.
  url.search = url.search.replaceAll("+", "%20")
  return url.href
}

const push = Effect.fnUntraced(function*(request: AuthorizationRequest, parameters: Readonly<Record<string, string>>) {
  const { client, server } = request
  const endpoint = yield* Messages.endpointOf(server, "pushedAuthorizationRequestEndpoint")
  const outgoing = parameterRequest(endpoint, client, { ...parameters, client_id: client.clientId })
  const { body } = yield* Messages.exchange(server.reach, outgoing, { secrets: secretsOf(client, request.state) })
  const { request_uri: reference } = body
  if (typeof reference !== "string" || !/^[\u0021-\u007e]{1,2048}$/.test(reference)) {
    return yield* malformedError(
      "the pushed authorization response of the authorization server lacks a valid request_uri"
    )
  }
  return { client_id: client.clientId, request_uri: reference }
})

/** Whether the server would also refuse a plain request, but on one of its own pages. */
const isFinal = (error: OAuthRejected): boolean => error.error === "invalid_client" || refusesResource(error)

/** Returns the authorization URL. If an optional push fails, uses a plain request, unless the client or resource is rejected. */
export const authorizationUrl = Effect.fnUntraced(function*(request: AuthorizationRequest) {
  const { scopes, server } = request
  const endpoint = yield* Messages.endpointOf(server, "authorizationEndpoint")
  const wrong = scopes.find((scope) => !isScope(scope))
  if (wrong !== undefined) return yield* unsafeError("a requested scope contains invalid characters")
  const parameters = parametersOf(request)
  const plain = withParameters(endpoint, parameters)
  if (server.pushedAuthorizationRequestEndpoint === undefined && !server.requirePushedAuthorizationRequests) {
    return plain
  }
  const pushed = Effect.map(push(request, parameters), (reference) => withParameters(endpoint, reference))
  return yield* server.requirePushedAuthorizationRequests
    ? pushed
    : Effect.catchTags(pushed, {
      OAuthRejected: (error) => isFinal(error) ? Effect.fail(error) : Effect.succeed(plain),
      OAuthUnavailable: () => Effect.succeed(plain)
    })
})
