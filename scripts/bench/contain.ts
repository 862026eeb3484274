import { containTools, tryNamespaces } from "../../src/contain/ContainSupport.ts"
import { HOST, openProxyTestbed } from "./lib/ProxyTestbed.ts"
import { interleaved, type Rounds } from "./lib/Rounds.ts"
import { atLeast, inFull, notMeasured, type Row, type Section, sleepWarning, valueAtMost } from "./lib/Section.ts"

const STARTS = inFull(15, 3)
const ROUNDS = inFull(7, 1)
const WARM_UP_ROUNDS = inFull(4, 1)
const CONNECTIONS = 16

interface Measurement {
  readonly requests: number
  readonly seconds: number
  readonly p50: number
}

const runs = { outside: [], inside: ["--contain"] } as const
type Side = keyof typeof runs
const sides = ["outside", "inside"] as const

/** Why runs cannot be contained here. */
const obstacle = (): string | undefined => {
  try {
    return tryNamespaces(containTools()).problem?.message
  } catch (error) {
    return (error as Error).message
  }
}

const more = (what: string, rounds: Rounds<Side>, bar: number): Row =>
  valueAtMost(
    what,
    rounds.difference("inside", "outside"),
    bar,
    "ms",
    ` more (${rounds.detail("inside", "outside", "ms", bar < 1 ? 2 : 0)})`
  )

const names = {
  start: "`run --contain -- true`, compared with `run -- true`",
  rate: `${CONNECTIONS} connections, compared with the same run without \`--contain\``,
  delay: "one connection, p50, compared with the same run without `--contain`"
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  const reason = obstacle()
  if (reason !== undefined) {
    return [
      notMeasured(names.start, "at most 100 ms", reason),
      notMeasured(names.rate, "at least 0.9x", reason),
      notMeasured(names.delay, "at most 0.1 ms", reason)
    ]
  }
  await using testbed = await openProxyTestbed()
  const generators = {
    outside: await testbed.generatorInRun(runs.outside),
    inside: await testbed.generatorInRun(runs.inside)
  }
  const starts = await interleaved(
    sides,
    { rounds: STARTS, warmUp: 2 },
    (side) => testbed.credsvc(["run", "--quiet", ...runs[side], "--", "true"])
  )
  const asleep = testbed.keepAwake()
  const measure = (side: Side, connections: number) => {
    const { generate, target } = generators[side]
    return generate<Measurement>({
      target,
      host: HOST,
      connections,
      warmUp: inFull(700, 200),
      measured: inFull(1500, 300)
    })
  }
  const rates = await interleaved(sides, { rounds: ROUNDS, warmUp: WARM_UP_ROUNDS }, async (side) => {
    const { requests, seconds } = await measure(side, CONNECTIONS)
    return requests / seconds
  })
  const delays = await interleaved(
    sides,
    { rounds: ROUNDS, warmUp: 1 },
    async (side) => (await measure(side, 1)).p50
  )
  return [
    ...sleepWarning(asleep),
    more(names.start, starts, 100),
    atLeast(names.rate, rates.comparison("inside", "outside", "requests/s"), 0.9),
    more(names.delay, delays, 0.1)
  ]
}

export const section: Section = {
  title: "Contained runs",
  method:
    `The start is the time of whole processes, in ${STARTS} interleaved rounds. For the other rows, the same client is the command of two ` +
    `runs, one of them contained. Medians of ${ROUNDS} interleaved rounds.`,
  run
}
