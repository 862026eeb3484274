/**
 * Every check and every test, cheap ones first. All of them run, whatever failed before. At the end: how each ended, which
 * tests failed, and a last line that counts each check as one and each test as one.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { type Counts, hasFailed, type Step, summarize } from "./lib/CheckSummary.ts"
import type { TestFailure, TestReport } from "./lib/TestReport.ts"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..")
const tools = path.join(root, "node_modules", ".bin")

const run = (
  command: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...environment, PATH: `${tools}${path.delimiter}${process.env.PATH ?? ""}` }
    })
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`)
      resolve(false)
    })
    child.on("exit", (code) => resolve(code === 0))
  })

const check = (command: string, ...args: ReadonlyArray<string>) => async (): Promise<Counts> => {
  const ok = await run(command, args)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }
}

const failures: Array<TestFailure> = []

const tests = async (): Promise<Counts> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-checks-"))
  const file = path.join(directory, "report.json")
  try {
    const ok = await run("vitest", ["run", "--reporter=default", "--reporter=./scripts/lib/TestReport.ts"], {
      CREDSVC_TEST_REPORT: file
    })
    const report = JSON.parse(fs.readFileSync(file, "utf8")) as TestReport
    failures.push(...report.failures)
    // A run without tests has tested nothing.
    const unseen = (!ok && report.failures.length === 0) || report.passed === 0 ? 1 : 0
    return { passed: report.passed, failed: report.failures.length + unseen, skipped: report.skipped }
  } catch (error) {
    console.error(`the test report cannot be read: ${String(error)}`)
    return { passed: 0, failed: 1, skipped: 0 }
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

const steps: ReadonlyArray<readonly [name: string, step: () => Promise<Counts>]> = [
  ["types", check("tsc", "--noEmit", "-p", ".")],
  ["lint", check("oxlint", "--deny-warnings", "src", "test", "scripts")],
  ["format", check("dprint", "check")],
  ["rooms", check("node", "scripts/check-rooms.ts")],
  ["documents", check("node", "scripts/generate.ts", "--check")],
  ["build", check("node", "scripts/build.ts")],
  ["tests", tests],
  ["package", check("node", "scripts/check-package.ts")]
]

const taken: Array<Step> = []
for (const [name, step] of steps) {
  console.log(`\n== ${name}`)
  const started = performance.now()
  const counts = await step()
  taken.push({ name, counts, seconds: (performance.now() - started) / 1000 })
}

console.log(`\n${summarize(taken, failures)}`)
if (hasFailed(taken)) process.exitCode = 1
