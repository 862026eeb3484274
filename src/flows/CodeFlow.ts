/** The browser login with PKCE (RFC 6749 section 4.1, RFC 7636). */
import * as Effect from "effect/Effect"
import { tokenRequestStyle } from "../connections/oauth/OAuthEndpoints.ts"
import type { FlowKind } from "../domain/definition/Provider.ts"
import { InvalidRequestError } from "../domain/Errors.ts"
import { authorizationUrl } from "../oauth/AuthorizationRequest.ts"
import { readCallback, readPasted } from "../oauth/AuthorizationResponse.ts"
import { requireRegistered } from "../oauth/ClientRegistration.ts"
import type { OAuthHttp } from "../oauth/OAuthHttp.ts"
import * as Pkce from "../oauth/Pkce.ts"
import { requireCodeEndpoints } from "../oauth/RequiredEndpoints.ts"
import { exchangeCode } from "../oauth/TokenEndpoint.ts"
import { type Flow, type FlowStep, type OAuthLogin, unexpectedEvent } from "./Flow.ts"
import { settleGrant } from "./oauth/AccountStep.ts"
import { LoginClients, oauthClient } from "./oauth/LoginClients.ts"
import { arrivedTokens } from "./oauth/OAuthGrant.ts"
import {
  type AwaitsCallback,
  decodeState,
  encodeState,
  type LoginClient,
  type OAuthTarget,
  type Opened
} from "./oauth/OAuthState.ts"
import { heldTokens, hostOf, makeOAuthSteps, mixUpWarning, oauthLogin, resourceWarning } from "./oauth/OAuthSteps.ts"
import { OAuthTargets, offlineScope } from "./oauth/OAuthTargets.ts"
import { failureOf } from "./ProviderFailure.ts"

/** The redirect URI of a login. A registered client uses the redirect URI that the server accepted at its registration. */
const redirectUriOf = (login: OAuthLogin, { credentials }: LoginClient): string =>
  credentials.source === "registered" && credentials.redirectUri !== null ? credentials.redirectUri : login.redirectUri

/** Stores our redirect URI with a client that the user entered, because a server may identify the client by it. */
const atRedirectUri = ({ credentials, ...client }: LoginClient, redirectUri: string): LoginClient =>
  credentials.source !== "entered" || credentials.redirectUri === redirectUri
    ? { ...client, credentials }
    : { ...client, credentials: { ...credentials, redirectUri }, unproven: true }

const openMessage = (login: OAuthLogin, target: OAuthTarget, { credentials }: LoginClient): string => {
  const address = target.server.authorizationEndpoint ?? target.server.issuer
  const isCurrent = credentials.source === "registered" || credentials.redirectUri === null ||
    credentials.redirectUri === login.redirectUri
  return `Log in to ${login.definition.displayName} at ${hostOf(address)}.` +
    mixUpWarning(login, target, address) +
    resourceWarning(target) +
    (isCurrent
      ? ""
      : ` The redirect URI has changed since the client was entered; your OAuth app needs ${login.redirectUri}.`)
}

const redeem = Effect.fnUntraced(function*(login: OAuthLogin, state: AwaitsCallback, query: string) {
  const { callbackState, client, codeVerifier, fields, redirectUri, target } = state
  const { resource, scopes, server } = target
  const code = yield* Effect.fromResult(readCallback({
    server,
    query,
    state: callbackState,
    codeParam: login.definition.oauth.codeParam
  }))
  const tokens = yield* exchangeCode({
    server,
    client: oauthClient(client),
    code,
    redirectUri,
    scopes,
    style: tokenRequestStyle(login.definition),
    codeVerifier,
    resource: resource ?? undefined
  })
  return yield* settleGrant(login, arrivedTokens(login, { target, client, fields, tokens }))
})

/**
 * Creates the flow. With `dcr_pkce`, it registers a client as in the MCP authorization specification. With `pkce`, the user has
 * created a client at the provider, or the definition contains one.
 */
export const makeCodeFlow = (
  kind: Extract<FlowKind, "dcr_pkce" | "pkce">
): Effect.Effect<Flow, never, LoginClients | OAuthHttp | OAuthTargets> =>
  Effect.gen(function*() {
    const clients = yield* LoginClients
    const targets = yield* OAuthTargets
    const usesPkce = ({ definition }: OAuthLogin): boolean => definition.oauth.pkce || kind === "dcr_pkce"

    /**
     * Asks for a consent prompt, without which many servers ignore `offline_access` (OpenID Connect Core section 11).
     * Others show the prompt even to users who may not consent, so it is requested only with `offline_access`.
     */
    const consent = ({ scopes }: OAuthLogin): Readonly<Record<string, string>> =>
      kind === "dcr_pkce" && scopes.includes(offlineScope) ? { prompt: "consent" } : {}

    const requireUsable = (login: OAuthLogin, { discovered, server }: OAuthTarget) =>
      Effect.gen(function*() {
        yield* requireCodeEndpoints(server)
        // A server with dynamic registration follows the current MCP specification, so discovered metadata must
        // announce PKCE.
        if (usesPkce(login)) yield* Pkce.requireS256(server, { listed: kind === "dcr_pkce" && discovered })
      }).pipe(Effect.mapError((error) => failureOf(login.definition, server.issuer, error)))

    const open = Effect.fnUntraced(function*(login: OAuthLogin, { client, fields, target }: Opened) {
      const { oauth } = login.definition
      const { resource, scopes, server } = target
      const codeVerifier = usesPkce(login) ? yield* Pkce.randomValue : undefined
      const callbackState = yield* Pkce.randomValue
      const redirectUri = redirectUriOf(login, client)
      const url = yield* authorizationUrl({
        server,
        client: oauthClient(client),
        redirectUri,
        scopes,
        scopeSeparator: oauth.scopeSeparator,
        state: callbackState,
        codeChallenge: codeVerifier === undefined
          ? undefined
          : yield* Pkce.challenge(codeVerifier, oauth.codeChallengeEncoding),
        resource: resource ?? undefined,
        extraParams: { ...consent(login), ...oauth.authorizationParams },
        names: oauth.authorizationParamNames
      })
      const { credentials, unproven } = client
      const isOwn = credentials.clientId === login.ownClientId
      if (isOwn || credentials.source === "registered") {
        const isPushed = new URL(url).searchParams.has("request_uri")
        // The server supports client ID metadata documents, but may be unable to fetch that of this daemon.
        if ((isOwn || !unproven) && !isPushed) yield* requireRegistered(server, credentials.registration, url)
        // If the server does not accept the client, it may show an error page, and the daemon gets no response.
        yield* clients.doubt(login, target, client)
      }
      const step: FlowStep = {
        _tag: "OpenUrl",
        message: openMessage(login, target, client),
        url,
        callbackState,
        redirectUri,
        state: yield* encodeState({
          phase: "callback",
          target,
          client: atRedirectUri(client, redirectUri),
          fields,
          redirectUri,
          callbackState,
          codeVerifier
        })
      }
      return step
    })

    const { asClient, receive, withSomeClient } = yield* makeOAuthSteps({
      redirects: true,
      findClient: (login, target) => kind === "dcr_pkce" ? clients.obtain(login, target) : clients.find(login, target),
      open
    })

    return {
      kind,
      begin: Effect.fn("CodeFlow.begin")(function*(request) {
        const login = yield* oauthLogin(request)
        const target = yield* kind === "dcr_pkce"
          ? targets.discover(login)
          : targets.find(login, "authorizationEndpoint")
        yield* requireUsable(login, target)
        return yield* withSomeClient(login, target)
      }),
      receive: Effect.fn("CodeFlow.receive")(function*(request, encoded, event) {
        const login = yield* oauthLogin(request)
        const state = yield* decodeState(encoded)
        if (state.phase === "callback" && event._tag === "Callback") {
          return yield* asClient(login, state, redeem(login, state, event.query))
        }
        return yield* receive(login, state, event)
      }),
      pasted: Effect.fn("CodeFlow.pasted")(function*(request, encoded, text) {
        const { definition } = yield* oauthLogin(request)
        const state = yield* decodeState(encoded)
        if (state.phase !== "callback") return yield* unexpectedEvent()
        return yield* Effect.mapError(
          Effect.fromResult(readPasted({
            text,
            state: state.callbackState,
            codeParam: definition.oauth.codeParam,
            acceptsCode: state.codeVerifier !== undefined && !state.target.server.issParameterSupported
          })),
          (message) => InvalidRequestError.at("/data/callback", message)
        )
      }),
      held: heldTokens
    } satisfies Flow
  })
