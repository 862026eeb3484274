import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { bundleProgram } from "../support/BundledProgram.ts"
import { effect } from "../support/Fixture.ts"
import { canTrace, runWithFault } from "../support/SystemCallFaults.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"
import { started, victimIdentity } from "./support.ts"

const victim = await bundleProgram(path.join(import.meta.dirname, "crashVictim.ts"), suiteDirectory())

if (!canTrace) console.warn("skipped: killing at each system call needs strace and the right to trace")

const KILL = "signal=SIGKILL"

describe.skipIf(!canTrace)("Vault after a kill or a disk error", () => {
  const cases = [
    ["fsync", KILL, 16, 1],
    ["link", KILL, 2, 1],
    ["rename", KILL, 4, 1],
    ["unlink", KILL, 6, 2],
    ["ftruncate", KILL, 6, 2],
    ["fsync", "error=EIO", 16, 3],
    ["pwrite64", "error=ENOSPC", 20, 4]
  ] as const
  for (const [call, fault, last, step] of cases) {
    effect(`reopens with everything that it reported as written, with ${fault} at ${call}`, function*() {
      let faults = 0
      for (let nth = 1; nth <= last; nth += step) {
        const home = yield* temporaryDirectory
        const { code, output } = yield* Effect.promise(() => runWithFault({ call, fault, nth }, victim, home))
        if (code !== 0) faults += 1
        // A process that was not killed makes fewer such calls, or has recovered from the error.
        else if (fault === KILL) nth = last
        const found = yield* started(home)(Effect.gen(function*() {
          const manifest = yield* StoreManifest
          const vault = yield* Vault
          const sql = yield* SqlClient.SqlClient
          yield* manifest.verify
          yield* vault.selfTest
          const [row] = yield* sql<{ readonly generation: number; readonly sealed: Uint8Array }>`
              SELECT generation, sealed FROM client_credentials`
          if (row === undefined) return 0
          const opened = yield* vault.open(victimIdentity(row.generation), row.sealed)
          assert.strictEqual(Redacted.value(opened), `generation ${row.generation}`)
          return row.generation
        }))
        const written = Number(output.match(/^\d+$/gm)?.at(-1) ?? 0)
        assert.include([written, written + 1], found, `${fault} at ${call} ${nth}`)
        for (const name of fs.readdirSync(home, { recursive: true, encoding: "utf8" })) {
          assert.strictEqual(fs.lstatSync(path.join(home, name)).mode & 0o077, 0, name)
        }
      }
      assert.isAbove(faults, 0)
    })
  }
})
