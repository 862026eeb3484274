import { has, HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { Rounds } from "./lib/Rounds.ts"
import {
  atLeast,
  atMost,
  type Chart,
  informative,
  inFull,
  quick,
  type Results,
  type Row,
  type Section,
  sleepWarning
} from "./lib/Section.ts"

const ROUNDS = inFull(7, 1)
/** Rounds before the measured ones. Until its code is compiled, a proxy achieves half of its throughput. */
const WARM_UP_ROUNDS = inFull(4, 1)
const WARM_UP_MILLISECONDS = inFull(700, 300)
const MEASURED_MILLISECONDS = inFull(1500, 400)
const PROCESSOR_CONNECTIONS = 16
/** What rules, or asking beyond them, may add to the time of a request. */
const MAX_ADDED = 1.1

interface Comparison {
  readonly name: ProxyName
  readonly what: string
  /** The limit for each measured number of connections. Undefined if the comparison is only informative. */
  readonly bars: Readonly<Record<number, number | undefined>>
}

const CONNECTIONS = [1, 16, 64]

const comparisons: ReadonlyArray<Comparison> = [
  { name: "go", what: "Go", bars: { 1: 0.95, 16: 1.35, 64: 1.45 } },
  { name: "nginx", what: "nginx as a reverse proxy", bars: { 16: 0.6, 64: 0.6 } },
  { name: "mitmproxy", what: "mitmproxy", bars: { 16: 15, 64: 15 } },
  { name: "limit", what: "the Node limit", bars: { 16: 0.8, 64: 0.8 } },
  { name: "forwarder", what: "the floor of Node", bars: { 1: undefined, 16: undefined, 64: undefined } },
  ...quick ? [] : [
    {
      name: "ruled" as const,
      what: "a run with rules",
      bars: { 16: undefined }
    },
    { name: "asking" as const, what: "a run with rules that asks the user", bars: { 16: undefined } },
    {
      name: "constantCredential" as const,
      what: "a constant credential",
      bars: { 1: undefined, 16: undefined }
    }
  ]
]

const comparedAt = (connections: number) => comparisons.filter(({ bars }) => connections in bars)

interface Measurement {
  readonly requests: number
  readonly seconds: number
  readonly broken: number
  /** The processor time of the proxy, in microseconds. */
  readonly used: number
}

const count = (connections: number): string => `${connections} ${connections === 1 ? "connection" : "connections"}`

const run = async (): Promise<Results> => {
  const api = has("nginx") ? "nginx" : "upstream"
  await using testbed = await openProxyTestbed({ api })
  const generator = testbed.persistentWorker("generator")
  const asleep = testbed.keepAwake()

  const processorTimes = new Rounds<ProxyName>()

  const measure = async (name: ProxyName, connections: number): Promise<number> => {
    const target = await testbed.candidate(name)
    const pids = [target.pid, ...target.daemon === undefined ? [] : [target.daemon]]
    const { broken, requests, seconds, used } = await generator<Measurement>({
      target,
      host: HOST,
      connections,
      warmUp: WARM_UP_MILLISECONDS,
      measured: MEASURED_MILLISECONDS,
      pids
    })
    if (connections === PROCESSOR_CONNECTIONS && warm) await processorTimes.take(name, async () => used / requests)
    if (broken > 0) throw new Error(`it closed ${broken} of ${count(connections)} early`)
    if (requests === 0) throw new Error("it sent no response")
    return requests / seconds
  }

  const compare = (connections: number, { bars, name, what }: Comparison, rounds: Rounds<ProxyName>): Row => {
    const row = `${count(connections)}, against ${what}`
    const comparison = rounds.comparison("credsvc", name, "requests/s")
    return name === "ruled" || name === "asking"
      ? atMost(row, comparison, MAX_ADDED)
      : atLeast(row, comparison, bars[connections])
  }

  const chart = (connections: number, rounds: Rounds<ProxyName>): Chart => ({
    name: `throughput-${connections}`,
    title: `Requests per second, ${count(connections)}`,
    unit: "/s",
    bars: [{ name: "credsvc" as const, what: "credsvc" }, ...comparedAt(connections)]
      .map(({ name, what }) => ({ label: what, value: rounds.median(name) }))
  })

  let warm = false
  const names = ["credsvc", ...comparisons.map(({ name }) => name)] as const
  const warmUp = new Rounds<ProxyName>()
  for (const name of names) {
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await warmUp.take(name, () => measure(name, 16))
  }

  warm = true
  const rows: Array<Row> = []
  const charts: Array<Chart> = []
  for (const connections of CONNECTIONS) {
    const rounds = new Rounds<ProxyName>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of ["credsvc", ...comparedAt(connections).map(({ name }) => name)] as const) {
        await rounds.take(name, () => measure(name, connections))
      }
    }
    for (const comparison of comparedAt(connections)) {
      if (comparison.name !== "forwarder") rows.push(compare(connections, comparison, rounds))
    }
    rows.push(informative(
      `${count(connections)}, the floor of Node against Go`,
      rounds.comparison("forwarder", "go", "requests/s")
    ))
    charts.push(chart(connections, rounds))
  }
  rows.push(atMost(
    `${count(PROCESSOR_CONNECTIONS)}, processor time of proxy and daemon for a request, against Go`,
    processorTimes.comparison("credsvc", "go", "us"),
    0.8
  ))
  for (const [name, what] of [["limit", "Node limit"], ["forwarder", "floor of Node"]] as const) {
    rows.push(informative(
      `${count(PROCESSOR_CONNECTIONS)}, processor time of the ${what} for a request, against Go`,
      processorTimes.comparison(name, "go", "us")
    ))
  }
  const warnings = [
    ...sleepWarning(asleep),
    ...api === "nginx"
      ? []
      : [{ what: "the API is a Node server, which uses half of a core", result: "nginx is not installed" }]
  ]
  return { rows: [...warnings, ...rows], charts }
}

export const section: Section = {
  title: "Throughput of the proxy",
  method:
    `Requests for 230 bytes of JSON over ${
      CONNECTIONS.join(", ")
    } keep-alive connections, TLS 1.3 on both sides, one at a time on each. credsvc asks its ` +
    "daemon; the others inject a constant one. The one in Go has `net/http` and `httputil.ReverseProxy`; for the Node limit and the floor " +
    `of Node see the latency. The API is nginx. Medians of ${ROUNDS} interleaved rounds after ${WARM_UP_ROUNDS} for warming up. The proxy has one core, everything ` +
    "else the other; both are kept awake.",
  run
}
