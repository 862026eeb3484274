import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import type { SessionId } from "../../src/domain/wire/AuthSession.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { acme, keyDocument, main, work } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { testsIn } from "../support/Fixture.ts"
import { loginContext } from "../support/Logins.ts"
import { contentOf, define, logins, origin, tamper, withHome } from "../support/Services.ts"
import { redacted } from "../support/StoredConnections.ts"
import { type Returned, settle, toEffect } from "../support/TestBody.ts"
import { onPostgres } from "../support/TestStore.ts"

const definition = (changes: Readonly<Record<string, unknown>> = {}) =>
  keyDocument({
    credentials_url: "https://acme.example/keys",
    api_key: {
      header_name: "X-Acme-Key",
      header_prefix: "",
      key_pattern: "ak-[a-z0-9-]+",
      key_pattern_hint: "begins with ak-"
    },
    ...changes
  })

const key = (value: string) => redacted({ api_key: value })

const setUp = Effect.map(loginContext, (context) => ({ ...context, reveal: context.secret("apiKey") }))

type Context = Effect.Success<typeof setUp>

/** Runs the body in a new process on the home. */
const started = <A>(home: string, body: (context: Context) => Returned<A>) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(Effect.provide(logins(home)))

const inHome = <A>(body: (context: Context, home: string) => Returned<A>) =>
  withHome((home) => started(home, (context) => body(context, home)), definition())

const { effect } = testsIn(inHome)

describe("FlowRunner", () => {
  effect("asks for the fields of the definition and stores a key", function*({ events, reveal, runner, start }) {
    const session = yield* start()
    assert.match(session.sessionId, /^[A-Za-z0-9_-]{43}$/)
    assert.deepInclude(session, { provider: acme, connection: main, flow: "api_key", status: "waiting_for_user" })
    assert.deepStrictEqual(session.nextAction, {
      type: "enter_input",
      url: `${origin}/auth/sessions/${session.sessionId}/input`,
      fields: [{
        name: "api_key",
        label: "API key",
        secret: true,
        required: true,
        default: null,
        pattern: "ak-[a-z0-9-]+",
        hint: "begins with ak-"
      }]
    })
    const completed = yield* runner.resume(session.sessionId, key(" ak-canary\n"))
    assert.deepInclude(completed, { status: "completed", error: null, nextAction: { type: "none" } })
    assert.strictEqual(yield* reveal, "ak-canary")
    assert.deepStrictEqual(yield* events, ["login ok", "get ok"])
  })

  effect("keeps the auth session after an invalid value", function*({ connections, profile, reveal, runner, start }) {
    const { sessionId } = yield* start()
    const refused = yield* failsWith(runner.resume(sessionId, key("CANARY")), "InvalidRequestError")
    assert.deepStrictEqual(refused.problems, [{
      path: "/data/api_key",
      message: "API key has an unexpected format: begins with ak-"
    }])
    assert.notInclude(JSON.stringify(refused), "CANARY")
    assert.strictEqual((yield* runner.get(sessionId)).status, "waiting_for_user")
    assert.isFalse(yield* connections.exists(profile, acme, main))
    yield* runner.resume(sessionId, key("ak-1"))
    assert.strictEqual(yield* reveal, "ak-1")
  })

  effect("accepts the input of an auth session once", function*({ reveal, runner, start }) {
    const { sessionId } = yield* start()
    yield* runner.resume(sessionId, key("ak-1"))
    yield* failsWith(runner.resume(sessionId, key("ak-2")), "SessionExpiredError")
    yield* failsWith(runner.form(sessionId), "SessionExpiredError")
    assert.strictEqual((yield* runner.cancel(sessionId)).status, "completed")
    assert.strictEqual((yield* runner.get(sessionId)).status, "completed")
    assert.strictEqual(yield* reveal, "ak-1")
  })

  effect("accepts one of many concurrent submissions", function*({ events, runner, start }) {
    const { sessionId } = yield* start()
    const exits = yield* Effect.all(
      Array.from({ length: 10 }, (_, index) => Effect.exit(runner.resume(sessionId, key(`ak-${index}`)))),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(exits.filter(({ _tag }) => _tag === "Success"), 1)
    assert.deepStrictEqual(yield* events, ["login ok"])
  })

  effect(
    "distinguishes an expired auth session from an unknown auth session",
    function*({ connections, profile, runner, start }) {
      const { sessionId } = yield* start()
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual((yield* runner.get(sessionId)).status, "waiting_for_user")
      yield* TestClock.adjust("1 second")
      yield* failsWith(runner.get(sessionId), "SessionExpiredError")
      yield* failsWith(runner.resume(sessionId, key("ak-1")), "SessionExpiredError")
      yield* failsWith(runner.form(sessionId), "SessionExpiredError")
      yield* failsWith(runner.cancel(sessionId), "SessionExpiredError")
      yield* failsWith(runner.get("A".repeat(43) as SessionId), "SessionNotFoundError")
      assert.isFalse(yield* connections.exists(profile, acme, main))
      yield* TestClock.adjust("2 hours")
      yield* start()
      yield* failsWith(runner.get(sessionId), "SessionNotFoundError")
    }
  )

  effect(
    "rejects a login for an existing connection at its start, unless the login may replace the connection",
    function*({ reveal, runner, start }) {
      yield* runner.resume((yield* start()).sessionId, key("ak-1"))
      yield* failsWith(start(), "ConnectionAlreadyExistsError")
      yield* start({ connection: work })
      yield* runner.resume((yield* start({ force: true })).sessionId, key("ak-2"))
      assert.strictEqual(yield* reveal, "ak-2")
    }
  )

  effect(
    "rejects the second of two logins for one connection when the second ends, and keeps the first",
    function*({ events, reveal, runner, start }) {
      const first = yield* start()
      const second = yield* start()
      yield* runner.resume(first.sessionId, key("ak-1"))
      yield* failsWith(runner.resume(second.sessionId, key("ak-2")), "ConnectionAlreadyExistsError")
      const failed = yield* runner.get(second.sessionId)
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.error?.error, "ConnectionAlreadyExistsError")
      assert.strictEqual(yield* reveal, "ak-1")
      assert.deepStrictEqual(yield* events, ["login ok", "login failed", "get ok"])
    }
  )

  it.effect("survives a restart, and keeps the ID and content of an auth session out of the files", () =>
    withHome(function*(home) {
      const { sessionId } = yield* started(home, ({ start }) => start())
      const database = contentOf(`${home}/server`)
      assert.notInclude(database, sessionId)
      assert.notInclude(database, "CANARY-LABEL")
      yield* started(home, function*({ reveal, runner }) {
        yield* runner.resume(sessionId, key("ak-1"))
        assert.strictEqual(yield* reveal, "ak-1")
      })
    }, definition({ api_key: { fields: [{ name: "api_key", label: "CANARY-LABEL" }] } })))

  it.effect("rejects an auth session whose row was altered", () =>
    withHome(function*(home) {
      const { sessionId } = yield* started(home, ({ start }) => start())
      tamper(home, "UPDATE auth_sessions SET name = 'other'")
      yield* failsWith(started(home, ({ runner }) => runner.get(sessionId)), "VaultUnavailableError")
    }, definition()))

  effect("rejects a key for a definition that has changed", function*({ connections, profile, runner, start }, home) {
    const { sessionId } = yield* start({ connection: work })
    yield* define(home, definition({ hosts: ["evil.example"] }))
    yield* failsWith(runner.form(sessionId), "OperationNotAllowedError")
    const error = yield* failsWith(runner.resume(sessionId, key("ak-1")), "OperationNotAllowedError")
    assert.include(
      error.message,
      "has changed during this login. Start again with: credsvc login acme --connection work"
    )
    assert.strictEqual((yield* runner.get(sessionId)).status, "failed")
    assert.isFalse(yield* connections.exists(profile, acme, work))
  })

  effect("rejects unknown providers, unavailable flows and invalid base URLs", function*({ runner, start }, home) {
    yield* define(
      home,
      definition({
        name: "tenants",
        api_url: "{base_url}/api",
        api_key: { base_url: "https://{tenant}.acme.example" }
      })
    )
    yield* failsWith(start({ provider: "nope" as ProviderName }), "ProviderNotFoundError")
    const other = yield* failsWith(start({ flow: "pkce" }), "OperationNotAllowedError")
    assert.include(other.message, "It supports: api_key")
    const tenant = (baseUrl?: string) =>
      start({ provider: "tenants" as ProviderName, ...(baseUrl === undefined ? {} : { baseUrl }) })
    for (
      const url of [undefined, "https://example.com.evil.test", "http://a.acme.example", "https://x@a.acme.example"]
    ) {
      yield* failsWith(tenant(url), "InvalidRequestError")
    }
    const { sessionId } = yield* tenant("https://a.acme.example/")
    assert.deepStrictEqual((yield* runner.form(sessionId)).hosts, ["a.acme.example/api"])
  })

  effect("allows at most 32 open logins", function*({ runner, start }) {
    const sessions = yield* Effect.forEach(
      Array.from({ length: 32 }, (_, index) => index),
      (index) => start({ connection: `c${index}` as ConnectionName })
    )
    yield* failsWith(start(), "RequestRefusedError")
    yield* runner.cancel(sessions[0]!.sessionId)
    yield* start()
    yield* failsWith(start(), "RequestRefusedError")
    yield* TestClock.adjust("11 minutes")
    yield* start()
  })
})

// The clock of tests does not wait for PostgreSQL.
describe.skipIf(onPostgres)("FlowRunner.get with a wait", () => {
  const waiting = ({ runner }: Context, id: SessionId, waitSeconds = 30) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(runner.get(id, { waitSeconds }))
      yield* settle
      return fiber
    })

  effect("returns when the auth session changes", function*(context) {
    const { sessionId } = yield* context.start()
    const fiber = yield* waiting(context, sessionId)
    assert.isUndefined(fiber.pollUnsafe())
    yield* context.runner.resume(sessionId, key("ak-1"))
    assert.strictEqual((yield* Fiber.join(fiber)).status, "completed")
  })

  effect("returns after the requested time, and after 30 seconds at the latest", function*(context) {
    const { sessionId } = yield* context.start()
    const short = yield* waiting(context, sessionId, 5)
    const long = yield* waiting(context, sessionId, 500)
    yield* TestClock.adjust("4 seconds")
    assert.isUndefined(short.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(short)).status, "waiting_for_user")
    yield* TestClock.adjust("24 seconds")
    assert.isUndefined(long.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(long)).status, "waiting_for_user")
  })

  effect("returns immediately if the auth session has ended", function*({ runner, start }) {
    const { sessionId } = yield* start()
    yield* runner.cancel(sessionId)
    assert.strictEqual((yield* runner.get(sessionId, { waitSeconds: 30 })).status, "cancelled")
  })

  effect("reports expiry when the time of the auth session runs out during the wait", function*(context) {
    const { sessionId } = yield* context.start()
    yield* TestClock.adjust("590 seconds")
    const fiber = yield* waiting(context, sessionId)
    yield* TestClock.adjust("10 seconds")
    yield* failsWith(Fiber.join(fiber), "SessionExpiredError")
  })

  effect("allows eight waiters per auth session, and releases the slots of interrupted ones", function*(context) {
    const { sessionId } = yield* context.start()
    const fibers = yield* Effect.forEach(Array.from({ length: 8 }), () => waiting(context, sessionId))
    yield* failsWith(context.runner.get(sessionId, { waitSeconds: 30 }), "RequestRefusedError")
    assert.strictEqual((yield* context.runner.get(sessionId)).status, "waiting_for_user")
    yield* Fiber.interrupt(fibers[0]!)
    const ninth = yield* waiting(context, sessionId)
    assert.isUndefined(ninth.pollUnsafe())
    yield* context.runner.cancel(sessionId)
    assert.strictEqual((yield* Fiber.join(ninth)).status, "cancelled")
  })
})

describe("FlowRunner.form", () => {
  effect(
    "returns the hosts, the header fields and the source of the definition",
    function*({ profile, runner, start }) {
      const { expiresAt, sessionId } = yield* start()
      const { token, ...form } = yield* runner.form(sessionId)
      assert.deepStrictEqual(form, {
        provider: acme,
        flow: "api_key",
        displayName: "acme",
        source: "custom",
        overridesBundled: false,
        profile,
        connection: main,
        hosts: ["api.acme.example"],
        carriers: ["X-Acme-Key: {api_key}"],
        credentialsUrl: "https://acme.example/keys",
        notes: [],
        recipient: null,
        redirectUri: null,
        scopes: [],
        reason: null,
        fields: form.fields,
        expiresAt
      })
      assert.notStrictEqual((yield* runner.form(sessionId)).token, token)
    }
  )

  effect("marks a custom definition that overrides a bundled one", function*({ runner, start }, home) {
    yield* define(home, definition({ name: "openai" }))
    const { sessionId } = yield* start({ provider: "openai" as ProviderName })
    assert.deepInclude(yield* runner.form(sessionId), { source: "custom", overridesBundled: true })
  })

  effect("accepts a form token once for any result, and then a new form token", function*({ reveal, runner, start }) {
    const { sessionId } = yield* start()
    const { token } = yield* runner.form(sessionId)
    yield* failsWith(runner.submitForm(sessionId, token, key("wrong")), "InvalidRequestError")
    yield* failsWith(runner.submitForm(sessionId, token, key("ak-1")), "FormTokenError")
    const again = yield* runner.form(sessionId)
    assert.strictEqual((yield* runner.submitForm(sessionId, again.token, key("ak-2"))).status, "completed")
    yield* failsWith(runner.submitForm(sessionId, again.token, key("ak-3")), "SessionExpiredError")
    assert.strictEqual(yield* reveal, "ak-2")
  })

  effect(
    "rejects the form token of another auth session, a forged token and a missing token",
    function*({ connections, profile, runner, start }) {
      const { sessionId } = yield* start()
      const other = yield* start({ connection: work })
      const { token } = yield* runner.form(other.sessionId)
      const [nonce] = token.split(".")
      for (const forged of [token, "", ".", nonce!, `${nonce}.`, `${nonce}.${"A".repeat(43)}`, `A${token}`]) {
        yield* failsWith(runner.submitForm(sessionId, forged, key("ak-1")), "FormTokenError")
      }
      assert.isFalse(yield* connections.exists(profile, acme, main))
    }
  )

  it.effect("accepts a form that was shown before a restart", () =>
    withHome(function*(home) {
      const [sessionId, token] = yield* started(home, function*({ runner, start }) {
        const { sessionId } = yield* start()
        return [sessionId, (yield* runner.form(sessionId)).token] as const
      })
      yield* started(home, function*({ runner }) {
        yield* failsWith(runner.submitForm(sessionId, token, key("no")), "InvalidRequestError")
      })
      yield* started(home, function*({ runner }) {
        yield* failsWith(runner.submitForm(sessionId, token, key("ak-1")), "FormTokenError")
      })
    }, definition()))
})
