import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { recordedRepeats } from "../../src/audit/RepeatedEntries.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import type { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import type { ProviderName } from "../../src/domain/wire/ProviderName.ts"
import type { NewSandbox, SandboxName } from "../../src/domain/wire/Sandbox.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { Sandboxes } from "../../src/sandboxes/Sandboxes.ts"
import { acme, keyDocument } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { testsIn } from "../support/Fixture.ts"
import { contentOf, services, tamper, transact, withHome } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"

const dev = "dev" as SandboxName
const HOUR = 3600

const layer = (home: string) => Sandboxes.layerNoDeps.pipe(Layer.provideMerge(services(home)))

const request = (changes: Partial<NewSandbox> = {}): NewSandbox => ({
  name: dev,
  providers: [acme],
  expiresIn: HOUR,
  ...changes
})

interface Context {
  readonly sandboxes: Sandboxes["Service"]
  readonly profile: ProfileHandle
  readonly events: Effect.Effect<ReadonlyArray<string>, unknown>
}

/** Runs the body in a new process on the home. */
const started = <A>(home: string, body: (context: Context) => Returned<A>) =>
  Effect.gen(function*() {
    const audit = yield* AuditLog
    return yield* toEffect(body({
      sandboxes: yield* Sandboxes,
      profile: yield* (yield* Profiles).active,
      events: Effect.map(
        audit.list({ limit: 99 }),
        (entries) => entries.map(({ connection, event }) => `${event} ${connection ?? "-"}`)
      )
    }))
  }).pipe(Effect.provide(layer(home)))

const withSandboxes = <A>(body: (context: Context, home: string) => Returned<A>) =>
  withHome((home) => started(home, (context) => body(context, home)), keyDocument({ hosts: ["*.acme.example"] }))

const { effect } = testsIn(withSandboxes)

describe("Sandboxes", () => {
  it.effect("returns the same token and certificate in the next process, and stores neither token nor key in plain text", () =>
    withHome(function*(home) {
      const created = yield* started(home, ({ profile, sandboxes }) => sandboxes.create(profile, request()))
      yield* started(home, function*({ profile, sandboxes }) {
        const read = yield* sandboxes.access(profile, dev)
        assert.strictEqual(Redacted.value(read.token), Redacted.value(created.token))
        assert.match(Redacted.value(read.token), /^[\w-]{43}$/)
        assert.strictEqual(read.certificate, created.certificate)
        const served = (yield* sandboxes.served(profile, undefined))!.sandboxes
        const content = contentOf(home)
        assert.notInclude(content, Redacted.value(created.token))
        assert.notInclude(content, Redacted.value(served[0]!.authority.keyPem).split("\n")[1]!)
      })
    }, keyDocument()))

  effect("does not add an entry to the audit log for each of many accesses", function*({ events, profile, sandboxes }) {
    yield* sandboxes.create(profile, request())
    const access = Effect.andThen(sandboxes.access(profile, dev), sandboxes.served(profile, undefined))
    yield* Effect.repeat(access, { times: 2 * recordedRepeats })
    const accesses = (yield* events).filter((event) => event.startsWith("sandbox-access"))
    assert.lengthOf(accesses, 2 * recordedRepeats, "those to the sandbox, and those to all sandboxes")
  })

  it.effect("bounds the sandboxes of a profile", () =>
    withHome(function*(home) {
      yield* Effect.gen(function*() {
        const { create } = yield* Sandboxes
        const { active } = yield* Profiles
        const sql = yield* SqlClient.SqlClient
        const profile = yield* active
        yield* create(profile, request())
        yield* transact(sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
          INSERT INTO sandboxes SELECT record_id || i, profile, name || i, generation, created_at, updated_at, expires_at, sealed
          FROM sandboxes, n`)
        const { message } = yield* Effect.flip(create(profile, request({ name: "more" as SandboxName })))
        assert.include(message, "at most 1000 sandboxes")
      }).pipe(Effect.provide(layer(home)))
    }, keyDocument()))

  effect("certifies the hosts of the named providers only", function*({ profile, sandboxes }) {
    yield* sandboxes.create(profile, request())
    const [served] = (yield* sandboxes.served(profile, undefined))!.sandboxes
    assert.deepStrictEqual(served?.authority.names, ["acme.example"])
  })

  effect("rejects unknown providers, and connections of other providers", function*({ profile, sandboxes }) {
    const create = (changes: Partial<NewSandbox>) => sandboxes.create(profile, request(changes))
    yield* failsWith(create({ providers: ["nowhere" as ProviderName] }), "ProviderNotFoundError")
    yield* failsWith(create({ connections: { acme: "work" as ConnectionName } }), "ConnectionNotFoundError")
    yield* failsWith(create({ connections: { openai: "work" as ConnectionName } }), "InvalidRequestError")
    assert.deepStrictEqual(yield* sandboxes.list(profile), [])
  })

  effect("requires a connection for a provider whose routes depend on it", function*({ profile, sandboxes }) {
    const created = sandboxes.create(profile, request({ providers: ["npm" as ProviderName] }))
    yield* failsWith(created, "ConnectionNotFoundError")
  })

  effect("replaces the token and keeps the certificate in a rotation", function*({ profile, sandboxes }) {
    const before = yield* sandboxes.create(profile, request())
    const [first] = (yield* sandboxes.served(profile, undefined))!.sandboxes
    const after = yield* sandboxes.rotate(profile, dev)
    assert.notStrictEqual(Redacted.value(after.token), Redacted.value(before.token))
    assert.strictEqual(after.certificate, before.certificate)
    const [second] = (yield* sandboxes.served(profile, undefined))!.sandboxes
    assert.notStrictEqual(second?.tokenHash, first?.tokenHash)
    assert.strictEqual(second?.generation, 2)
  })

  effect("lists the sandboxes again only after a change", function*({ profile, sandboxes }) {
    yield* sandboxes.create(profile, request())
    const first = (yield* sandboxes.served(profile, undefined))!
    assert.isUndefined(yield* sandboxes.served(profile, first.version))
    yield* sandboxes.rotate(profile, dev)
    const second = (yield* sandboxes.served(profile, first.version))!
    assert.lengthOf(second.sandboxes, 1)
    yield* sandboxes.remove(profile, dev)
    assert.lengthOf((yield* sandboxes.served(profile, second.version))!.sandboxes, 0)
  })

  effect("serves no expired sandbox, and frees its name", function*({ events, profile, sandboxes }) {
    const first = yield* sandboxes.create(profile, request())
    yield* failsWith(sandboxes.create(profile, request()), "OperationNotAllowedError")
    yield* TestClock.adjust(`${HOUR} seconds`)
    assert.lengthOf((yield* sandboxes.served(profile, undefined))!.sandboxes, 0)
    yield* failsWith(sandboxes.access(profile, dev), "OperationNotAllowedError")
    yield* failsWith(sandboxes.rotate(profile, dev), "OperationNotAllowedError")
    assert.deepStrictEqual((yield* sandboxes.list(profile)).map(({ status }) => status), ["expired"])
    const second = yield* sandboxes.create(profile, request())
    assert.notStrictEqual(Redacted.value(second.token), Redacted.value(first.token))
    assert.includeMembers([...yield* events], ["sandbox-delete dev"])
  })

  effect("hides a sandbox from other profiles, which cannot use its name either", function*({ profile, sandboxes }) {
    const other = "other" as ProfileHandle
    yield* sandboxes.create(profile, request())
    assert.deepStrictEqual(yield* sandboxes.list(other), [])
    yield* failsWith(sandboxes.create(other, request()), "OperationNotAllowedError")
    yield* failsWith(sandboxes.access(other, dev), "OperationNotAllowedError")
    yield* failsWith(sandboxes.rotate(other, dev), "OperationNotAllowedError")
    yield* failsWith(sandboxes.remove(other, dev), "OperationNotAllowedError")
    assert.lengthOf(yield* sandboxes.list(profile), 1)
  })

  effect("records creation, access, rotation and deletion in the log", function*({ events, profile, sandboxes }) {
    yield* sandboxes.create(profile, request())
    yield* sandboxes.access(profile, dev)
    yield* sandboxes.served(profile, undefined)
    yield* sandboxes.rotate(profile, dev)
    yield* sandboxes.remove(profile, dev)
    assert.deepStrictEqual((yield* events).filter((event) => event.startsWith("sandbox")), [
      "sandbox-create dev",
      "sandbox-access dev",
      "sandbox-access -",
      "sandbox-rotate dev",
      "sandbox-delete dev"
    ])
  })

  it.effect("detects a profile that was changed outside of credsvc", () =>
    withHome(function*(home) {
      yield* started(home, ({ profile, sandboxes }) => sandboxes.create(profile, request()))
      tamper(home, "UPDATE sandboxes SET profile = 'other'")
      yield* started(home, ({ profile, sandboxes }) =>
        failsWith(sandboxes.served(profile, undefined), "VaultUnavailableError"))
    }, keyDocument()))
})
