/** Signs a request that a client has signed with placeholders, in place of the client. */
import { Readable } from "node:stream"
import { declaredLength } from "../../http/http1/RequestHead.ts"
import type { OutgoingRequest } from "../../http/OutgoingRequest.ts"
import { sha256 } from "../../platform/Digest.ts"
import { ChunkedPayload } from "./ChunkedPayload.ts"
import type { ClientSignature, UnsupportedSignatureError } from "./ClientSignature.ts"
import type { HeldBudget } from "./HeldBytes.ts"
import { payloadOf } from "./Payload.ts"
import { signHead, type SigningCredential } from "./RequestSigner.ts"
import { SignedBody } from "./SignedBody.ts"

/** The longest body that is read before it is sent, because neither the client nor the service gives its hash. */
export const MAX_UNDECLARED_BODY = 32 * 1024 * 1024

export interface SigningOptions {
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
