import { PROXY_CORE, result } from "./lib/Processes.ts"
import { type Candidate, CREDENTIAL, FRESH_HOSTS, HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { atMost, inFull, median, notMeasured, ratiosOf, type Row, type Section, sleepWarning } from "./lib/Section.ts"

const ROUNDS = inFull(5, 2)
const TUNNELS = inFull(60, 15)
const EVENTS = inFull(400, 100)
/** Until its code is compiled, a proxy takes twice the time. */
const WARM_UP_MILLISECONDS = inFull(9000, 1500)
/** By then the measuring client's own code is compiled. */
const WARM_UP_EVENTS = inFull(600, 50)

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

const under = (what: string, value: number, bar: number, detail: string): Row => ({
  what,
  result: `${value.toFixed(2)} ms${detail}`,
  bar: `at most ${bar} ms`,
  met: value <= bar
})

interface Percentiles {
  readonly p50: number
  readonly p99: number
}

interface Tunnels {
  readonly own: number
  readonly direct: number
  /** NaN if Go is not installed. */
  readonly go: number
}

interface Round {
  readonly own: Percentiles
  readonly limit: Percentiles
  readonly constantCredential: Percentiles
  readonly warm: Tunnels
  readonly cold: Tunnels
  readonly events: Percentiles
  readonly eventsAcross: Percentiles
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  const testbed = await openProxyTestbed({ daemonCore: PROXY_CORE })
  try {
    const candidates = new Map<ProxyName, Candidate>()
    for (const name of ["credsvc", "oneCore", "limit", "constantCredential", "direct"] as const) {
      const candidate = await testbed.candidate(name)
      if (typeof candidate === "string") throw new Error(candidate)
      candidates.set(name, candidate)
    }
    const go = await testbed.candidate("go")
    if (typeof go !== "string") candidates.set("go", go)
    const asleep = testbed.keepAwake()
    if (asleep !== undefined) console.error(`NOT kept awake: ${asleep}`)

    const target = (name: ProxyName): object => ({
      ...candidates.get(name),
      authorization: name === "direct" ? CREDENTIAL : "Bearer credsvc-proxy-managed"
    })
    const job = (name: ProxyName, more: object): object => ({ target: target(name), host: HOST, ...more })
    const measure = <A>(worker: string, more: object): Promise<A> =>
      result<A>(testbed.worker(worker, [JSON.stringify(more)]))
    const generator = testbed.persistentWorker("generator")
    const one = (name: ProxyName) =>
      generator<Percentiles>(job(name, { connections: 1, warmUp: inFull(500, 200), measured: inFull(2000, 400) }))
    const tunnels = async (hosts: ReadonlyArray<string>, warmUp: number): Promise<Tunnels> => {
      const targets = [target("credsvc"), target("direct"), ...typeof go === "string" ? [] : [target("go")]]
      const [own = [], direct = [], others = [Number.NaN]] = await measure<ReadonlyArray<ReadonlyArray<number>>>(
        "tunnels",
        {
          targets,
          hosts,
          warmUp
        }
      )
      return { own: median(own), direct: median(direct), go: median(others) }
    }

    const delays = async (name: ProxyName): Promise<Percentiles> => {
      const taken = await measure<ReadonlyArray<number>>(
        "events",
        job(name, { count: EVENTS, warmUp: WARM_UP_EVENTS })
      )
      return { p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) }
    }

    const known = Array.from({ length: TUNNELS }, () => HOST)
    for (const name of ["credsvc", "oneCore", "limit", "constantCredential"] as const) {
      await generator(job(name, { connections: 16, warmUp: 0, measured: WARM_UP_MILLISECONDS }))
    }
    await tunnels(known, inFull(20, 5))

    const rounds: Array<Round> = []
    for (let round = 0; round < ROUNDS; round++) {
      const each = FRESH_HOSTS.length / ROUNDS
      const fresh = FRESH_HOSTS.slice(round * each, (round + 1) * each)
      const [own, limit, constantCredential] = [
        await one("credsvc"),
        await one("limit"),
        await one("constantCredential")
      ]
      const warm = await tunnels(known, inFull(20, 5))
      // Hosts that the proxy has not seen, while everything else is warm.
      const cold = await tunnels(fresh, 0)
      const [events, eventsAcross] = [await delays("oneCore"), await delays("credsvc")]
      rounds.push({ own, limit, constantCredential, warm, cold, events, eventsAcross })
    }

    const of = (pick: (round: Round) => number): number => median(rounds.map(pick))
    const more = (which: keyof Percentiles): readonly [number, string] => [
      of(({ limit, own }) => own[which] - limit[which]),
      ` more (${of(({ own }) => own[which]).toFixed(2)} to ${of(({ limit }) => limit[which]).toFixed(2)} ms)`
    ]
    const times = (which: "warm" | "cold", other: "direct" | "go"): readonly [ReadonlyArray<number>, string] => [
      ratiosOf(rounds.map((round) => round[which].own), rounds.map((round) => round[which][other])),
      `${of((round) => round[which].own).toFixed(1)} to ${of((round) => round[which][other]).toFixed(1)} ms`
    ]
    const [warm, warmDetail] = times("warm", "direct")
    const [cold, coldDetail] = times("cold", "direct")
    const [toGo, toGoDetail] = times("cold", "go")
    const newHost = "new tunnel to a new host and one request, against"
    const [p50, p50Detail] = more("p50")
    const [p99, p99Detail] = more("p99")
    return [
      ...sleepWarning(asleep),
      under("one connection, p50, compared with the Node limit", p50, 0.2, p50Detail),
      under("one connection, p99, compared with the Node limit", p99, 2, p99Detail),
      {
        what: "one connection, p50, compared with the same proxy with a constant credential",
        result: `${of(({ constantCredential, own }) => own.p50 - constantCredential.p50).toFixed(2)} ms more`
      },
      atMost("new tunnel to a known host and one request, against a direct TLS connection", warm, 1.5, warmDetail),
      atMost(`${newHost} a direct TLS connection`, cold, 3, coldDetail),
      typeof go === "string"
        ? notMeasured(`${newHost} a minimal proxy in Go`, "at most 1.3x", go)
        : atMost(`${newHost} a minimal proxy in Go`, toGo, 1.3, toGoDetail),
      under(
        `delay of an event, p99 of ${EVENTS}`,
        of(({ events }) => events.p99),
        2,
        ` (p50 ${of(({ events }) => events.p50).toFixed(2)} ms)`
      ),
      {
        what: `delay of an event, p99 of ${EVENTS}, processes on two cores`,
        result: `${of(({ eventsAcross }) => eventsAcross.p99).toFixed(2)} ms (p50 ${
          of(({ eventsAcross }) => eventsAcross.p50).toFixed(2)
        } ms)`
      }
    ]
  } finally {
    await testbed.close()
  }
}

export const section: Section = {
  title: "Latency of the proxy",
  method:
    "The client sends one request at a time. The Node limit is a minimal proxy with `node:http` for the client, undici for " +
    `the API, and a constant credential. Differences and ratios are medians of ${ROUNDS} interleaved rounds with warm proxies. ` +
    "Tunnels alternate with direct connections, one at a time. For a new host, the proxy generates a certificate and connects " +
    "to the API. An event's delay is the time from the API's write to the client's read, by their common clock. For it, API, " +
    "proxy and client share one core, because only one of them works at a time. With two cores, the result mainly shows when " +
    "the virtual machine's host suspends one of them, for the Node limit as well. In all other measurements the proxy and its " +
    "daemon run on one core, and client and API on the other. An idle-priority loop keeps both cores awake for all " +
    "candidates: on a virtual machine, waking a core at each of four hops takes longer than the measured work.",
  run
}
