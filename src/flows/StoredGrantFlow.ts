/**
 * The logins that store credentials and request each access token with them. The first request proves the credentials,
 * so values that the provider refuses are never stored.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readGrantFields } from "../connections/grants/GrantFields.ts"
import {
  type GrantContext,
  grantHost,
  grantIssuer,
  grantOf,
  plainValuesOf,
  requestToken
} from "../connections/grants/GrantRequests.ts"
import type { Issuer } from "../connections/Issuers.ts"
import type { InputField } from "../domain/AuthSession.ts"
import {
  credentialFields,
  definedBaseUrls,
  fieldTitle,
  type OAuthProvider,
  type StoredGrantKind
} from "../domain/definition/Provider.ts"
import { type GrantField, grantFields, type StoredGrant } from "../domain/definition/StoredGrants.ts"
import { AuthenticationFailedError, InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import type { FieldValues } from "../domain/Placement.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { refusesCredentials } from "../oauth/StoredCredentials.ts"
import type { TokenResponse } from "../oauth/TokenEndpoint.ts"
import { checkKey } from "../providers/KeyCheck.ts"
import { inputFields } from "./ApiKeyFlow.ts"
import type { Flow, FlowStep, OAuthLogin } from "./Flow.ts"
import { baseUrlOf, scopeWarning } from "./oauth/OAuthGrant.ts"
import { oauthLogin } from "./oauth/OAuthSteps.ts"
import { failureOf } from "./ProviderFailure.ts"

const hints: Readonly<Partial<Record<GrantField["kind"], string>>> = {
  private_key: "In PEM, from -----BEGIN to -----END.",
  key_file: "The content of the JSON file.",
  list: "Separated by commas.",
  map: "Pairs such as contents=read, separated by commas."
}

const grantInputs = (grant: StoredGrant): ReadonlyArray<InputField> =>
  grantFields(grant).map((field) => ({
    name: field.name,
    label: fieldTitle(field),
    secret: field.secret,
    multiline: field.kind === "private_key" || field.kind === "key_file",
    required: field.required,
    default: null,
    pattern: field.pattern ?? null,
    hint: field.hint ?? hints[field.kind] ?? null
  }))

/** `values` are for the token requests; `placed` are the fields that the definition declares for requests to the API. */
const readInput = (definition: OAuthProvider, grant: StoredGrant, data: FieldValues) =>
  Result.gen(function*() {
    const names = new Set(credentialFields(definition).map(({ name }) => name))
    const isPlaced = ([name]: readonly [string, unknown]) => names.has(name)
    const entries = Object.entries(data)
    const values = yield* readGrantFields(
      definition,
      grant,
      Object.fromEntries(entries.filter((entry) => !isPlaced(entry)))
    )
    const placed = yield* Result.mapError(
      checkKey(definition, Object.fromEntries(entries.filter(isPlaced))),
      (problems) => problems.map(({ message, path }) => ({ path: `/data${path}`, message }))
    )
    return { values, placed }
  })

const ask = ({ definition }: OAuthLogin, grant: StoredGrant, host: string, reason?: string): FlowStep => ({
  _tag: "AskInput",
  message: [
    ...(reason === undefined ? [] : [reason]),
    `Enter the credentials that credsvc uses to request access tokens from ${definition.displayName}.`,
    ...(definition.credentialsUrl === undefined ? [] : [`Create them at ${definition.credentialsUrl}.`]),
    ...definition.notes
  ].join(" "),
  fields: [...grantInputs(grant), ...inputFields(definition)],
  recipient: host,
  ...(reason === undefined ? {} : { reason }),
  state: {}
})

const lacksAddress = ({ definition }: OAuthLogin): InvalidRequestError => {
  const forms = definedBaseUrls(definition)
  return InvalidRequestError.of([{
    path: "/base_url",
    message: `${definition.displayName} needs the address of your account for this login. Specify it with --base-url` +
      `${forms.length === 0 ? "" : `, in the form ${forms.join(" or ")}`}.`
  }])
}

const granted = Effect.fnUntraced(
  function*(
    login: OAuthLogin,
    context: GrantContext,
    placed: FieldValues,
    issuer: Issuer,
    response: TokenResponse
  ) {
    const baseUrl = baseUrlOf(login, response.baseUrl)
    if (Result.isFailure(baseUrl)) {
      return yield* new AuthenticationFailedError({
        provider: login.definition.name,
        detail: `The login to ${login.definition.displayName} was stopped: ${baseUrl.failure}.`
      })
    }
    const { scopes } = context
    const warning = scopeWarning(scopes, response.scopes, false)
    const obtainedAt = DateTime.makeUnsafe(response.requestedAtMillis)
    const step: FlowStep = {
      _tag: "Granted",
      grant: {
        values: { ...placed, ...plainValuesOf(context), access_token: response.accessToken },
        grantValues: context.values,
        scopes: response.scopes ?? scopes,
        tokenType: response.tokenType,
        ...(response.expiresInSeconds === undefined
          ? {}
          : { expiresAt: DateTime.add(obtainedAt, { seconds: response.expiresInSeconds }) }),
        obtainedAt,
        account: response.account,
        ...(baseUrl.success === null ? {} : { baseUrl: baseUrl.success }),
        ...(warning === undefined ? {} : { warning }),
        oauth: issuer.binding
      }
    }
    return step
  }
)

export const makeStoredGrantFlow = (kind: StoredGrantKind): Effect.Effect<Flow, never, OAuthHttp> =>
  Effect.map(OAuthHttp, (http) => {
    const prepared = Effect.fnUntraced(function*(request: Parameters<Flow["begin"]>[0]) {
      const login = yield* oauthLogin(request)
      const { displayName } = login.definition
      const grant = grantOf(login.definition, kind)
      if (grant === undefined) {
        return yield* OperationNotAllowedError.of(`${displayName} does not have the flow ${kind}.`)
      }
      const host = grantHost(login.definition, grant, login.baseUrl)
      return host === undefined ? yield* lacksAddress(login) : { login, grant, host }
    })

    const request = Effect.fnUntraced(function*(
      login: OAuthLogin,
      context: GrantContext,
      placed: FieldValues,
      host: string
    ) {
      const issuer = grantIssuer(context)
      if (issuer === undefined) {
        return yield* OperationNotAllowedError.of(
          "A value cannot be used in the address of the token endpoint. Check the values and log in again."
        )
      }
      const response = yield* Effect.result(Effect.provideService(requestToken(context, issuer), OAuthHttp, http))
      if (Result.isSuccess(response)) return yield* granted(login, context, placed, issuer, response.success)
      const error = response.failure
      if (error._tag !== "OAuthRejected" || !refusesCredentials(error)) {
        return yield* failureOf(login.definition, issuer.server.issuer, error)
      }
      const detail = error.description === undefined ? "" : `: ${error.description}`
      const reason = `${login.definition.displayName} refused the credentials (${error.error}${detail}).`
      return ask(login, context.grant, host, `${reason} Check the values and enter them again.`)
    })

    const flow: Flow = {
      kind,
      begin: Effect.fn("StoredGrantFlow.begin")(function*(start) {
        const { grant, host, login } = yield* prepared(start)
        return ask(login, grant, host)
      }),
      receive: Effect.fn("StoredGrantFlow.receive")(function*(current, _, event) {
        const { grant, host, login } = yield* prepared(current)
        if (event._tag !== "Input") {
          return yield* OperationNotAllowedError.of("This login does not expect that input.")
        }
        const { baseUrl, definition, scopes } = login
        const { placed, values } = yield* Effect.mapError(
          Effect.fromResult(readInput(definition, grant, event.data)),
          (problems) => InvalidRequestError.of(problems)
        )
        return yield* request(login, { definition, grant, baseUrl, scopes, values }, placed, host)
      })
    }
    return flow
  })
