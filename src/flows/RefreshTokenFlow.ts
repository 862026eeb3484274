/** The login with an existing refresh token, which a first refresh proves to be valid (RFC 6749 section 6). */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import { refreshRequestStyle, refreshServer } from "../connections/oauth/OAuthEndpoints.ts"
import { loginCommand } from "../domain/text/LoginCommand.ts"
import { isLost, type OAuthRejected, refusesResource } from "../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { refresh } from "../oauth/TokenEndpoint.ts"
import type { Flow, FlowError, FlowEvent, FlowStep, OAuthLogin } from "./Flow.ts"
import { settleGrant } from "./oauth/AccountStep.ts"
import { LoginClients, oauthClient } from "./oauth/LoginClients.ts"
import { arrivedTokens } from "./oauth/OAuthGrant.ts"
import { decodeState, encodeState, type SendsRefreshToken } from "./oauth/OAuthState.ts"
import { heldTokens, hostOf, makeOAuthSteps, oauthLogin, withoutResource } from "./oauth/OAuthSteps.ts"
import { OAuthTargets } from "./oauth/OAuthTargets.ts"
import { failureOf, refusesClient, stoppedLogin } from "./ProviderFailure.ts"

type Proceed = Extract<FlowEvent, { readonly _tag: "Proceed" }>

export const RefreshTokenFlow = Effect.gen(function*() {
  const clients = yield* LoginClients
  const http = yield* OAuthHttp
  const targets = yield* OAuthTargets

  const { receive, withSomeClient } = yield* makeOAuthSteps({
    redirects: false,
    asksRefreshToken: true,
    findClient: clients.find,
    open: (_, { client, fields: { refresh_token: refreshToken, ...fields }, target }) =>
      Effect.map(
        encodeState({ phase: "refresh", target, client, fields, refreshToken: refreshToken! }),
        (state): FlowStep => ({
          _tag: "Proceed",
          message: `Checking the refresh token at ${hostOf(target.server.tokenEndpoint ?? target.server.issuer)}.`,
          state
        })
      )
  })

  /** Sends the refresh token. Without a known outcome, sends it once more: only that can show whether the server used it up. */
  const send = Effect.fnUntraced(function*({ baseUrl, definition }: OAuthLogin, state: SendsRefreshToken) {
    const { client, refreshToken, target: { discovered, resource, server } } = state
    const tokenEndpoint = refreshServer(definition, baseUrl)?.tokenEndpoint ?? server.tokenEndpoint!
    const ask = refresh({
      server: discovered ? server : { ...server, tokenEndpoint },
      client: oauthClient(client),
      refreshToken,
      style: refreshRequestStyle(definition),
      resource: resource ?? undefined,
      revokes: true
    }).pipe(Effect.provideService(OAuthHttp, http))
    return yield* Effect.catchIf(ask, isLost, () => ask)
  })

  /** Asks for the values again, or ends the login if an earlier process may have used up the token. */
  const afterRejection = Effect.fnUntraced(
    function*(
      login: OAuthLogin,
      { client, fields, target }: SendsRefreshToken,
      error: OAuthRejected,
      { again }: Proceed
    ) {
      const failure = failureOf(login.definition, target.server.issuer, error)
      if (again) {
        return yield* stoppedLogin(
          login.definition,
          `The daemon stopped while it used the refresh token. ${failure.message} If the token can be used only once, create ` +
            `another token and start again with: ${loginCommand(login.definition.name, login.connection)}`
        )
      }
      if (refusesClient(error, client)) yield* clients.doubt(login, target, client)
      const reason = `${failure.message} Check the values and enter them again.`
      return yield* withSomeClient(login, target, { fields, reason })
    }
  )

  const redeem = Effect.fnUntraced(function*(
    login: OAuthLogin,
    state: SendsRefreshToken,
    event: Proceed
  ): Effect.fn.Return<FlowStep, FlowError> {
    const { client, fields, refreshToken, target } = state
    const result = yield* Effect.result(send(login, state))
    if (Result.isFailure(result)) {
      const error = result.failure
      if (error._tag !== "OAuthRejected") return yield* failureOf(login.definition, target.server.issuer, error)
      return yield* target.resource !== null && refusesResource(error)
        ? redeem(login, { ...state, target: withoutResource(target) }, event)
        : afterRejection(login, state, error, event)
    }
    const response = result.success
    const replaced = response.refreshToken !== undefined && !Equal.equals(response.refreshToken, refreshToken)
    return yield* settleGrant(
      login,
      arrivedTokens(login, {
        target,
        client,
        fields,
        tokens: { ...response, refreshToken: response.refreshToken ?? refreshToken },
        existing: replaced ? "replaced" : "unchanged"
      })
    )
  })

  return {
    kind: "refresh_token",
    begin: Effect.fn("RefreshTokenFlow.begin")(function*(request) {
      const login = yield* oauthLogin(request)
      const target = yield* targets.find(login, "tokenEndpoint")
      // The scopes of the token are fixed, so none are requested.
      return yield* withSomeClient(login, { ...target, scopes: [] })
    }),
    receive: Effect.fn("RefreshTokenFlow.receive")(function*(request, encoded, event) {
      const login = yield* oauthLogin(request)
      const state = yield* decodeState(encoded)
      if (state.phase === "refresh" && event._tag === "Proceed") return yield* redeem(login, state, event)
      return yield* receive(login, state, event)
    }),
    held: heldTokens
  } satisfies Flow
})
