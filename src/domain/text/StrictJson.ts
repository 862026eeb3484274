/**
 * Parses untrusted JSON unambiguously. Rejects `__proto__`, documents that are too large or too deep, and repeated keys.
 * `JSON.parse` keeps the last of repeated keys, so a document could show one host to a reader and route to another.
 */
import * as Result from "effect/Result"
import type { Problem } from "../Errors.ts"

interface JsonLimits {
  readonly maxBytes: number
  readonly maxDepth: number
}

const limits: JsonLimits = { maxBytes: 256 * 1024, maxDepth: 32 }

export const jsonPointer = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

class Rejected extends Error {
  readonly path: ReadonlyArray<PropertyKey>
  constructor(path: ReadonlyArray<PropertyKey>, message: string) {
    super(message)
    this.path = path
  }
}

const MAX_REPLACED_DEPTH = 256
/**
 * The length of all pointers of a document above which further values are kept: creating long pointers for many values would
 * take minutes.
 */
const MAX_POINTERS = 4 * 1024 * 1024

const whitespace = " \t\n\r"
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// oxlint-disable-next-line no-control-regex -- RFC 8259 refuses control characters in strings
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y

/** Receives each string value with its JSON text and the position of the text. */
type StringVisitor = (path: ReadonlyArray<PropertyKey>, quoted: string, at: number) => void

/** Checks the grammar, the keys and the depth; `JSON.parse` does the decoding. */
const checkKeys = (text: string, maxDepth: number, visit?: StringVisitor): void => {
  let at = 0
  const path: Array<PropertyKey> = []
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const place = (): string => {
    const lines = text.slice(0, at).split("\n")
    return `at line ${lines.length}, column ${lines.at(-1)!.length + 1}`
  }
  const skip = () => {
    while (at < text.length && whitespace.includes(text[at]!)) at++
  }
  const expect = (character: string) => {
    skip()
    if (text[at] !== character) throw new Rejected(path, `expected "${character}" ${place()}`)
    at++
  }
  const value = (): void => {
    skip()
    if (path.length > maxDepth) throw new Rejected([], `is nested more than ${maxDepth} levels deep`)
    const open = text[at]
    if (open === "{") return object()
    if (open === "[") return array()
    const begin = at
    const found = take(open === "\"" ? string : scalar)
    if (found === undefined) throw new Rejected(path, `is not valid JSON ${place()}`)
    if (open === "\"") visit?.(path, found, begin)
  }
  /** Reads the members up to `close`. `name` reads the key and colon of a member, or returns the index of an array element. */
  const members = (close: string, name: (index: number) => PropertyKey): void => {
    at++
    skip()
    if (text[at] === close) return void at++
    for (let index = 0;; index++) {
      path.push(name(index))
      value()
      path.pop()
      skip()
      if (text[at] !== ",") return expect(close)
      at++
    }
  }
  const object = (): void => {
    const seen = new Set<string>()
    members("}", () => {
      skip()
      const quoted = take(string)
      if (quoted === undefined) throw new Rejected(path, `expected a name in quotes ${place()}`)
      const key = JSON.parse(quoted) as string
      if (key === "__proto__") throw new Rejected([...path, key], "is not allowed as a name")
      if (seen.has(key)) throw new Rejected([...path, key], "occurs twice in the same object")
      seen.add(key)
      expect(":")
      return key
    })
  }
  const array = (): void => members("]", (index) => index)
  value()
  skip()
  if (at !== text.length) throw new Rejected([], `has text after its end, ${place()}`)
}

/** Parses a document. A problem quotes nothing of the input except a key. */
export const parseStrictJson = (
  text: string,
  { maxBytes, maxDepth }: JsonLimits = limits
): Result.Result<unknown, Problem> => {
  if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) {
    return Result.fail({ path: "", message: `is larger than ${maxBytes} bytes` })
  }
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text
  try {
    checkKeys(body, maxDepth)
    return Result.succeed(JSON.parse(body))
  } catch (error) {
    return Result.fail(
      error instanceof Rejected
        ? { path: jsonPointer(error.path), message: error.message }
        : { path: "", message: "is not valid JSON" }
    )
  }
}

/**
 * Replaces string values of a document, and changes no other character. `replaced` returns the new value for the value at
 * a JSON pointer, or undefined to keep it. Returns undefined if `text` is not strict JSON.
 */
export const withStrings = (
  text: string,
  replaced: (pointer: string, value: string) => string | undefined
): string | undefined => {
  const parts: Array<string> = []
  let end = 0
  let length = 0
  try {
    checkKeys(text, MAX_REPLACED_DEPTH, (path, quoted, at) => {
      if (length > MAX_POINTERS) return
      const pointer = jsonPointer(path)
      length += pointer.length
      const value = replaced(pointer, JSON.parse(quoted) as string)
      if (value === undefined) return
      parts.push(text.slice(end, at), JSON.stringify(value))
      end = at + quoted.length
    })
  } catch {
    return undefined
  }
  return parts.join("") + text.slice(end)
}
