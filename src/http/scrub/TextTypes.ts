/** The media types of text, which is searched at any length. */

/** Types and subtypes. A subtype also counts as the suffix of another one (`image/svg+xml`), and after a prefix (`x-yaml`). */
const TYPES = ["text", "multipart", "message"]
const SUBTYPES = (
  "csv ecmascript graphql grpc-web-text hjson javascript json json5 jsonl jsonlines json-seq jwt mpegurl n-quads n-triples ndjson pem-file " +
  "postscript rtf sh sql toml trig typescript www-form-urlencoded xml xml-dtd xml-external-parsed-entity yaml"
).split(" ")

const TEXT = RegExp(
  String.raw`^\s*(?:(?:${TYPES.join("|")})/|[^/;\s]+/(?:[^;\s]*[-+./])?(?:${SUBTYPES.join("|")})\s*(?:;|$))`,
  "i"
)

/** One media type (RFC 9110 section 8.3.1). */
const VALID = /^\s*[^\s/;,]+\/[^\s/;,]+\s*(?:;|$)/

/** Whether content of this type is searched at any length. Content without a valid type is likely to be text. */
export const isText = (contentType: string | undefined): boolean =>
  contentType === undefined || TEXT.test(contentType) || !VALID.test(contentType)
