/**
 * The logins that store credentials and use them to request each access token. A first request tests the credentials,
 * so credentials that the provider refuses are never stored.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readGrantFields } from "../connections/grants/GrantFields.ts"
import {
  assertedEmail,
  type GrantContext,
  grantHost,
  grantIssuer,
  plainValuesOf,
  requestToken
} from "../connections/grants/GrantRequests.ts"
import type { Issuer } from "../connections/oauth/Issuers.ts"
import { OAuthBinding } from "../connections/oauth/OAuthBinding.ts"
import type { OAuthProvider, StoredGrantKind } from "../domain/definition/Provider.ts"
import { credentialFields, definedBaseUrls, fieldTitle } from "../domain/definition/ProviderFields.ts"
import { type GrantField, grantFields, type StoredGrant, storedGrantOf } from "../domain/definition/StoredGrants.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import type { FieldValues } from "../domain/injection/Placement.ts"
import type { InputField } from "../domain/wire/AuthSession.ts"
import { refusesCredentials } from "../oauth/GrantTokenRequests.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { TokenResponse } from "../oauth/TokenEndpoint.ts"
import { checkKey } from "../providers/KeyCheck.ts"
import {
  askInput,
  type Flow,
  type FlowEvent,
  type FlowState,
  type FlowStep,
  type Grant,
  inputField,
  inputFields,
  type LoginRequest,
  type OAuthLogin,
  unexpectedEvent,
  validInput
} from "./Flow.ts"
import { chooseAccount, lookUpAccount, settleGrant } from "./oauth/AccountStep.ts"
import { type ArrivedTokens, grantOfTokens } from "./oauth/OAuthGrant.ts"
import { Account, Secrets } from "./oauth/OAuthState.ts"
import { oauthLogin } from "./oauth/OAuthSteps.ts"
import { failureOf } from "./ProviderFailure.ts"

const hints: Readonly<Partial<Record<GrantField["kind"], string>>> = {
  private_key: "In PEM, from -----BEGIN to -----END.",
  key_file: "The content of the JSON file.",
  list: "Separated by commas.",
  map: "Pairs such as contents=read, separated by commas."
}

const grantInputs = (grant: StoredGrant): ReadonlyArray<InputField> =>
  grantFields(grant).map((field) =>
    inputField(field.name, fieldTitle(field), {
      secret: field.secret,
      multiline: field.kind === "private_key" || field.kind === "key_file",
      required: field.required,
      pattern: field.pattern ?? null,
      hint: field.hint ?? hints[field.kind] ?? null
    })
  )

/** Reads the input: `values` for token requests, and `placed`, the declared fields for requests to the API. */
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
    const placed = yield* checkKey(definition, Object.fromEntries(entries.filter(isPlaced)))
    return { values, placed }
  })

interface Prepared {
  readonly login: OAuthLogin
  readonly grant: StoredGrant
  readonly host: string
}

const ask = ({ grant, host, login: { definition } }: Prepared, reason?: string): FlowStep =>
  askInput([
    `Enter the credentials that credsvc uses to request access tokens from ${definition.displayName}.`,
    ...(definition.credentialsUrl === undefined ? [] : [`Create them at ${definition.credentialsUrl}.`]),
    ...definition.notes
  ], { fields: [...grantInputs(grant), ...inputFields(definition)], recipient: host, reason, state: {} })

const lacksAddress = ({ definition }: OAuthLogin): InvalidRequestError => {
  const forms = definedBaseUrls(definition)
  return InvalidRequestError.at(
    "/base_url",
    `${definition.displayName} needs the URL of your account for this login. Specify it with --base-url` +
      `${forms.length === 0 ? "" : `, in the form ${forms.join(" or ")}`}.`
  )
}

/**
 * The state of a login that has tokens and waits for its account lookup or, with `accounts`, for the user to choose an
 * account.
 */
const Held = Schema.Struct({
  values: Secrets,
  placed: Secrets,
  tokens: TokenResponse,
  /** The server at which the tokens are revoked, even if the definition has changed. */
  oauth: OAuthBinding,
  accounts: Schema.optional(Schema.Array(Account))
})
type Held = typeof Held.Type

const heldCodec = Schema.toCodecJson(Held)

/** Decodes the state, or returns undefined before the tokens have arrived. */
const heldIn = (state: FlowState): Effect.Effect<Held | undefined> =>
  Effect.orElseSucceed(Schema.decodeUnknownEffect(heldCodec)(state), () => undefined)

const arrivedTokens = (
  login: OAuthLogin,
  context: GrantContext,
  issuer: Issuer,
  { placed, tokens }: Pick<Held, "placed" | "tokens">
): ArrivedTokens => {
  const values = { ...placed, ...plainValuesOf(context), access_token: tokens.accessToken }
  const held = { values, grantValues: context.values, oauth: issuer.binding }
  return {
    tokens,
    held,
    grantFor: (account) =>
      Effect.map(grantOfTokens(login, tokens, context.scopes, account), (found): Grant => ({
        ...found,
        ...held,
        account: { ...found.account, label: found.account.label ?? assertedEmail(context) ?? null },
        values: { ...values, ...found.values }
      })),
    keep: (accounts) => {
      const state = Schema.encodeEffect(heldCodec)({
        placed,
        tokens,
        oauth: issuer.binding,
        values: context.values,
        accounts
      })
      return Effect.orDie(state) as Effect.Effect<FlowState>
    }
  }
}

const issuerOf = (context: GrantContext): Effect.Effect<Issuer, OperationNotAllowedError> => {
  const issuer = grantIssuer(context)
  return issuer === undefined
    ? Effect.fail(OperationNotAllowedError.of(
      "A value cannot be used in the URL of the token endpoint. Check the values and log in again."
    ))
    : Effect.succeed(issuer)
}

export const makeStoredGrantFlow = (kind: StoredGrantKind): Effect.Effect<Flow, never, OAuthHttp> =>
  Effect.map(OAuthHttp, (http) => {
    const prepare = Effect.fnUntraced(function*(request: LoginRequest) {
      const login = yield* oauthLogin(request)
      const { displayName } = login.definition
      const grant = storedGrantOf(login.definition.oauth, kind)
      if (grant === undefined) {
        return yield* OperationNotAllowedError.of(`${displayName} does not support the flow ${kind}.`)
      }
      const host = grantHost(login.definition, grant, login.baseUrl)
      return host === undefined ? yield* lacksAddress(login) : { login, grant, host } satisfies Prepared
    })

    const request = Effect.fnUntraced(function*(prepared: Prepared, context: GrantContext, placed: FieldValues) {
      const { login } = prepared
      const issuer = yield* issuerOf(context)
      const response = yield* Effect.result(
        Effect.provideService(requestToken(context, { ...issuer, revokes: true }), OAuthHttp, http)
      )
      if (Result.isSuccess(response)) {
        return yield* settleGrant(login, arrivedTokens(login, context, issuer, { placed, tokens: response.success }))
      }
      const error = response.failure
      if (error._tag !== "OAuthRejected" || !refusesCredentials(error)) {
        return yield* failureOf(login.definition, issuer.server.issuer, error)
      }
      const detail = error.description === undefined ? "" : `: ${error.description}`
      const reason = `${login.definition.displayName} refused the credentials (${error.error}${detail}).`
      return ask(prepared, `${reason} Check the values and enter them again.`)
    })

    const settled = Effect.fnUntraced(function*(
      login: OAuthLogin,
      context: GrantContext,
      held: Held,
      event: FlowEvent
    ) {
      const arrived = arrivedTokens(login, context, yield* issuerOf(context), held)
      const { accounts } = held
      if (accounts === undefined && event._tag === "Proceed") {
        return yield* Effect.provideService(lookUpAccount(login, arrived), OAuthHttp, http)
      }
      return accounts !== undefined && event._tag === "Input"
        ? yield* chooseAccount(arrived, accounts, event.data)
        : yield* unexpectedEvent()
    })

    return {
      kind,
      begin: Effect.fn("StoredGrantFlow.begin")(function*(start) {
        return ask(yield* prepare(start))
      }),
      receive: Effect.fn("StoredGrantFlow.receive")(function*(current, state, event) {
        const prepared = yield* prepare(current)
        const { grant, login } = prepared
        const { baseUrl, definition, scopes } = login
        const context = { definition, grant, baseUrl, scopes }
        const held = yield* heldIn(state)
        if (held !== undefined) return yield* settled(login, { ...context, values: held.values }, held, event)
        if (event._tag !== "Input") return yield* unexpectedEvent()
        const { placed, values } = yield* validInput(readInput(definition, grant, event.data))
        return yield* request(prepared, { ...context, values }, placed)
      }),
      held: (state) =>
        Effect.map(heldIn(state), (held) =>
          held && {
            values: { access_token: held.tokens.accessToken },
            grantValues: held.values,
            oauth: held.oauth
          })
    } satisfies Flow
  })
