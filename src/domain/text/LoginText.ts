/** The text of a login file: JSON, perhaps with comments, or block mappings of YAML, as gh writes them. */
import * as Result from "effect/Result"
import { jsonPointer, parseStrictJson, withoutComments, withStrings } from "./StrictJson.ts"

export interface LoginText {
  readonly document: Readonly<Record<string, unknown>>
  /** The text with other strings at these JSON pointers, and otherwise unchanged. */
  readonly replaced: (values: ReadonlyMap<string, string>) => string
}

const jsonText = (text: string): LoginText | undefined => {
  const plain = withoutComments(text)
  const document = Result.getOrUndefined(parseStrictJson(plain))
  if (typeof document !== "object" || document === null || Array.isArray(document)) return undefined
  return {
    document: document as LoginText["document"],
    replaced: (values) => withStrings(text, (pointer) => values.get(pointer), plain)!
  }
}

/** A key, and a value that every YAML parser reads as a plain scalar. */
const LINE = /^( *)([\w.@-]+):(?: +([\w.@:/+=-]+(?: [\w.@:/+=-]+)*))? *\r?$/
const VALUE = /(?<=: +)\S.*?(?= *\r?$)/

const yamlText = (text: string): LoginText | undefined => {
  const document: Record<string, unknown> = {}
  const lines = text.split("\n")
  /** The pointers to the values, by line. */
  const pointers: Array<string | undefined> = []
  /** The mappings around the line, the innermost one last. */
  const open = [{ path: [] as ReadonlyArray<string>, into: document, indent: 0 }]
  /** The last key, if it has no value: deeper lines are its mapping. */
  let outer: string | undefined
  for (const [index, line] of lines.entries()) {
    if (/^ *(?:#.*)?\r?$/.test(line)) continue
    const [, { length: indent } = "", key, value] = LINE.exec(line) ?? []
    if (key === undefined || /:(?: |$)/.test(value ?? "")) return undefined
    if (outer !== undefined && indent > open.at(-1)!.indent) {
      const { into, path } = open.at(-1)!
      const inner = {}
      into[outer] = inner
      open.push({ path: [...path, outer], into: inner, indent })
    }
    while (open.length > 1 && indent < open.at(-1)!.indent) open.pop()
    const { indent: expected, into, path } = open.at(-1)!
    if (indent !== expected || key === "__proto__" || Object.hasOwn(into, key)) return undefined
    into[key] = value ?? null
    outer = value === undefined ? key : undefined
    if (value !== undefined) pointers[index] = jsonPointer([...path, key])
  }
  return {
    document,
    replaced: (values) =>
      lines.map((line, index) => line.replace(VALUE, (value) => values.get(pointers[index] ?? "") ?? value)).join("\n")
  }
}

/** Reads a JSON or YAML login file, or returns undefined for any other text. */
export const readLoginText = (text: string): LoginText | undefined =>
  /^\ufeff?\s*(?:\{|\/[/*])/.test(text) ? jsonText(text) : yamlText(text)
