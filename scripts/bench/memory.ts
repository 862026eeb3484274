import { result } from "./lib/Processes.ts"
import { HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { atLeast, median, type Row, type Section } from "./lib/Section.ts"

const MIB = 2 ** 20
const ROUND_BYTES = 192 * MIB
const ROUNDS = 5
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
      const whole = await move("credsvc", 1024 * MIB)
      const rounds: Array<Readonly<Record<"own" | "limit" | "constantCredential", Transfers>>> = []
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push({
          own: await move("credsvc", ROUND_BYTES),
          limit: await move(limit, ROUND_BYTES),
          constantCredential: await move("constantCredential", ROUND_BYTES)
        })
      }
      for (const way of ["down", "up"] as const) {
        const { growth, seconds } = whole[way]
        const ratioTo = (other: "limit" | "constantCredential"): number =>
          median(rounds.map((round) => round[other][way].seconds / round.own[way].seconds))
        const rate = (whose: "own" | "limit"): string =>
          (ROUND_BYTES / MIB / median(rounds.map((round) => round[whose][way].seconds))).toFixed(0)
        rows.push(
          {
            what: `memory for 1 GiB ${way}load, ${name}`,
            result: `${growth.toFixed(0)} MiB more at the peak (${(1024 / seconds).toFixed(0)} MiB/s)`,
            bar: `under ${BAR_MIB} MiB`,
            met: growth < BAR_MIB
          },
          atLeast(
            `rate of the ${way}load, ${name}, against the Node limit`,
            ratioTo("limit"),
            0.8,
            ` (${rate("own")} to ${rate("limit")} MiB/s)`
          ),
          {
            what: `rate of the ${way}load, ${name}, against the same proxy with a constant credential`,
            result: `${ratioTo("constantCredential").toFixed(2)}x`
          }
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
    "The growth is that of the resident memory of `credsvc run` during one message of 1 GiB, sampled every 20 ms. Client and API " +
    `are Node processes on the same machine, so all three processes limit the rate. Ratios are medians of ${ROUNDS} rounds of ` +
    `${
      ROUND_BYTES / MIB
    } MiB. The Node limit is a minimal proxy with \`node:http\` and undici, or with \`node:http2\` on both sides.`,
  run
}
