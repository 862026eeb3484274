/**
 * Runs the benchmarks, prints their results as ratios, and writes docs/performance.md.
 *
 * `node scripts/bench.ts [section…]`: every file in scripts/bench/ is a section, named after its file. With names it
 * runs only those sections and writes nothing. It measures dist/, so build first. Exits with code 1 if a result misses
 * its limit.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Row, Section } from "./bench/lib/Section.ts"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..")
const directory = path.join(root, "scripts", "bench")
const wanted = process.argv.slice(2)

const names = fs.readdirSync(directory).filter((file) => file.endsWith(".ts")).map((file) => file.slice(0, -3))
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  throw new Error(`unknown section ${unknown.join(", ")}; expected ${names.toSorted().join(", ")}`)
}

const table = (rows: ReadonlyArray<Row>): string => {
  const cells = [
    ["What", "Result", "Bar", ""],
    ...rows.map((row) => [
      row.what,
      row.result,
      row.bar ?? "",
      row.met === undefined ? "" : row.met ? "met" : "MISSED"
    ])
  ]
  const widths = cells[0]!.map((_, column) => Math.max(3, ...cells.map((line) => line[column]!.length)))
  const [head, ...body] = cells.map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`)
  return [head, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...body].join("\n")
}

const parts: Array<string> = []
let missed = 0
for (const name of (wanted.length > 0 ? wanted : names).toSorted()) {
  const module = await import(pathToFileURL(path.join(directory, `${name}.ts`)).href) as { readonly section: Section }
  const { method, run, title } = module.section
  console.log(`\n## ${title}\n\n${method}\n`)
  const rows = await run().catch((error: Error): ReadonlyArray<Row> => {
    console.error(error)
    return [{ what: title, result: `failed: ${error.message.split("\n")[0]}`, met: false }]
  })
  missed += rows.filter((row) => row.met === false).length
  console.log(table(rows))
  parts.push(`## ${title}\n\n${method}\n\n${table(rows)}\n`)
}

if (wanted.length === 0) {
  const machine =
    `${os.availableParallelism()} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}, ` +
    `${os.type()} ${os.arch()}`
  const text = `# Performance

Written by \`npm run bench\` in one run on one machine (${machine}). Most results with a bar are ratios
within this run, which also hold on other machines; absolute times and rates do not.

${parts.join("\n")}`
  fs.writeFileSync(path.join(root, "docs", "performance.md"), text)
  console.log("\nwrote docs/performance.md")
}
if (missed > 0) {
  console.error(`\n${missed} missed`)
  process.exitCode = 1
}
