import { HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { atLeast, median, notMeasured, type Row, type Section, sleepWarning } from "./lib/Section.ts"

const ROUNDS = 5
/** Rounds before the measured ones. Until its code is compiled, a proxy achieves half of its throughput. */
const WARM_UP_ROUNDS = 4
const STREAMS = 16

const run = async (): Promise<ReadonlyArray<Row>> => {
  const testbed = await openProxyTestbed({ api: "upstream2" })
  const streams = testbed.persistentWorker("streams")
  const asleep = testbed.keepAwake()
  try {
    const rates = new Map<ProxyName, Array<number>>()
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const name of ["credsvc", "mitmproxy", "limit2", "constantCredential"] as const) {
        const candidate = await testbed.candidate(name)
        if (typeof candidate === "string") continue
        const measured = await streams<{ readonly requests: number; readonly seconds: number }>({
          target: { ...candidate, authorization: "Bearer credsvc-proxy-managed" },
          host: HOST,
          streams: STREAMS,
          warmUp: 700,
          measured: 1500
        })
        if (round < 0) continue
        rates.set(name, [...rates.get(name) ?? [], measured.requests / measured.seconds])
      }
    }
    const own = rates.get("credsvc") ?? []
    const against = (name: ProxyName): { readonly ratio: number; readonly detail: string } => {
      const others = rates.get(name) ?? []
      return {
        ratio: median(own.map((rate, round) => rate / (others[round] ?? Number.NaN))),
        detail: ` (${median(own).toFixed(0)} to ${median(others).toFixed(0)} requests/s)`
      }
    }
    const peer = (what: string, bar: number): Row => {
      if (!rates.has("mitmproxy")) return notMeasured(what, `at least ${bar}x`, "mitmproxy is not installed")
      const { detail, ratio } = against("mitmproxy")
      return atLeast(what, ratio, bar, detail)
    }
    const informative = (name: ProxyName, what: string): Row => {
      const { detail, ratio } = against(name)
      return { what, result: `${ratio.toFixed(2)}x${detail}` }
    }
    return [
      ...sleepWarning(asleep),
      peer("against mitmproxy with a constant credential", 5),
      informative("limit2", "against the Node limit (plain `node:http2` on both sides)"),
      informative("constantCredential", "against the same proxy with a constant credential")
    ]
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
