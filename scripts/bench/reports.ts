import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { RequestLog } from "../../src/audit/RequestLog.ts"
import { readReport } from "../../src/domain/wire/RequestReport.ts"
import type { RunName } from "../../src/domain/wire/Run.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import type { ProxyEvent } from "../../src/proxy/ProxyEvent.ts"
import { RequestReports } from "../../src/proxy/RequestReports.ts"
import { foundation } from "../../test/support/Services.ts"
import { temporaryDirectory } from "../../test/support/TemporaryDirectory.ts"
import { inFull, median, type Section, valueAtMost } from "./lib/Section.ts"

const RATE = 5000
const ROUNDS = inFull(7, 1)
const SECONDS = inFull(3, 1)
const TICK_MILLISECONDS = 10
const BAR_PERCENT = 5
const RUN = "aaaaaaaaaa" as RunName

const eventAt = (number: number): ProxyEvent => ({
  host: "api.bench.test",
  method: number % 4 === 0 ? "POST" : "GET",
  path: `/v1/projects/bench/items/${number % 1000}`,
  status: 200,
  provider: "bench",
  connection: "default",
  isRouted: true,
  rule: "api.bench.test/v1/**",
  bytesIn: 0,
  bytesOut: 230,
  injected: true,
  missingScopes: undefined,
  tokens: 0,
  startedAt: undefined,
  refusal: undefined
})

/** The share of a core that this process takes while so many events happen. */
const shareOf = async (each: (event: ProxyEvent) => void): Promise<number> => {
  const before = process.cpuUsage()
  const started = performance.now()
  for (let number = 0; performance.now() - started < SECONDS * 1000;) {
    const due = (performance.now() - started) / 1000 * RATE
    while (number < due) each(eventAt(number++))
    await new Promise((resolve) => setTimeout(resolve, TICK_MILLISECONDS))
  }
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1000 / (performance.now() - started)
}

const post = (port: number, text: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, method: "POST" }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode === 200))
    })
    request.once("error", reject)
    request.end(text)
  })

const measure = Effect.gen(function*() {
  const log = yield* RequestLog
  const profile = yield* (yield* Profiles).active
  const server = http.createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => text += chunk)
    request.once("end", () => {
      void Effect.runPromise(log.record({ run: RUN, profile, report: readReport(Buffer.from(text)) })).then(() =>
        response.end()
      )
    })
  })
  yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  const { port } = server.address() as AddressInfo
  const reports = new RequestReports((text) => Effect.promise(() => post(port, text)), Effect.runCallback)
  const shares: Array<number> = []
  for (let round = -1; round < ROUNDS; round++) {
    const without = yield* Effect.promise(() => shareOf(() => {}))
    const recorded = yield* Effect.promise(() => shareOf((event) => reports.add(event)))
    if (round >= 0) shares.push(recorded - without)
  }
  yield* reports.close
  server.close()
  const { problem } = yield* log.verify
  if (problem !== undefined) return yield* Effect.die(new Error(problem))
  const percent = median(shares) * 100
  const detail = ` of a core (${(percent * 10_000 / RATE).toFixed(1)} us for each request)`
  return [valueAtMost(`recording ${RATE} requests per second`, percent, BAR_PERCENT, "%", detail)]
})

export const section: Section = {
  title: "Request log",
  method:
    `The processor time of ${RATE} requests per second, once recorded and once not: entry and report in the proxy, its way to the daemon, and a chained batch on ` +
    `the disk, in one process. The median of ${ROUNDS} interleaved rounds of ${SECONDS} seconds.`,
  run: () =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(temporaryDirectory, (home) =>
        Effect.provide(measure, RequestLog.layerNoDeps.pipe(Layer.provideMerge(foundation(home))))))
    )
}
