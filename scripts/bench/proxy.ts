import { result } from "./lib/Processes.ts"
import { CREDENTIAL, HOST, openProxyStage, type ProxyName } from "./lib/ProxyStage.ts"
import { atLeast, median, notMeasured, type Row, type Section } from "./lib/Section.ts"

const ROUNDS = 3
const WARM_UP_MILLISECONDS = 700
const MEASURED_MILLISECONDS = 2000
const CONNECTIONS = [16, 64]

interface Comparison {
  readonly name: ProxyName
  readonly what: string
  /** Absent where there is nothing to reach, only something to know. */
  readonly bar?: number
}

const comparisons: ReadonlyArray<Comparison> = [
  { name: "limit", what: "the same proxy with the credential at hand", bar: 0.8 },
  { name: "minimal", what: "a minimal Node proxy that injects a constant", bar: 0.7 },
  { name: "mitmproxy", what: "mitmproxy that injects a constant", bar: 10 },
  { name: "mockttp", what: "mockttp that injects a constant", bar: 10 },
  { name: "nginx", what: "nginx as a reverse proxy that injects a constant (stretch: 0.6x)" }
]

const run = async (): Promise<ReadonlyArray<Row>> => {
  const stage = await openProxyStage()
  try {
    const rows: Array<Row> = []
    for (const connections of CONNECTIONS) {
      const rates = new Map<ProxyName, Array<number>>()
      for (let round = 0; round < ROUNDS; round++) {
        for (const name of ["credsvc", ...comparisons.map(({ name }) => name)] as const) {
          const candidate = await stage.candidate(name)
          if (typeof candidate === "string") continue
          const said = await result<{ readonly requests: number; readonly seconds: number }>(
            stage.worker("generator", [JSON.stringify({
              target: { ...candidate, authorization: name === "direct" ? CREDENTIAL : "Bearer credsvc-proxy-managed" },
              host: HOST,
              connections,
              warmUp: WARM_UP_MILLISECONDS,
              measured: MEASURED_MILLISECONDS
            })])
          ).catch((error: Error) => {
            if (name === "credsvc" || name === "limit") throw error
            // A peer that breaks a connection under this load has no rate in this round.
            return { requests: Number.NaN, seconds: 1 }
          })
          rates.set(name, [...rates.get(name) ?? [], said.requests / said.seconds])
        }
      }
      const own = rates.get("credsvc") ?? []
      for (const { bar, name, what } of comparisons) {
        const row = `${connections} connections, against ${what}`
        const missing = await stage.candidate(name)
        if (typeof missing === "string") {
          rows.push(bar === undefined ? { what: row, result: missing } : notMeasured(row, `at least ${bar}x`, missing))
          continue
        }
        const others = rates.get(name) ?? []
        if (others.some(Number.isNaN)) {
          rows.push(notMeasured(row, bar === undefined ? "" : `at least ${bar}x`, "it broke connections off"))
          continue
        }
        // Rounds are interleaved, so a round's own ratio is what a noisy machine disturbs least.
        const ratio = median(own.map((rate, round) => rate / (others[round] ?? Number.NaN)))
        const detail = ` (${median(own).toFixed(0)} to ${median(others).toFixed(0)} requests/s)`
        rows.push(
          bar === undefined
            ? { what: row, result: `${ratio.toFixed(2)}x${detail}` }
            : atLeast(row, ratio, bar, detail)
        )
      }
    }
    return rows
  } finally {
    await stage.close()
  }
}

export const section: Section = {
  title: "Throughput of the proxy",
  method:
    `Requests for 230 bytes of JSON over ${
      CONNECTIONS.join(" and ")
    } keep-alive connections, TLS 1.3 on both sides, one ` +
    "request under way on each. Ours asks the daemon for every credential; the others have it at hand. " +
    `Medians of ${ROUNDS} interleaved rounds, the proxy on one core, everything else on another.`,
  run
}
