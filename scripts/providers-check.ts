/**
 * Checks bundled providers against fake providers in this process: all of them, or the named ones.
 *
 * `npm run providers:check [name…]` prints the failures, and every check of named providers. Exits with code 1 on a
 * failure.
 */
import * as Effect from "effect/Effect"
import { pathToFileURL } from "node:url"
import { checkProviders } from "../src/conformance/ProviderCheck.ts"
import { passes } from "../src/conformance/ProviderReport.ts"
import { readJsonFiles } from "../src/platform/PackageFiles.ts"
import { decodeFiles } from "../src/providers/BundledProviders.ts"

const names = process.argv.slice(2)
const { definitions, problems } = decodeFiles(readJsonFiles(pathToFileURL(`${import.meta.dirname}/../providers/`)))
for (const { file, problems: found } of problems) {
  for (const { message, path } of found) console.error(`providers/${file}: ${path} ${message}`)
  process.exitCode = 1
}
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
const failed = reports.filter((report) => !passes(report)).length
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(`${chosen.length} providers, ${reports.length} flows, ${failed} failed, in ${seconds} s`)
if (failed > 0) process.exitCode = 1
