/** How the signature of a request covers its body, as the header `X-Amz-Content-Sha256` declares it. */
import { valuesOf } from "../../http/HeaderFields.ts"
import { parametersOf, splitTarget } from "./CanonicalRequest.ts"
import { type ClientSignature, UnsupportedSignatureError } from "./ClientSignature.ts"

/** What a signature covers of a body. */
export type Payload =
  /** The body is sent unchanged. The service verifies it against the hash that the client has declared, if there is one. */
  | { readonly _tag: "Fixed"; readonly hash: string }
  /** The body must be read before the request can be signed. */
  | { readonly _tag: "Unknown" }
  /** The body has the coding `aws-chunked`, in which each chunk has a signature. */
  | {
    readonly _tag: "Chunks"
    readonly hash: string
    /** The fields that may follow the last chunk, in lower case. */
    readonly trailers: ReadonlySet<string>
    /** The length of the decoded body, if the client has declared it. */
    readonly length: number | undefined
  }

const UNSIGNED = "UNSIGNED-PAYLOAD"
/** The SHA-256 of an empty body. */
export const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

const OBJECT_STORES: ReadonlySet<string> = new Set(["s3", "s3express", "s3-object-lambda", "s3-outposts"])

/** Whether a service accepts a body that the signature does not cover, and takes paths literally. */
export const isObjectStore = (service: string): boolean => OBJECT_STORES.has(service)

const singleValue = (headers: ReadonlyArray<string>, name: string): string | undefined => {
  const values = valuesOf(headers, name)
  if (values.length > 1) throw new UnsupportedSignatureError(`the header ${name} is repeated`)
  return values[0]
}

const namesIn = (text: string | undefined): ReadonlySet<string> =>
  new Set((text ?? "").toLowerCase().split(",").map((name) => name.trim()).filter((name) => name !== ""))

const streamedPayload = (hash: string, headers: ReadonlyArray<string>): Payload => {
  const [, kind, trailer] = /^STREAMING-(AWS4-HMAC-SHA256|UNSIGNED)-PAYLOAD(-TRAILER)?$/.exec(hash) ?? []
  if (kind === undefined || (kind === "UNSIGNED" && trailer === undefined)) {
    throw new UnsupportedSignatureError(
      hash.includes("EVENTS")
        ? "signed event streams are not supported"
        : "unsupported X-Amz-Content-Sha256: expected a SHA-256, UNSIGNED-PAYLOAD or STREAMING-…-PAYLOAD"
    )
  }
  if (kind === "UNSIGNED") return { _tag: "Fixed", hash }
  const length = singleValue(headers, "x-amz-decoded-content-length")
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw new UnsupportedSignatureError("invalid X-Amz-Decoded-Content-Length: expected a decimal number")
  }
  return {
    _tag: "Chunks",
    hash,
    trailers: trailer === undefined ? new Set() : namesIn(singleValue(headers, "x-amz-trailer")),
    length: length === undefined ? undefined : Number(length)
  }
}

/** Determines how the signature covers the body. Throws an `UnsupportedSignatureError`. */
export const payloadOf = (
  headers: ReadonlyArray<string>,
  target: string,
  { form, scope }: ClientSignature,
  hasBody: boolean
): Payload => {
  const given = singleValue(headers, "x-amz-content-sha256") ??
    (form === "query"
      ? parametersOf(splitTarget(target)[1]).find(([name]) => name === "X-Amz-Content-Sha256")?.[1]
      : undefined)
  if (given === undefined) {
    if (isObjectStore(scope.service) && (hasBody || form === "query")) return { _tag: "Fixed", hash: UNSIGNED }
    return hasBody ? { _tag: "Unknown" } : { _tag: "Fixed", hash: EMPTY_HASH }
  }
  if (given === UNSIGNED) return { _tag: "Fixed", hash: UNSIGNED }
  if (/^[0-9a-f]{64}$/.test(given)) return { _tag: "Fixed", hash: given }
  const payload = streamedPayload(given, headers)
  if (form === "query" && payload._tag === "Chunks") {
    throw new UnsupportedSignatureError("a presigned URL cannot be used with signed chunks")
  }
  return payload
}
