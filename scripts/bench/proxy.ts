import { has, HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { atLeast, median, notMeasured, type Row, type Section, sleepWarning } from "./lib/Section.ts"

const ROUNDS = 7
/** Rounds before the measured ones. Until its code is compiled, a proxy achieves half of its throughput. */
const WARM_UP_ROUNDS = 4
const WARM_UP_MILLISECONDS = 700
const MEASURED_MILLISECONDS = 1500
const CONNECTIONS = [16, 64]

interface Comparison {
  readonly name: ProxyName
  readonly what: string
  /** Absent if the comparison is only informative. */
  readonly bar?: number
}

const comparisons: ReadonlyArray<Comparison> = [
  { name: "mitmproxy", what: "mitmproxy", bar: 10 },
  { name: "mockttp", what: "mockttp", bar: 10 },
  { name: "limit", what: "the Node limit", bar: 0.8 },
  { name: "nginx", what: "nginx as a reverse proxy (goal: 0.6x)" },
  { name: "constantCredential", what: "the same proxy with a constant credential" }
]

interface Round {
  readonly rate: number
  readonly broken: number
}

interface Measurement {
  readonly requests: number
  readonly seconds: number
  readonly broken: number
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  const api = has("nginx") ? "nginx" : "upstream"
  const testbed = await openProxyTestbed({ api })
  const generator = testbed.persistentWorker("generator")
  const asleep = testbed.keepAwake()

  const measure = async (name: ProxyName, connections: number): Promise<Round | string> => {
    const candidate = await testbed.candidate(name)
    if (typeof candidate === "string") return candidate
    const { broken, requests, seconds } = await generator<Measurement>({
      target: { ...candidate, authorization: "Bearer credsvc-proxy-managed" },
      host: HOST,
      connections,
      warmUp: WARM_UP_MILLISECONDS,
      measured: MEASURED_MILLISECONDS
    })
    return { rate: requests / seconds, broken }
  }

  const compare = (connections: number, { bar, name, what }: Comparison, rounds: ReadonlyArray<Rounds>): Row => {
    const row = `${connections} connections, against ${what}`
    const missing = rounds.map((round) => round.get(name)).find((round) => typeof round === "string")
    if (missing !== undefined) {
      return bar === undefined ? { what: row, result: missing } : notMeasured(row, `at least ${bar}x`, missing)
    }
    const of = (name: ProxyName): ReadonlyArray<Round> => rounds.map((round) => round.get(name) as Round)
    // Rounds are interleaved, so a noisy machine affects the ratio within a round least.
    const ratio = median(of("credsvc").map(({ rate }, round) => rate / of(name)[round]!.rate))
    const broken = of(name).reduce((sum, round) => sum + round.broken, 0)
    const rate = (name: ProxyName): string => median(of(name).map(({ rate }) => rate)).toFixed(0)
    const detail = ` (${rate("credsvc")} to ${rate(name)} requests/s${
      broken === 0 ? "" : `; it closed ${broken} connections early`
    })`
    return bar === undefined
      ? { what: row, result: `${ratio.toFixed(2)}x${detail}` }
      : atLeast(row, ratio, bar, detail)
  }

  try {
    const names = ["credsvc", ...comparisons.map(({ name }) => name)] as const
    for (const name of names) for (let round = 0; round < WARM_UP_ROUNDS; round++) await measure(name, CONNECTIONS[0]!)

    const rows: Array<Row> = []
    for (const connections of CONNECTIONS) {
      const rounds: Array<Rounds> = []
      for (let round = 0; round < ROUNDS; round++) {
        const rates: Rounds = new Map()
        for (const name of names) rates.set(name, await measure(name, connections))
        const own = rates.get("credsvc")
        if (own === undefined || typeof own === "string" || own.broken > 0) {
          throw new Error(`some of ${connections} connections broke: ${JSON.stringify(own)}`)
        }
        rounds.push(rates)
      }
      for (const comparison of comparisons) rows.push(compare(connections, comparison, rounds))
    }
    return [
      ...sleepWarning(asleep),
      ...api === "nginx"
        ? []
        : [{ what: "the API is a Node server, which uses half of a core", result: "nginx is not installed" }],
      ...rows
    ]
  } finally {
    await testbed.close()
  }
}

type Rounds = Map<ProxyName, Round | string>

export const section: Section = {
  title: "Throughput of the proxy",
  method:
    `Requests for 230 bytes of JSON over ${
      CONNECTIONS.join(" and ")
    } keep-alive connections, TLS 1.3 on both sides, one ` +
    "request at a time on each. credsvc asks its daemon for every credential; the others inject a constant one. The Node limit is a " +
    "minimal proxy with `node:http` for the client and undici for the API. The API is nginx and the client one long-lived " +
    "process, because a slower API or client on the daemon's core would be the bottleneck. " +
    `The results are medians of ${ROUNDS} interleaved rounds after ${WARM_UP_ROUNDS} warm-up rounds. The proxy runs on one core, everything else on ` +
    "the other. Both cores are kept awake, as for the latency: the host of a virtual machine suspends sleeping cores, and then " +
    "messages between the cores wait.",
  run
}
