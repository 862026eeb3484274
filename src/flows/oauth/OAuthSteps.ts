/** The common steps of all OAuth flows. */
import * as Effect from "effect/Effect"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import { type OAuthError, refusesResource } from "../../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import {
  type FlowError,
  type FlowEvent,
  type FlowState,
  type FlowStep,
  type HeldTokens,
  type LoginRequest,
  type OAuthLogin,
  unexpectedEvent,
  validInput
} from "../Flow.ts"
import { failureOf, refusesClient } from "../ProviderFailure.ts"
import { chooseAccount, lookUpAccount } from "./AccountStep.ts"
import { type FoundClient, loginClient, LoginClients } from "./LoginClients.ts"
import { askFor, hasFields, type OAuthForm, readForm } from "./OAuthForm.ts"
import { arrivedTokens, heldBy } from "./OAuthGrant.ts"
import {
  type AwaitsInput,
  encodeState,
  type OAuthState,
  type OAuthTarget,
  type Opened,
  stateIfStarted
} from "./OAuthState.ts"
import { offlineScope } from "./OAuthTargets.ts"

/** Returns the request of an OAuth login. Fails for other providers. */
export const oauthLogin = (request: LoginRequest): Effect.Effect<OAuthLogin, OperationNotAllowedError> => {
  const { definition } = request
  return definition.authType === "oauth2"
    ? Effect.succeed({ ...request, definition })
    : Effect.fail(OperationNotAllowedError.of(`${definition.displayName} does not use OAuth.`))
}

export const hostOf = (address: string): string => URL.canParse(address) ? new URL(address).host : address

/**
 * Warns if the user consents at a host that is not one of those that receive tokens, which can be a mix-up attack. If
 * the server does not return `iss`, only the user can notice the attack.
 */
export const mixUpWarning = (
  { definition }: OAuthLogin,
  { discovered, server: { revocationEndpoint, tokenEndpoint } }: OAuthTarget,
  asked: string
): string => {
  const hosts = [tokenEndpoint, revocationEndpoint].flatMap((endpoint) =>
    endpoint === undefined ? [] : [hostOf(endpoint)]
  )
  const others = [...new Set(hosts)].filter((host) => host !== hostOf(asked)).join(" and ")
  return !discovered || others === ""
    ? ""
    : ` What you allow there is granted to ${others}: continue only if ${definition.displayName} owns all of these hosts.`
}

/** Tells what the user should know before consenting to a token that is not limited to a resource. */
export const resourceWarning = ({ refusedResource, server }: OAuthTarget): string => {
  const host = hostOf(server.issuer)
  return refusedResource === undefined
    ? ""
    : ` ${host} refuses to limit the access to ${refusedResource}: what you allow may be valid for all services of ${host}.`
}

/** Returns the target without the resource indicator, which the server has refused. */
export const withoutResource = (target: OAuthTarget): OAuthTarget => ({
  ...target,
  resource: null,
  refusedResource: target.resource ?? target.refusedResource
})

/**
 * Returns the target with other scopes, or undefined if no others are possible. The metadata of servers and resources may list
 * scopes that this client may not request. Okta requires scopes, but a resource may name none. Scopes that the user has requested
 * never change.
 */
const withOtherScopes = (login: OAuthLogin, target: OAuthTarget, error: OAuthError): OAuthTarget | undefined => {
  if (error._tag !== "OAuthRejected" || error.error !== "invalid_scope" || login.scopes.length > 0) return undefined
  const { scopes, server: { scopesSupported = [] } } = target
  if (scopes.length === 0) {
    return scopesSupported.some((scope) => scope !== offlineScope) ? { ...target, scopes: scopesSupported } : undefined
  }
  const fewer = scopes.filter((scope) =>
    scopes.includes(offlineScope) ? scope !== offlineScope : scopesSupported.includes(scope)
  )
  return fewer.length === scopes.length || (fewer.length === 0 && !scopes.includes(offlineScope))
    ? undefined
    : { ...target, scopes: fewer }
}

const isOAuthError = (error: OAuthError | FlowError): error is OAuthError =>
  error._tag === "OAuthRejected" || error._tag === "OAuthUnavailable" || error._tag === "OAuthUnsafe"

/** The client and the values of a login that are known so far. */
type KnownInput = Pick<AwaitsInput, "client" | "fields">

interface OAuthStepOptions {
  readonly redirects: boolean
  readonly asksRefreshToken?: boolean
  readonly findClient: (login: OAuthLogin, target: OAuthTarget) => Effect.Effect<FoundClient, FlowError>
  /** The fields include `refresh_token` if the flow asks for it. */
  readonly open: (login: OAuthLogin, opened: Opened) => Effect.Effect<FlowStep, OAuthError | FlowError, OAuthHttp>
}

/** How a login continues whose client is not chosen yet. */
interface Continuation {
  /** The declared fields, once the user has entered them. */
  readonly fields?: FieldValues
  /** Why the user must enter the values again. */
  readonly reason?: string
  /** Present if the server has rejected another client, because it could demand any number of registrations. */
  readonly replacement?: true
}

/** Returns the tokens that the state holds, to revoke them if the login ends without a connection. */
export const heldTokens = (encoded: FlowState): Effect.Effect<HeldTokens | undefined> =>
  Effect.map(
    stateIfStarted(encoded),
    (state) => state?.phase === "lookup" || state?.phase === "choice" ? heldBy(state) : undefined
  )

export const makeOAuthSteps = ({ asksRefreshToken = false, findClient, open, redirects }: OAuthStepOptions) =>
  Effect.gen(function*() {
    const http = yield* OAuthHttp
    const clients = yield* LoginClients

    const knownClient = asksRefreshToken ? "optional" : "known"
    const formOf = ({ definition }: OAuthLogin, { client, fields }: KnownInput): OAuthForm => ({
      definition,
      client: client === undefined ? "required" : knownClient,
      refreshToken: asksRefreshToken,
      fields: fields === undefined
    })

    const ask = (login: OAuthLogin, target: OAuthTarget, known: KnownInput, reason: string | undefined) =>
      Effect.map(encodeState({ phase: "client", target, ...known }), (state) =>
        askFor(formOf(login, known), {
          recipient: hostOf(target.server.tokenEndpoint ?? target.server.issuer),
          redirectUri: redirects ? login.redirectUri : undefined,
          scopes: target.scopes,
          reason,
          state
        }))

    /**
     * Runs an exchange with a client. If the server rejects the client, the login continues with a new registration or newly
     * entered credentials; if the server rejects the resource indicator, the login continues without it.
     */
    const asClient = (
      login: OAuthLogin,
      opened: Opened,
      exchange: Effect.Effect<FlowStep, OAuthError | FlowError, OAuthHttp>
    ): Effect.Effect<FlowStep, FlowError> => {
      const { client, fields, target } = opened
      const recover = (error: OAuthError): Effect.Effect<FlowStep, FlowError> => {
        if (error._tag === "OAuthRejected" && target.resource !== null && refusesResource(error)) {
          return withClient(login, { ...opened, target: withoutResource(target) })
        }
        const rescoped = withOtherScopes(login, target, error)
        if (rescoped !== undefined) return withClient(login, { ...opened, target: rescoped })
        const failure = failureOf(login.definition, target.server.issuer, error)
        const { clientId, source } = client.credentials
        const isNamed = source === "metadata_document" && clientId !== login.ownClientId
        const isFinal = isNamed || client.replacement === true
        if (error._tag !== "OAuthRejected" || !refusesClient(error, client) || isFinal) return Effect.fail(failure)
        return Effect.andThen(
          clients.doubt(login, target, client),
          source === "entered"
            ? ask(login, target, { fields }, `${failure.message} Check the values and enter them again.`)
            : withSomeClient(login, target, { fields, replacement: true })
        )
      }
      return Effect.provideService(exchange, OAuthHttp, http).pipe(Effect.catchIf(isOAuthError, recover))
    }

    const withClient = (login: OAuthLogin, opened: Opened): Effect.Effect<FlowStep, FlowError> =>
      asClient(login, opened, open(login, opened))

    /** Continues with a stored, registered or entered client. */
    const withSomeClient = (
      login: OAuthLogin,
      target: OAuthTarget,
      { fields, reason, replacement }: Continuation = {}
    ): Effect.Effect<FlowStep, FlowError> =>
      Effect.flatMap(findClient(login, target), (found): Effect.Effect<FlowStep, FlowError> => {
        if ("askBecause" in found) return ask(login, target, { fields }, reason ?? found.askBecause)
        const client = { ...found, replacement }
        const input = { fields, client }
        return reason !== undefined || hasFields(formOf(login, input))
          ? ask(login, target, input, reason)
          : withClient(login, { target, client, fields: fields ?? {} })
      })

    const withInput = Effect.fnUntraced(
      function*(login: OAuthLogin, { target, ...known }: Omit<AwaitsInput, "phase">, data: FieldValues) {
        const redirectUri = redirects ? login.redirectUri : null
        const { client, values } = yield* validInput(readForm(formOf(login, known), redirectUri, data))
        const entered = client && loginClient(login.definition, target, client, { unproven: true })
        const fields = { ...known.fields, ...values }
        return yield* withClient(login, { target, client: entered ?? known.client!, fields })
      }
    )

    /** Handles the events of the phases that all OAuth flows share. */
    const receive = (login: OAuthLogin, state: OAuthState, event: FlowEvent): Effect.Effect<FlowStep, FlowError> => {
      if (state.phase === "client" && event._tag === "Input") return withInput(login, state, event.data)
      if (state.phase === "lookup" && event._tag === "Proceed") {
        return Effect.provideService(lookUpAccount(login, arrivedTokens(login, state)), OAuthHttp, http)
      }
      return state.phase === "choice" && event._tag === "Input"
        ? chooseAccount(arrivedTokens(login, state), state.accounts, event.data)
        : Effect.fail(unexpectedEvent())
    }

    return { asClient, receive, withSomeClient }
  })
