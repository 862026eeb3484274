/**
 * A Vitest reporter that writes a `TestReport` as JSON to the file in CREDSVC_TEST_REPORT. Besides failed tests it
 * lists other reasons for a failed run: files that do not load, hooks, and uncaught errors.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import type { Reporter, TestModule } from "vitest/node"

export interface TestFailure {
  readonly file: string
  /** Empty for a file as a whole. */
  readonly test: string
  readonly message: string
}

export interface TestReport {
  readonly passed: number
  readonly skipped: number
  readonly failures: ReadonlyArray<TestFailure>
}

interface Caught {
  readonly message?: string | undefined
  readonly cause?: Caught | undefined
  /** The file whose tests were running at the time. */
  readonly VITEST_TEST_PATH?: string
}

const messageOf = ([error]: ReadonlyArray<Caught> = []): string =>
  stripVTControlCharacters([error?.message ?? "no message", error?.cause?.message ?? ""].join("\n"))

const failuresIn = (module: TestModule): ReadonlyArray<TestFailure> => {
  const file = module.relativeModuleId
  const failures: Array<TestFailure> = []
  if (module.errors().length > 0) failures.push({ file, test: "", message: messageOf(module.errors()) })
  for (const suite of module.children.allSuites()) {
    if (suite.errors().length > 0) failures.push({ file, test: suite.fullName, message: messageOf(suite.errors()) })
  }
  for (const test of module.children.allTests("failed")) {
    failures.push({ file, test: test.fullName, message: messageOf(test.result().errors) })
  }
  return failures
}

export default class TestReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, uncaught: ReadonlyArray<Caught>): void {
    const count = (state: "passed" | "skipped"): number =>
      modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0)
    const report: TestReport = {
      passed: count("passed"),
      skipped: count("skipped"),
      failures: [
        ...modules.flatMap(failuresIn),
        ...uncaught.map((error) => ({
          file: path.relative("", error.VITEST_TEST_PATH ?? ""),
          test: "an uncaught error",
          message: messageOf([error])
        }))
      ]
    }
    fs.writeFileSync(process.env.CREDSVC_TEST_REPORT!, JSON.stringify(report))
  }
}
