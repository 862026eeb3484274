/**
 * The canonical request of AWS Signature Version 4, and the string to sign. All strings are latin1, in which each
 * character is a byte of the message. Source: "Create a signed AWS API request" in the IAM User Guide.
 */
import { valuesOf } from "../../http/HeaderFields.ts"
import { builtins } from "../../platform/builtins.ts"
import { sha256 } from "../../platform/Digest.ts"

interface CanonicalParts {
  readonly method: string
  /** The path and query as they are sent. */
  readonly target: string
  /** The header fields that are sent, as flat pairs. */
  readonly headers: ReadonlyArray<string>
  /** The names of the signed fields: lower case, sorted, each once. */
  readonly signed: ReadonlyArray<string>
  /** The hash of the body in hexadecimal, or a name such as `UNSIGNED-PAYLOAD`. */
  readonly payload: string
  /** Whether the path is neither normalized nor encoded twice: S3 takes object keys literally. */
  readonly literalPath: boolean
}

/** Percent-encodes all characters except the unreserved ones (RFC 3986 section 2.3). */
const percentEncoded = (text: string): string =>
  text.replaceAll(
    /[^A-Za-z0-9._~-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
  )

/** Decodes percent-encoded bytes. A percent sign without two hexadecimal digits is kept. */
export const percentDecoded = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Normalizes a path as SigV4 requires: removes dot segments (RFC 3986 section 5.2.4) and empty segments. */
const normalizedPath = (path: string): string => {
  const kept: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return `/${kept.join("/")}${kept.length > 0 && path.endsWith("/") ? "/" : ""}`
}

const canonicalPath = (path: string): string => normalizedPath(path).split("/").map(percentEncoded).join("/")

const canonicalLiteralPath = (path: string): string =>
  path.split("/").map((segment) => percentEncoded(percentDecoded(segment))).join("/")

/** A decoded parameter of a query. */
export type Parameter = readonly [name: string, value: string]

/** The parameters of a query, decoded. A plus is a space, as in forms. */
export const parametersOf = (query: string): ReadonlyArray<Parameter> =>
  query.split("&").filter((pair) => pair !== "").map((pair) => {
    const at = pair.indexOf("=")
    const part = (text: string) => percentDecoded(text.replaceAll("+", " "))
    return at === -1 ? [part(pair), ""] : [part(pair.slice(0, at)), part(pair.slice(at + 1))]
  })

export const encodedParameter = ([name, value]: Parameter): string => `${percentEncoded(name)}=${percentEncoded(value)}`

const compareText = (one: string, other: string): number => Number(one > other) - Number(one < other)

const canonicalQuery = (query: string): string =>
  parametersOf(query)
    .map(([name, value]) => [percentEncoded(name), percentEncoded(value)] as const)
    .toSorted(([name, value], [otherName, otherValue]) =>
      compareText(name, otherName) || compareText(value, otherValue)
    )
    .map(([name, value]) => `${name}=${value}`)
    .join("&")

/** The values of a field, each without surrounding and repeated spaces. */
const canonicalField = (headers: ReadonlyArray<string>, name: string): string =>
  `${name}:${valuesOf(headers, name).map((value) => value.replaceAll(/[ \t]+/g, " ").trim()).join(",")}\n`

export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const at = target.indexOf("?")
  return at === -1 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)]
}

export const canonicalRequest = (parts: CanonicalParts): string => {
  const { headers, literalPath, method, payload, signed, target } = parts
  const [path, query] = splitTarget(target)
  const fields = signed.map((name) => canonicalField(headers, name)).join("")
  const pathInForm = literalPath ? canonicalLiteralPath(path) : canonicalPath(path)
  return [method, pathInForm, canonicalQuery(query), fields, signed.join(";"), payload].join("\n")
}

/** The SHA-256 of a latin1 text, in hexadecimal. */
export const hashOf = (text: string): string => sha256(Buffer.from(text, "latin1"))

/** Builds the string to sign. `scope` begins with the date of `time`: `20261123/us-east-1/s3/aws4_request`. */
export const stringToSign = (algorithm: string, time: string, scope: string, ...lines: ReadonlyArray<string>): string =>
  [algorithm, time, scope, ...lines].join("\n")

/** An HMAC-SHA-256 of a latin1 text, in hexadecimal. */
export const hexHmac = (key: Buffer, text: string): string =>
  builtins.crypto.createHmac("sha256", key).update(text, "latin1").digest("hex")
