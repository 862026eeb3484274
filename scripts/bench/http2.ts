import { HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import {
  atLeast,
  informative,
  inFull,
  median,
  notMeasured,
  quick,
  ratiosOf,
  type Results,
  type Section,
  sleepWarning
} from "./lib/Section.ts"

const ROUNDS = inFull(5, 2)
/** Rounds before the measured ones. Until its code is compiled, a proxy achieves half of its throughput. */
const WARM_UP_ROUNDS = inFull(4, 2)
const STREAMS = 16

const comparisons: ReadonlyArray<{ readonly name: ProxyName; readonly what: string; readonly bar?: number }> = [
  { name: "go", what: "a minimal proxy in Go (HTTP/1.1 to the API)", bar: 0.9 },
  { name: "mitmproxy", what: "mitmproxy", bar: 5 },
  ...quick ? [] : [
    { name: "limit2" as const, what: "the Node limit (plain `node:http2` on both sides)" },
    { name: "constantCredential" as const, what: "the same proxy with a constant credential" }
  ]
]

const run = async (): Promise<Results> => {
  const testbed = await openProxyTestbed({ api: "upstream2" })
  const streams = testbed.persistentWorker("streams")
  const asleep = testbed.keepAwake()
  try {
    const rates = new Map<ProxyName, Array<number>>()
    const missing = new Map<ProxyName, string>()
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const name of ["credsvc", ...comparisons.map(({ name }) => name)] as const) {
        const candidate = await testbed.candidate(name)
        if (typeof candidate === "string") {
          missing.set(name, candidate)
          continue
        }
        const measured = await streams<{ readonly requests: number; readonly seconds: number }>({
          target: { ...candidate, authorization: "Bearer credsvc-proxy-managed" },
          host: HOST,
          streams: STREAMS,
          warmUp: inFull(700, 200),
          measured: inFull(1500, 300)
        })
        if (round < 0) continue
        rates.set(name, [...rates.get(name) ?? [], measured.requests / measured.seconds])
      }
    }
    const own = rates.get("credsvc") ?? []
    const rows = comparisons.map(({ bar, name, what }) => {
      const row = `against ${what}`
      const others = rates.get(name)
      if (others === undefined) return notMeasured(row, `at least ${bar ?? 0}x`, missing.get(name) ?? "no result")
      const detail = `${median(own).toFixed(0)} to ${median(others).toFixed(0)} requests/s`
      const ratios = ratiosOf(own, others)
      return bar === undefined ? informative(row, ratios, detail) : atLeast(row, ratios, bar, detail)
    })
    const bars = [{ name: "credsvc" as const, what: "credsvc" }, ...comparisons].flatMap(({ name, what }) => {
      const measured = rates.get(name)
      return measured === undefined ? [] : [{ label: what.replace(/ \(.*/, ""), value: median(measured) }]
    })
    const title = `Requests per second, HTTP/2, ${STREAMS} streams`
    return { rows: [...sleepWarning(asleep), ...rows], charts: [{ name: "http2", title, unit: "/s", bars }] }
  } finally {
    await testbed.close()
  }
}

export const section: Section = {
  title: "Throughput over HTTP/2",
  method:
    `Requests for 230 bytes of JSON on ${STREAMS} streams of one connection, HTTP/2 on both sides, one request at a time on ` +
    `each. The results are medians of ${ROUNDS} interleaved rounds after ${WARM_UP_ROUNDS} warm-up rounds. The proxy runs on one core, everything else on ` +
    "the other. Both cores are kept awake, as for the latency.",
  run
}
