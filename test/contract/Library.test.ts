/** The library as embedding programs compose it. */
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import type { ProviderName } from "../../src/domain/wire/ProviderName.ts"
import * as Proxy from "../../src/embedded.ts"
import * as Library from "../../src/index.ts"
import * as Testing from "../../src/testing.ts"
import { acme, keyDefinition, main, oauthDefinition } from "../support/Acme.ts"
import { live } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

const { Connections, FlowRunner, Profiles, Services } = Library

const key = "sk-library-0123456789abcdef"
const question = { host: "api.acme.example", port: 443, path: "/v1", scheme: "https" as const }

const logIn = (values: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const runner = yield* FlowRunner
    const session = yield* runner.start(yield* (yield* Profiles).active, { provider: acme })
    const data = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))
    return yield* runner.resume(session.sessionId, data)
  })

const headersOf = Effect.gen(function*() {
  const profile = yield* (yield* Profiles).active
  const { headers } = yield* (yield* Connections).resolve(profile, question, { run: Option.none() })
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))
})

const inMemory = (definition: ProviderDefinition = keyDefinition(), flows: ReadonlyArray<Library.Flow> = []) =>
  Testing.layer({ providers: [definition], flows })

describe("the library", () => {
  live("provides every service in memory, with a fixed key, and leaves nothing behind", function*() {
    const home = yield* Effect.gen(function*() {
      assert.strictEqual((yield* logIn({ api_key: key })).status, "completed")
      assert.deepStrictEqual(yield* headersOf, { Authorization: `Bearer ${key}` })
      const { database, home } = yield* Library.Paths
      assert.isFalse(fs.existsSync(database))
      return home
    }).pipe(Effect.provide(inMemory()))
    assert.isFalse(fs.existsSync(home))
  })

  live("locks the home of its services", function*() {
    const home = yield* temporaryDirectory
    const services = Services.layer({ home, providers: [], keyResolver: Testing.fixedKey })
    yield* Effect.provide(
      Effect.gen(function*() {
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Layer.fresh(services))))
        assert.include(error.message, `already serves ${home}`)
      }),
      services
    )
  })

  live("uses a flow of the embedding program in place of the built-in one of its kind", function*() {
    const ticket = { name: "ticket", label: "Ticket", secret: false, required: true, default: null, pattern: null }
    const ticketFlow: Library.Flow = {
      kind: "pkce",
      supports: ({ name }) => name === acme,
      begin: () =>
        Effect.succeed({
          _tag: "AskInput",
          message: "Enter the ticket of our service desk.",
          fields: [{ ...ticket, hint: null }],
          state: null
        }),
      receive: () =>
        Effect.map(DateTime.now, (obtainedAt) => ({
          _tag: "Granted",
          grant: { values: { access_token: Redacted.make("first"), client_id: Redacted.make("app") }, obtainedAt }
        }))
    }
    yield* Effect.gen(function*() {
      const runner = yield* FlowRunner
      const started = yield* runner.start(yield* (yield* Profiles).active, { provider: acme })
      assert.deepInclude(started.nextAction, { type: "enter_input" })
      const form = yield* runner.form(started.sessionId)
      const session = yield* runner.submitForm(started.sessionId, form.token, { ticket: Redacted.make("T-1") })
      assert.strictEqual(session.status, "completed", session.error?.message)
      assert.deepStrictEqual(yield* headersOf, { Authorization: "Bearer first" })
    }).pipe(Effect.provide(inMemory(oauthDefinition(), [ticketFlow])))
  })

  it.live("serves a proxy from services in the same process, within the limits of the run", () =>
    Effect.gen(function*() {
      yield* logIn({ api_key: key })
      const asked = { ...question, provider: acme, connection: main, method: "GET" }
      const resolved = (limits: Proxy.Limits) =>
        Effect.flatMap(
          Proxy.CredentialSource,
          (source) => Effect.all({ table: source.routes(undefined), credential: source.resolve(asked) })
        ).pipe(
          Effect.provide(Proxy.sourceOfServices(limits))
        )
      const { credential, table } = yield* resolved({})
      assert.strictEqual(Redacted.value(credential.headers["Authorization"]!), `Bearer ${key}`)
      assert.isTrue(table!.routes.some(({ connected, provider }) => connected && provider === acme))
      const refused = yield* Effect.flip(resolved({ providers: ["other" as ProviderName] }))
      assert.deepInclude(refused, { error: "OperationNotAllowedError", status: 403 })
      const reported = ["GET", "api.acme.test", "/v1", 200, 0, 2, acme, main, null, null]
      const report = JSON.stringify({ part: 2, last: true, missing: 0, entries: [[0, ...reported]] })
      const isRecorded = yield* Effect.flatMap(Proxy.CredentialSource, (source) => source.report(report)).pipe(
        Effect.provide(Proxy.sourceOfServices())
      )
      assert.isTrue(isRecorded)
      const { entries: [entry] } = yield* Effect.flatMap(Library.RequestLog, (log) => log.list({ limit: 9 }))
      assert.deepInclude(entry, { path: "/v1", provider: acme, connection: main, status: 200 })
      const variables = yield* Effect.flatMap(Proxy.RunEnvironment, (run) => run.from({})).pipe(
        Effect.provide(Proxy.layerServices()),
        Effect.map(({ variables }) => variables)
      )
      assert.match(variables["HTTPS_PROXY"]!, /^http:\/\/.*@127\.0\.0\.1:\d+$/)
      assert.notInclude(JSON.stringify(variables), key)
    }).pipe(Effect.provide(inMemory())))
})
