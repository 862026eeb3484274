import { PROXY_CORE, result } from "./lib/Processes.ts"
import { FRESH_HOSTS, HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { Rounds } from "./lib/Rounds.ts"
import {
  atLeast,
  atMost,
  informative,
  inFull,
  median,
  quantile,
  quick,
  type Row,
  type Section,
  sleepWarning,
  valueAtMost
} from "./lib/Section.ts"

const ROUNDS = inFull(5, 1)
const TUNNELS = inFull(60, 15)
const FRESH_TUNNELS = 20
const AT_ONCE = 16
const MESSAGES = inFull(2000, 300)
const EVENTS = inFull(400, 100)
/** How long to warm up: until its code is compiled, a proxy takes twice the time. */
const WARM_UP_MILLISECONDS = inFull(9000, 700)
/** How many events to skip: by then the measuring client's own code is compiled. */
const WARM_UP_EVENTS = inFull(600, 50)

interface Percentiles {
  readonly p50: number
  readonly p99: number
}

const loaded = ["credsvc", "limit", "constantCredential", "go", "forwarder", "asker"] as const
const opened = ["credsvc", "direct", "go", "limit"] as const
type Measured =
  | `${(typeof loaded)[number]} p50`
  | `${(typeof loaded)[number]} p99`
  | `${(typeof opened)[number]} ${"known" | "new"}`
  | `${"credsvc" | "go" | "forwarder"} message`
  | `${"credsvc" | "go" | "limit"} rate`
  | `${"oneCore" | "credsvc"} event ${"p50" | "p99"}`

const run = async (): Promise<ReadonlyArray<Row>> => {
  await using testbed = await openProxyTestbed({ daemonCore: PROXY_CORE })
  const asleep = testbed.keepAwake()
  const job = async (name: ProxyName, more: object): Promise<object> => ({
    target: await testbed.candidate(name),
    host: HOST,
    ...more
  })
  const measure = <A>(worker: string, more: object): Promise<A> =>
    result<A>(testbed.worker(worker, [JSON.stringify(more)]))
  const generator = testbed.persistentWorker("generator")

  const rounds = new Rounds<Measured>()
  const oneConnection = (name: (typeof loaded)[number]): Promise<void> =>
    rounds.takeAll([`${name} p50`, `${name} p99`], async () => {
      const durations = { connections: 1, warmUp: inFull(500, 200), measured: inFull(2000, 400) }
      const { p50, p99 } = await generator<Percentiles>(await job(name, durations))
      return [p50, p99]
    })
  const tunnels = async (hosts: ReadonlyArray<string>, warmUp: number): Promise<ReadonlyArray<number>> => {
    const available = await Promise.all(opened.map((name) => testbed.candidate(name).catch(() => null)))
    const job = { targets: available, hosts, warmUp }
    const times = await measure<ReadonlyArray<ReadonlyArray<number | null>>>("tunnels", job)
    return times.map((each) => median(each.filter((time) => time !== null)))
  }
  const newTunnels = (which: "known" | "new", hosts: ReadonlyArray<string>, warmUp: number): Promise<void> =>
    rounds.takeAll(opened.map((name) => `${name} ${which}` as const), () => tunnels(hosts, warmUp))
  const events = (name: "oneCore" | "credsvc"): Promise<void> =>
    rounds.takeAll([`${name} event p50`, `${name} event p99`], async () => {
      const more = { count: EVENTS, warmUp: WARM_UP_EVENTS }
      const taken = await measure<ReadonlyArray<number>>("events", await job(name, more))
      return [median(taken), quantile(taken, 0.99)]
    })

  const known = Array.from({ length: TUNNELS }, () => HOST)
  const warmUp = new Rounds<ProxyName>()
  for (const name of ["oneCore", ...loaded] as const) {
    await warmUp.take(name, async () => {
      const more = { connections: 16, warmUp: 0, measured: WARM_UP_MILLISECONDS }
      return (await generator<Percentiles>(await job(name, more))).p50
    })
  }
  await tunnels(known, inFull(20, 5)).catch(() => [])

  for (let round = 0; round < ROUNDS; round++) {
    // Hosts that the proxy has not seen, while everything else is warm.
    const fresh = FRESH_HOSTS.slice(round * FRESH_TUNNELS, (round + 1) * FRESH_TUNNELS)
    for (const name of loaded) await oneConnection(name)
    await newTunnels("known", known, inFull(20, 5))
    await newTunnels("new", fresh, 0)
    for (const name of ["credsvc", "go", "limit"] as const) {
      await rounds.take(`${name} rate`, async () => {
        const more = { hosts: known, warmUp: 0, atOnce: AT_ONCE, targets: [await testbed.candidate(name)] }
        const started = await measure<{ readonly seconds: number }>("tunnels", more)
        return known.length / started.seconds
      })
    }
    for (const name of ["credsvc", "go", "forwarder"] as const) {
      await rounds.take(`${name} message`, async () => {
        const times = await measure<ReadonlyArray<number>>(
          "websocket",
          await job(name, { count: MESSAGES, warmUp: MESSAGES })
        )
        return median(times)
      })
    }
    await events("oneCore")
    if (!quick) await events("credsvc")
  }

  const toLimit = (which: keyof Percentiles, bar: number): Row =>
    valueAtMost(
      `one connection, ${which}, compared with the Node limit`,
      rounds.difference(`credsvc ${which}`, `limit ${which}`),
      bar,
      "ms",
      ` more (${rounds.detail(`credsvc ${which}`, `limit ${which}`, "ms", 2)})`
    )
  const ratio = (ours: Measured, theirs: Measured, digits: number) => rounds.comparison(ours, theirs, "ms", digits)
  const tunnel = (which: "known" | "new", other: "direct" | "go", bar: number): Row => {
    const against = other === "go" ? "Go" : "a direct TLS connection"
    const what = `new tunnel to a ${which} host and one request, against ${against}`
    return atMost(what, ratio(`credsvc ${which}`, `${other} ${which}`, 1), bar)
  }
  return [
    ...sleepWarning(asleep),
    toLimit("p50", 0.2),
    toLimit("p99", 2),
    {
      what: "one connection, p50, compared with a constant credential",
      result: `${rounds.difference("credsvc p50", "constantCredential p50").toFixed(2)} ms more`
    },
    atMost("one connection, p50, against Go", ratio("credsvc p50", "go p50", 2), 1.2),
    atMost("one connection, p99, against Go", ratio("credsvc p99", "go p99", 2), 1),
    informative("one connection, p99, the floor of Node against Go", ratio("forwarder p99", "go p99", 2)),
    informative("one connection, p50, the floor of Node against Go", ratio("forwarder p50", "go p50", 2)),
    informative(
      "one connection, p50, the floor of Node that asks another process, against Go",
      ratio("asker p50", "go p50", 2)
    ),
    tunnel("known", "direct", 1.5),
    tunnel("known", "go", 1.25),
    informative(
      "new tunnel to a known host and one request, the Node limit against Go",
      ratio("limit known", "go known", 1)
    ),
    tunnel("new", "direct", 3),
    tunnel("new", "go", 1.5),
    informative(
      "new tunnel to a new host and one request, the Node limit against Go",
      ratio("limit new", "go new", 1)
    ),
    atLeast(
      `new tunnels, ${AT_ONCE} at a time, against Go`,
      rounds.comparison("credsvc rate", "go rate", "tunnels/s"),
      1.1
    ),
    informative(
      `new tunnels, ${AT_ONCE} at a time, the Node limit against Go`,
      rounds.comparison("limit rate", "go rate", "tunnels/s")
    ),
    atMost("round trip of a WebSocket message, p50, against Go", ratio("credsvc message", "go message", 2), 0.75),
    informative(
      "round trip of a WebSocket message, p50, the floor of Node against Go",
      ratio("forwarder message", "go message", 2)
    ),
    valueAtMost(
      `delay of an event, p99 of ${EVENTS}`,
      rounds.median("oneCore event p99"),
      2,
      "ms",
      ` (p50 ${rounds.median("oneCore event p50").toFixed(2)} ms)`
    ),
    ...quick ? [] : [{
      what: `delay of an event, p99 of ${EVENTS}, processes on two cores`,
      result: `${rounds.median("credsvc event p99").toFixed(2)} ms (p50 ${
        rounds.median("credsvc event p50").toFixed(2)
      } ms)`
    }]
  ]
}

export const section: Section = {
  title: "Latency of the proxy",
  method:
    "One request at a time. The Node limit has `node:http` for the client, undici for the API, and a constant credential; the floor of Node copies bytes " +
    `between two TLS connections; one that asks waits for \`cat\` before each request. Medians of ${ROUNDS} interleaved rounds with warm proxies. For a new ` +
    "host, the proxy generates a certificate and connects to the API. An event's delay is from the API's write to the client's read, with all processes on " +
    "one core. Otherwise proxy and daemon have one core, client and API the other. An idle-priority loop keeps both awake.",
  run
}
