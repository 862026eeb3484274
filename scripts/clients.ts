/**
 * Runs the clients of `test/clients` and prints a table of their results.
 *
 *     npm run clients                    the clients that the tests run
 *     npm run clients -- --all           also slow and large ones
 *     npm run clients -- --only <text>   clients whose name contains the text
 *     npm run clients -- --contain       in contained runs, without hooks
 */
import { parseArgs } from "node:util"
import { clients, missing, runClients, runContainedClients } from "../test/clients/ClientSuite.ts"

const { values } = parseArgs({
  options: {
    all: { type: "boolean" },
    only: { type: "string" },
    contain: { type: "boolean" }
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
