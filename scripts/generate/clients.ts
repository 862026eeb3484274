/** The table of tested clients for docs/clients.md, from the results that `npm run clients -- --record` has written. */
import * as fs from "node:fs"
import type { Client } from "../../test/clients/Client.ts"
import { clients } from "../../test/clients/ClientSuite.ts"

export const resultsFile = new URL("../../test/clients/results.json", import.meta.url)

/** The last results by client: whether it reached the provider in a run, and in a contained run without hooks. */
export type ClientResults = Record<
  string,
  { readonly version: string; readonly run?: boolean; readonly contained?: boolean }
>

const cell = (worked: boolean | undefined, how: string | undefined, why: string | undefined): string =>
  worked === undefined ? "–" : worked ? how ?? "yes" : `**no**${why === undefined ? " in this version" : `: ${why}`}`

/** The parts of a name: the version of Node that the test used, if named, the client, and what the client did. */
const parts = /^(?:node (\d+) )?([^,]+)(?:, (.*))?$/

export const clientTable = (): string => {
  const results: ClientResults = JSON.parse(fs.readFileSync(resultsFile, "utf8"))
  const rows = new Map<string, Set<string>>()
  for (const { fails, failsContained, name, option, ...client } of clients as ReadonlyArray<Client>) {
    const result = results[name]
    const [, node, subject, what] = parts.exec(name) ?? []
    if (result === undefined || subject === undefined) continue
    const version = node !== undefined && client.installed === undefined ? "" : result.version
    const outcomes = [
      cell(result.run, option === undefined ? undefined : `\`${option}\``, fails),
      cell(result.contained, option === "--base-url" ? `\`${option}\`` : undefined, failsContained)
    ]
    const key = [`${node === undefined ? "" : "Node: "}${subject}`, version, ...outcomes].join(" | ")
    const done = rows.get(key) ?? new Set()
    rows.set(key, done)
    if (node !== undefined) done.add(client.installed === undefined ? result.version : `Node ${node}`)
    if (what !== undefined) done.add(what)
  }
  const lines = [...rows].map(([key, done]) => `| ${key} | ${[...done].join("; ")} |`)
  return `| Client | Version | In a run | Contained | Tested |\n|---|---|---|---|---|\n${lines.join("\n")}\n`
}
