/** The summary at the end of a run of all checks, for readers who see only the end of the output. */

export interface TestFailure {
  readonly file: string
  /** Empty for a file as a whole. */
  readonly test: string
  readonly message: string
}

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface Step {
  readonly name: string
  readonly seconds: number
  readonly counts: Counts
}

const shown = 6

const tell = (result: string) => ({ file, message, test }: TestFailure): string => {
  const lines = message.split("\n").filter((line) => line.trim() !== "").slice(0, 2)
  return `${result} ${[file, test].filter((part) => part !== "").join(" > ")}\n${
    lines.map((line) => `       ${line.slice(0, 300)}`).join("\n")
  }`
}

const total = (steps: ReadonlyArray<Step>, count: keyof Counts): number =>
  steps.reduce((sum, { counts }) => sum + counts[count], 0)

export const hasFailed = (steps: ReadonlyArray<Step>): boolean => total(steps, "failed") > 0

/**
 * A line for each step, the first failed tests, the unstable ones, and a last line that counts all steps and all tests.
 * Unstable tests failed at first and passed when their file ran again.
 */
export const summarize = (
  steps: ReadonlyArray<Step>,
  failures: ReadonlyArray<TestFailure>,
  unstable: ReadonlyArray<TestFailure> = []
): string => {
  const lines = steps.map(({ counts, name, seconds }) =>
    `${counts.failed === 0 ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s`
  )
  const told = failures.slice(0, shown).map(tell("FAILED"))
  if (failures.length > shown) told.push(`and ${failures.length - shown} more`)
  told.push(...unstable.map(tell("UNSTABLE")))
  const skipped = total(steps, "skipped")
  const last = `${total(steps, "passed")} passed, ${total(steps, "failed")} failed${
    skipped > 0 ? `, ${skipped} skipped` : ""
  }`
  return [lines.join("\n"), ...(told.length === 0 ? [] : [told.join("\n")]), last].join("\n\n")
}
