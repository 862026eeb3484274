/**
 * Reads and checks the signature of a request (RFC 9421), without a decision about its key, its time or its nonce.
 * Signatures are checked against the raw header fields, like in the guard, because a handler could read a repeated
 * field differently.
 */
import { matchesDigest } from "../../http/signatures/ContentDigest.ts"
import {
  pathAndQuery,
  readSignature,
  type RequestSignature,
  signatureBase,
  type SignedRequest
} from "../../http/signatures/MessageSignature.ts"
import { verifies } from "../../platform/Ed25519.ts"
import type { Fields, ReceivedHead, Refusal } from "./Guard.ts"
import type { Instance } from "./Instance.ts"

const requiredComponents = ["@method", "@authority", "@path", "@query"]
const nonceForm = /^[A-Za-z0-9_-]{16,64}$/

const acceptedSignature =
  `credsvc=("@method" "@authority" "@path" "@query" "content-digest");created;nonce;keyid;alg="ed25519";tag="credsvc"`

export const unsigned = (detail: string): Refusal => ({
  status: 401,
  detail,
  headers: { "www-authenticate": "Signature realm=\"credsvc\"", "accept-signature": acceptedSignature }
})

const missing = unsigned(
  "Others can reach this daemon, so it accepts only the commands of its own home and signed requests. On its machine use " +
    "credsvc ui for the pages and credsvc api for other requests. On another machine enroll with: credsvc enroll"
)
const malformed = unsigned(
  "The signature of the request is incomplete. It must cover the method, the authority, the path, the query, the digest " +
    "of the content and all header fields Credsvc-…, with created, nonce, keyid and the tag credsvc."
)

/** The addresses under which clients may have signed a request. */
type Site = Pick<Instance["Service"], "authorities" | "baseUrl" | "mountPath">

/** Lists the forms in which the client may have sent the request: proxies change the authority or remove the mount path. */
const viewsOf = (
  { authorities, baseUrl, mountPath }: Site,
  { method, target }: ReceivedHead,
  fields: Fields
): ReadonlyArray<SignedRequest> => {
  const { path, query } = pathAndQuery(target)
  const origin = authorities.get(fields.get("host")?.toLowerCase() ?? "") ?? baseUrl
  return [origin, baseUrl].flatMap((url) =>
    [path, mountPath + path].map((path): SignedRequest => ({
      method,
      authority: new URL(url).host,
      path,
      query,
      field: (name) => fields.get(name)
    }))
  )
}

/** Reads the signature, or refuses a signature that does not cover all required components. */
export const readRequestSignature = (
  fields: Fields
): (RequestSignature & { readonly parameters: { readonly nonce: string } }) | Refusal => {
  if (!fields.has("signature") && !fields.has("signature-input")) return missing
  const read = readSignature(fields.get("signature-input") ?? "", fields.get("signature") ?? "")
  const { alg = "ed25519", nonce: given, tag } = read?.parameters ?? {}
  if (read === undefined || tag !== "credsvc" || alg !== "ed25519" || given === undefined || !nonceForm.test(given)) {
    return malformed
  }
  const hasContent = fields.has("transfer-encoding") || Number(fields.get("content-length") ?? "0") !== 0
  const covered = new Set(read.components)
  const mustCover = [
    ...requiredComponents,
    ...(hasContent || fields.has("content-digest") ? ["content-digest"] : []),
    ...[...fields.keys()].filter((name) => name.startsWith("credsvc-"))
  ]
  return mustCover.every((component) => covered.has(component))
    ? { ...read, parameters: { ...read.parameters, nonce: given } }
    : malformed
}

/** Whether the signature is by this key, and covers the request in one of the forms that the client may have sent. */
export const isSignedWith = (
  publicKey: string,
  site: Site,
  head: ReceivedHead,
  fields: Fields,
  { components, parameters, signature }: RequestSignature
): boolean =>
  viewsOf(site, head, fields).some((view) => {
    const base = signatureBase(view, components, parameters)
    return base !== undefined && verifies(publicKey, Buffer.from(base), signature)
  })

/** Whether the content is the content that the signature covers. */
export const hasDigestOf = (fields: Fields, content: string): boolean => {
  const digest = fields.get("content-digest")
  return digest === undefined ? content === "" : matchesDigest(digest, content)
}
