import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { AuditLog } from "../../../src/audit/AuditLog.ts"
import type { OperationNotAllowedError } from "../../../src/domain/Errors.ts"
import type { RunLimits } from "../../../src/domain/wire/Run.ts"
import { acme, keyDocument, main, work } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { testsIn } from "../../support/Fixture.ts"
import * as KeyConnections from "../../support/KeyConnections.ts"
import { define, type Services, withHome } from "../../support/Services.ts"
import { type StoreOptions } from "../../support/StoredConnections.ts"
import { type Returned, toEffect } from "../../support/TestBody.ts"
import { unlimitedRun } from "../../support/UnlimitedRun.ts"

const contextOf = ({ connections, profile, save: store }: KeyConnections.Context) => {
  const save = (options: StoreOptions = {}) => store("default", { api_key: "CANARY" }, { force: true, ...options })
  const shown = Effect.map(connections.get(profile, acme, main, { reveal: false }), (found) => found.containedOnly)
  const limitsOf = (contained: boolean): RunLimits => ({ ...unlimitedRun(profile), contained })
  const resolve = (limits: RunLimits | undefined) =>
    connections.resolve(profile, { host: "api.acme.example" }, { run: Option.none(), limits })
  /** Fails unless the connection can be used by contained runs and by nothing else. */
  const isLimited = Effect.gen(function*() {
    const others = [
      connections.get(profile, acme, main, { reveal: true }),
      connections.exportCredential(profile, { provider: acme }),
      resolve(undefined),
      resolve(limitsOf(false))
    ]
    for (const attempt of others) {
      const error = yield* failsWith(
        attempt as Effect.Effect<unknown, OperationNotAllowedError>,
        "OperationNotAllowedError"
      )
      assert.include(error.message, "credsvc run --contain -- <command>")
    }
    yield* resolve(limitsOf(true))
    assert.isTrue(yield* shown)
  })
  const isFree = Effect.gen(function*() {
    yield* connections.get(profile, acme, main, { reveal: true })
    yield* connections.exportCredential(profile, { provider: acme })
    yield* resolve(undefined)
    assert.isFalse(yield* shown)
  })
  return { connections, profile, save, isLimited, isFree }
}

const limited = keyDocument({ contained_only: true })

const inHome = (
  body: (context: ReturnType<typeof contextOf>, home: string) => Returned<void, Services>,
  definition = keyDocument()
) => KeyConnections.inHome((context, home) => toEffect(body(contextOf(context), home)), definition)

const { effect } = testsIn(inHome)

describe("CredentialUse › resolve", () => {
  KeyConnections.effect(
    "is audited once per run and connection, and every time without a run",
    function*({ events, resolve, save }) {
      yield* save("default")
      yield* save("work")
      yield* Effect.all(Array.from({ length: 20 }, () => resolve({}, "run-0000000000000001")), {
        concurrency: "unbounded"
      })
      yield* resolve({ provider: acme, connection: work }, "run-0000000000000001")
      yield* resolve({}, "run-0000000000000002")
      yield* resolve()
      yield* resolve()
      assert.deepStrictEqual((yield* events).slice(2), [
        "resolve acme/default",
        "resolve acme/work",
        "resolve acme/default",
        "resolve acme/default",
        "resolve acme/default"
      ])
    }
  )

  it.effect("sends nothing if the definition has changed since the login, until the change is undone", () =>
    withHome(function*(home) {
      yield* KeyConnections.started(home, ({ save }) => save("default", { api_key: "CANARY" }))
      yield* define(home, KeyConnections.definition({ hosts: ["api.acme.example", "evil.example"] }))
      yield* KeyConnections.started(home, function*({ connections, events, profile, resolve }) {
        const named = { host: "evil.example", provider: acme, connection: main }
        for (const request of [{}, { host: "evil.example" }, named]) {
          const error = yield* failsWith(resolve(request), "CredentialMissingError")
          assert.include(error.detail, "has changed since this login")
        }
        const [record] = yield* connections.list(profile)
        assert.strictEqual(record!.status, "invalid")
        assert.include(record!.lastRefreshError!, "credsvc login acme --force")
        yield* failsWith(connections.exportCredential(profile, { provider: acme }), "CredentialMissingError")
        const { placeholders, routes } = yield* connections.routes(profile)
        assert.isTrue(routes.filter(({ provider }) => provider === acme).every(({ connected }) => !connected))
        assert.isFalse(placeholders.some(({ provider }) => provider === acme))
        assert.lengthOf((yield* connections.selfTest(profile)).warnings, 1)
        assert.deepStrictEqual(yield* events, ["login acme/default"])
      })
      yield* define(home, KeyConnections.definition())
      yield* KeyConnections.started(home, ({ resolve }) => resolve())
    }, KeyConnections.definition()))
})

describe("CredentialUse, of a connection for contained runs only", () => {
  effect("is resolved for contained runs, never shown", function*({ connections, isFree, isLimited, profile, save }) {
    yield* save()
    yield* isFree
    const set = yield* connections.setContainedOnly(profile, acme, main)
    assert.isTrue(set.containedOnly)
    yield* isLimited
    yield* connections.setContainedOnly(profile, acme, main)
    const entries = yield* (yield* AuditLog).list({ limit: 99, event: "set-contained-only" })
    assert.lengthOf(entries, 1)
  })

  effect("stays limited after another login, unless the login says otherwise", function*({ isFree, isLimited, save }) {
    yield* save({ containedOnly: true })
    yield* isLimited
    yield* save()
    yield* isLimited
    yield* save({ containedOnly: false })
    yield* isFree
  })

  it.effect("stays limited after its definition changes, if the definition required the limit at the login", () =>
    inHome(function*({ isLimited, save }, home) {
      yield* save({ containedOnly: false })
      yield* isLimited
      yield* define(home, keyDocument())
      yield* isLimited
    }, limited))

  effect("can be required by a definition that changes after the login", function*({ isFree, isLimited, save }, home) {
    yield* save()
    yield* isFree
    yield* define(home, limited)
    yield* isLimited
  })

  effect(
    "cannot be limited during a refresh, because it would lose its tokens",
    function*({ connections, isFree, profile, save }) {
      yield* save()
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`SELECT record_id, generation FROM connections`
      yield* sql`INSERT INTO token_refreshes ${
        sql.insert({ ...row, owner: "1-1 x", deadline: "2026-01-01T00:00:00Z" })
      }`
      const error = yield* failsWith(connections.setContainedOnly(profile, acme, main), "OperationNotAllowedError")
      assert.include(error.message, "is being refreshed")
      yield* isFree
    }
  )
})
