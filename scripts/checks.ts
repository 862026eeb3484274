/**
 * Runs the checks and the tests that a change needs; the type check runs while the tests wait. `--full` adds
 * the parts in `lib/TestParts.ts`, and `--part <name>` one of them; `--part commit` chooses it by the commit. Continues after failures. If tests of a few files failed, it runs these files again at the end: a test that then passes depends
 * on how busy the machine is, and the summary calls it unstable. At the end it prints the result of each check and the
 * failed tests. The last line counts each check as one and each test as one.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { parseArgs, stripVTControlCharacters } from "node:util"
import type { JsonTestResults } from "vitest/node"
import { programsDirectory } from "../test/support/postgres/Installation.ts"
import { type Counts, hasFailed, type Step, summarize, type TestFailure } from "./lib/CheckSummary.ts"
import { lowestNode } from "./lib/ExampleChecks.ts"
import { succeed, temporaryDirectory } from "./lib/Programs.ts"
import { change, partNames, partOf } from "./lib/TestParts.ts"

const root = path.join(import.meta.dirname, "..")
const tools = path.join(root, "node_modules", ".bin")

/** Passes the output to `say`, or prints it if `say` is absent. */
const run = async (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly environment?: Readonly<Record<string, string>>; readonly say?: (text: string) => void } = {}
): Promise<boolean> => {
  const { environment, say } = options
  const output = say === undefined ? "inherit" : "pipe"
  const child = spawn(command, args, {
    cwd: root,
    stdio: ["ignore", output, output],
    env: { ...process.env, ...environment, PATH: `${tools}${path.delimiter}${process.env.PATH ?? ""}` }
  })
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => say?.(chunk.toString()))
  const [code] = await once(child, "close").catch((error: Error) => {
    console.error(`${command}: ${error.message}`)
    return []
  })
  return code === 0
}

const counted = (ok: boolean): Counts => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 })

const check = (command: string, ...args: ReadonlyArray<string>) => async (): Promise<Counts> =>
  counted(await run(command, args))

const failures: Array<TestFailure> = []
const unstable: Array<TestFailure> = []

/** The failed tests, and the files that failed outside of their tests. */
const failuresIn = ({ testResults }: JsonTestResults): ReadonlyArray<TestFailure> =>
  testResults.filter(({ status }) => status === "failed").flatMap(({ assertionResults, message, name }) => {
    const file = path.relative(root, name)
    const failed = assertionResults.filter(({ status }) => status === "failed").map((
      { failureMessages, fullName }
    ) => ({
      file,
      test: fullName,
      message: stripVTControlCharacters(failureMessages?.join("\n") ?? "")
    }))
    return failed.length > 0 ? failed : [{ file, test: "", message: stripVTControlCharacters(message) }]
  })

/** Runs the tests of a part, or those of some files. */
const report = async (part: string | undefined, files: ReadonlyArray<string> = []) => {
  using directory = temporaryDirectory("checks")
  const file = path.join(directory.path, "report.json")
  try {
    const ok = await run("vitest", ["run", "--reporter=default", "--reporter=json", `--outputFile=${file}`, ...files], {
      environment: part === undefined ? {} : { CREDSVC_TEST_PART: part }
    })
    const report: JsonTestResults = JSON.parse(fs.readFileSync(file, "utf8"))
    return { ok, passed: report.numPassedTests, skipped: report.numPendingTests, failures: failuresIn(report) }
  } catch (error) {
    console.error(`the test report cannot be read: ${String(error)}`)
    return { ok: false, passed: 0, skipped: 0, failures: [] }
  }
}

const tests = async (part: string): Promise<Counts> => {
  const { failures: failed, ok, passed, skipped } = await report(part)
  failures.push(...failed)
  // A test run without tests has failed.
  const unseen = (!ok && failed.length === 0) || passed === 0 ? 1 : 0
  return { passed, failed: failed.length + unseen, skipped }
}

/** If the tests of more files fail, the cause is not that the machine is busy. */
const maxUnstableFiles = 3

/** Runs the files of failed tests again, and corrects the counts. */
const repeated = async (counts: Counts): Promise<Counts> => {
  const files = [...new Set(failures.map(({ file }) => file))]
  if (counts.failed !== failures.length || files.length === 0 || files.length > maxUnstableFiles) return counts
  console.log(`\n== failed tests again\n${files.join("\n")}`)
  const again = await report(undefined, files)
  if (!again.ok && again.failures.length === 0) return counts
  const first = failures.splice(0, failures.length, ...again.failures)
  const failedAgain = (one: TestFailure) =>
    again.failures.some(({ file, test }) => file === one.file && test === one.test)
  const passedNow = first.filter((one) => !failedAgain(one))
  unstable.push(...passedNow)
  return { ...counts, passed: counts.passed + passedNow.length, failed: failures.length }
}

const taken: Array<Step> = []
const take = async (name: string, step: () => Promise<Counts>, started = performance.now()): Promise<void> => {
  const counts = await step()
  taken.push({ name, counts, seconds: (performance.now() - started) / 1000 })
}

/** Buffers the output until the end, so that it does not mix with that of the tests. */
const beside = (name: string, command: string, ...args: ReadonlyArray<string>): Promise<void> =>
  take(name, async () => {
    let output = ""
    const ok = await run(command, args, { say: (text) => output += text })
    console.log(`\n== ${name}\n${output}`)
    return counted(ok)
  })

const { values } = parseArgs({ options: { full: { type: "boolean" }, part: { type: "string" } } })
const commit = (): string => succeed("git", ["rev-parse", "HEAD"], { cwd: root })
const chosen = values.full === true
  ? partNames
  : partNames.filter((name) => name === (values.part === "commit" ? partOf(commit()) : values.part))
if (values.part !== undefined && chosen.length === 0) {
  console.error(`invalid value "${values.part}" for --part: expected commit, ${partNames.join(", ")}`)
  process.exit(2)
}

// This mostly waits for registries, so it runs beside the tests.
const installed = run(path.join(root, "scripts", "setup"), chosen.map((name) => `--part=${name}`))

const first: ReadonlyArray<Parameters<typeof beside>> = [
  ["lint", "oxlint", "--deny-warnings", "src", "test", "scripts"],
  ["format", "dprint", "check"],
  ["rooms", "node", "scripts/check-rooms.ts"],
  ["documents", "node", "scripts/generate.ts", "--check"],
  ["build", "node", "scripts/build.ts", ...chosen.includes("package") ? [] : ["--no-types"]]
]
await Promise.all(first.map(([name, ...command]) => beside(name, ...command)))
console.log("\n== tests and types")
const beginning = performance.now()
const [counts] = await Promise.all([tests(change), beside("types", "tsc", "--noEmit", "--checkers", "1", "-p", ".")])
await take("tests", () => repeated(counts), beginning)
/** Tests of what Node does differently in versions that users may have. */
const lowestNodeTests = [
  "test/http/http2",
  "test/proxy/exchange/Http2Exchange.requests.test.ts",
  "test/proxy/exchange/Http2Exchange.repeats.test.ts"
]
console.log("\n== tests with the lowest supported Node")
await take(
  "lowest Node",
  check(
    "npm",
    "exec",
    "--yes",
    `--package=${lowestNode}`,
    "--",
    "node",
    "node_modules/vitest/vitest.mjs",
    "run",
    ...lowestNodeTests
  )
)

/** Tests of the command line and of runs that also run with the single executable in place of the program. */
const executableTests = [
  "test/cli/commands/Run.test.ts",
  "test/cli/commands/Run.terminal.test.ts",
  "test/contain/Containment.terminal.test.ts"
]

await installed
for (const name of chosen) {
  console.log(`\n== part of the full tests: ${name}`)
  if (name === "package") await take("package", check("node", "scripts/check-package.ts"))
  if (name === "executable") {
    await take("executable", check("node", "scripts/executable.ts"))
    await take("executable tests", async () =>
      counted(
        await run("vitest", ["run", ...executableTests], {
          environment: { CREDSVC_TEST_ENTRY: path.join(root, "scripts", "lib", "executableEntry.mjs") }
        })
      ))
  }
  if ((name === "postgres" || name === "replicas") && programsDirectory() === undefined) {
    console.log("SKIPPED: PostgreSQL is not installed. Install it with: scripts/setup --part=postgres")
    await take(name, async () => ({ passed: 0, failed: 0, skipped: 1 }))
    continue
  }
  const before = failures.splice(0)
  await take(name, async () => repeated(await tests(name)))
  failures.unshift(...before)
}

console.log(`\n${summarize(taken, failures, unstable)}`)
if (hasFailed(taken)) process.exitCode = 1
