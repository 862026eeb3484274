import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ClientCredentials } from "../connections/ClientCredentialsRepo.ts"
import type { InputField } from "../domain/AuthSession.ts"
import type { Problem } from "../domain/Errors.ts"
import type { FieldValues } from "../domain/Placement.ts"
import type { OAuthProvider } from "../domain/Provider.ts"
import type { FlowStep } from "./Flow.ts"

const maxLength = 4096

/** If the definition does not specify it, the secret is optional: without one, the client is public. */
const secretNeed = ({ oauth }: OAuthProvider): "none" | "optional" | "required" =>
  oauth.clientAuthentication === undefined ? "optional" : oauth.clientAuthentication === "none" ? "none" : "required"

export const clientFields = (definition: OAuthProvider): ReadonlyArray<InputField> => {
  const need = secretNeed(definition)
  const id: InputField = {
    name: "client_id",
    label: "Client ID",
    secret: false,
    required: true,
    default: null,
    pattern: null,
    hint: null
  }
  return need === "none" ? [id] : [id, {
    name: "client_secret",
    label: "Client secret",
    secret: true,
    required: need === "required",
    default: null,
    pattern: null,
    hint: need === "optional" ? "Leave empty for a public client, which has no secret." : null
  }]
}

export const askForClient = (
  definition: OAuthProvider,
  recipient: string,
  redirectUri: string | undefined,
  reason?: string
): Omit<Extract<FlowStep, { readonly _tag: "AskInput" }>, "state"> => ({
  _tag: "AskInput",
  message: [
    ...(reason === undefined ? [] : [reason]),
    `Enter the credentials of your OAuth app for ${definition.displayName}.`,
    ...(definition.credentialsUrl === undefined ? [] : [`Create an app at ${definition.credentialsUrl}.`]),
    ...(redirectUri === undefined ? [] : [`Set its redirect URI to ${redirectUri}.`]),
    ...definition.notes
  ].join(" "),
  fields: clientFields(definition),
  recipient,
  ...(reason === undefined ? {} : { reason }),
  ...(redirectUri === undefined ? {} : { redirectUri })
})

/** The character sets of RFC 6749 appendices A.1 and A.2. No message contains a value. */
export const readClient = (
  definition: OAuthProvider,
  redirectUri: string | null,
  data: FieldValues
): Result.Result<ClientCredentials, ReadonlyArray<Problem>> => {
  const fields = clientFields(definition)
  const problems: Array<Problem> = []
  const values: Record<string, string> = {}
  for (const name of Object.keys(data)) {
    if (!fields.some((field) => field.name === name)) {
      problems.push({ path: `/data/${name}`, message: "is not a field of this login" })
    }
  }
  for (const { name, required } of fields) {
    const value = Object.hasOwn(data, name) ? Redacted.value(data[name]!).trim() : ""
    if (value === "" && required) problems.push({ path: `/data/${name}`, message: "must not be empty" })
    else if (value.length > maxLength) {
      problems.push({ path: `/data/${name}`, message: "is longer than 4096 characters" })
    } else if (!/^[\u0020-\u007e]*$/.test(value)) {
      problems.push({ path: `/data/${name}`, message: "must contain printable ASCII characters only" })
    } else values[name] = value
  }
  if (problems.length > 0) return Result.fail(problems)
  const { client_id: clientId = "", client_secret: clientSecret = "" } = values
  return Result.succeed({
    clientId,
    ...(clientSecret === "" ? {} : { clientSecret: Redacted.make(clientSecret) }),
    authentication: null,
    source: "entered",
    redirectUri,
    secretExpiresAt: null,
    registration: null,
    refusedAt: null
  })
}
