/** Daemons of two versions on one database: the newer one migrates the tables while the older one serves. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as path from "node:path"
import { schemaVersion } from "../../src/store/Migrations.ts"
import { bundleProgram } from "../support/BundledProgram.ts"
import { NoAnswer, Replica } from "../support/ReplicaProcesses.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"
import { databaseUrlOf } from "../support/TestStore.ts"

const canIsolate = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0

/** Adds a migration to the sources. It changes no table that the older version knows. */
const nextVersion = {
  name: "next-version",
  transform: (code: string, id: string) =>
    id.endsWith("src/store/Migrations.ts")
      ? code.replace(
        /\n\]\n*(?=export const schemaVersion)/,
        `,{ version: ${
          schemaVersion + 1
        }, statements: ["CREATE TABLE later (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID"] }]\n`
      )
      : undefined
}

const message = `was written by a newer version of credsvc (schema ${
  schemaVersion + 1
}, this version supports ${schemaVersion})`

describe.runIf(canIsolate)("A daemon whose tables a newer version migrates", () => {
  const directory = suiteDirectory()
  let older: Replica
  let newer: ReadonlyArray<Replica>

  beforeAll(async () => {
    const input = path.join(import.meta.dirname, "replicaProgram.ts")
    const programs = [
      await bundleProgram(input, path.join(directory, "older")),
      await bundleProgram(input, path.join(directory, "newer"), [], [nextVersion])
    ]
    const masterKey = crypto.randomBytes(32).toString("base64")
    const replica = (name: string, program: string) =>
      new Replica({ home: path.join(directory, name), program, databaseUrl: databaseUrlOf(directory), masterKey })
    older = replica("one", programs[0]!)
    newer = [replica("two", programs[1]!), replica("three", programs[1]!)]
  })

  afterAll(async () => {
    for (const replica of [older, ...newer]) await replica.kill()
  })

  it("stops gracefully, says why, and leaves everything to the newer version", async () => {
    await older.start()
    const stored = await older.ask("POST", "/policies/shared", { allow: [], deny: [], readonly: true })
    assert.strictEqual(stored.status, 200, JSON.stringify(stored.json))
    const ended = older.ended()
    const started = newer[0]!.start()
    const state = { isOver: false }
    void ended.then(() => state.isOver = true)
    // What a load balancer sees that repeats a request at the other one if the connection was refused or the response is 503.
    while (!state.isOver) {
      const policies = await older.ask("GET", "/policies").catch((error) => {
        assert.instanceOf(error, NoAnswer)
        return undefined
      })
      if (policies?.status === 200) continue
      if (policies !== undefined) assert.include(policies.json.detail, message)
      await started
      assert.strictEqual((await newer[0]!.ask("GET", "/policies")).status, 200)
    }
    assert.strictEqual(await ended, 1)
    assert.match(older.log, /ERROR +store-outdated message="/)
    assert.include(older.log, `${message}; use that version`)
    assert.include(JSON.stringify((await newer[0]!.ask("GET", "/policies")).json), "shared")
  })

  it("does not start again", async () => {
    const failure = await older.start().then(() => "it started", (error: Error) => error.message)
    assert.include(failure, message)
  })

  it("continues if the daemon itself has the newest version", async () => {
    await newer[1]!.start()
    for (const replica of newer) {
      assert.strictEqual((await replica.ask("GET", "/ready")).status, 200)
      assert.isTrue((await replica.ask("GET", "/audit/verify")).json.ok)
    }
  })
})
