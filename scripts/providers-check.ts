/**
 * Checks bundled providers against fake providers in this process, and against the facts of the packages that they cite:
 * all of them, or the named ones.
 *
 *     npm run providers:check [name…]                      print the failures, and every check of named providers
 *     npm run providers:check -- --refresh [package…]      first download the newest cited packages, or the named ones
 *
 * Exits with code 1 on a failure, and on a fact that no definition has and no `left_out` explains.
 */
import * as Effect from "effect/Effect"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { checkProviders } from "../src/conformance/ProviderCheck.ts"
import { passes } from "../src/conformance/ProviderReport.ts"
import { readJsonFiles } from "../src/platform/files/PackageFiles.ts"
import { decodeFiles } from "../src/providers/BundledProviders.ts"
import { citations, differences, type Facts, readFacts, relevant, writeFacts } from "./lib/FactDifferences.ts"
import { downloadFacts, type PackageFacts } from "./lib/PackageFacts.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { refresh: { type: "boolean" } } })
const { definitions, problems } = decodeFiles(readJsonFiles(pathToFileURL(`${import.meta.dirname}/../providers/`)))
for (const { file, problems: found } of problems) {
  for (const { message, path } of found) console.error(`providers/${file}: ${path} ${message}`)
  process.exitCode = 1
}

const cited = citations(definitions.values())

const refreshed = async (facts: Facts, names: ReadonlyArray<string>): Promise<Facts> => {
  const found = new Map<string, PackageFacts>(Object.entries(facts))
  for (const name of names) {
    try {
      found.set(name, await downloadFacts(name))
    } catch (error) {
      console.error(`${name} could not be downloaded: ${error instanceof Error ? error.message : error}`)
      process.exitCode = 1
    }
  }
  return Object.fromEntries(
    [...found].toSorted(([left], [right]) => left < right ? -1 : 1).flatMap(([name, each]) =>
      cited.has(name) ? [[name, relevant(each, cited.get(name)!)] as const] : []
    )
  )
}

let facts = readFacts()
if (values.refresh === true) {
  facts = await refreshed(facts, positionals.length > 0 ? positionals : [...cited.keys()])
  writeFacts(facts)
}

const names = values.refresh === true ? [] : positionals
for (const name of names.filter((name) => !definitions.has(name))) {
  console.error(`providers/${name}.json does not exist`)
  process.exitCode = 1
}

const chosen = [...definitions.values()].filter(({ name }) => names.length === 0 || names.includes(name))
const started = performance.now()
const reports = await Effect.runPromise(checkProviders(chosen))
for (const report of reports) {
  if (passes(report) && names.length === 0) continue
  for (const { name, problem } of report.checks) {
    console.log(`${report.provider} ${report.flow} ${name}: ${problem ?? "ok"}`)
  }
}
const undecided = differences(definitions, chosen, facts)
for (const line of undecided) console.log(line)
const failed = reports.filter((report) => !passes(report)).length
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(
  `${chosen.length} providers, ${reports.length} flows, ${failed} failed, ${undecided.length} facts undecided, in ${seconds} s`
)
if (failed > 0 || undecided.length > 0) process.exitCode = 1
