/** The text of a login file: JSON, perhaps with comments, or block mappings of YAML, as gh writes them. */
import * as Result from "effect/Result"
import { withoutComments } from "./JsonComments.ts"
import { parseStrictJson } from "./StrictJson.ts"

const readJson = (text: string): Record<string, unknown> | undefined => {
  const document = Result.getOrUndefined(parseStrictJson(withoutComments(text)))
  return typeof document === "object" && document !== null && !Array.isArray(document)
    ? document as Record<string, unknown>
    : undefined
}

/** A key, and a value that every YAML parser reads as a plain scalar. */
const LINE = /^( *)([\w.@-]+):(?: +([\w.@:/+=-]+(?: [\w.@:/+=-]+)*))? *\r?$/

const readYaml = (text: string): Record<string, unknown> | undefined => {
  const document: Record<string, unknown> = {}
  /** The mappings around the line, the innermost one last. */
  const open = [{ into: document, indent: 0 }]
  /** The last key, if it has no value: deeper lines are its mapping. */
  let outer: string | undefined
  for (const line of text.split("\n")) {
    if (/^ *(?:#.*)?\r?$/.test(line)) continue
    const [, { length: indent } = "", key, value] = LINE.exec(line) ?? []
    if (key === undefined || /:(?: |$)/.test(value ?? "")) return undefined
    if (outer !== undefined && indent > open.at(-1)!.indent) {
      const inner = {}
      open.at(-1)!.into[outer] = inner
      open.push({ into: inner, indent })
    }
    while (open.length > 1 && indent < open.at(-1)!.indent) open.pop()
    const { indent: expected, into } = open.at(-1)!
    if (indent !== expected || key === "__proto__" || Object.hasOwn(into, key)) return undefined
    into[key] = value ?? null
    outer = value === undefined ? key : undefined
  }
  return document
}

/** Reads a JSON or YAML login file, or returns undefined for any other text. */
export const readLoginText = (text: string): Record<string, unknown> | undefined =>
  /^\ufeff?\s*(?:\{|\/[/*])/.test(text) ? readJson(text) : readYaml(text)
