import { has, HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import {
  atLeast,
  type Chart,
  informative,
  inFull,
  median,
  notMeasured,
  quick,
  ratiosOf,
  type Results,
  type Row,
  type Section,
  sleepWarning
} from "./lib/Section.ts"

const ROUNDS = inFull(7, 2)
/** Rounds before the measured ones. Until its code is compiled, a proxy achieves half of its throughput. */
const WARM_UP_ROUNDS = inFull(4, 2)
const WARM_UP_MILLISECONDS = inFull(700, 200)
const MEASURED_MILLISECONDS = inFull(1500, 300)

interface Comparison {
  readonly name: ProxyName
  readonly what: string
  /** The bar for each number of connections that are measured. Undefined if the comparison is only informative. */
  readonly bars: Readonly<Record<number, number | undefined>>
}

const CONNECTIONS = [1, 16, 64]

const comparisons: ReadonlyArray<Comparison> = [
  { name: "go", what: "a minimal proxy in Go", bars: { 1: 0.75, 16: 1.3, 64: 1.4 } },
  { name: "nginx", what: "nginx as a reverse proxy", bars: { 16: 0.6, 64: 0.6 } },
  { name: "mitmproxy", what: "mitmproxy", bars: { 16: 15, 64: 15 } },
  { name: "mockttp", what: "mockttp", bars: { 16: 13, 64: 13 } },
  { name: "limit", what: "the Node limit", bars: { 16: 0.8, 64: 0.8 } },
  ...quick ? [] : [{
    name: "constantCredential" as const,
    what: "the same proxy with a constant credential",
    bars: { 1: undefined, 16: undefined, 64: undefined }
  }]
]

const comparedAt = (connections: number) => comparisons.filter(({ bars }) => connections in bars)

interface Round {
  readonly rate: number
  readonly broken: number
}

interface Measurement {
  readonly requests: number
  readonly seconds: number
  readonly broken: number
}

const run = async (): Promise<Results> => {
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
    return requests === 0 ? "it sent no response in one of the rounds" : { rate: requests / seconds, broken }
  }

  const compare = (connections: number, { bars, name, what }: Comparison, rounds: ReadonlyArray<Rounds>): Row => {
    const row = `${connections} ${connections === 1 ? "connection" : "connections"}, against ${what}`
    const bar = bars[connections]
    const missing = rounds.map((round) => round.get(name)).find((round) => typeof round === "string")
    if (missing !== undefined) {
      return bar === undefined ? { what: row, result: missing } : notMeasured(row, `at least ${bar}x`, missing)
    }
    const of = (name: ProxyName): ReadonlyArray<Round> => rounds.map((round) => round.get(name) as Round)
    const rates = (name: ProxyName): ReadonlyArray<number> => of(name).map(({ rate }) => rate)
    const broken = of(name).reduce((sum, round) => sum + round.broken, 0)
    const detail = `${median(rates("credsvc")).toFixed(0)} to ${median(rates(name)).toFixed(0)} requests/s${
      broken === 0 ? "" : `; it closed ${broken} connections early`
    }`
    const ratios = ratiosOf(rates("credsvc"), rates(name))
    return bar === undefined ? informative(row, ratios, detail) : atLeast(row, ratios, bar, detail)
  }

  const chart = (connections: number, rounds: ReadonlyArray<Rounds>): Chart => ({
    name: `throughput-${connections}`,
    title: `Requests per second, ${connections} ${connections === 1 ? "connection" : "connections"}`,
    unit: "/s",
    bars: [{ name: "credsvc" as const, what: "credsvc" }, ...comparedAt(connections)].flatMap(({ name, what }) => {
      const rates = rounds.map((round) => round.get(name)).filter((round) => typeof round === "object")
      return rates.length === 0 ? [] : [{ label: what, value: median(rates.map(({ rate }) => rate)) }]
    })
  })

  try {
    const names = ["credsvc", ...comparisons.map(({ name }) => name)] as const
    for (const name of names) for (let round = 0; round < WARM_UP_ROUNDS; round++) await measure(name, 16)

    const rows: Array<Row> = []
    const charts: Array<Chart> = []
    for (const connections of CONNECTIONS) {
      const rounds: Array<Rounds> = []
      for (let round = 0; round < ROUNDS; round++) {
        const rates: Rounds = new Map()
        for (const name of ["credsvc", ...comparedAt(connections).map(({ name }) => name)] as const) {
          rates.set(name, await measure(name, connections))
        }
        const own = rates.get("credsvc")
        if (own === undefined || typeof own === "string" || own.broken > 0) {
          throw new Error(`some of ${connections} connections broke: ${JSON.stringify(own)}`)
        }
        rounds.push(rates)
      }
      for (const comparison of comparedAt(connections)) rows.push(compare(connections, comparison, rounds))
      charts.push(chart(connections, rounds))
    }
    const warnings = [
      ...sleepWarning(asleep),
      ...api === "nginx"
        ? []
        : [{ what: "the API is a Node server, which uses half of a core", result: "nginx is not installed" }]
    ]
    return { rows: [...warnings, ...rows], charts }
  } finally {
    await testbed.close()
  }
}

type Rounds = Map<ProxyName, Round | string>

export const section: Section = {
  title: "Throughput of the proxy",
  method:
    `Requests for 230 bytes of JSON over ${
      CONNECTIONS.join(", ")
    } keep-alive connections, TLS 1.3 on both sides, one ` +
    "request at a time on each. credsvc asks its daemon for every credential; the others inject a constant one. The Node limit is a " +
    "minimal proxy with `node:http` for the client and undici for the API; the one in Go has `net/http`, `httputil.ReverseProxy` and " +
    "certificates created for each host. The API is nginx and the client one long-lived " +
    "process, because a slower API or client on the daemon's core would be the bottleneck. " +
    `The results are medians of ${ROUNDS} interleaved rounds after ${WARM_UP_ROUNDS} warm-up rounds. The proxy runs on one core, everything else on ` +
    "the other. Both cores are kept awake, as for the latency: the host of a virtual machine suspends sleeping cores, and then " +
    "messages between the cores wait.",
  run
}
