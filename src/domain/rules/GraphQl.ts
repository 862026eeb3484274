/**
 * Reads the type and the root fields of the operations in a GraphQL request, without a schema, and writes the request in a canonical form.
 *
 * Every document that is not understood completely, and every request that a server could read differently, counts as having
 * no operations, so that rules refuse it.
 */
import { isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import { parseStrictJson } from "../text/StrictJson.ts"
import { operationTypes, type RootField } from "./Rule.ts"

/** The maximum size of a body that is read, in bytes. */
export const MAX_GRAPHQL_BODY = 64 * 1024

const LIMITS = { maxBytes: MAX_GRAPHQL_BODY, maxDepth: 32 }
const MEMBERS: ReadonlySet<string> = new Set(["query", "operationName", "variables", "extensions"])
const MAX_FIELDS = 256

/** The lexical tokens of GraphQL (October 2021, section 2.1), without commas and comments. */
const TOKEN =
  /[ \t\n\r,\uFEFF]+|#[^\n\r]*|"""((?:[^\\]|\\(?!""")|\\""")*?)"""|("(?!"")(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})|[^"\\\n\r])*")|([_A-Za-z][_0-9A-Za-z]*|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![_A-Za-z0-9.])|\.\.\.|[!$&()[\]{}:=@|])/gy

// oxlint-disable-next-line no-control-regex -- a document may contain no other control characters
const NOT_SOURCE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const TO_ESCAPE = /[\u007f-\u009f\u2028\u2029]|\p{Default_Ignorable_Code_Point}/gu

/** Quotes a string. Escapes the characters that some servers ignore, or read as the end of a line. */
const quoted = (value: string): string =>
  JSON.stringify(value).replaceAll(
    TO_ESCAPE,
    (character) => character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
  )

/** The value of a block string (October 2021, section 2.9.4). Servers that do not know block strings read two strings instead. */
const blockValue = (raw: string): string => {
  const lines = raw.replaceAll("\\\"\"\"", "\"\"\"").split(/\r\n|\n|\r/)
  const indents = lines.slice(1).filter((line) => /[^ \t]/.test(line)).map((line) => /^[ \t]*/.exec(line)![0].length)
  const indent = indents.length === 0 ? 0 : Math.min(...indents)
  const cut = lines.map((line, at) => at === 0 ? line : line.slice(indent))
  const isBlank = (line: string | undefined) => line !== undefined && !/[^ \t]/.test(line)
  while (isBlank(cut[0])) cut.shift()
  while (isBlank(cut.at(-1))) cut.pop()
  return cut.join("\n")
}

/** Splits a document into tokens, or returns undefined for other text. Strings are in their canonical form. */
const tokensOf = (text: string): ReadonlyArray<string> | undefined => {
  if (NOT_SOURCE.test(text)) return undefined
  const tokens: Array<string> = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text)
    if (found === null) return undefined
    const [, block, string, other] = found
    if (block !== undefined) tokens.push(quoted(blockValue(block)))
    else if (string !== undefined) tokens.push(quoted(JSON.parse(string.replaceAll("\t", "\\t")) as string))
    else if (other !== undefined) tokens.push(other)
  }
  return tokens
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" }
const NAME = /^[_A-Za-z]/

class NotUnderstood extends Error {}

class Reader {
  readonly #tokens: ReadonlyArray<string>
  #at = 0

  constructor(tokens: ReadonlyArray<string>) {
    this.#tokens = tokens
  }

  next(): string | undefined {
    return this.#tokens[this.#at]
  }

  nextIsName(): boolean {
    return NAME.test(this.next() ?? "")
  }

  take(): string {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw new NotUnderstood()
    return token
  }

  name(): string {
    const token = this.take()
    if (!NAME.test(token)) throw new NotUnderstood()
    return token
  }

  /** Skips a group in brackets, which begins here. */
  group(): void {
    const open: Array<string> = []
    do {
      const token = this.take()
      const closing = CLOSING[token]
      if (closing !== undefined) open.push(closing)
      else if (/^[)\]}]$/.test(token) && open.pop() !== token) throw new NotUnderstood()
    } while (open.length > 0)
  }

  directives(): void {
    while (this.next() === "@") {
      this.take()
      this.name()
      if (this.next() === "(") this.group()
    }
  }

  /** The fields of a selection set, undefined for a fragment. */
  selections(): ReadonlyArray<string | undefined> {
    const fields: Array<string | undefined> = []
    if (this.take() !== "{") throw new NotUnderstood()
    while (this.next() !== "}") {
      fields.push(this.#selection())
      if (fields.length > MAX_FIELDS) throw new NotUnderstood()
    }
    this.take()
    return fields
  }

  #selection(): string | undefined {
    if (this.next() === "...") {
      this.take()
      // A fragment spread or an inline fragment, which may add fields to the operation.
      if (this.nextIsName() && this.take() === "on") this.name()
      this.directives()
      if (this.next() === "{") this.group()
      return undefined
    }
    let field = this.name()
    if (this.next() === ":") {
      this.take()
      field = this.name()
    }
    if (this.next() === "(") this.group()
    this.directives()
    if (this.next() === "{") this.group()
    return field
  }
}

interface Document {
  readonly fields: ReadonlyArray<RootField>
  /** The tokens of the operation, without comments and commas. */
  readonly printed: string
}

const documentOf = (text: string): Document => {
  const tokens = tokensOf(text)
  if (tokens === undefined) throw new NotUnderstood()
  const reader = new Reader(tokens)
  const fields: Array<RootField> = []
  while (reader.next() !== undefined) {
    if (reader.next() === "{") {
      fields.push(...reader.selections().map((field) => ({ type: "query" as const, field })))
      continue
    }
    const kind = reader.name()
    if (kind === "fragment") {
      reader.name()
      if (reader.take() !== "on") throw new NotUnderstood()
      reader.name()
      reader.directives()
      reader.group()
      continue
    }
    const type = operationTypes.find((each) => each === kind)
    if (type === undefined) throw new NotUnderstood()
    if (reader.nextIsName()) reader.take()
    if (reader.next() === "(") reader.group()
    reader.directives()
    fields.push(...reader.selections().map((field) => ({ type, field })))
  }
  return { fields, printed: tokens.join(" ") }
}

export interface GraphQlRequest {
  /** The root fields of all operations, whichever of them the server executes. */
  readonly fields: ReadonlyArray<RootField>
  /** The body in its canonical form, which has the same meaning. */
  readonly body: string
}

interface Source {
  readonly source?: string
}

/** The functions of `JSON` that keep numbers as they were written. The types of ES2024 lack these functions. */
const exact = JSON as unknown as {
  readonly parse: (text: string, reviver: (key: string, value: unknown, context: Source) => unknown) => unknown
  readonly rawJSON: (text: string) => unknown
}

/** Reads the body of a GraphQL request, or returns undefined if it hides its operations, for instance behind a hash. */
export const readGraphQl = (body: string): GraphQlRequest | undefined => {
  if (body.startsWith("\uFEFF") || Result.isFailure(parseStrictJson(body, LIMITS))) return undefined
  const parsed = exact.parse(
    body,
    (_key, value, { source }) => typeof value === "number" ? exact.rawJSON(source!) : value
  )
  const requests: ReadonlyArray<unknown> = Array.isArray(parsed) ? parsed : [parsed]
  try {
    const documents: Array<Document> = []
    const printed: Array<unknown> = []
    for (const request of requests) {
      if (!isObject(request) || typeof request["query"] !== "string") throw new NotUnderstood()
      // Another member may mean that this is not a GraphQL request.
      if (Object.keys(request).some((name) => !MEMBERS.has(name))) throw new NotUnderstood()
      const document = documentOf(request["query"])
      if (document.fields.length === 0) throw new NotUnderstood()
      documents.push(document)
      // Servers such as graphql-java and Hot Chocolate prefer a stored document that the extension persistedQuery names.
      const { extensions: _, ...rest } = request
      printed.push({ ...rest, query: document.printed })
    }
    const fields = documents.flatMap((document) => document.fields)
    if (fields.length === 0 || fields.length > MAX_FIELDS) return undefined
    return { fields, body: JSON.stringify(Array.isArray(parsed) ? printed : printed[0]) }
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined
    throw error
  }
}

/** Whether GraphQL is usually served at paths with this last segment. */
export const isGraphQlPath = (segments: ReadonlyArray<string>): boolean =>
  /^graphql(?:\.json)?$/.test(segments[segments.length - 1] ?? "")

/**
 * The usual addresses of GraphQL, such as `/v1/graphql` and Shopify's `/admin/api/2026-07/graphql.json`. Elsewhere the last segment may be
 * a name that the client chose: `POST /index/_doc/graphql` creates a document in Elasticsearch, and `POST /graphql.json` one in Firebase.
 */
const ENDPOINT =
  /^(?:(?:client|gateway|services\/data|stores\/[^/]+)\/)?(?:\.?api\/)?(?:v\d[\d.]*\/)?graphql$|^(?:(?:admin|\d+)\/)?api\/(?:\d{4}-\d\d|unstable)\/graphql\.json$/

/** Whether a request to this path can do nothing but what its GraphQL document says. */
export const isGraphQlEndpoint = (segments: ReadonlyArray<string>): boolean => ENDPOINT.test(segments.join("/"))
