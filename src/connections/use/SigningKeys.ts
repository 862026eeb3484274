/** Derives keys for AWS Signature Version 4 from the stored key pair, so that a proxy never needs the secret itself. */
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import { type CredentialScope, keyPairFields } from "../../domain/definition/AwsSigV4.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import type { SigningKey } from "../../domain/wire/Resolve.ts"
import { builtins } from "../../platform/builtins.ts"

const hmac = (key: string | Buffer, text: string): Buffer =>
  builtins.crypto.createHmac("sha256", key).update(text).digest()

/** Derives the key for the current day (UTC) and the scope. `values` is a key pair, which `placements` has checked. */
export const signingKey = (values: FieldValues, scope: CredentialScope, now: DateTime.Utc): SigningKey => {
  const { accessKeyId, secretAccessKey, sessionToken } = keyPairFields
  const { region, service } = scope
  const date = DateTime.formatIso(now).slice(0, 10).replaceAll("-", "")
  const day = hmac(`AWS4${Redacted.value(values[secretAccessKey]!)}`, date)
  const key = [region, service, "aws4_request"].reduce(hmac, day)
  return {
    accessKeyId: Redacted.value(values[accessKeyId]!),
    ...(Object.hasOwn(values, sessionToken) ? { sessionToken: values[sessionToken]! } : {}),
    key: Redacted.make(key.toString("base64")),
    date,
    region,
    service
  }
}
