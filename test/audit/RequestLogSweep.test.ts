/**
 * Kills a process at a durable system call while it writes a batch of the request log, or makes the call fail as on a full
 * or broken disk. The next process sends the same report again and must find an intact chain that has each batch once.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { RequestLog } from "../../src/audit/RequestLog.ts"
import { verifyLogs } from "../../src/audit/Verification.ts"
import { bundleProgram } from "../support/BundledProgram.ts"
import { foundation } from "../support/Services.ts"
import { canTrace } from "../support/SystemCallFaults.ts"

/** The suite takes a share of the points; `CREDSVC_SWEEP_ROUNDS=1` takes all. */
const SHARE = process.env["CREDSVC_SWEEP_ROUNDS"] === undefined ? 6 : 1
const CALLS = ["fsync", "fdatasync", "pwrite64", "ftruncate", "unlink", "rename"]

let directory: string
let victim: string
let home: string

beforeAll(async () => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-request-log-")))
  home = path.join(directory, "home")
  fs.mkdirSync(home, { mode: 0o700 })
  victim = await bundleProgram(path.join(import.meta.dirname, "requestLogVictim.ts"), directory)
})

afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

/** Runs the victim under strace. Returns how many reports it has confirmed. */
const run = (trace: ReadonlyArray<string>, reported: number): Promise<number> => {
  const child = childProcess.spawn("strace", ["-f", ...trace, process.execPath, victim, home, String(reported)], {
    stdio: ["ignore", "pipe", "ignore"],
    cwd: directory
  })
  return new Promise((resolve, reject) => {
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => output += chunk.toString())
    child.once("error", reject)
    child.once("close", () => resolve(output.split("\n").length - 1))
  })
}

/** How often an undisturbed victim makes each call. */
const calls = async (reported: number): Promise<ReadonlyArray<readonly [call: string, count: number]>> => {
  const file = path.join(directory, "calls.txt")
  assert.strictEqual(await run(["-e", `trace=${CALLS.join(",")}`, "-o", file], reported), 3)
  const lines = fs.readFileSync(file, "utf8").split("\n")
  return CALLS.map((call) => [call, lines.filter((line) => RegExp(`^\\d+ +${call}\\(`).test(line)).length])
}

/** The recorded requests in the log, after both chains were verified. */
const recorded = () =>
  Effect.runPromise(
    Effect.gen(function*() {
      const log = yield* RequestLog
      const verification = yield* verifyLogs(yield* AuditLog, log)
      assert.isTrue(verification.ok, JSON.stringify(verification))
      assert.deepStrictEqual((yield* log.open).map(({ run }) => run), ["aaaaaaaaaa"])
      return (yield* log.list({ limit: 10_000 })).entries.map(({ kind, path }) => `${kind} ${path}`)
    }).pipe(
      Effect.provide(RequestLog.layerNoDeps.pipe(Layer.provideMerge(foundation(home)))),
      Effect.scoped
    )
  )

const expected = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `request /${2 * (index + 1)}`)

describe.skipIf(!canTrace)("RequestLog", () => {
  it("has every confirmed batch once, wherever its process is killed or its disk fails", async () => {
    // The first process creates the store, which the vault's own sweep covers.
    const undisturbed = ["-e", "trace=none", "-o", "/dev/null"]
    let reported = await run(undisturbed, 0)
    const points = (await calls(reported)).flatMap(([call, count]) =>
      Array.from({ length: count }, (_, index) => ({ call, nth: index + 1 }))
    )
    reported += 3
    assert.deepStrictEqual(await recorded(), expected(6))
    let killed = 0
    let lost = 0
    for (const [at, { call, nth }] of points.entries()) {
      if (at % SHARE !== 0) continue
      const fault = call === "pwrite64" && at % (2 * SHARE) === 0 ? "error=ENOSPC" : "signal=SIGKILL"
      const confirmed = await run(
        ["-e", `trace=${call}`, "-e", `inject=${call}:${fault}:when=${nth}`, "-o", "/dev/null"],
        reported
      )
      if (confirmed < 3) killed++
      reported += confirmed
      const found = await recorded()
      // A batch can be durable before its confirmation.
      assert.include([reported, reported + 1], found.length, `${fault} at ${call} ${nth}`)
      assert.deepStrictEqual(found, expected(found.length), `${fault} at ${call} ${nth}`)
      if (found.length > reported) lost++
      // Sends the report again whose confirmation was lost.
      reported += await run(undisturbed, reported)
      assert.deepStrictEqual(await recorded(), expected(reported), `after ${fault} at ${call} ${nth}`)
    }
    console.log(`${killed} writers interrupted, ${lost} of them after a batch was durable and before its confirmation`)
    assert.isAbove(killed, 3)
  }, 600_000)
})
