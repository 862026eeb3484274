import { assert, describe, it } from "@effect/vitest"
import { hasFailed, type Step, summarize, type TestFailure } from "../../../scripts/lib/CheckSummary.ts"

const step = (name: string, passed: number, failed: number, skipped = 0): Step => ({
  name,
  seconds: 1.26,
  counts: { passed, failed, skipped }
})

const failure = (number: number): TestFailure => ({
  file: "test/a.test.ts",
  test: `test ${number}`,
  message: `\nexpected 1 to be ${number}\n\nthe cause\nmore of it`
})

describe("CheckSummary", () => {
  it("prints a line for each check, and counts checks and tests in the last line", () => {
    const steps = [step("types", 1, 0), step("tests", 4000, 0)]
    assert.strictEqual(
      summarize(steps, []),
      "ok     types         1.3 s\nok     tests         1.3 s\n\n4001 passed, 0 failed"
    )
    assert.isFalse(hasFailed(steps))
  })

  it("names failed tests and counts skipped ones", () => {
    const steps = [step("types", 1, 0), step("tests", 5, 2, 3)]
    assert.strictEqual(
      summarize(steps, [failure(2), { ...failure(3), test: "" }]),
      [
        "ok     types         1.3 s",
        "FAILED tests         1.3 s",
        "",
        "FAILED test/a.test.ts > test 2",
        "       expected 1 to be 2",
        "       the cause",
        "FAILED test/a.test.ts",
        "       expected 1 to be 3",
        "       the cause",
        "",
        "6 passed, 2 failed, 3 skipped"
      ].join("\n")
    )
    assert.isTrue(hasFailed(steps))
  })

  it("prints at most six failures with at most 300 characters per line, and counts the others", () => {
    const told = (count: number) =>
      summarize([step("tests", 0, count)], Array.from({ length: count }, (_, index) => failure(index)))
    assert.notInclude(told(6), "more\n")
    assert.include(told(6), "test 5")
    assert.notInclude(told(8), "test 6")
    assert.include(told(8), "\nand 2 more\n\n0 passed, 8 failed")
    const long = summarize([step("tests", 0, 1)], [{ ...failure(1), message: "x".repeat(301) }])
    assert.include(long, `       ${"x".repeat(300)}\n`)
  })

  it("names tests that passed only when their file ran again", () => {
    const told = summarize([step("tests", 5, 0)], [], [failure(2)])
    assert.include(
      told,
      "\n\nUNSTABLE test/a.test.ts > test 2\n       expected 1 to be 2\n       the cause\n\n5 passed, 0 failed"
    )
  })

  it("fails for a step that failed without a failed test", () => {
    const steps = [step("build", 0, 1)]
    assert.isTrue(hasFailed(steps))
    assert.include(summarize(steps, []), "FAILED build")
  })
})
