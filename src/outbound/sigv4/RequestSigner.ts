/** Signs requests by AWS Signature Version 4, in place of a client that has signed them with placeholders, and in the form that it used. */
import * as Redacted from "effect/Redacted"
import { Readable } from "node:stream"
import type { SigningKey } from "../../domain/wire/Resolve.ts"
import { fieldOf, fieldsThat, type HeaderPairs } from "../../http/HeaderFields.ts"
import { declaredLength } from "../../http/http1/RequestHeadWriter.ts"
import type { OutgoingHead, OutgoingRequest } from "../../http/OutgoingRequest.ts"
import { sha256 } from "../../platform/Digest.ts"
import {
  canonicalRequest,
  encodedParameter,
  hashOf,
  hexHmac,
  parametersOf,
  splitTarget,
  stringToSign
} from "./CanonicalRequest.ts"
import { ChunkedPayload, type Seed } from "./ChunkedPayload.ts"
import { type ClientSignature, isSignatureParameter, type UnsupportedSignatureError } from "./ClientSignature.ts"
import type { HeldBudget } from "./HeldBytes.ts"
import { isObjectStore, payloadOf } from "./Payload.ts"
import { SignedBody } from "./SignedBody.ts"

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
  if (time.startsWith(date)) return time
  return time > date ? `${date}T235959Z` : `${date}T000000Z`
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

interface HeadSignature {
  readonly path: string
  readonly headers: HeaderPairs
  /** The lower-case names of the fields that header compression must not index. */
  readonly secret: ReadonlyArray<string>
  /** The start of the chain of chunk signatures. */
  readonly seed: Seed
}

/** Signs a head. `payload`: the hash of the body in hexadecimal, or the name of a kind of payload. */
export const signHead = (
  head: OutgoingHead,
  signature: ClientSignature,
  credential: SigningCredential,
  payload: string,
  now: number
): HeadSignature => {
  const { accessKeyId, date, key, region, service, sessionToken } = credential
  const time = timeOn(date, now)
  const scope = `${date}/${region}/${service}/aws4_request`
  const headers = fieldsThat(head.headers, (name) => !REPLACED.has(name))
  const literalPath = isObjectStore(service)
  const [path, query] = splitTarget(head.path)
  const sign = (target: string, signed: ReadonlyArray<string>): string => {
    const canonical = canonicalRequest({ method: head.method, target, headers, signed, payload, literalPath })
    return hexHmac(key, stringToSign(ALGORITHM, time, scope, hashOf(canonical)))
  }

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
    const seed = { key, time, scope, signature: made }
    return { path: `${target}&X-Amz-Signature=${made}`, headers, secret: [":path"], seed }
  }

  headers.push("X-Amz-Date", time)
  if (sessionToken !== undefined) headers.push("X-Amz-Security-Token", sessionToken)
  if (literalPath && fieldOf(headers, "x-amz-content-sha256") === undefined) {
    headers.push("X-Amz-Content-Sha256", payload)
  }
  const signed = signedNames(headers, signature)
  const target = head.path.includes("?") ? `${path}?${query.replaceAll("+", "%20")}` : head.path
  const made = sign(target, signed)
  const value = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signed.join(";")}, Signature=${made}`
  headers.push("Authorization", value)
  const seed = { key, time, scope, signature: made }
  return { path: target, headers, secret: ["authorization", "x-amz-security-token"], seed }
}

/** The longest body that is read before it is sent, because neither the client nor the service gives its hash. */
export const MAX_UNDECLARED_BODY = 32 * 1024 * 1024

interface SigningOptions {
  /** The body, if it has been read. */
  readonly content: Buffer | undefined
  readonly budget: HeldBudget
  /** The time in milliseconds. */
  readonly now: number
  /** Called when the body is not what the head declares. */
  readonly rejected: (error: UnsupportedSignatureError) => void
}

/** The request with a body that was read before it is sent. */
export const withContent = (request: OutgoingRequest, content: Buffer): OutgoingRequest => ({
  ...request,
  headers: declaredLength(request.headers) === -1
    ? [...request.headers, "Content-Length", String(content.length)]
    : request.headers,
  body: Readable.from([content]),
  expectsContinue: false
})

/** The signed request; undefined if its body must be read first. Throws an `UnsupportedSignatureError`. */
export const signRequest = (
  request: OutgoingRequest,
  signature: ClientSignature,
  credential: SigningCredential,
  { budget, content, now, rejected }: SigningOptions
): OutgoingRequest | undefined => {
  const payload = payloadOf(request.headers, request.path, signature, request.body !== null)
  if (payload._tag === "Unknown" && content === undefined) return undefined
  const hash = payload._tag === "Unknown" ? sha256(content!) : payload.hash
  const { headers, path, secret, seed } = signHead(request, signature, credential, hash, now)
  const signed = { ...request, headers, path, secret: [...request.secret, ...secret] }
  if (payload._tag === "Unknown" && content !== undefined) return withContent(signed, content)
  return request.body === null || payload._tag !== "Chunks"
    ? signed
    : { ...signed, body: new SignedBody(request.body, new ChunkedPayload(payload, seed, budget), rejected) }
}
