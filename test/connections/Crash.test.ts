import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { StoreManifest } from "../../src/vault/StoreManifest.ts"
import { bundleProgram } from "../support/BundledProgram.ts"
import { query, services, withHome } from "../support/Services.ts"

let directory: string
let busy: string

beforeAll(async () => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-crash-")))
  const { providers } = await Effect.runPromise(Effect.provide(BundledProviders, BundledProviders.layer))
  busy = await bundleProgram(path.join(import.meta.dirname, "busy.ts"), directory, [
    providers.get("openai")!.definition
  ])
})

afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

/** Starts the busy process and kills it after some milliseconds or a number of operations. */
const killed = (home: string, operations: number, milliseconds: number) =>
  Effect.callback<void>((resume) => {
    const child = childProcess.spawn(process.execPath, [busy, home], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let failure = ""
    child.stderr.on("data", (text) => failure += String(text))
    let said = ""
    child.stdout.on("data", (text) => {
      said += String(text)
      if (said.startsWith("begun") && said.split(".").length > operations) {
        setTimeout(() => child.kill("SIGKILL"), milliseconds)
      }
    })
    child.on("exit", (code) => {
      resume(code === null ? Effect.void : Effect.die(new Error(`it ended by itself: ${failure}`)))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const healthy = (home: string) =>
  Effect.gen(function*() {
    const connections = yield* Connections
    const profile = yield* (yield* Profiles).active
    yield* (yield* StoreManifest).verify
    const verified = yield* (yield* AuditLog).verify
    assert.isTrue(verified.ok)
    const records = yield* connections.list(profile)
    const defaults = records.filter(({ isDefault }) => isDefault)
    assert.lengthOf(defaults, records.length === 0 ? 0 : 1)
    for (const { connectionName, provider } of records) {
      const { apiKey } = yield* connections.get(profile, provider, connectionName, { reveal: true })
      assert.match(apiKey === undefined ? "" : Redacted.value(apiKey), /^sk-\d+$/)
    }
    // The state of every connection must match the audit log.
    const known = new Map<string, boolean>()
    for (const { connection, event } of query(home, "SELECT event, connection FROM audit ORDER BY seq")) {
      if (event === "login") known.set(String(connection), true)
      if (event === "logout" || event === "revoke") known.set(String(connection), false)
    }
    assert.sameMembers(
      records.map(({ connectionName }): string => connectionName),
      [...known].flatMap(([name, there]) => there ? [name] : [])
    )
    return records.length
  }).pipe(Effect.provide(services(home)))

describe("kill -9", () => {
  it.live("leaves the old or the new state of a login, a logout or a revocation", () =>
    withHome(function*(home) {
      for (const [index, milliseconds] of [0, 1, 2, 3, 0, 1, 2, 3].entries()) {
        yield* killed(home, 3 + index, milliseconds)
        yield* healthy(home)
      }
    }))

  it.live("leaves a home that can start, at whatever point it interrupts the first start", () =>
    Effect.gen(function*() {
      for (const milliseconds of [0, 2, 5, 9, 14, 20]) {
        yield* withHome((home) => Effect.andThen(killed(home, 0, milliseconds), healthy(home)))
      }
    }))
})
