/**
 * The form of an OAuth login: the client, an existing refresh token, and the fields that the definition
 * declares besides OAuth. No message contains a value.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type ClientCredentials, clientCredentials } from "../../connections/oauth/ClientCredentialsRepo.ts"
import { allowsPublicClients, type OAuthProvider } from "../../domain/definition/Provider.ts"
import { credentialFields } from "../../domain/definition/ProviderFields.ts"
import type { Problem } from "../../domain/Errors.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import type { InputField } from "../../domain/wire/AuthSession.ts"
import { checkKey } from "../../providers/KeyCheck.ts"
import { askInput, type FlowState, type FlowStep, inputField, inputFields } from "../Flow.ts"

const maxLength = 4096

export interface OAuthForm {
  readonly definition: OAuthProvider
  /** Whether the form asks for a client. `optional`: one is known, but the refresh token may belong to another. */
  readonly client: "known" | "optional" | "required"
  readonly refreshToken: boolean
  /** Whether to ask for the fields that the definition declares. */
  readonly fields: boolean
}

/** Whether the form asks for a client secret. A client without a required secret is public. */
const secretNeed = ({ oauth }: OAuthProvider): "none" | "optional" | "required" => {
  if (allowsPublicClients(oauth)) return "optional"
  return oauth.clientAuthentication === "none" ? "none" : "required"
}

const clientFields = ({ client, definition }: OAuthForm): ReadonlyArray<InputField> => {
  if (client === "known") return []
  const need = secretNeed(definition)
  const isRequired = client === "required"
  const id = inputField("client_id", "Client ID", {
    required: isRequired,
    hint: isRequired ? null : "Leave empty if the token was issued to the client that credsvc already uses."
  })
  const secret = inputField("client_secret", "Client secret", {
    secret: true,
    required: isRequired && need === "required",
    hint: need === "optional" ? "Leave empty for a public client, which has no secret." : null
  })
  return need === "none" ? [id] : [id, secret]
}

const refreshTokenField = inputField("refresh_token", "Refresh token", { secret: true })

const formFields = (form: OAuthForm): ReadonlyArray<InputField> => [
  ...(form.refreshToken ? [refreshTokenField] : []),
  ...clientFields(form),
  ...(form.fields ? inputFields(form.definition) : [])
]

/** Whether the form has at least one field. */
export const hasFields = (form: OAuthForm): boolean => formFields(form).length > 0

const instructions = (
  { client, definition, refreshToken }: OAuthForm,
  redirectUri: string | undefined,
  scopes: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const { credentialsUrl, displayName } = definition
  if (refreshToken) {
    const owner = client === "required" ? " and the OAuth client that it was issued to" : ""
    return [`Enter a refresh token for ${displayName}${owner}.`]
  }
  if (client === "known") return [`Enter what ${displayName} requires in addition to the login.`]
  return [
    `Enter the credentials of your OAuth app for ${displayName}.`,
    ...(credentialsUrl === undefined ? [] : [`Create an app at ${credentialsUrl}.`]),
    ...(redirectUri === undefined ? [] : [`Set its redirect URI to ${redirectUri}.`]),
    ...(scopes.length === 0 ? [] : [`If the provider limits the scopes of the app, allow ${scopes.join(", ")}.`])
  ]
}

/** Asks the user for the missing values. `recipient` is the host that receives the client credentials and the refresh token. */
export const askFor = (
  form: OAuthForm,
  { reason, recipient, redirectUri, scopes, state }: {
    readonly recipient: string
    readonly redirectUri: string | undefined
    readonly scopes: ReadonlyArray<string>
    readonly reason: string | undefined
    readonly state: FlowState
  }
): FlowStep =>
  askInput([...instructions(form, redirectUri, scopes), ...form.definition.notes], {
    fields: formFields(form),
    recipient: form.client === "known" && !form.refreshToken ? undefined : recipient,
    redirectUri: form.client === "known" ? undefined : redirectUri,
    reason,
    state
  })

type Texts = Readonly<Record<string, string>>

/** The problem with a client ID or secret, if any (RFC 6749 appendices A.1 and A.2). */
const textProblem = (value: string): string | undefined => {
  if (value.length > maxLength) return `is longer than ${maxLength} characters`
  return /^[\u0020-\u007e]*$/.test(value) ? undefined : "must contain printable ASCII characters only"
}

/** The problem with a refresh token, if any (RFC 6749 appendix A.17). */
const refreshTokenProblem = (value: string): string | undefined => {
  if (value.includes(PLACEHOLDER)) return "is a placeholder, not a refresh token"
  return value.includes(" ") ? "must not contain spaces" : undefined
}

const clientOf = (
  form: OAuthForm,
  redirectUri: string | null,
  { client_id: clientId = "", client_secret: clientSecret = "" }: Texts
): Result.Result<ClientCredentials | undefined, Problem> => {
  if (clientId === "") {
    return clientSecret === ""
      ? Result.succeed(undefined)
      : Result.fail({ path: "/data/client_id", message: "must not be empty with a client secret" })
  }
  if (clientSecret === "" && secretNeed(form.definition) === "required") {
    return Result.fail({ path: "/data/client_secret", message: "must not be empty with a client ID" })
  }
  return Result.succeed(clientCredentials({
    clientId,
    clientSecret: clientSecret === "" ? undefined : Redacted.make(clientSecret),
    source: "entered",
    redirectUri
  }))
}

interface OAuthInput {
  /** The client that the user entered; undefined without one. */
  readonly client: ClientCredentials | undefined
  /** The values of the declared fields, and `refresh_token` if the form asks for it. */
  readonly values: FieldValues
}

export const readForm = (
  form: OAuthForm,
  redirectUri: string | null,
  data: FieldValues
): Result.Result<OAuthInput, ReadonlyArray<Problem>> => {
  const fields = formFields(form)
  const declared = form.fields ? credentialFields(form.definition).map(({ name }) => name) : []
  const problems: Array<Problem> = []
  const texts: Record<string, string> = {}
  for (const name of Object.keys(data)) {
    if (!fields.some((field) => field.name === name)) {
      problems.push({ path: `/data/${name}`, message: "is not a field of this login" })
    }
  }
  for (const { name, required } of fields.filter(({ name }) => !declared.includes(name))) {
    const value = Object.hasOwn(data, name) ? Redacted.value(data[name]!).trim() : ""
    const problem = value === "" && required
      ? "must not be empty"
      : textProblem(value) ?? (name === "refresh_token" ? refreshTokenProblem(value) : undefined)
    if (problem === undefined) texts[name] = value
    else problems.push({ path: `/data/${name}`, message: problem })
  }
  const own = Object.fromEntries(Object.entries(data).filter(([name]) => declared.includes(name)))
  const values = declared.length === 0 ? Result.succeed({}) : checkKey(form.definition, own)
  if (Result.isFailure(values)) problems.push(...values.failure)
  const client = clientOf(form, redirectUri, texts)
  if (problems.length > 0 || Result.isFailure(values)) return Result.fail(problems)
  if (Result.isFailure(client)) return Result.fail([client.failure])
  return Result.succeed({
    client: client.success,
    values: {
      ...values.success,
      ...(form.refreshToken ? { refresh_token: Redacted.make(texts["refresh_token"]!) } : {})
    }
  })
}
