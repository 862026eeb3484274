import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { TestReport } from "../../scripts/lib/TestReport.ts"

const reporter = path.resolve("scripts/lib/TestReport.ts")

const files = {
  "a.test.js": `describe("outer", () => {
    it("fails", () => { expect(1).toBe(2) })
    it("fails in red", () => { throw new Error("\\u001b[31mred\\u001b[39m") })
    it("passes, and leaves an error behind", () => { setTimeout(() => { throw new Error("late") }, 0) })
    it.skip("is skipped", () => {})
  })
  describe("hooked", () => {
    beforeAll(() => { throw new Error("no set-up") })
    it("never runs", () => {})
  })`,
  "b.test.js": "import './nothing.js'",
  "c.test.js": "it('ends its process', () => { process.kill(process.pid, 'SIGKILL') })"
}

it("the report lists everything that failed a run, not only tests", () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-report-"))
  try {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, name), text)
    const report = path.join(directory, "report.json")
    const { status } = spawnSync(
      process.execPath,
      [path.resolve("node_modules/vitest/vitest.mjs"), "run", "--root", directory, "--globals", "--reporter", reporter],
      { cwd: directory, env: { ...process.env, CREDSVC_TEST_REPORT: report }, stdio: "ignore" }
    )
    assert.strictEqual(status, 1)
    const { failures, passed, skipped } = JSON.parse(fs.readFileSync(report, "utf8")) as TestReport
    assert.strictEqual(passed, 1)
    assert.strictEqual(skipped, 2)
    const told = failures.map(({ file, message, test }) => `${file} > ${test}: ${message.trim()}`)
    for (
      const expected of [
        /^a\.test\.js > outer > fails: expected 1 to be 2/,
        /^a\.test\.js > outer > fails in red: red$/,
        /^a\.test\.js > hooked: no set-up$/,
        /^b\.test\.js > : .*nothing\.js/s,
        /^a\.test\.js > an uncaught error: late$/,
        /an uncaught error: .*SIGKILL.*c\.test\.js/s
      ]
    ) assert.isTrue(told.some((line) => expected.test(line)), `${String(expected)}: ${told.join("\n")}`)
    assert.strictEqual(failures.length, 6)
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
})
