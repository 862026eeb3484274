/**
 * Interrupts a rotation of the keys at its durable system calls: kills the process on entry to one, or makes it fail as
 * on a broken or full disk. The next process must find every secret under the old keys or
 * the new ones, and rotate them.
 *
 * The suite takes a few of the calls; `CREDSVC_SWEEP_ROUNDS=1` takes all.
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { keyDocument } from "../../support/Acme.ts"
import { bundleProgram } from "../../support/BundledProgram.ts"
import { contentOf, dropIn, query } from "../../support/Services.ts"
import { callsOf, canTrace, durableCalls, type Fault, runWithFault } from "../../support/SystemCallFaults.ts"
import { suiteDirectory } from "../../support/TestDirectories.ts"

const ALL = process.env["CREDSVC_SWEEP_ROUNDS"] !== undefined
const CONNECTIONS = 40

const directory = suiteDirectory()
let victim: string
let home: string

/** Rotates the keys. The result is undefined if the rotation was interrupted. */
const rotate = async (fault?: Fault) => {
  const { output } = await runWithFault(fault, victim, home)
  const line = /^\{"generation".*\}$/m.exec(output)?.[0]
  const result: { readonly generation: number; readonly count: number } | undefined = line && JSON.parse(line)
  return { output, result }
}

beforeAll(async () => {
  victim = await bundleProgram(path.join(import.meta.dirname, "rotationVictim.ts"), directory)
  home = path.join(directory, "home")
  fs.mkdirSync(home, { mode: 0o700 })
  dropIn(home, keyDocument())
  const seeded = await runWithFault(undefined, victim, home, String(CONNECTIONS))
  assert.strictEqual(seeded.code, 0, seeded.output)
}, 120_000)

describe.skipIf(!canTrace)("A rotation of the keys that is interrupted", () => {
  it("leaves either the old keys or the new keys, and loses no secret", async () => {
    const kinds: ReadonlyArray<readonly [fault: string, names: ReadonlyArray<string>, share: number]> = [
      ["signal=SIGKILL", durableCalls, 5],
      ["error=EIO", ["fsync", "fdatasync", "rename"], 1],
      ["error=ENOSPC", ["pwrite64"], 1]
    ]
    const faults: Array<Fault> = []
    for (const [fault, names, share] of kinds) {
      const all = (await callsOf(names, [victim, home])).map(({ call, nth }): Fault => ({ call, nth, fault }))
      // The first calls belong to the start of the process.
      const some = Array.from({ length: share }, (_, at) => all[Math.floor(((at + 1) * all.length) / (share + 1))]!)
      faults.push(...(ALL ? all : some))
    }
    assert.isAtLeast(faults.length, 7)
    let interrupted = 0
    let generation = 0
    for (const fault of faults) {
      const what = JSON.stringify(fault)
      const before = await rotate(fault)
      if (before.result === undefined) interrupted++
      else assert.isAbove(before.result.generation, generation, what)
      const next = await rotate()
      assert.strictEqual(next.result?.count, CONNECTIONS, `${what}: ${before.output} ${next.output}`)
      assert.isAbove(next.result!.generation, generation, what)
      generation = next.result!.generation
    }
    console.log(`${faults.length} faults: ${interrupted} rotations interrupted, generation ${generation}`)
    assert.isAbove(interrupted, 0)
    // Each rotation has one entry, in the transaction that replaces the key.
    const [{ entries } = {}] = query(home, "SELECT count(*) AS entries FROM audit WHERE event = 'vault-rotate'")
    assert.strictEqual(entries, generation - 1)
    assert.deepStrictEqual(query(home, "SELECT count(*) AS keys FROM data_keys"), [{ keys: 2 }])
    assert.isFalse(contentOf(home).includes("CANARY"))
  }, 1_200_000)
})
