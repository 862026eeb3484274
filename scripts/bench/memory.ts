import { result } from "./lib/Processes.ts"
import { HOST, openProxyTestbed, type ProxyName } from "./lib/ProxyTestbed.ts"
import { Rounds } from "./lib/Rounds.ts"
import { atLeast, inFull, type Row, type Section, valueAtMost } from "./lib/Section.ts"

const MIB = 2 ** 20
const WHOLE_MIB = inFull(1024, 128)
const ROUND_BYTES = inFull(192, 48) * MIB
const ROUNDS = inFull(5, 1)
const BAR_MIB = 48

interface Transfers {
  readonly down: Transfer
  readonly up: Transfer
}

interface Transfer {
  readonly growth: number
  readonly seconds: number
}

const ways = ["down", "up"] as const
const peers = (limit: "limit" | "limit2") =>
  [
    { name: "go", what: "Go", bar: 0.9 },
    { name: limit, what: "the Node limit", bar: 0.8 }
  ] as const

const run = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const protocol of ["http/1.1", "h2"] as const) {
    const [limit, title] = protocol === "h2" ? ["limit2", "HTTP/2"] as const : ["limit", "HTTP/1.1"] as const
    await using testbed = await openProxyTestbed({ api: "upstream2" })
    const move = async (name: ProxyName, size: number): Promise<Transfers> => {
      const target = await testbed.candidate(name)
      return result<Transfers>(
        testbed.worker("bulk", [JSON.stringify({ target, host: HOST, protocol, size, pid: target.pid })])
      )
    }
    // Code that is loaded on first use does not count as growth.
    await move("credsvc", MIB)
    const whole = await move("credsvc", WHOLE_MIB * MIB)
    const compared = peers(limit)
    const rounds = new Rounds<`${ProxyName} ${(typeof ways)[number]}`>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of ["credsvc", ...compared.map(({ name }) => name)] as const) {
        await rounds.takeAll([`${name} down`, `${name} up`], async () => {
          const { down, up } = await move(name, ROUND_BYTES)
          return [down, up].map(({ seconds }) => ROUND_BYTES / MIB / seconds)
        })
      }
    }
    for (const way of ways) {
      const { growth, seconds } = whole[way]
      const rate = ` more at the peak (${(WHOLE_MIB / seconds).toFixed(0)} MiB/s)`
      rows.push(valueAtMost(`memory for ${WHOLE_MIB} MiB ${way}load, ${title}`, growth, BAR_MIB, "MiB", rate))
      for (const { bar, name, what } of compared) {
        const row = `rate of the ${way}load, ${title}, against ${what}`
        // The proxy in Go always uses HTTP/1.1 to the API.
        const isInformative = name === "go" && protocol === "h2"
        const comparison = rounds.comparison(`credsvc ${way}`, `${name} ${way}`, "MiB/s")
        rows.push(atLeast(row, comparison, isInformative ? undefined : bar))
      }
    }
  }
  return rows
}

export const section: Section = {
  title: "Memory of the proxy",
  method:
    `The growth of the resident memory of \`credsvc run\` during one message of JSON, in which it searches for secrets. All processes share the machine. Ratios are ` +
    `medians of ${ROUNDS} rounds of ${ROUND_BYTES / MIB} MiB, against the proxies of the section on throughput.`,
  run
}
