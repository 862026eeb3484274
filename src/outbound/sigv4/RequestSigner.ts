/** Signs requests by AWS Signature Version 4, in the form that the client used. */
import * as Redacted from "effect/Redacted"
import type { SigningKey } from "../../domain/wire/Resolve.ts"
import { fieldOf, fieldsThat } from "../../http/HeaderFields.ts"
import type { OutgoingHead } from "../../http/OutgoingRequest.ts"
import {
  canonicalRequest,
  encodedParameter,
  hashOf,
  parametersOf,
  signatureOf,
  splitTarget,
  stringToSign
} from "./CanonicalRequest.ts"
import { type ClientSignature, isSignatureParameter } from "./ClientSignature.ts"
import { isObjectStore } from "./Payload.ts"

const ALGORITHM = "AWS4-HMAC-SHA256"

/** How long a presigned request that leaves the proxy is valid, in seconds. The proxy sends it immediately. */
const MAX_EXPIRES = 900

/** Converts a signing key to the form that is applied to requests. */
export const signingCredential = ({ key, sessionToken, ...rest }: SigningKey) => ({
  ...rest,
  sessionToken: sessionToken === undefined ? undefined : Redacted.value(sessionToken),
  key: Buffer.from(Redacted.value(key), "base64")
})
export type SigningCredential = ReturnType<typeof signingCredential>

/** The time in the format of `X-Amz-Date`, on the day of the key: at midnight the key may be some seconds older. */
const timeOn = (date: string, now: number): string => {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const today = time.slice(0, 8)
  return today === date ? time : today > date ? `${date}T235959Z` : `${date}T000000Z`
}

/** Fields that the signature replaces. */
const REPLACED: ReadonlySet<string> = new Set(["authorization", "x-amz-date", "x-amz-security-token"])

/** Fields that the connection to the server may change. */
const UNSIGNED: ReadonlySet<string> = new Set(["content-length"])

/** The names of the fields to sign: those that AWS requires, and those that the client had signed, if the proxy sends them. */
const signedNames = (headers: ReadonlyArray<string>, { signedHeaders }: ClientSignature): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase()
    const isRequired = name === "host" || name === "content-type" || name === "content-md5" || name.startsWith("x-amz-")
    if (isRequired || (signedHeaders.has(name) && !UNSIGNED.has(name))) names.add(name)
  }
  return [...names].toSorted()
}

/**
 * Signs a head. `payload`: the hash of the body in hexadecimal, or the name of a kind of payload. Returns the signed head, the lower-case
 * names of the fields that header compression must not index (`secret`), and the start of the chain of chunk signatures (`seed`).
 */
export const signHead = (
  head: OutgoingHead,
  signature: ClientSignature,
  credential: SigningCredential,
  payload: string,
  now: number
) => {
  const { accessKeyId, date, key, region, service, sessionToken } = credential
  const time = timeOn(date, now)
  const scope = `${date}/${region}/${service}/aws4_request`
  const headers = fieldsThat(head.headers, (name) => !REPLACED.has(name))
  const literalPath = isObjectStore(service)
  const sign = (target: string, signed: ReadonlyArray<string>): string =>
    signatureOf(
      key,
      stringToSign(
        ALGORITHM,
        time,
        scope,
        hashOf(canonicalRequest({ method: head.method, target, headers, signed, payload, literalPath }))
      )
    )
  const [path, query] = splitTarget(head.path)

  if (signature.form === "query") {
    const signed = signedNames(headers, signature)
    // Encoded like the canonical query, so that no server can read it in another way.
    const parameters = [
      ...parametersOf(query).filter(([name]) => !isSignatureParameter(name)),
      ["X-Amz-Algorithm", ALGORITHM] as const,
      ["X-Amz-Credential", `${accessKeyId}/${scope}`] as const,
      ["X-Amz-Date", time] as const,
      ["X-Amz-Expires", String(Math.min(signature.expires, MAX_EXPIRES))] as const,
      ["X-Amz-SignedHeaders", signed.join(";")] as const,
      ...(sessionToken === undefined ? [] : [["X-Amz-Security-Token", sessionToken] as const])
    ]
    const target = `${path}?${parameters.map(encodedParameter).join("&")}`
    const made = sign(target, signed)
    const signedPath = `${target}&X-Amz-Signature=${made}`
    return { path: signedPath, headers, secret: [":path"], seed: { key, time, scope, signature: made } }
  }

  headers.push("X-Amz-Date", time)
  if (sessionToken !== undefined) headers.push("X-Amz-Security-Token", sessionToken)
  if (literalPath && fieldOf(headers, "x-amz-content-sha256") === undefined) {
    headers.push("X-Amz-Content-Sha256", payload)
  }
  const signed = signedNames(headers, signature)
  const target = head.path.includes("?") ? `${path}?${query.replaceAll("+", "%20")}` : head.path
  const made = sign(target, signed)
  headers.push(
    "Authorization",
    `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signed.join(";")}, Signature=${made}`
  )
  return {
    path: target,
    headers,
    secret: ["authorization", "x-amz-security-token"],
    seed: { key, time, scope, signature: made }
  }
}
export type Seed = ReturnType<typeof signHead>["seed"]
