import { HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { interleaved } from "./lib/Rounds.ts"
import { atLeast, informative, inFull, quick, type Results, type Section, sleepWarning } from "./lib/Section.ts"

const ROUNDS = inFull(5, 1)
/** Rounds before the measured ones. Until its code is compiled, which takes 15 s of load, a proxy achieves half of its throughput. */
const WARM_UP_ROUNDS = inFull(12, 1)
const STREAMS = 16

const comparisons: ReadonlyArray<{ readonly name: ProxyName; readonly what: string; readonly bar?: number }> = [
  { name: "go", what: "Go", bar: 0.75 },
  { name: "mitmproxy", what: "mitmproxy", bar: 5 },
  { name: "limit2", what: "the Node limit (plain `node:http2` on both sides)" },
  ...quick ? [] : [
    { name: "forwarder" as const, what: "the floor of Node (bytes copied between two TLS connections)" },
    { name: "constantCredential" as const, what: "a constant credential" }
  ]
]

const run = async (): Promise<Results> => {
  await using testbed = await openProxyTestbed({ api: "upstream2" })
  const streams = testbed.persistentWorker("streams")
  const asleep = testbed.keepAwake()
  const measure = async (name: ProxyName): Promise<number> => {
    const { requests, seconds } = await streams<{ readonly requests: number; readonly seconds: number }>({
      target: await testbed.candidate(name),
      host: HOST,
      streams: STREAMS,
      warmUp: inFull(700, 300),
      measured: inFull(1500, 400)
    })
    return requests / seconds
  }
  const names = ["credsvc", ...comparisons.map(({ name }) => name)] as const
  const rounds = await interleaved(names, { rounds: ROUNDS, warmUp: WARM_UP_ROUNDS }, measure)
  const rows = comparisons.map(({ bar, name, what }) =>
    atLeast(`against ${what}`, rounds.comparison("credsvc", name, "requests/s"), bar)
  )
  const floor = informative("the Node limit against Go", rounds.comparison("limit2", "go", "requests/s"))
  const bars = [{ name: "credsvc" as const, what: "credsvc" }, ...comparisons]
    .map(({ name, what }) => ({ label: what.replace(/ \(.*/, ""), value: rounds.median(name) }))
  const title = `Requests per second, HTTP/2, ${STREAMS} streams`
  return { rows: [...sleepWarning(asleep), ...rows, floor], charts: [{ name: "http2", title, unit: "/s", bars }] }
}

export const section: Section = {
  title: "Throughput over HTTP/2",
  method:
    `Requests for 230 bytes of JSON on ${STREAMS} streams of one connection, HTTP/2 on both sides, one request at a time on ` +
    `each. Medians of ${ROUNDS} interleaved rounds after ${WARM_UP_ROUNDS} for warming up. The proxy has one core, everything else the other; both ` +
    "are kept awake.",
  run
}
