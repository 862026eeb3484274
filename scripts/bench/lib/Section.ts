/** The `section` that a file in scripts/bench/ exports: one table of the report. */
export interface Row {
  /** A description of the measurement. */
  readonly what: string
  /** The printed result: a ratio if there is something to compare with. */
  readonly result: string
  /** The printed limit. Absent if there is none. */
  readonly bar?: string
  readonly met?: boolean
}

/** A value of a chart. */
export interface Bar {
  readonly label: string
  readonly value: number
}

/** A bar chart that docs/performance.md shows below the table. `name` is the name of its file. */
export interface Chart {
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly bars: ReadonlyArray<Bar>
}

export interface Results {
  readonly rows: ReadonlyArray<Row>
  readonly charts: ReadonlyArray<Chart>
}

export interface Section {
  readonly title: string
  /** What was compared, and how, in a few sentences. */
  readonly method: string
  readonly run: () => Promise<ReadonlyArray<Row> | Results>
}

/** Whether to measure briefly, for an impression: with fewer rounds, and without comparisons that have no limit. */
export const quick = process.argv.includes("--quick")

/** The number of rounds, or of milliseconds, of a full and of a quick measurement. */
export const inFull = (full: number, quickly: number): number => quick ? quickly : full

/** The value below which this share of the values lies, interpolated. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  if (values.length === 0) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return below + (above - below) * (at - Math.floor(at))
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/**
 * The ratios of two measurements in each round that has both. Rounds are interleaved, so a noisy machine affects these
 * least.
 */
export const ratiosOf = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>): ReadonlyArray<number> =>
  ours.map((value, round) => value / (theirs[round] ?? Number.NaN)).filter((ratio) => Number.isFinite(ratio))

/** Formats ratios as their median, with their quartiles: `1.20x (1.12–1.31)`. */
const ratioText = (ratios: ReadonlyArray<number>, detail: string): string => {
  const [lower, upper] = [quantile(ratios, 0.25), quantile(ratios, 0.75)]
  return `${median(ratios).toFixed(2)}x (${lower.toFixed(2)}–${upper.toFixed(2)}${detail === "" ? "" : `; ${detail}`})`
}

export interface Comparison {
  readonly ratios: ReadonlyArray<number>
  /** The text beside the ratio, or why there is none. */
  readonly detail: string
}

/** A row whose ratio is only informative. */
export const informative = (what: string, { detail, ratios }: Comparison): Row => ({
  what,
  result: ratios.length === 0 ? `not measured: ${detail}` : ratioText(ratios, detail)
})

/** A row whose median ratio must be at most the limit. */
export const atMost = (what: string, comparison: Comparison, bar: number): Row => ({
  ...informative(what, comparison),
  bar: `at most ${bar}x`,
  met: median(comparison.ratios) <= bar
})

/** A row whose median ratio must be at least the limit, if there is one. */
export const atLeast = (what: string, comparison: Comparison, bar: number | undefined): Row => ({
  ...informative(what, comparison),
  ...bar === undefined ? {} : { bar: `at least ${bar}x`, met: median(comparison.ratios) >= bar }
})

/** A row whose value must be at most the limit, such as `1.25 ms more (4 to 3 ms)`. */
export const valueAtMost = (what: string, value: number, bar: number, unit: string, detail = ""): Row => ({
  what,
  result: `${value.toFixed(value < 10 && unit !== "MiB" ? 2 : 0)} ${unit}${detail}`,
  bar: `at most ${bar} ${unit}`,
  met: value <= bar
})

/** A row for a measurement that is not possible here, with the reason. It counts as missed. */
export const notMeasured = (what: string, bar: string, reason: string): Row => ({
  what,
  result: `not measured: ${reason}`,
  bar,
  met: false
})

/** A row for the top of a table if the cores could not be kept awake. */
export const sleepWarning = (reason: string | undefined): ReadonlyArray<Row> =>
  reason === undefined ? [] : [{ what: "the cores were NOT kept awake", result: reason }]
