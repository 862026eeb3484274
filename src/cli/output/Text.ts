/** Makes external strings safe for a terminal and lays them out in its width. */
import { displayWidth } from "effect/cli/CliOutput"
import { stripVTControlCharacters } from "node:util"

import { invisible, sanitizeLine } from "./Sanitize.ts"

// Characters that `JSON.stringify` does not escape but that a terminal interprets.
const unescaped = new RegExp(`[\\u007f-\\u009f${invisible}]`, "g")

export const toJson = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan"

const codes: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

type Painter = (style: Style | undefined, text: string) => string

export const painter = (colors: boolean): Painter => (style, text) =>
  colors && style !== undefined && text !== "" ? `\u001b[${codes[style]}m${text}\u001b[0m` : text

interface StyledText {
  readonly text: string
  readonly style?: Style | undefined
}

export type Cell = string | StyledText

/** The columns that a string occupies. Segmenting ASCII would dominate the time of a long table. */
const columns = (text: string): number => /^[ -~]*$/.test(text) ? text.length : displayWidth(text)

const gap = 2

const readable = 12

const fit = (natural: ReadonlyArray<number>, width: number): ReadonlyArray<number> | undefined => {
  const widths = [...natural]
  let excess = widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1) - width
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths))
    if (widths[widest]! <= readable) return undefined
    widths[widest]!--
    excess--
  }
  return widths
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Isolates right-to-left text, so that it does not reorder the columns after it, in terminals that support that. */
const isolate = (text: string): string => rightToLeft.test(text) ? `\u2068${text}\u2069` : text

const pieces = (word: string, width: number): ReadonlyArray<string> => {
  if (columns(word) <= width) return [word]
  const found = [""]
  const add = (part: string) => {
    if (columns(found.at(-1)! + part) > width && found.at(-1) !== "") found.push(part)
    else found[found.length - 1] += part
  }
  for (const part of word.split(/(?<=[-_/,:@=?&])/)) {
    if (columns(part) <= width) add(part)
    else for (const { segment } of new Intl.Segmenter().segment(part)) add(segment)
  }
  return found
}

const wrap = (text: string, width: number): ReadonlyArray<string> => {
  if (columns(text) <= width) return [text]
  const lines: Array<string> = []
  for (const word of text.split(" ").flatMap((word) => pieces(word, width))) {
    const line = lines.at(-1)
    if (line !== undefined && columns(`${line} ${word}`) <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

interface Layout {
  readonly width: number | undefined
  readonly paint: Painter
}

/** Formats rows as blocks of `HEADER: value` lines, for a terminal too narrow for columns. */
const records = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<StyledText>>,
  layout: Layout
): string => {
  const indent = Math.max(...header.map(columns)) + gap
  const room = Math.max(1, (layout.width ?? Infinity) - indent)
  return rows.map((row) =>
    header.flatMap((name, column) => {
      const { style, text = "" } = row[column] ?? {}
      return wrap(text, room).map((line, at) =>
        layout.paint("bold", at === 0 ? name : "") + " ".repeat(indent - (at === 0 ? columns(name) : 0)) +
        layout.paint(style, isolate(line))
      )
    }).map((line) => line.trimEnd()).join("\n")
  ).join("\n\n")
}

/** Aligns columns under a header. Cells wrap onto further lines if the width is limited. */
export const table = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  layout: Layout
): string => {
  const clean = rows.map((row) =>
    row.map((cell): StyledText =>
      typeof cell === "string" ? { text: sanitizeLine(cell) } : { ...cell, text: sanitizeLine(cell.text) }
    )
  )
  const lines = [header.map((text): StyledText => ({ text, style: "bold" })), ...clean]
  const natural = header.map((_, column) => Math.max(...lines.map((line) => columns(line[column]?.text ?? ""))))
  const widths = layout.width === undefined ? natural : fit(natural, layout.width)
  if (widths === undefined) return records(header, clean, layout)
  const last = header.length - 1
  return lines.flatMap((line) => {
    const cells = line.map(({ style, text }, column) => ({ style, lines: wrap(text, widths[column]!) }))
    const height = Math.max(...cells.map((cell) => cell.lines.length))
    return Array.from({ length: height }, (_, at) =>
      cells.map(({ lines, style }, column) => {
        const shown = lines[at] ?? ""
        const padding = column === last ? "" : " ".repeat(widths[column]! - columns(shown) + gap)
        return layout.paint(style, isolate(shown)) + padding
      }).join("").trimEnd())
  }).join("\n")
}

const bareWidth = (text: string): number => columns(stripVTControlCharacters(text))

/** Wraps help text. Long lines continue at their own indentation, or at their second column. */
export const wrapHelp = (text: string, width: number | undefined): string =>
  width === undefined ? text : text.split("\n").flatMap((line) => {
    if (bareWidth(line) <= width) return [line]
    const columns = /^( +\S.*?\s{2,})\S/.exec(stripVTControlCharacters(line))?.[1]
    const indent = columns?.length ?? /^ */.exec(line)![0].length
    const hanging = " ".repeat(indent < width / 2 ? indent : 4)
    const lines: Array<string> = []
    for (const word of line.split(/(?<=\S)(?= )/)) {
      const last = lines.at(-1)
      if (last !== undefined && bareWidth(last + word) <= width) lines[lines.length - 1] = last + word
      else lines.push(last === undefined ? word : hanging + word.trimStart())
    }
    return lines
  }).join("\n")

/** Aligns values after their keys, and leaves out empty values. */
export const fields = (rows: ReadonlyArray<readonly [key: string, value: string]>, paint: Painter): string => {
  const shown = rows.filter(([, value]) => value !== "")
  const width = Math.max(...shown.map(([key]) => key.length))
  return shown.map(([key, value]) =>
    `${paint("bold", `${key}:`)}${" ".repeat(width - key.length + 1)}${sanitizeLine(value)}`.trimEnd()
  ).join("\n")
}
