/**
 * The placement of an HMAC signature: header fields carry an HMAC-SHA256 of parts of the request, made with the secret,
 * which is not sent. The parts come from a fixed list, so a definition contains no program.
 */
import * as Schema from "effect/Schema"
import { named, wire, withDefault } from "../wire/Wire.ts"
import { parameters } from "./DefinitionParts.ts"
import { MAX_MESSAGE, messagePattern } from "./HmacTemplate.ts"

/** The parts of a request that the signed message may contain. `target` is the path with its query, both as they are sent. */
export const messageParts = ["method", "target", "host", "timestamp", "body", "body_hash"] as const

/** The parts that a header may carry besides the fields of the credential. */
export const headerParts = ["signature", "timestamp", "body_hash"] as const

const HmacTimestamp = Schema.Literals(["seconds", "milliseconds", "iso8601", "http_date"]).pipe(named(
  "HmacTimestamp",
  "The form of {timestamp}: seconds or milliseconds since 1970, a time such as 2026-11-23T05:16:00.000Z, or an HTTP date"
))

const HmacEncoding = Schema.Literals(["hex", "base64"]).pipe(
  named("HmacEncoding", "The encoding of {signature} and {body_hash}, the SHA-256 digest of the body")
)

const KeyEncoding = Schema.Literals(["text", "base64"]).pipe(
  named("KeyEncoding", "Whether the field contains the key as text or in base64")
)

export const hmacParts = {
  message: [
    Schema.String.check(
      Schema.isMaxLength(MAX_MESSAGE),
      Schema.isPattern(messagePattern, { expected: "printable ASCII and line feeds" })
    ),
    "The signed text. {method}, {target} (path and query), {host}, {timestamp}, {body} and {body_hash} stand for parts " +
    "of the request; the rest is literal"
  ],
  timestamp: [HmacTimestamp, "The form of {timestamp}"],
  encoding: [HmacEncoding, "The encoding of {signature} and {body_hash}, the SHA-256 digest of the body"]
} as const

export const HmacPlacement = wire("HmacPlacement", "An HMAC-SHA256 signature of each request", {
  key: [Schema.String, "The secret field with the signing key"],
  keyEncoding: [
    withDefault(KeyEncoding, "text"),
    "Whether the field contains the key as text or in base64. The default is text"
  ],
  ...hmacParts,
  headers: parameters("The headers to set; values may use {signature}, {timestamp}, {body_hash} and {field}")
})
export type HmacPlacement = typeof HmacPlacement.Type
