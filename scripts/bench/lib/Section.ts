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

export interface Section {
  readonly title: string
  /** What was compared, and how, in a few sentences. */
  readonly method: string
  readonly run: () => Promise<ReadonlyArray<Row>>
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** A row whose ratio must be at most the limit. */
export const atMost = (what: string, ratio: number, bar: number, detail = ""): Row => ({
  what,
  result: `${ratio.toFixed(2)}x${detail}`,
  bar: `at most ${bar}x`,
  met: ratio <= bar
})

/** A row whose ratio must be at least the limit. */
export const atLeast = (what: string, ratio: number, bar: number, detail = ""): Row => ({
  what,
  result: `${ratio.toFixed(2)}x${detail}`,
  bar: `at least ${bar}x`,
  met: ratio >= bar
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
