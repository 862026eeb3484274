/**
 * Requests temporary keys for an AWS role with the stored keys of a user, by AssumeRole of the Security Token Service.
 * The stored secret access key only signs the request: it is not sent. A request invalidates no key, so it is repeated
 * if its outcome is unknown.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { keyPairFields } from "../../domain/definition/AwsSigV4.ts"
import type { ApiKeyProvider } from "../../domain/definition/Provider.ts"
import { credentialFields, type LoginField } from "../../domain/definition/ProviderFields.ts"
import type { Problem } from "../../domain/Errors.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import * as Messages from "../../oauth/Messages.ts"
import { formParameters } from "../../oauth/OAuthClient.ts"
import {
  malformedError,
  type OAuthError,
  type OAuthRejected,
  OAuthUnavailable,
  unsafeError
} from "../../oauth/OAuthErrors.ts"
import type { OAuthHttp, OAuthRequest, OAuthResponse } from "../../oauth/OAuthHttp.ts"
import { secondsOf } from "../../oauth/TokenDialect.ts"
import { signHead, signingCredential } from "../../outbound/sigv4/RequestSigner.ts"
import { sha256 } from "../../platform/Digest.ts"
import { checkCredential, readLogin } from "../../providers/KeyCheck.ts"
import type { RenewedCredential } from "../renewal/OwnRenewals.ts"
import { signingKey } from "../use/SigningKeys.ts"

const field = (name: string, label: string, rest: Partial<LoginField>): LoginField => ({
  name,
  label,
  secret: false,
  required: false,
  pattern: undefined,
  hint: undefined,
  ...rest
})

const roleArn = field("role_arn", "Role ARN", {
  required: true,
  pattern: "arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,576}",
  hint: "such as arn:aws:iam::123456789012:role/Deploy"
})

const furtherFields: ReadonlyArray<LoginField> = [
  field("external_id", "External ID", {
    secret: true,
    pattern: "[A-Za-z0-9+=,.@:/_-]{2,1224}",
    hint: "if the role requires one"
  }),
  field("session_name", "Session name", {
    pattern: "[A-Za-z0-9+=,.@_-]{2,64}",
    hint: "shown in AWS logs; the name is credsvc if empty"
  }),
  field("duration", "Duration", {
    pattern: "9[0-9]{2}|[1-9][0-9]{3}|[1-3][0-9]{4}|4[0-2][0-9]{3}|43[01][0-9]{2}|43200",
    hint: "900 to 43200 seconds, at most what the role allows; 3600 if empty"
  })
]

const region = field("region", "Region", {
  pattern: "(?:[a-z]{2}|eusc)(?:-[a-z]+)+-[0-9]+",
  hint: "such as eu-central-1, for the Security Token Service and for programs; us-east-1 if empty"
})

/** The fields that a login asks for: the user's keys, the role, and the conditions of an AWS session. */
export const assumeRoleFields = (definition: ApiKeyProvider): ReadonlyArray<LoginField> => {
  const { accessKeyId, secretAccessKey } = keyPairFields
  const keys = credentialFields(definition).filter(({ name }) => name === accessKeyId || name === secretAccessKey)
  return [roleArn, ...keys, ...furtherFields, region]
}

const textOf = (values: FieldValues, name: string): string | undefined =>
  Object.hasOwn(values, name) ? Redacted.value(values[name]!) : undefined

/** The name of the role, which is not secret. */
export const roleOf = (values: FieldValues): string => textOf(values, roleArn.name) ?? ""

const partitionOf = (values: FieldValues): string => roleOf(values).split(":")[1] ?? ""

const regionOf = (values: FieldValues): string | undefined =>
  textOf(values, region.name) ?? (partitionOf(values) === "aws" ? "us-east-1" : undefined)

/**
 * The host of the Security Token Service. The definition names a host for each AWS partition. Undefined if it names none for the
 * role's partition, or the region is unknown.
 */
export const assumeRoleHost = ({ apiKey }: ApiKeyProvider, values: FieldValues): string | undefined => {
  const hosts = apiKey.awsSigv4?.assumeRole ?? {}
  const partition = partitionOf(values)
  const name = regionOf(values)
  return name === undefined || !Object.hasOwn(hosts, partition)
    ? undefined
    : hosts[partition]!.replace("{region}", name)
}

/** Reads the entered values that are to be stored. */
export const readAssumeRole = (
  definition: ApiKeyProvider,
  data: FieldValues
): Result.Result<FieldValues, ReadonlyArray<Problem>> =>
  Result.gen(function*() {
    const values = yield* readLogin(definition, assumeRoleFields(definition), data)
    if (assumeRoleHost(definition, values) !== undefined) return values
    const partition = partitionOf(values)
    return yield* Result.fail([
      regionOf(values) === undefined
        ? { path: `/data/${region.name}`, message: `is required for a role of the partition ${partition}` }
        : {
          path: `/data/${roleArn.name}`,
          message: `is in the partition ${partition}, which the definition does not support`
        }
    ])
  })

const entities: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", quot: "\"" }

/** Returns the text of the first element with this name, if it contains no child elements. */
const elementIn = (xml: string, name: string): string | undefined =>
  xml.split(`<${name}>`, 2)[1]?.split(`</${name}>`, 1)[0]?.replaceAll(
    /&(\w+);/g,
    (whole, entity: string) => entities[entity] ?? whole
  )

const throttled = /^(?:Throttling|ThrottlingException|RequestLimitExceeded|TooManyRequestsException)$/

const refusalOf = (
  { body, status }: OAuthResponse,
  secrets: ReadonlyArray<Redacted.Redacted<string>>
): OAuthRejected | OAuthUnavailable => {
  const text = Redacted.value(body)
  const code = elementIn(text, "Code")
  if (code !== undefined && throttled.test(code)) {
    const detail = "the Security Token Service is rate limiting requests"
    return new OAuthUnavailable({ reason: "rate_limited", detail, sent: false })
  }
  return Messages.rejection(code, elementIn(text, "Message"), status, secrets) ??
    new OAuthUnavailable({
      reason: "malformed",
      detail: `the Security Token Service refused the request (${status}) without a readable error`,
      sent: false
    })
}

/** Whether the user's keys no longer exist, so that repeating the request is useless. */
export const refusesKeys = ({ error }: OAuthRejected): boolean => error === "InvalidClientTokenId"

/** The request for temporary keys, signed with the user's keys. */
const signedRequest = (values: FieldValues, host: string, region: string, now: number): OAuthRequest => {
  const body = formParameters({
    Action: "AssumeRole",
    Version: "2011-06-15",
    RoleArn: roleOf(values),
    RoleSessionName: textOf(values, "session_name") ?? "credsvc",
    DurationSeconds: textOf(values, "duration") ?? "3600",
    ExternalId: values["external_id"]
  }).toString()
  const scope = { region, service: "sts" }
  const type = "application/x-www-form-urlencoded"
  const { headers } = signHead(
    { method: "POST", path: "/", headers: ["Host", host, "Content-Type", type] },
    { form: "header", scope, signedHeaders: new Set(), expires: 0 },
    signingCredential(signingKey(values, scope, DateTime.makeUnsafe(now))),
    sha256(Buffer.from(body)),
    now
  )
  const signed = (wanted: string): string => headers[headers.indexOf(wanted) + 1]!
  return {
    method: "POST",
    url: `https://${host}/`,
    headers: { "content-type": type, "x-amz-date": signed("X-Amz-Date"), accept: "text/xml" },
    authorization: Redacted.make(signed("Authorization")),
    body: Redacted.make(body)
  }
}

/** Reads the temporary keys in a response. */
const keysIn = Effect.fnUntraced(function*(xml: string, definition: ApiKeyProvider, values: FieldValues, now: number) {
  const fail = (problem: string) => malformedError(`the response of the Security Token Service ${problem}`)
  const credentials = elementIn(xml, "Credentials") ?? ""
  const secret = (name: string) => Redacted.make(elementIn(credentials, name) ?? "")
  const hasRegion = credentialFields(definition).some(({ name }) => name === region.name)
  const keys = checkCredential(definition, {
    ...(values[region.name] === undefined || !hasRegion ? {} : { [region.name]: values[region.name]! }),
    [keyPairFields.accessKeyId]: secret("AccessKeyId"),
    [keyPairFields.secretAccessKey]: secret("SecretAccessKey"),
    [keyPairFields.sessionToken]: secret("SessionToken")
  })
  if (Result.isFailure(keys) || !Object.hasOwn(keys.success, keyPairFields.sessionToken)) {
    return yield* fail("has no temporary keys")
  }
  const seconds = secondsOf(elementIn(credentials, "Expiration"), now, true)
  if (seconds === undefined) return yield* fail("has no expiry in the future")
  const obtainedAt = DateTime.makeUnsafe(now)
  return { values: keys.success, obtainedAt, expiresAt: DateTime.add(obtainedAt, { seconds }) }
})

export const assumeRole = Effect.fn("assumeRole")(
  function*(
    definition: ApiKeyProvider,
    values: FieldValues
  ): Effect.fn.Return<RenewedCredential, OAuthError, OAuthHttp> {
    const host = assumeRoleHost(definition, values)
    const name = regionOf(values)
    if (host === undefined || name === undefined) return yield* unsafeError("the definition has no host for this role")
    const now = yield* Clock.currentTimeMillis
    const secret = values[keyPairFields.secretAccessKey]
    if (secret === undefined) return yield* unsafeError("the secret access key is missing")
    const reach = { allowLoopback: definition.allowInsecureLoopback === true, publicOnly: false }
    const sent = Messages.send(reach, signedRequest(values, host, name, now))
    const response = yield* Effect.flatMap(sent, Messages.requireAnswer)
    if (response.status !== 200) {
      const { external_id: external } = values
      return yield* refusalOf(response, [secret, ...(external === undefined ? [] : [external])])
    }
    return yield* keysIn(Redacted.value(response.body), definition, values, now)
  }
)
