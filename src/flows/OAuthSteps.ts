/** The common steps of all OAuth flows. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import type { FieldValues } from "../domain/Placement.ts"
import type { OAuthError } from "../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { askForClient, readClient } from "./ClientForm.ts"
import type { FlowError, FlowStep, LoginRequest, OAuthLogin } from "./Flow.ts"
import { loginClient, LoginClients } from "./LoginClients.ts"
import { encodeState, type LoginClient, type OAuthTarget } from "./OAuthState.ts"
import { failureOf, refusesClient } from "./ProviderFailure.ts"

export const oauthLogin = (request: LoginRequest): Effect.Effect<OAuthLogin, OperationNotAllowedError> => {
  const { definition } = request
  return definition.authType === "oauth2"
    ? Effect.succeed({ ...request, definition })
    : Effect.fail(OperationNotAllowedError.of(`${definition.displayName} does not use OAuth.`))
}

export const unexpectedEvent = OperationNotAllowedError.of("This login does not expect that input.")

export const hostOf = (address: string): string => URL.canParse(address) ? new URL(address).host : address

const isOAuthError = (error: OAuthError | FlowError): error is OAuthError =>
  error._tag === "OAuthRejected" || error._tag === "OAuthUnavailable" || error._tag === "OAuthUnsafe"

export interface OAuthStepOptions {
  readonly redirects: boolean
  /** A client, or the reason why a person must enter one; the reason may be undefined. */
  readonly findClient: (
    login: OAuthLogin,
    target: OAuthTarget
  ) => Effect.Effect<LoginClient | { readonly askBecause: string | undefined }, FlowError>
  readonly open: (
    login: OAuthLogin,
    target: OAuthTarget,
    client: LoginClient
  ) => Effect.Effect<FlowStep, OAuthError | FlowError, OAuthHttp>
}

export const makeOAuthSteps = ({ findClient, open, redirects }: OAuthStepOptions) =>
  Effect.gen(function*() {
    const http = yield* OAuthHttp
    const clients = yield* LoginClients

    const ask = (login: OAuthLogin, target: OAuthTarget, reason: string | undefined) =>
      Effect.map(encodeState({ phase: "client", target }), (state): FlowStep => ({
        ...askForClient(
          login.definition,
          hostOf(target.server.tokenEndpoint ?? target.server.issuer),
          redirects ? login.redirectUri : undefined,
          reason
        ),
        state
      }))

    /**
     * Runs an exchange with a client. If the server rejects the client, the login continues with a new registration or
     * with newly entered credentials.
     */
    const asClient = (
      login: OAuthLogin,
      target: OAuthTarget,
      client: LoginClient,
      exchange: Effect.Effect<FlowStep, OAuthError | FlowError, OAuthHttp>
    ): Effect.Effect<FlowStep, FlowError> => {
      const recover = (error: OAuthError): Effect.Effect<FlowStep, FlowError> => {
        const failure = failureOf(login.definition, target.server.issuer, error)
        const { source } = client.credentials
        if (error._tag !== "OAuthRejected" || !refusesClient(error, client) || source === "metadata_document") {
          return Effect.fail(failure)
        }
        return Effect.andThen(
          clients.refuse(login, target, client),
          source === "entered"
            ? ask(login, target, `${failure.message} Check the values and enter them again.`)
            : withSomeClient(login, target)
        )
      }
      return Effect.provideService(exchange, OAuthHttp, http).pipe(
        Effect.catchIf(isOAuthError, recover)
      )
    }

    const withClient = (login: OAuthLogin, target: OAuthTarget, client: LoginClient) =>
      asClient(login, target, client, open(login, target, client))

    const withSomeClient = (login: OAuthLogin, target: OAuthTarget): Effect.Effect<FlowStep, FlowError> =>
      Effect.flatMap(
        findClient(login, target),
        (client): Effect.Effect<FlowStep, FlowError> =>
          "askBecause" in client ? ask(login, target, client.askBecause) : withClient(login, target, client)
      )

    const withEnteredClient = (login: OAuthLogin, target: OAuthTarget, data: FieldValues) =>
      Result.match(readClient(login.definition, redirects ? login.redirectUri : null, data), {
        onFailure: (problems) => Effect.fail(InvalidRequestError.of(problems)),
        onSuccess: (credentials) => withClient(login, target, loginClient(login.definition, target, credentials, true))
      })

    return { asClient, withEnteredClient, withSomeClient }
  })
