/**
 * Tests common programs inside the real `credsvc run`. Tests of missing programs are skipped and listed at the end;
 * `scripts/setup` installs them.
 */
import { assert, beforeAll, describe, it } from "vitest"
import { canContainClients } from "../support/ContainedSandbox.ts"
import {
  clients,
  type CorporateReport,
  missing,
  runClients,
  runContainedClients,
  runCorporateClients,
  type SuiteReport
} from "./ClientSuite.ts"

const chosen = clients.filter(({ heavy }) => heavy !== true)
const lacking = new Map(chosen.flatMap((client) => {
  const what = missing(client)
  return what === undefined ? [] : [[client, what] as const]
}))

describe("under credsvc run", () => {
  let report: SuiteReport
  beforeAll(async () => {
    if (lacking.size > 0) {
      const names = [...new Set(lacking.values())].join(", ")
      console.warn(`SKIPPED ${lacking.size} of ${chosen.length} clients, because this machine lacks: ${names}`)
    }
    report = await runClients(chosen.filter((client) => !lacking.has(client)))
  }, 600_000)

  for (const client of chosen) {
    const { fails, name, option } = client
    const title = fails === undefined
      ? `${name} reaches a provider with the credential${option === undefined ? "" : ` with ${option}`}`
      : `${name} does not reach a provider: ${fails}`
    it.skipIf(lacking.has(client))(title, () => {
      const result = report.results.get(name)
      assert.strictEqual(result?.worked, fails === undefined, `${result?.code} ${result?.output}`)
    })
  }

  it("no client sends a placeholder to the provider", () => {
    assert.deepStrictEqual(report.leaked, [])
  })
})

describe("under credsvc run, in a corporate network", () => {
  const behind = chosen.filter(({ corporate }) => corporate === true)
  let report: CorporateReport
  beforeAll(async () => {
    report = await runCorporateClients(behind.filter((client) => !lacking.has(client)))
  }, 600_000)

  for (const client of behind) {
    const { name } = client
    it.skipIf(lacking.has(client))(`${name} reaches a provider and a host of the company`, () => {
      for (const results of [report.provider, report.intranet]) {
        const result = results.get(name)
        assert.isTrue(result?.worked, `${result?.code} ${result?.output}`)
      }
    })
  }

  it("no client sends the credential to another host than the provider", () => {
    assert.isFalse(report.leaked)
  })
})

describe.skipIf(!canContainClients)("inside a contained run, without hooks", () => {
  const selected = chosen.filter(({ contained }) => contained === true)
  let report: SuiteReport
  beforeAll(async () => {
    report = await runContainedClients(selected.filter((client) => !lacking.has(client)))
  }, 600_000)

  for (const client of selected) {
    const { failsContained, name } = client
    const title = failsContained === undefined
      ? `${name} reaches a provider with the credential`
      : `${name} does not reach a provider: ${failsContained}`
    it.skipIf(lacking.has(client))(title, () => {
      const result = report.results.get(name)
      assert.strictEqual(result?.worked, failsContained === undefined, `${result?.code} ${result?.output}`)
    })
  }

  it("no client sends a placeholder to the provider", () => {
    assert.deepStrictEqual(report.leaked, [])
  })
})
