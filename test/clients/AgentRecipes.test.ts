/** Tests the recipes with the real agents. Those that this machine lacks are skipped. */
import { assert, beforeAll, describe, it } from "vitest"
import { canContainClients } from "../support/ContainedSandbox.ts"
import { agentClients } from "./AgentClients.ts"
import { missing, runAgents, type SuiteReport } from "./ClientSuite.ts"

// Codex's own sandbox is what its recipe turns off.
const chosen = agentClients.filter(({ failsContained }) => failsContained === undefined)

describe.skipIf(!canContainClients)("in a contained run without options", () => {
  let report: SuiteReport
  beforeAll(async () => {
    report = await runAgents(chosen.filter((client) => missing(client) === undefined))
  }, 900_000)

  for (const client of chosen) {
    it.skipIf(missing(client) !== undefined)(`${client.name} calls its model and runs a command`, () => {
      const result = report.results.get(client.name)
      assert.isTrue(result?.worked, `${result?.code} ${result?.output}`)
    })
  }

  it("no agent sends a placeholder to the provider", () => {
    assert.deepStrictEqual(report.leaked, [])
  })
})
