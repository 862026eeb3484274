import { result } from "./lib/Processes.ts"
import { HOST, openProxyStage, type ProxyName } from "./lib/ProxyStage.ts"
import { atLeast, median, notMeasured, type Row, type Section } from "./lib/Section.ts"

const ROUNDS = 3
const STREAMS = 16

const run = async (): Promise<ReadonlyArray<Row>> => {
  const stage = await openProxyStage("upstream2")
  try {
    const rates = new Map<ProxyName, Array<number>>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of ["credsvc", "limit", "mitmproxy"] as const) {
        const candidate = await stage.candidate(name)
        if (typeof candidate === "string") continue
        const said = await result<{ readonly requests: number; readonly seconds: number }>(
          stage.worker("streams", [JSON.stringify({
            target: { ...candidate, authorization: "Bearer credsvc-proxy-managed" },
            host: HOST,
            streams: STREAMS,
            warmUp: 700,
            measured: 2000
          })])
        )
        rates.set(name, [...rates.get(name) ?? [], said.requests / said.seconds])
      }
    }
    const own = rates.get("credsvc") ?? []
    const row = (name: ProxyName, what: string, bar: number): Row => {
      const others = rates.get(name)
      if (others === undefined) return notMeasured(what, `at least ${bar}x`, `${name} is not here`)
      const ratio = median(own.map((rate, round) => rate / (others[round] ?? Number.NaN)))
      return atLeast(what, ratio, bar, ` (${median(own).toFixed(0)} to ${median(others).toFixed(0)} requests/s)`)
    }
    return [
      row("limit", "against the same proxy with the credential at hand", 0.8),
      row("mitmproxy", "against mitmproxy that injects a constant", 5)
    ]
  } finally {
    await stage.close()
  }
}

export const section: Section = {
  title: "Throughput over HTTP/2",
  method:
    `Requests for 230 bytes of JSON on ${STREAMS} streams of one connection, HTTP/2 on both sides, one request under way on ` +
    `each. Medians of ${ROUNDS} interleaved rounds, the proxy on one core, everything else on another.`,
  run
}
