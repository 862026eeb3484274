import { result } from "./lib/Processes.ts"
import { type Candidate, CREDENTIAL, FRESH_HOSTS, HOST, openProxyStage, type ProxyName } from "./lib/ProxyStage.ts"
import { atMost, median, type Row, type Section } from "./lib/Section.ts"

const ROUNDS = 5
const TUNNELS = 100
const EVENTS = 400

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

const under = (what: string, value: number, bar: number, detail: string): Row => ({
  what,
  result: `${value.toFixed(2)} ms${detail}`,
  bar: `at most ${bar} ms`,
  met: value <= bar
})

const run = async (): Promise<ReadonlyArray<Row>> => {
  const stage = await openProxyStage()
  try {
    const candidates = new Map<ProxyName, Candidate>()
    for (const name of ["credsvc", "limit", "direct"] as const) {
      const candidate = await stage.candidate(name)
      if (typeof candidate === "string") throw new Error(candidate)
      candidates.set(name, candidate)
    }
    const ask = <A>(worker: string, name: ProxyName, more: object): Promise<A> =>
      result<A>(stage.worker(worker, [JSON.stringify({
        target: {
          ...candidates.get(name),
          authorization: name === "direct" ? CREDENTIAL : "Bearer credsvc-proxy-managed"
        },
        host: HOST,
        ...more
      })]))

    interface Said {
      readonly p50: number
      readonly p99: number
    }
    const more: Array<Said> = []
    const base: Array<Said> = []
    const warm: Array<number> = []
    const times: Array<number> = []
    for (let round = 0; round < ROUNDS; round++) {
      const load = { connections: 1, warmUp: 500, measured: 2000 }
      const own = await ask<Said>("generator", "credsvc", load)
      const limit = await ask<Said>("generator", "limit", load)
      base.push(limit)
      more.push({ p50: own.p50 - limit.p50, p99: own.p99 - limit.p99 })
      const tunnels = { hosts: Array.from({ length: TUNNELS }, () => HOST), warmUp: 20 }
      const ours = median(await ask<ReadonlyArray<number>>("tunnels", "credsvc", tunnels))
      const direct = median(await ask<ReadonlyArray<number>>("tunnels", "direct", tunnels))
      times.push(ours)
      warm.push(ours / direct)
    }
    // Hosts that the proxy has not seen, when everything else is warm.
    const cold = {
      credsvc: await ask<ReadonlyArray<number>>("tunnels", "credsvc", { hosts: FRESH_HOSTS, warmUp: 0 }),
      direct: await ask<ReadonlyArray<number>>("tunnels", "direct", { hosts: FRESH_HOSTS, warmUp: 0 })
    }
    const events = await ask<ReadonlyArray<number>>("events", "credsvc", { count: EVENTS })
    const of = (list: ReadonlyArray<Said>, which: keyof Said) => median(list.map((said) => said[which]))
    return [
      under(
        "one connection, p50, over the same proxy without a daemon",
        of(more, "p50"),
        0.2,
        ` more (${of(base, "p50").toFixed(2)} ms there)`
      ),
      under(
        "one connection, p99, over the same proxy without a daemon",
        of(more, "p99"),
        2,
        ` more (${of(base, "p99").toFixed(2)} ms there)`
      ),
      atMost(
        "a new tunnel to a known host with one request, against a direct TLS connection",
        median(warm),
        1.5,
        ` (${median(times).toFixed(1)} ms)`
      ),
      atMost(
        "a new tunnel to a new host with one request, against a direct TLS connection",
        median(cold.credsvc) / median(cold.direct),
        3,
        ` (${median(cold.credsvc).toFixed(1)} to ${median(cold.direct).toFixed(1)} ms)`
      ),
      under(
        `delay of an event, p99 of ${EVENTS}`,
        percentile(events, 0.99),
        2,
        ` (p50 ${percentile(events, 0.5).toFixed(2)} ms)`
      )
    ]
  } finally {
    await stage.close()
  }
}

export const section: Section = {
  title: "Latency of the proxy",
  method: "One request under way at a time. Differences and ratios are medians of " +
    `${ROUNDS} interleaved rounds. A new host costs a certificate and a connection to the API. An event's delay is from ` +
    "the API's write to the client's read, by the clock that both share. The proxy on one core, everything else on another.",
  run
}
