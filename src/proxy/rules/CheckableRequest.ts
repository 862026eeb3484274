/**
 * The canonical form of a request that rules limit. The proxy sends exactly what the rules check, and every server reads it
 * alike. Requests without such a form are refused. The query gets its form from `Parameters`. The path stays as it is, and
 * `domain/rules/RequestPath` reads it in every way in which a server may read it.
 */
import { pathOf } from "../../domain/injection/Route.ts"
import { overridingField } from "../../domain/rules/Overrides.ts"
import { allReadings, folded, readingsOf } from "../../domain/rules/RequestPath.ts"
import { fieldOf, fieldsThat, type HeaderPairs, valuesOf } from "../../http/HeaderFields.ts"
import { codingsOf, decodedContent } from "../../http/scrub/ContentCodings.ts"
import type { RequestHead } from "../routing/RequestValidation.ts"
import { type BodyCheck, CarriedRequestsError, overrideProblem, UncheckableError } from "./BodyCheck.ts"
import { contentType } from "./ContentType.ts"
import { DisguisedJsonCheck } from "./DisguisedJsonCheck.ts"
import { JsonCheck } from "./JsonCheck.ts"
import { MultipartCheck } from "./MultipartCheck.ts"
import { canonicalQuery, FormCheck } from "./Parameters.ts"

/**
 * Creates a check of a decoded body. `mayCarry`: whether the body is allowed to contain other requests, which are then not checked.
 * Throws an `UncheckableError`.
 */
type BodyCheckMaker = (mayCarry: boolean) => BodyCheck | undefined

/** A request in its canonical form. */
export interface CheckableRequest {
  readonly head: RequestHead
  /** The content codings that the proxy must remove from the body. */
  readonly coding: string | undefined
  /** Undefined if no server reads parameters in the body. */
  readonly check: BodyCheckMaker | undefined
}

const BOUNDARY = /^[\w'()+./:=?-]{1,70}$/
const CHARSET = /^(?:utf-?8|us-ascii)$/i

const withoutFields = (headers: ReadonlyArray<string>, ...names: ReadonlyArray<string>): HeaderPairs =>
  fieldsThat(headers, (name) => !names.includes(name))

/** Matches the paths of all batches, and few others. */
const SUSPICIOUS_PATH = /batch|bulk|composite|_m(?:get|search|termvectors)|[^!-$&-~]/i

const hasPath = (target: string, pattern: RegExp): boolean => {
  const path = pathOf(target)
  const readings = SUSPICIOUS_PATH.test(path) ? readingsOf(path) : undefined
  return readings !== undefined &&
    allReadings(readings).some((segments) => pattern.test(segments.map(folded).join("/")))
}

/** Whether the path names an endpoint for batches of requests in JSON, as OData, Salesforce, Asana and Kintone have. */
const isBatchPath = (target: string): boolean => hasPath(target, /batch|bulk|composite/)

/**
 * Whether the target alone shows a batch of requests. Batches of Trello and WordPress.com have addresses in the query. At the batch
 * endpoint of WordPress, a request in the body needs no method, and the body can be a form. QuickBooks batches name kinds of records
 * instead of URLs. A body for Elasticsearch can name an index other than that of the path, and a body for S3 (`isSigned`) names the
 * objects to delete.
 */
const isBatch = (target: string, isSigned: boolean): boolean =>
  (/[?&;]urls(?:[=&;[]|%5B|$)/i.test(target) && isBatchPath(target)) ||
  (isSigned && /[?&]delete(?:[=&]|$)/.test(target)) ||
  hasPath(target, /(?:^|\/)(?:wp-json\/batch|v3\/company\/[^/]+\/batch|_(?:bulk|mget|msearch|mtermvectors))(?:\/|$)/)

/** Throws unless the body, which consists of other requests, is allowed. */
const requireCarrier = (mayCarry: boolean): undefined => {
  if (!mayCarry) throw new CarriedRequestsError()
}

const allChecks = (...checks: ReadonlyArray<BodyCheck>): BodyCheck => ({
  write: (part) => checks.forEach((check) => check.write(part)),
  end: () => checks.forEach((check) => check.end())
})

/** How servers read a body of a media type. `requests`: as HTTP messages. */
const kindOf = (type: string): "requests" | "json" | "form" | "multipart" | "other" => {
  const isForm = type === "application/x-www-form-urlencoded"
  const isMultipart = type.startsWith("multipart/")
  if ((!isForm && type.includes("urlencoded")) || (!isMultipart && /multipart|form-data/.test(type))) {
    throw new UncheckableError(
      "its Content-Type is unknown: send application/x-www-form-urlencoded or multipart/form-data"
    )
  }
  if (/^(?:application|message)\/http$/.test(type)) return "requests"
  if (type.includes("json")) return "json"
  if (isForm) return "form"
  return isMultipart ? "multipart" : "other"
}

const multipartCheck = ({ parameters, type }: ReturnType<typeof contentType>, host: string): BodyCheckMaker => {
  const boundary = parameters.get("boundary") ?? ""
  if (!BOUNDARY.test(boundary)) {
    throw new UncheckableError("its multipart boundary is missing or unusual: use up to 70 letters, digits and hyphens")
  }
  const isForm = type === "multipart/form-data"
  return (mayCarry) => {
    // Google's APIs and OData send batches in these types. Rack reads parameters in them too.
    if (!isForm && type !== "multipart/related") requireCarrier(mayCarry)
    return new MultipartCheck(host, boundary, { isForm, mayCarry })
  }
}

/** Chooses the check of a body. `codings` are the body's content codings. */
const checkFor = (
  given: string,
  { authority: { host }, target }: RequestHead,
  codings: ReturnType<typeof codingsOf>
): { readonly check: BodyCheckMaker; readonly decodes: boolean } => {
  const media = contentType(given)
  const kind = kindOf(media.type)
  const decodes = kind !== "requests" && kind !== "other"
  const charset = media.parameters.get("charset") ?? "utf-8"
  if (!CHARSET.test(charset) && (decodes || /^utf/i.test(charset))) {
    throw new UncheckableError("its charset is not UTF-8: send the body in UTF-8")
  }
  const refusesRequests = (mayCarry: boolean) => !mayCarry && isBatchPath(target)
  const disguised = (mayCarry: boolean) =>
    new DisguisedJsonCheck(
      new JsonCheck(host, { isLoose: true, refusesRequests: refusesRequests(mayCarry) }),
      // Servers respond to several codings in the field with an error.
      decodes || codings?.length !== 1 ? undefined : codings[0]
    )
  switch (kind) {
    case "requests":
      return { check: requireCarrier, decodes }
    case "json":
      return { check: (mayCarry) => new JsonCheck(host, { refusesRequests: refusesRequests(mayCarry) }), decodes }
    case "form":
      return { check: (mayCarry) => allChecks(new FormCheck(host), disguised(mayCarry)), decodes }
    case "multipart":
      return { check: multipartCheck(media, host), decodes }
    case "other":
      return { check: disguised, decodes }
  }
}

/**
 * Returns the canonical form of a request. Throws an `UncheckableError` if it has none. `isOpaque`: the host reads no
 * parameters in bodies.
 */
export const checkableRequest = (received: RequestHead, isOpaque: boolean): CheckableRequest => {
  const { authority: { host }, hasBody, headers, target } = received
  const field = overridingField(headers, host)
  if (field !== undefined) {
    throw new UncheckableError(
      field.name === field.reads
        ? overrideProblem(field.name)
        : `its header field ${field.name} is read as ${field.reads} by some servers: rename or remove it`
    )
  }
  const at = target.indexOf("?")
  const query = at === -1 ? "" : canonicalQuery(target.slice(at + 1), host)
  const head = at === -1 || query === target.slice(at + 1)
    ? received
    : { ...received, target: target.slice(0, at + 1) + query }
  if (isBatch(head.target, isOpaque)) return { head, coding: undefined, check: requireCarrier }
  if (!hasBody || isOpaque) return { head, coding: undefined, check: undefined }
  const types = valuesOf(headers, "content-type")
  if (types.length > 1) throw new UncheckableError("it has several Content-Type fields: send one")
  // Rack reads a body without a type as a form.
  const type = types[0] ?? "application/octet-stream"
  const typed = types.length === 0 ? { ...head, headers: [...headers, "Content-Type", type] } : head
  const coding = fieldOf(headers, "content-encoding")
  const codings = codingsOf(coding)
  const { check, decodes } = checkFor(type, received, codings)
  if (!decodes || coding === undefined) return { head: typed, coding: undefined, check }
  return codings?.length === 0
    ? { head: { ...typed, headers: withoutFields(headers, "content-encoding") }, coding: undefined, check }
    : { head: typed, coding, check }
}

/** The maximum length of an encoded body that is read. */
export const MAX_ENCODED_BODY = 1024 * 1024

/** The problem of an encoded body that cannot be decoded. */
export const ENCODED =
  "its encoded body cannot be checked: send it without a content coding, or at most 1 MiB of it in gzip, deflate, br " +
  "or zstd"

/** Decodes a body. Throws an `UncheckableError` if the body is invalid or too long. */
export const decodedBody = (coding: string, content: Buffer): Buffer => {
  const decoded = decodedContent(coding, content)
  if (decoded === undefined) throw new UncheckableError(ENCODED)
  return decoded
}

/** The head for a body that the proxy has decoded or serialized again. */
export const withBody = (head: RequestHead, content: Buffer): RequestHead => ({
  ...head,
  headers: [
    ...withoutFields(head.headers, "content-encoding", "content-length"),
    "Content-Length",
    String(content.length)
  ]
})
