/** The login with an existing refresh token, which a first refresh proves to be valid (RFC 6749 section 6). */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import { refreshRequestStyle, refreshServer } from "../connections/oauth/OAuthEndpoints.ts"
import { AuthenticationFailedError } from "../domain/Errors.ts"
import { loginCommand } from "../domain/text/LoginCommand.ts"
import { isLost, refusesResource } from "../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { refresh } from "../oauth/TokenEndpoint.ts"
import type { Flow, FlowError, FlowStep, OAuthLogin } from "./Flow.ts"
import { settleGrant } from "./oauth/AccountStep.ts"
import { LoginClients, oauthClient } from "./oauth/LoginClients.ts"
import { arrivedTokens } from "./oauth/OAuthGrant.ts"
import { decodeState, encodeState, type OAuthTarget, type SendsRefreshToken } from "./oauth/OAuthState.ts"
import { heldTokens, hostOf, makeOAuthSteps, oauthLogin, withoutResource } from "./oauth/OAuthSteps.ts"
import { OAuthTargets } from "./oauth/OAuthTargets.ts"
import { failureOf, refusesClient } from "./ProviderFailure.ts"

const refreshEndpoint = ({ baseUrl, definition }: OAuthLogin, { discovered, server }: OAuthTarget) =>
  discovered
    ? server
    : { ...server, tokenEndpoint: refreshServer(definition, baseUrl)?.tokenEndpoint ?? server.tokenEndpoint! }

export const RefreshTokenFlow = Effect.gen(function*() {
  const clients = yield* LoginClients
  const http = yield* OAuthHttp
  const targets = yield* OAuthTargets

  const { receive, withSomeClient } = yield* makeOAuthSteps({
    redirects: false,
    asksRefreshToken: true,
    findClient: clients.find,
    open: (_, target, client, { refresh_token: refreshToken, ...fields }) =>
      Effect.map(
        encodeState({ phase: "refresh", target, client, fields, refreshToken: refreshToken! }),
        (state): FlowStep => ({
          _tag: "Proceed",
          message: `Checking the refresh token at ${hostOf(target.server.tokenEndpoint ?? target.server.issuer)}.`,
          state
        })
      )
  })

  const redeem = Effect.fnUntraced(function*(
    login: OAuthLogin,
    state: SendsRefreshToken,
    again: boolean
  ): Effect.fn.Return<FlowStep, FlowError> {
    const { definition } = login
    const { client, fields, refreshToken, target } = state
    const ask = refresh({
      server: refreshEndpoint(login, target),
      client: oauthClient(client),
      refreshToken,
      style: refreshRequestStyle(definition),
      resource: target.resource ?? undefined,
      revokes: true
    }).pipe(Effect.provideService(OAuthHttp, http), Effect.result)
    let result = yield* ask
    // Only sending the token again can show whether the server has used it up.
    if (Result.isFailure(result) && isLost(result.failure)) result = yield* ask
    if (Result.isFailure(result)) {
      const error = result.failure
      if (error._tag === "OAuthRejected" && target.resource !== null && refusesResource(error)) {
        return yield* redeem(login, { ...state, target: withoutResource(target) }, again)
      }
      const failure = failureOf(definition, target.server.issuer, error)
      if (error._tag !== "OAuthRejected") return yield* failure
      if (again) {
        return yield* new AuthenticationFailedError({
          provider: definition.name,
          detail:
            `The daemon stopped while it used the refresh token. ${failure.message} If the token can be used only once, create ` +
            `another token and start again with: ${loginCommand(definition.name, login.connection)}`
        })
      }
      if (refusesClient(error, client)) yield* clients.doubt(login, target, client)
      return yield* withSomeClient(login, target, fields, `${failure.message} Check the values and enter them again.`)
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
      if (state.phase === "refresh" && event._tag === "Proceed") return yield* redeem(login, state, event.again)
      return yield* receive(login, state, event)
    }),
    held: heldTokens
  } satisfies Flow
})
