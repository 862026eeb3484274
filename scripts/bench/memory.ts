import { result } from "./lib/Processes.ts"
import { HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import {
  atLeast,
  informative,
  inFull,
  median,
  notMeasured,
  quick,
  ratiosOf,
  type Row,
  type Section
} from "./lib/Section.ts"

const MIB = 2 ** 20
const WHOLE_MIB = inFull(1024, 192)
const ROUND_BYTES = inFull(192, 64) * MIB
const ROUNDS = inFull(5, 2)
const BAR_MIB = 48

interface Transfers {
  readonly down: Transfer
  readonly up: Transfer
}

interface Transfer {
  readonly growth: number
  readonly seconds: number
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const protocol of ["http/1.1", "h2"] as const) {
    const [limit, name] = protocol === "h2" ? ["limit2", "HTTP/2"] as const : ["limit", "HTTP/1.1"] as const
    const testbed = await openProxyTestbed({ api: "upstream2" })
    try {
      const move = async (name: ProxyName, size: number): Promise<Transfers> => {
        const candidate = await testbed.candidate(name)
        if (typeof candidate === "string") throw new Error(candidate)
        const target = { ...candidate, authorization: "Bearer credsvc-proxy-managed" }
        return result<Transfers>(
          testbed.worker("bulk", [JSON.stringify({ target, host: HOST, protocol, size, pid: candidate.pid })])
        )
      }
      // Code that is loaded on first use does not count as growth.
      await move("credsvc", MIB)
      const whole = await move("credsvc", WHOLE_MIB * MIB)
      // The proxy in Go has HTTP/1.1 to the API in any case.
      const go = protocol === "http/1.1" ? await testbed.candidate("go") : undefined
      const rounds: Array<Readonly<Record<"own" | "limit" | "constantCredential" | "go", Transfers>>> = []
      for (let round = 0; round < ROUNDS; round++) {
        const own = await move("credsvc", ROUND_BYTES)
        rounds.push({
          own,
          go: typeof go === "object" ? await move("go", ROUND_BYTES) : own,
          limit: await move(limit, ROUND_BYTES),
          constantCredential: quick ? own : await move("constantCredential", ROUND_BYTES)
        })
      }
      for (const way of ["down", "up"] as const) {
        const { growth, seconds: wholeSeconds } = whole[way]
        const seconds = (whose: keyof (typeof rounds)[number]) => rounds.map((round) => round[whose][way].seconds)
        // Both move the same bytes, so the ratio of the rates is the inverse of that of the times.
        const ratiosTo = (other: keyof (typeof rounds)[number]) => ratiosOf(seconds(other), seconds("own"))
        const rate = (whose: keyof (typeof rounds)[number]): string =>
          (ROUND_BYTES / MIB / median(seconds(whose))).toFixed(0)
        const against = (what: string) => `rate of the ${way}load, ${name}, against ${what}`
        rows.push(
          {
            what: `memory for ${WHOLE_MIB} MiB ${way}load, ${name}`,
            result: `${growth.toFixed(0)} MiB more at the peak (${(WHOLE_MIB / wholeSeconds).toFixed(0)} MiB/s)`,
            bar: `under ${BAR_MIB} MiB`,
            met: growth < BAR_MIB
          },
          ...typeof go === "object"
            ? [atLeast(against("a minimal proxy in Go"), ratiosTo("go"), 0.9, `${rate("own")} to ${rate("go")} MiB/s`)]
            : go === undefined
            ? []
            : [notMeasured(against("a minimal proxy in Go"), "at least 0.9x", go)],
          atLeast(against("the Node limit"), ratiosTo("limit"), 0.8, `${rate("own")} to ${rate("limit")} MiB/s`),
          ...quick
            ? []
            : [informative(against("the same proxy with a constant credential"), ratiosTo("constantCredential"))]
        )
      }
    } finally {
      await testbed.close()
    }
  }
  return rows
}

export const section: Section = {
  title: "Memory of the proxy",
  method:
    "The growth is that of the resident memory of `credsvc run` during one message, sampled every 20 ms. Client and API " +
    `are Node processes on the same machine, so all three processes limit the rate. Ratios are medians of ${ROUNDS} rounds of ` +
    `${
      ROUND_BYTES / MIB
    } MiB. The Node limit is a minimal proxy with \`node:http\` and undici, or with \`node:http2\` on both sides; the one in Go has \`net/http\` and \`httputil.ReverseProxy\`.`,
  run
}
