/** The address that a browser is sent to for consent (RFC 6749 section 4.1.1), pushed first where the server takes that. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import { authenticate, type OAuthClient } from "./OAuthClient.ts"
import { malformed, type OAuthError, unsafe } from "./OAuthErrors.ts"
import type { OAuthHttp } from "./OAuthHttp.ts"
import { isScope } from "./ServerText.ts"

export interface AuthorizationRequest {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  /** Byte for byte the one that is registered and sent to the token endpoint. */
  readonly redirectUri: string
  /** Without any, the parameter is left out and the server decides. */
  readonly scopes: ReadonlyArray<string>
  readonly scopeSeparator: string
  readonly state: Redacted.Redacted<string>
  /** Absent only for servers that reject a challenge. */
  readonly codeChallenge?: string
  /** RFC 8707. */
  readonly resource?: string
  readonly extraParams: Readonly<Record<string, string>>
}

const parametersOf = (request: AuthorizationRequest): Readonly<Record<string, string>> => ({
  ...request.extraParams,
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

/** The endpoint's own query is kept, and each of our parameters stands there once. */
const withParameters = (endpoint: string, parameters: Readonly<Record<string, string>>): string => {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  // A plus is a space only to those who decode forms; %20 is one to everybody.
  url.search = url.search.replaceAll("+", "%20")
  return url.href
}

/** RFC 9126: the server hands out a reference to the parameters, so that the browser carries nothing but that. */
const push = Effect.fnUntraced(function*(request: AuthorizationRequest, parameters: Readonly<Record<string, string>>) {
  const { client, server } = request
  const endpoint = yield* Messages.endpoint(
    "pushed authorization request endpoint",
    server.pushedAuthorizationRequestEndpoint,
    server.reach
  )
  const metadata = { issuer: server.issuer, pushed_authorization_request_endpoint: endpoint }
  const identity = { client_id: client.clientId }
  const outgoing = yield* Messages.record((recording) =>
    oauth.pushedAuthorizationRequest(
      metadata,
      identity,
      authenticate(client),
      new URLSearchParams(parameters),
      recording
    )
  )
  const { body } = yield* Messages.converse(server.reach, outgoing, { secrets: [request.state] })
  // Some servers answer 200 where section 2.2 wants 201.
  const pushed = yield* Messages.check(
    "answer to the pushed request",
    201,
    body,
    (response) => oauth.processPushedAuthorizationResponse(metadata, identity, response)
  )
  if (!/^[\u0021-\u007e]{1,2048}$/.test(pushed.request_uri)) {
    return yield* malformed("the authorization server's answer to the pushed request is not well-formed")
  }
  return { client_id: client.clientId, request_uri: pushed.request_uri }
})

/**
 * The address to open. With a server that offers pushed requests, but does not require them, a failure of that is no
 * obstacle.
 */
export const authorizationUrl = (
  request: AuthorizationRequest
): Effect.Effect<string, OAuthError, OAuthHttp> =>
  Effect.gen(function*() {
    const { scopes, server } = request
    const endpoint = yield* Messages.endpoint("authorization endpoint", server.authorizationEndpoint, server.reach)
    const wrong = scopes.find((scope) => !isScope(scope))
    if (wrong !== undefined) return yield* unsafe("a scope that is asked for has characters that no scope may have")
    const parameters = parametersOf(request)
    const plain = withParameters(endpoint, parameters)
    if (server.pushedAuthorizationRequestEndpoint === undefined && !server.requirePushedAuthorizationRequests) {
      return plain
    }
    const pushed = Effect.map(push(request, parameters), (reference) => withParameters(endpoint, reference))
    return yield* server.requirePushedAuthorizationRequests
      ? pushed
      : Effect.catchTag(pushed, ["OAuthRejected", "OAuthUnavailable"], () => Effect.succeed(plain))
  })
