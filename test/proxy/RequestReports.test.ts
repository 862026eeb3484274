import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { maxReportedRequests, readReport, type RequestReport } from "../../src/domain/wire/RequestReport.ts"
import { refusedEvent } from "../../src/proxy/ProxyEvent.ts"
import { RequestReports, type SendReport } from "../../src/proxy/RequestReports.ts"
import { live, promise } from "../support/Fixture.ts"
import { proxied, request } from "../support/ProxiedHost.ts"
import { bearer, MARKER, noCredential, SECRET } from "../support/ProxyHarness.ts"
import { until } from "../support/Until.ts"

const event = (path: string) => ({
  ...refusedEvent("GET", "api.acme.test", { status: 403, error: "TestError", message: "" }),
  provider: "acme",
  isRouted: true,
  path
})

/** Reports to a daemon that confirms as the test says. */
const setUp = () => {
  const received: Array<RequestReport> = []
  const state: { confirms: boolean | "rejected"; maximum: number } = { confirms: true, maximum: Infinity }
  const send: SendReport = (text) =>
    Effect.sync(() => {
      const report = readReport(Buffer.from(text)) ?? assert.fail(text)
      received.push(report)
      return report.entries.length > state.maximum ? "rejected" : state.confirms
    })
  return { received, reports: new RequestReports(send, Effect.runCallback), state }
}

const pathsOf = (reports: ReadonlyArray<RequestReport>) =>
  reports.map(({ entries }) => entries.map((entry) => entry[3]))

describe("RequestReports", () => {
  live("reports requests in batches, and the rest at the end", function*() {
    const { received, reports } = setUp()
    reports.add(event("/1"))
    reports.add(event("/\x9b2J\xe9"))
    yield* promise(() => until(() => received.length === 1))
    reports.add(event("/3"))
    yield* reports.close
    assert.deepStrictEqual(pathsOf(received), [["/1", "/%9B2J%E9"], ["/3"]], "no control characters for terminals")
    assert.deepStrictEqual(received.map(({ last, part }) => [part, last]), [[2, false], [4, true]])
  })

  live("sends the same report again until it is confirmed", function*() {
    const { received, reports, state } = setUp()
    state.confirms = false
    reports.add(event("/1"))
    yield* promise(() => until(() => received.length === 1))
    reports.add(event("/2"))
    yield* promise(() => until(() => received.length === 2))
    assert.deepStrictEqual(received[1], received[0])
    state.confirms = true
    yield* reports.close
    assert.deepStrictEqual(pathsOf(received.slice(2)), [["/1"], ["/2"]])
    assert.deepStrictEqual(received.at(-1)?.last, true)
  })

  live("counts the requests that it drops while the daemon does not respond", function*() {
    const { received, reports, state } = setUp()
    state.confirms = false
    for (let i = 0; i < 20_000 + maxReportedRequests + 5; i++) reports.add(event("/"))
    yield* promise(() => until(() => received.length > 0))
    state.confirms = true
    yield* reports.close
    const confirmed = new Map(received.map((report) => [report.part, report]))
    assert.strictEqual([...confirmed.values()].reduce((sum, { missing }) => sum + missing, 0), 5)
    assert.strictEqual(
      [...confirmed.values()].reduce((sum, { entries }) => sum + entries.length, 0),
      20_000 + maxReportedRequests
    )
  })

  live("divides a rejected report of more than 1000 entries, and drops a shorter one", function*() {
    const { received, reports, state } = setUp()
    state.confirms = false
    for (let i = 0; i < 2 * maxReportedRequests; i++) reports.add(event(`/${i}`))
    Object.assign(state, { confirms: true, maximum: 1000 })
    yield* promise(() => until(() => received.at(-1)?.part === 8))
    const sizes = () => received.map(({ entries, part }) => [part, entries.length])
    const divided = [[2, 2000], [2, 1000], [4, 1000], [6, 2000], [6, 1000], [8, 1000]]
    assert.deepStrictEqual(sizes().slice(2), divided)
    assert.deepStrictEqual(pathsOf(received.slice(6)).flat(), pathsOf(received.slice(5, 6)).flat())
    state.confirms = "rejected"
    for (let i = 0; i < 1001; i++) reports.add(event("/"))
    yield* promise(() => until(() => received.length === 9))
    state.confirms = true
    yield* reports.close
    assert.deepStrictEqual(sizes().slice(8), [[10, 1000], [10, 1]])
    assert.strictEqual(received.at(-1)?.missing, 1000)
  })

  live("sends nothing for a proxy without requests", function*() {
    const { received, reports } = setUp()
    yield* reports.close
    assert.lengthOf(received, 0)
  })
})

describe("a request with a credential", () => {
  live(
    "is reported with the path and the placeholder of the client, without query, fields, body and credential",
    function*() {
      const { daemon, events, exchange } = yield* proxied()
      daemon.resolve = (request) =>
        Effect.succeed({
          ...bearer(request),
          path: { "/bot{api_key}": Redacted.make(`/bot${SECRET}`) }
        })
      const fields = "X-Own: field-secret\r\nContent-Length: 11\r\n"
      const response = yield* exchange(`POST /bot${MARKER}/send?key=query-secret`, fields, "body-secret")
      yield* promise(() => until(() => daemon.reports.length > 0))
      const [entry] = daemon.reports[0]!.entries
      assert.deepStrictEqual(entry?.slice(1, 5), ["POST", "api.example.com", `/bot${MARKER}/send`, 200])
      assert.deepStrictEqual(entry?.slice(5), [11, response.body.length, "example", "default", null, null])
      assert.notMatch(JSON.stringify([daemon.reports, events]), new RegExp(`${SECRET}|(query|field|body)-secret`))
    }
  )

  live("is reported if it is refused", function*() {
    const { daemon, exchange } = yield* proxied()
    daemon.resolve = noCredential()
    yield* exchange("GET /private-path")
    yield* promise(() => until(() => daemon.reports.length > 0))
    const [entry] = daemon.reports[0]!.entries
    assert.deepStrictEqual(entry?.slice(1), [
      "GET",
      "api.example.com",
      "",
      403,
      0,
      0,
      "example",
      "default",
      null,
      "CredentialMissingError"
    ])
  })

  live("does not wait for the report", function*() {
    const { daemon, exchange, wire } = yield* proxied()
    daemon.report = () => Effect.never
    for (let i = 0; i < 3; i++) assert.strictEqual((yield* exchange("GET /")).status, 200)
    wire.send(request("GET /"))
    assert.strictEqual((yield* promise(() => wire.response())).status, 200)
  })
})
