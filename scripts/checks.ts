/**
 * Every check and every test, cheap ones first. All of them run, whatever failed before; the last line counts each check
 * as one and each test as one.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..")
const tools = path.join(root, "node_modules", ".bin")

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const run = (command: string, args: ReadonlyArray<string>): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, PATH: `${tools}${path.delimiter}${process.env.PATH ?? ""}` }
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

const tests = async (): Promise<Counts> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-checks-"))
  const report = path.join(directory, "report.json")
  try {
    const ok = await run("vitest", ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`])
    const counts = JSON.parse(fs.readFileSync(report, "utf8")) as {
      numPassedTests: number
      numFailedTests: number
      numPendingTests: number
      numTodoTests: number
    }
    // A file that does not load fails the run without a failed test; a run without tests has tested nothing.
    const unseen = (!ok && counts.numFailedTests === 0) || counts.numPassedTests === 0 ? 1 : 0
    return {
      passed: counts.numPassedTests,
      failed: counts.numFailedTests + unseen,
      skipped: counts.numPendingTests + counts.numTodoTests
    }
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

let passed = 0
let failed = 0
let skipped = 0
const summary: Array<string> = []
for (const [name, step] of steps) {
  console.log(`\n== ${name}`)
  const started = performance.now()
  const counts = await step()
  passed += counts.passed
  failed += counts.failed
  skipped += counts.skipped
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  summary.push(`${counts.failed === 0 ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds.padStart(6)} s`)
}

console.log(`\n${summary.join("\n")}\n`)
if (failed > 0) process.exitCode = 1
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`)
