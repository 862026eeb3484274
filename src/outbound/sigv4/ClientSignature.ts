/**
 * The signature of a client of the proxy, made with the placeholders of a run. The signature proves nothing. The proxy uses only
 * its form, its credential scope and the names of the signed fields.
 */
import type { CredentialScope } from "../../domain/definition/AwsSigV4.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { valuesOf } from "../../http/HeaderFields.ts"
import { type Parameter, parametersOf, splitTarget } from "./CanonicalRequest.ts"

/** What the signature of a client says. */
export interface ClientSignature {
  /** Whether the signature is in `Authorization` or in the query, as in a presigned URL. */
  readonly form: "header" | "query"
  readonly scope: CredentialScope
  /** The signed fields, in lower case. */
  readonly signedHeaders: ReadonlySet<string>
  /** How many seconds a presigned URL is valid. */
  readonly expires: number
}

/** A request cannot be signed again. The message for the client says why. */
export class UnsupportedSignatureError extends Error {}

const unsupportedSignature = (message: string): UnsupportedSignatureError => new UnsupportedSignatureError(message)

const SCOPE_PART = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** How long a presigned URL may be valid (604800 seconds are seven days). */
const MAX_EXPIRES = 604_800

const checkAlgorithm = (algorithm: string): void => {
  if (algorithm === "AWS4-HMAC-SHA256") return
  throw unsupportedSignature(
    algorithm.startsWith("AWS4-ECDSA")
      ? "this request is signed with AWS Signature Version 4A (AWS4-ECDSA-P256-SHA256), which is not supported: use a " +
        "regional endpoint instead of a multi-region access point"
      : "unsupported AWS signature: expected AWS4-HMAC-SHA256"
  )
}

const scopeIn = (credential: string): CredentialScope => {
  const [, date = "", region = "", service = "", end] = credential.split("/")
  const valid = /^\d{8}$/.test(date) && SCOPE_PART.test(region) && SCOPE_PART.test(service) && end === "aws4_request"
  if (!valid || credential.split("/").length !== 5) {
    throw unsupportedSignature(
      "the AWS signature has an invalid credential scope: expected date/region/service/aws4_request"
    )
  }
  return { region, service }
}

const namesIn = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().split(";"))

const headerSignature = (value: string): ClientSignature => {
  const space = value.indexOf(" ")
  checkAlgorithm(value.slice(0, space))
  const parts = new Map<string, string>()
  for (const item of value.slice(space + 1).split(",")) {
    const [name = "", text = "", ...rest] = item.trim().split("=")
    if (rest.length > 0 || parts.has(name)) throw unsupportedSignature("the AWS signature is malformed")
    parts.set(name, text)
  }
  const credential = parts.get("Credential")
  const signed = parts.get("SignedHeaders")
  if (credential === undefined || signed === undefined || !parts.has("Signature")) {
    throw unsupportedSignature("the AWS signature is malformed")
  }
  return { form: "header", scope: scopeIn(credential), signedHeaders: namesIn(signed), expires: 0 }
}

const SIGNATURE_PARAMETER = /^x-amz-(?:algorithm|credential|date|expires|security-token|signature|signedheaders)$/i

/** Whether a parameter of a presigned URL belongs to its signature. */
export const isSignatureParameter = (name: string): boolean => SIGNATURE_PARAMETER.test(name)

const querySignature = (parameters: ReadonlyArray<Parameter>): ClientSignature => {
  const own = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (!isSignatureParameter(name)) continue
    if (own.has(name.toLowerCase())) {
      throw unsupportedSignature(`the parameter ${name} of the AWS signature is repeated`)
    }
    own.set(name.toLowerCase(), value)
  }
  checkAlgorithm(own.get("x-amz-algorithm") ?? "")
  const expires = own.get("x-amz-expires") ?? ""
  if (!/^\d{1,6}$/.test(expires) || Number(expires) < 1 || Number(expires) > MAX_EXPIRES) {
    throw unsupportedSignature(`invalid X-Amz-Expires of a presigned URL: expected 1 to ${MAX_EXPIRES} seconds`)
  }
  return {
    form: "query",
    scope: scopeIn(own.get("x-amz-credential") ?? ""),
    signedHeaders: namesIn(own.get("x-amz-signedheaders") ?? ""),
    expires: Number(expires)
  }
}

/**
 * The client's signature with a placeholder. Undefined for a request without one, which the proxy does not sign: it is anonymous,
 * or the client has signed it with a key of its own, such as temporary credentials. Throws an `UnsupportedSignatureError`.
 */
export const clientSignature = (headers: ReadonlyArray<string>, target: string): ClientSignature | undefined => {
  const authorizations = valuesOf(headers, "authorization")
  const own = authorizations.find((value) => /^AWS/i.test(value) && value.includes(PLACEHOLDER))
  const query = target.includes("?") ? parametersOf(splitTarget(target)[1]) : []
  const isPresigned = query.some(([name, value]) => /^x-amz-credential$/i.test(name) && value.includes(PLACEHOLDER))
  if (query.some(([name, value]) => name === "AWSAccessKeyId" && value.includes(PLACEHOLDER))) {
    throw unsupportedSignature(
      "this URL is signed with AWS Signature Version 2, which is not supported; for aws version 1, run: " +
        "aws configure set default.s3.signature_version s3v4"
    )
  }
  if (own === undefined && !isPresigned) return undefined
  const others = query.some(([name]) => /^x-amz-signature$/i.test(name))
  if (authorizations.length > 1 || (authorizations.length === 1 && (isPresigned || others))) {
    throw unsupportedSignature("the request has more than one signature or Authorization field")
  }
  return own === undefined ? querySignature(query) : headerSignature(own)
}
