/**
 * Draws the terminal image in README.md, `docs/demo.svg`, from the actual output of the demo.
 *
 * `node scripts/terminal-picture.ts`, after a build.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { escaped } from "./bench/lib/ChartSvg.ts"
import { succeed } from "./lib/Programs.ts"

const root = path.join(import.meta.dirname, "..")
// Runs in a shell, so that stdout and stderr keep their order in one pipe.
const script = ["-c", "exec \"$0\" \"$1\" 2>&1", process.execPath, path.join(root, "scripts", "demo.ts")]
const demo = succeed("sh", script, { env: process.env })

/** The steps of the demo that the image shows. */
const lines = stripVTControlCharacters(demo).split("\n")
const from = lines.findIndex((line) => line.startsWith("1. "))
const to = lines.findIndex((line) => line.startsWith("4. "))
if (from < 0 || to < from) throw new Error("the demo has no steps 1 to 4")
const shown = lines.slice(from, to).filter((line, index, all) => line !== "" || all[index - 1] !== "").join("\n").trim()
  .split("\n")

const fontSize = 14
const lineHeight = 21
const padding = 20
const bar = 34
const columns = Math.max(...shown.map((line) => line.length))
const width = Math.ceil(columns * fontSize * 0.602) + 2 * padding
const height = bar + shown.length * lineHeight + padding

const kindOf = (line: string): string => /^\d\. /.test(line) ? "title" : line.startsWith("$ ") ? "command" : "output"

const rows = shown.map((line, index) =>
  `  <text class="${kindOf(line)}" x="${padding}" y="${bar + (index + 1) * lineHeight - 5}">${escaped(line)}</text>`
)

fs.writeFileSync(
  path.join(root, "docs", "demo.svg"),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>The demo in a terminal: a key is stored, and a program uses it without having it</title>
  <style>
    .window { fill: #16191f }
    .bar { fill: #262b34 }
    text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
    .title { fill: #8ab4f8; font-weight: bold }
    .command { fill: #f1f3f4 }
    .output { fill: #b8c0cc }
  </style>
  <rect class="window" width="${width}" height="${height}" rx="10"/>
  <path class="bar" d="M0 ${bar - 6}V10a10 10 0 0 1 10-10H${width - 10}a10 10 0 0 1 10 10v${bar - 16}z"/>
  <circle cx="20" cy="14" r="5" fill="#f28b82"/><circle cx="38" cy="14" r="5" fill="#fdd663"/><circle cx="56" cy="14" r="5" fill="#81c995"/>
${rows.join("\n")}
</svg>
`
)
console.log(`docs/demo.svg: ${shown.length} lines`)
