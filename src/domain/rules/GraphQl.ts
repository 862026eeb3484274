/**
 * Reads the type and the root fields of the operations in a GraphQL request, without a schema.
 *
 * Every document that is not understood completely, and every request that a server could read differently, has no
 * operations here, so that rules refuse it.
 */
import * as Result from "effect/Result"
import { parseStrictJson } from "../StrictJson.ts"
import { operationTypes, type RootField } from "./Rule.ts"

/** Longer bodies are not read. */
export const MAX_GRAPHQL_BODY = 64 * 1024

const LIMITS = { maxBytes: MAX_GRAPHQL_BODY, maxDepth: 32 }
const MEMBERS: ReadonlySet<string> = new Set(["query", "operationName", "variables", "extensions"])
const MAX_FIELDS = 256

/** The lexical tokens of GraphQL (October 2021, section 2.1), without commas and comments. */
const TOKEN =
  /[ \t\n\r,\uFEFF]+|#[^\n\r]*|("""(?:[^\\]|\\(?!""")|\\""")*?"""|"(?!"")(?:\\.|[^"\\\n\r])*")|([_A-Za-z][_0-9A-Za-z]*|-?\d[\d.eE+-]*|\.\.\.|[!$&()[\]{}:=@|])/gy

/** Undefined if the text contains anything else. */
const tokensOf = (text: string): ReadonlyArray<string> | undefined => {
  const tokens: Array<string> = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text)
    if (found === null) return undefined
    // Only names and punctuation are looked at.
    if (found[1] !== undefined) tokens.push("\"\"")
    else if (found[2] !== undefined) tokens.push(found[2])
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
      // A fragment spread or an inline fragment, whose fields may also be those of the operation.
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

const documentFields = (text: string): ReadonlyArray<RootField> => {
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
  return fields
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The root fields of all operations in the body of a GraphQL request, whichever of them the server executes. Undefined if
 * the body does not show them, for instance because it has only the hash of a query.
 */
export const rootFieldsOf = (body: string): ReadonlyArray<RootField> | undefined => {
  const parsed = parseStrictJson(body, LIMITS)
  if (Result.isFailure(parsed)) return undefined
  const requests: ReadonlyArray<unknown> = Array.isArray(parsed.success) ? parsed.success : [parsed.success]
  try {
    const fields = requests.flatMap((request) => {
      if (!isRecord(request) || typeof request["query"] !== "string") throw new NotUnderstood()
      // Another member may mean that this is no GraphQL request.
      if (Object.keys(request).some((name) => !MEMBERS.has(name))) throw new NotUnderstood()
      const own = documentFields(request["query"])
      if (own.length === 0) throw new NotUnderstood()
      return own
    })
    return fields.length === 0 || fields.length > MAX_FIELDS ? undefined : fields
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined
    throw error
  }
}

/** Whether the last segment of a path is one at which GraphQL is usually served. */
export const isGraphQlPath = (segments: ReadonlyArray<string>): boolean =>
  /^graphql(?:\.json)?$/.test(segments[segments.length - 1] ?? "")
