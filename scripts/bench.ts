/**
 * Runs the benchmarks, prints their results as ratios, and writes docs/performance.md.
 *
 * `node scripts/bench.ts [--quick] [section…]`: every file in scripts/bench/ is a section, named after its file. With names
 * it runs only those sections and writes nothing. With `--quick` it measures briefly, in less than two minutes, and writes
 * nothing. In full it takes less than 35 minutes. Each section has a process of its own, so that one that fails or hangs
 * costs only its own table. It measures dist/ and build/, so build first. Warns of ratios with a limit that are 10 % worse than in the
 * document. Exits with code 1 if a result misses its limit.
 */
import { fork } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { chartSvg } from "./bench/lib/ChartSvg.ts"
import { quick, type Results, type Row, type Section } from "./bench/lib/Section.ts"

const root = path.join(import.meta.dirname, "..")
const directory = path.join(root, "scripts", "bench")
const wanted = process.argv.slice(2).filter((argument) => argument !== "--quick")
const chartDirectory = path.join(root, "docs", "performance")

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

/** The time limits of one section and of all sections. On a quiet machine, all of them take two thirds of the limit. */
const SECTION_MILLISECONDS = 9 * 60_000
const ALL_MILLISECONDS = 34 * 60_000

const started = performance.now()
const runner = path.join(directory, "lib", "RunSection.ts")

type Told = Pick<Section, "title" | "method"> & Results

const failed = (
  reason: string
): ReadonlyArray<Row> => [{ what: "this section", result: `failed: ${reason}`, met: false }]

/** Runs a section, and ends it with everything that it started if it takes too long. */
const runSection = (name: string): Promise<Told> =>
  new Promise((resolve) => {
    const child = fork(runner, [path.join(directory, `${name}.ts`), ...quick ? ["--quick"] : []], { detached: true })
    let told: Told = { title: name, method: "", rows: failed("it ended without a result"), charts: [] }
    const limit = Math.min(SECTION_MILLISECONDS, ALL_MILLISECONDS - (performance.now() - started))
    const timer = setTimeout(() => {
      told = { ...told, rows: failed(`it took longer than ${Math.round(limit / 1000)} seconds`) }
      process.kill(-child.pid!, "SIGKILL")
    }, Math.max(limit, 0))
    child.on("message", (message: Partial<Told>) => {
      told = { ...told, ...message }
      if (message.method !== undefined) console.log(`\n## ${told.title}\n\n${told.method}\n`)
    })
    child.once("exit", () => {
      clearTimeout(timer)
      resolve(told)
    })
  })

const ratioIn = (text: string | undefined): number => Number(/^([\d.]+)x/.exec(text ?? "")?.[1] ?? Number.NaN)

const documented = fs.readFileSync(path.join(root, "docs", "performance.md"), "utf8").split("\n## ")

/** Kept from the document: a profile, which no section measures. */
const byHand = documented.filter((section) => section.startsWith("Steps of a request\n")).map((section) =>
  `## ${section}`
)

/** Why a ratio with a limit is worse than the document says. */
const worseThanDocumented = (title: string, { bar, result, what }: Row): string | undefined => {
  const line = documented.find((section) => section.startsWith(`${title}\n`))?.split("\n").find((line) =>
    line.slice(2).trimStart().startsWith(`${what} `)
  )
  const before = ratioIn(line?.split("|")[2]?.trim())
  const change = ratioIn(result) / before
  const isWorse = bar?.startsWith("at least") === true
    ? change < 0.9
    : bar?.startsWith("at most") === true && change > 1.1
  return isWorse ? `WORSE than documented: ${title}: ${what}: ${ratioIn(result)}x, before ${before}x` : undefined
}

const worse: Array<string> = []
const parts: Array<string> = []
const drawn = new Map<string, string>()
if (quick) console.log("A QUICK measurement, for an impression: few rounds, and no comparisons without a bar.")
let missed = 0
for (const name of (wanted.length > 0 ? wanted : names).toSorted()) {
  const began = performance.now()
  const { charts, method, rows, title } = await runSection(name)
  if (!quick) worse.push(...rows.flatMap((row) => worseThanDocumented(title, row) ?? []))
  missed += rows.filter((row) => row.met === false).length
  console.log(`${table(rows)}\n\n${name}: ${Math.round((performance.now() - began) / 1000)} s`)
  const images = charts.map((chart) => `![${chart.title}](performance/${chart.name}.svg)\n`)
  parts.push([`## ${title}\n\n${method}\n\n${table(rows)}\n`, ...images].join("\n"))
  for (const chart of charts) drawn.set(`${chart.name}.svg`, chartSvg(chart))
}

if (wanted.length === 0 && !quick) {
  const machine =
    `${os.availableParallelism()} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}, ` +
    `${os.type()} ${os.arch()}`
  const text = `# Performance

Generated by \`npm run bench\` in one run on one machine (${machine}). Most results with a bar are ratios
within this run and comparable with other machines; absolute times and rates are not. In parentheses after a ratio are the quartiles
of the ratios of its rounds.

${[...parts, ...byHand].join("\n")}`
  fs.writeFileSync(path.join(root, "docs", "performance.md"), text)
  fs.rmSync(chartDirectory, { recursive: true, force: true })
  fs.mkdirSync(chartDirectory)
  for (const [name, svg] of drawn) fs.writeFileSync(path.join(chartDirectory, name), svg)
  console.log("\nwrote docs/performance.md and docs/performance/")
}
if (worse.length > 0) console.error(`\n${worse.join("\n")}`)
if (missed > 0) {
  console.error(`\n${missed} missed`)
  process.exitCode = 1
}
