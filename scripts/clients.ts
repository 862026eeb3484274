/**
 * Runs the clients of `test/clients` and prints a table of their results.
 *
 *     npm run clients                    the clients that the tests run
 *     npm run clients -- --all           also slow and large ones
 *     npm run clients -- --only <text>   clients whose name contains the text
 *     npm run clients -- --contain       in contained runs, without hooks
 *     npm run clients -- --record        also writes the results for docs/clients.md; then format and generate
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { parseArgs } from "node:util"
import type { Client } from "../test/clients/Client.ts"
import {
  clients,
  linkPrograms,
  missing,
  npmVersions,
  runClients,
  runContainedClients
} from "../test/clients/ClientSuite.ts"
import { type ClientResults, resultsFile } from "./generate/clients.ts"
import { temporaryDirectory } from "./lib/Programs.ts"

const { values } = parseArgs({
  options: {
    all: { type: "boolean" },
    only: { type: "string" },
    contain: { type: "boolean" },
    record: { type: "boolean" }
  }
})

const wanted = clients.filter(({ heavy, name }) =>
  (values.all === true || heavy !== true) && name.includes(values.only ?? "")
)
const lacking = wanted.flatMap((client) => missing(client) ?? [])
const available = wanted.filter((client) => missing(client) === undefined)
const { leaked, results } = await (values.contain === true ? runContainedClients : runClients)(available)

const lastLine = (output: string): string => output.trim().split("\n").at(-1)?.slice(0, 100) ?? ""
let surprises = leaked.length
console.log("| client | works | seconds | |\n|---|---|---|---|")
for (const client of wanted) {
  const { name } = client
  const fails = values.contain === true ? client.failsContained : client.fails
  const option = values.contain === true && client.option !== "--base-url" ? undefined : client.option
  const result = results.get(name)
  if (result === undefined) continue
  const expected = result.worked === (fails === undefined)
  if (!expected) surprises++
  const remark = result.worked ? option ?? "" : fails ?? lastLine(result.output)
  const seconds = (result.milliseconds / 1000).toFixed(1)
  console.log(`| ${name} | ${result.worked ? "yes" : "no"}${expected ? "" : " (!)"} | ${seconds} | ${remark} |`)
}
if (lacking.length > 0) console.error(`SKIPPED, because this machine lacks: ${[...new Set(lacking)].join(", ")}`)
for (const line of leaked) console.error(`the placeholder reached the API: ${line}`)
if (surprises > 0) process.exitCode = 1

/** The arguments that print the version of programs without `--version`. */
const versionArguments: Readonly<Record<string, ReadonlyArray<string>>> = {
  go: ["version"],
  openssl: ["version"],
  kubectl: ["version", "--client"]
}

const moduleVersion = "import sys, importlib; m = importlib.import_module(sys.argv[1]); " +
  "print(getattr(m, '__version__', 0) or getattr(m, 'version', 0) or getattr(m, 'VERSION', 0) or sys.version)"

const versionOf = ({ command: program, installed, module, name, needs }: Client, PATH: string): string => {
  const npm = npmVersions[installed ?? ""]
  if (npm !== undefined) return npm
  const jar = /([^/]*)\.jar$/.exec(needs ?? "")?.[1]
  const command = jar === undefined ? program : "dpkg-query"
  const args = jar !== undefined
    ? ["--show", `lib${jar}-java`]
    : module === undefined
    ? versionArguments[command] ?? ["--version"]
    : command === "perl"
    ? [`-M${name.slice(5)}`, "-e", `print ${name.slice(5)}->VERSION`]
    : ["-c", moduleVersion, module]
  const { stderr, stdout } = spawnSync(command, args, { encoding: "utf8", env: { ...process.env, PATH } })
  return firstVersion(stdout + stderr)
}

const firstVersion = (text: string): string => /\d+(?:\.\d+)+/.exec(text)?.[0] ?? ""

if (values.record === true) {
  using bin = temporaryDirectory("clients")
  const PATH = linkPrograms(bin.path)
  const recorded: ClientResults = JSON.parse(fs.readFileSync(resultsFile, "utf8"))
  for (const client of available) {
    const result = results.get(client.name)
    if (result === undefined) continue
    const kind = values.contain === true ? "contained" : "run"
    recorded[client.name] = {
      ...recorded[client.name],
      version: versionOf(client, PATH),
      [kind]: result.worked
    }
  }
  const known = clients.flatMap(({ name }) => recorded[name] === undefined ? [] : [[name, recorded[name]] as const])
  const lines = known.map(([name, result]) => `  ${JSON.stringify(name)}: ${JSON.stringify(result)}`)
  fs.writeFileSync(resultsFile, `{\n${lines.join(",\n")}\n}\n`)
}
