import { result } from "./lib/Processes.ts"
import { HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { interleaved } from "./lib/Rounds.ts"
import { atLeast, inFull, quantile, quick, type Row, type Section, sleepWarning, valueAtMost } from "./lib/Section.ts"

const ROUNDS = inFull(7, 1)
const WARM_UP_ROUNDS = inFull(3, 1)
const WARM_UP_MILLISECONDS = inFull(500, 150)
const MEASURED_MILLISECONDS = inFull(1500, 300)
const CONNECTIONS = 16
const EVENTS = inFull(400, 100)
const WARM_UP_EVENTS = inFull(200, 50)
const EVENT_ROUNDS = inFull(9, 1)
const MIB = 2 ** 20
const GROWTH_BAR_MIB = 48
const DELAY_BAR_MILLISECONDS = 1

const bodies = [
  { path: "/large", what: "64 KiB of JSON", bar: 0.6 },
  { path: "/large-gzip", what: "64 KiB of JSON in gzip", bar: 0.4 },
  { path: "/large-gzip-chunked", what: "64 KiB of JSON in gzip, of unknown length", bar: 0.4 },
  ...quick ? [] : [{ path: "/v1/items/42", what: "230 bytes of JSON", bar: undefined }]
]

const names = ["constantCredential", "unsearched"] as const

const measureRates = async (): Promise<ReadonlyArray<Row>> => {
  await using testbed = await openProxyTestbed()
  const generator = testbed.persistentWorker("generator")
  const asleep = testbed.keepAwake()
  const rate = async (name: ProxyName, path: string): Promise<number> => {
    const { broken, requests, seconds } = await generator<
      { readonly requests: number; readonly seconds: number; readonly broken: number }
    >({
      target: await testbed.candidate(name),
      host: HOST,
      connections: CONNECTIONS,
      warmUp: WARM_UP_MILLISECONDS,
      measured: MEASURED_MILLISECONDS,
      path
    })
    if (broken > 0) throw new Error(`${broken} connections broke`)
    return requests / seconds
  }
  const rows: Array<Row> = []
  for (const { bar, path, what } of bodies) {
    const rates = await interleaved(names, { rounds: ROUNDS, warmUp: WARM_UP_ROUNDS }, (name) => rate(name, path))
    rows.push(atLeast(what, rates.comparison(...names, "responses/s"), bar))
  }
  const delay = async (name: ProxyName): Promise<number> => {
    const job = { target: await testbed.candidate(name), host: HOST, count: EVENTS, warmUp: WARM_UP_EVENTS }
    return quantile(await result<ReadonlyArray<number>>(testbed.worker("events", [JSON.stringify(job)])), 0.99)
  }
  const delays = await interleaved(names, { rounds: EVENT_ROUNDS, warmUp: 0 }, delay)
  const what = `delay of a server-sent event, p99 of ${EVENTS}`
  const more = valueAtMost(what, delays.difference(...names), DELAY_BAR_MILLISECONDS, "ms", " more")
  return [...sleepWarning(asleep), ...rows, more]
}

const measureMemory = async (): Promise<ReadonlyArray<Row>> => {
  await using testbed = await openProxyTestbed({ api: "upstream2" })
  const target = await testbed.candidate("credsvc")
  const rows: Array<Row> = []
  for (const [gzip, what] of [[false, "JSON"], [true, "JSON in gzip"]] as const) {
    const move = (size: number) =>
      result<{ readonly down: { readonly growth: number } }>(testbed.worker("bulk", [
        JSON.stringify({ target, host: HOST, protocol: "http/1.1", size, pid: target.pid, gzip })
      ]))
    await move(MIB)
    const { down: { growth } } = await move(inFull(1024, 128) * MIB)
    const title = `memory for ${inFull(1024, 128)} MiB of ${what}`
    rows.push(valueAtMost(title, growth, GROWTH_BAR_MIB, "MiB", " more at the peak"))
  }
  return rows
}

export const section: Section = {
  title: "Search for reflected secrets",
  method:
    `The same proxy with a constant credential, searching responses for it or not, on ${CONNECTIONS} connections. Medians of ${ROUNDS} interleaved rounds after ` +
    `${WARM_UP_ROUNDS} for warming up (${EVENT_ROUNDS} for events).`,
  run: async () => [...await measureRates(), ...await measureMemory()]
}
