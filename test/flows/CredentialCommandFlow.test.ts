import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import * as path from "node:path"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import { CredentialCommand } from "../../src/domain/wire/CredentialCommand.ts"
import { acme, keyDocument, main, oauthDocument } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { testsIn } from "../support/Fixture.ts"
import { loginContext } from "../support/Logins.ts"
import { contentOf, copyOf, dropIn, logins, withHome } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"

const command = (given: object) => Schema.decodeUnknownSync(CredentialCommand)(given)

/** A program in the home that prints what the file `output` contains and counts its runs. */
const programIn = (home: string) => {
  const file = path.join(home, "print-key")
  const output = path.join(home, "output")
  const runs = path.join(home, "runs")
  fs.writeFileSync(file, `#!/bin/sh\necho run >> ${runs}\necho CANARY-STDERR >&2\nexec cat ${output}\n`, {
    mode: 0o700
  })
  return {
    argv: [file, "--arg"] as const,
    prints: (text: string | object) => fs.writeFileSync(output, typeof text === "string" ? text : JSON.stringify(text)),
    breaks: () => fs.rmSync(output),
    get runs() {
      return fs.existsSync(runs) ? fs.readFileSync(runs, "utf8").split("\n").length - 1 : 0
    }
  }
}

type Program = ReturnType<typeof programIn>

const setUp = Effect.gen(function*() {
  const context = yield* loginContext
  const { connections, profile, start } = context
  const logIn = (given: object) => start({ force: true, flow: "credential_command", command: command(given) })
  const key = (rejected?: DateTime.Utc) =>
    Effect.map(
      context.resolve(rejected === undefined ? {} : { rejected }),
      ({ headers }) => Redacted.value(Object.values(headers)[0]!).replace("Bearer ", "")
    )
  return { ...context, exists: connections.exists(profile, acme, main), key, logIn }
})

type Context = Effect.Success<typeof setUp>

const started = <A>(home: string, body: (context: Context) => Returned<A, Scope.Scope>) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(Effect.provide(logins(home), { local: true }))

const inHome = <A>(
  body: (context: Context, program: Program, home: string) => Returned<A, Scope.Scope>,
  document: { readonly name: string } = keyDocument()
) => withHome((home) => started(home, (context) => body(context, programIn(home), home)), document)

const { effect } = testsIn(inHome)

const pairWith = (secret: "access_key_id" | "secret_access_key") =>
  keyDocument({
    api_key: {
      fields: ["access_key_id", "secret_access_key"].map((name) => ({ name, secret: name === secret })),
      headers: { "X-Id": "{access_key_id}", "X-Secret": "{secret_access_key}" }
    }
  })

const pair = pairWith("secret_access_key")

describe.skipIf(process.platform === "win32")("CredentialCommandFlow", () => {
  effect(
    "stores the first line that the program prints, sealed",
    function*({ connection, events, key, logIn }, program, home) {
      program.prints("  CANARY-KEY\nuser: somebody\n")
      const session = yield* logIn({ argv: program.argv })
      assert.deepInclude(session, { flow: "credential_command", status: "completed" })
      assert.strictEqual(yield* key(), "CANARY-KEY")
      assert.deepInclude(yield* connection, { flow: "credential_command", expiresAt: null })
      assert.deepStrictEqual((yield* connection).command?.argv, program.argv)
      assert.strictEqual(program.runs, 1)
      assert.include(yield* events, "login ok")
      fs.rmSync(path.join(home, "output"))
      assert.notInclude(contentOf(home), "CANARY-KEY")
    }
  )

  it.effect("reads fields and expiry from JSON, by name or by pointer", () =>
    inHome(function*({ connection, logIn, resolve }, program) {
      program.prints({ access_key_id: "id-1", data: { secret: "CANARY", for: 600 } })
      const values = { secret_access_key: "/data/secret" }
      const session = yield* logIn({ argv: program.argv, output: "json", values, expiry: "/data/for" })
      assert.isNull(session.error)
      const { headers } = yield* resolve()
      assert.strictEqual(Redacted.value(headers["X-Secret"]!), "CANARY")
      assert.deepInclude(yield* connection, {
        expiresAt: DateTime.add(yield* DateTime.now, { minutes: 10 }),
        fields: { access_key_id: "id-1" }
      })
    }, pair))

  it.effect("reads the output of an AWS credential_process", () =>
    inHome(function*({ connection, logIn, resolve }, program) {
      program.prints({
        Version: 1,
        AccessKeyId: "AKIA1",
        SecretAccessKey: "CANARY",
        SessionToken: "unused",
        Expiration: "1970-01-01T01:00:00Z"
      })
      assert.isNull((yield* logIn({ argv: program.argv, output: "credential_process" })).error)
      const { expiresAt, headers } = yield* resolve()
      assert.strictEqual(Redacted.value(headers["X-Id"]!), "AKIA1")
      assert.strictEqual(DateTime.toEpochMillis(expiresAt!), 3_600_000)
      assert.strictEqual((yield* connection).status, "connected")
    }, pair))

  for (const token of ["CANARY".padEnd(200, "x"), undefined]) {
    effect(
      `gives the bundled provider aws a key pair ${token === undefined ? "without" : "with"} a session token`,
      function*({ connections, profile, start }, program) {
        program.prints({
          Version: 1,
          AccessKeyId: token === undefined ? "AKIAIOSFODNN7EXAMPLE" : "ASIAIOSFODNN7EXAMPLE",
          SecretAccessKey: "CANARY".padEnd(40, "x"),
          SessionToken: token
        })
        const aws = "aws" as ProviderName
        const session = yield* start({
          provider: aws,
          flow: "credential_command",
          command: command({ argv: program.argv, output: "credential_process" })
        })
        assert.isNull(session.error)
        const { apiKey } = yield* connections.get(profile, aws, main, { reveal: true })
        assert.strictEqual(JSON.parse(Redacted.value(apiKey!)).session_token, token)
      }
    )
  }

  const expiring = { output: "json", expiry: "/at" }
  const hostile: ReadonlyArray<readonly [what: string, given: object, output: string | object, message: string]> = [
    ["nothing", {}, "", "API key is missing"],
    ["a control character", {}, "CANARY\u0007", "control character"],
    ["a placeholder", {}, "credsvc-proxy-managed", "is a placeholder"],
    ["5000 characters", {}, "CANARY".padEnd(5000, "x"), "longer than 4096 bytes"],
    ["text that is not JSON", { output: "json" }, "CANARY", "did not print JSON"],
    ["a JSON list", { output: "json" }, ["CANARY"], "did not print a JSON object"],
    ["an object in place of the key", { output: "json" }, { api_key: { key: "CANARY" } }, "API key is missing"],
    ["another version", { output: "credential_process" }, { Version: 2, api_key: "CANARY" }, "without \"Version\": 1"],
    ["an expiry that has passed", expiring, { api_key: "CANARY", at: "1960-01-01" }, "an invalid expiry: expected"],
    ["an invalid expiry", expiring, { api_key: "CANARY", at: "soon" }, "an invalid expiry: expected"]
  ]
  for (const [what, given, output, message] of hostile) {
    effect(
      `stores nothing after ${what}, and does not repeat the output`,
      function*({ events, exists, logIn }, program) {
        program.prints(output)
        const error = yield* failsWith(logIn({ argv: program.argv, ...given }), "AuthenticationFailedError")
        assert.include(error.message, "The credential command print-key of acme")
        assert.include(error.message, message)
        assert.notInclude(JSON.stringify(error), "CANARY")
        assert.isFalse(yield* exists)
        assert.include(yield* events, "login denied")
      }
    )
  }

  effect(
    "runs the program again after the credential has expired, once for all callers",
    function*({ connection, key, logIn }, program) {
      program.prints("key-1")
      yield* logIn({ argv: program.argv, lifetime: 3600 })
      program.prints("key-2")
      yield* TestClock.adjust("30 minutes")
      assert.strictEqual(yield* key(), "key-1")
      yield* TestClock.adjust("2 hours")
      const keys = yield* Effect.all([key(), key(), key()], { concurrency: "unbounded" })
      assert.deepStrictEqual(keys, ["key-2", "key-2", "key-2"])
      assert.strictEqual(program.runs, 2)
      assert.deepInclude(yield* connection, { lastRefreshAt: yield* DateTime.now, lastRefreshError: null })
    }
  )

  effect("runs the program again when the provider rejects the key", function*({ key, logIn, resolve }, program) {
    program.prints("key-1")
    yield* logIn({ argv: program.argv })
    const { issuedAt, refreshable } = yield* resolve()
    assert.isTrue(refreshable)
    program.prints("key-2")
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* key(issuedAt), "key-2")
  })

  effect(
    "keeps the credential while the program fails, reports the failure, and recovers",
    function*({ connection, key, logIn, resolve }, program) {
      program.prints("key-1")
      yield* logIn({ argv: program.argv, lifetime: 3600 })
      program.breaks()
      const { issuedAt } = yield* resolve()
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* key(issuedAt), "key-1")
      assert.include((yield* connection).lastRefreshError, "exited with code 1")
      yield* TestClock.adjust("2 hours")
      yield* failsWith(key(), "RefreshFailedError")
      program.prints("key-2")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* key(), "key-2")
      assert.isNull((yield* connection).lastRefreshError)
    }
  )

  effect("keeps the confirmed command after a restart", function*({ logIn }, program, home) {
    program.prints("key-1")
    yield* logIn({ argv: program.argv, lifetime: 60 })
    const copy = yield* copyOf(home)
    program.prints("key-2")
    yield* TestClock.adjust("2 hours")
    yield* started(copy, function*(next) {
      assert.strictEqual(yield* next.key(), "key-2")
      assert.deepStrictEqual((yield* next.connection).command?.argv, program.argv)
    })
  })

  it.effect("keeps a value secret that was secret at the login, even if the definition no longer declares it secret", () =>
    inHome(function*({ logIn }, program, home) {
      program.prints({ access_key_id: "id-1", secret_access_key: "CANARY" })
      yield* logIn({ argv: program.argv, output: "json", lifetime: 60 })
      const copy = yield* copyOf(home)
      dropIn(copy, pairWith("access_key_id"))
      program.prints({ access_key_id: "id-2", secret_access_key: "CANARY" })
      yield* TestClock.adjust("2 hours")
      yield* started(copy, function*(next) {
        const { headers, secrets } = yield* next.resolve()
        assert.strictEqual(Redacted.value(headers["X-Id"]!), "id-2")
        assert.includeMembers(secrets.map((secret) => Redacted.value(secret)), ["CANARY"])
        assert.notInclude(JSON.stringify((yield* next.connection).fields ?? {}), "CANARY")
      })
    }, pair))

  const key = { name: "api_key" }
  const tenant = { name: "tenant" }
  const cases = [
    ["another name for the key", [key], [{ name: "token" }]],
    ["a further field", [key], [key, tenant]],
    ["one field fewer", [key, tenant], [key]]
  ] as const
  for (const [what, before, after] of cases) {
    it.effect(`needs a new login once the definition has ${what}`, () =>
      inHome(function*({ logIn }, program, home) {
        program.prints({ api_key: "CANARY-1", token: "CANARY-2", tenant: "CANARY-3" })
        yield* logIn({ argv: program.argv, output: "json", lifetime: 60 })
        const copy = yield* copyOf(home)
        dropIn(copy, keyDocument({ api_key: { fields: after } }))
        yield* TestClock.adjust("2 hours")
        yield* started(copy, function*(next) {
          yield* failsWith(next.key(), "CredentialMissingError")
          const { lastRefreshError, status } = yield* next.connection
          assert.strictEqual(status, "invalid")
          assert.include(lastRefreshError, "acme have changed since this login. Log in again with: credsvc login acme")
        })
      }, keyDocument({ api_key: { fields: before } })))
  }

  it.effect("accepts an optional field that the program prints only sometimes", () =>
    inHome(function*({ logIn, resolve }, program) {
      program.prints({ api_key: "key-1" })
      yield* logIn({ argv: program.argv, output: "json", lifetime: 60 })
      for (const more of [{ tenant: "t" }, {}]) {
        program.prints({ api_key: "key-2", ...more })
        yield* TestClock.adjust("2 hours")
        assert.strictEqual(Redacted.value((yield* resolve()).headers["Authorization"]!), "Bearer key-2")
      }
    }, keyDocument({ api_key: { fields: [{ name: "api_key" }, { name: "tenant", required: false }] } })))

  it.effect("is not available for OAuth", () =>
    inHome(function*({ logIn }, program) {
      yield* failsWith(logIn({ argv: program.argv }), "OperationNotAllowedError")
      assert.strictEqual(program.runs, 0)
    }, oauthDocument()))
})

describe("CredentialCommand", () => {
  const cases = [
    ["a relative program", { argv: ["op", "read"] }],
    ["a missing program", { argv: [] }],
    ["a line break in an argument", { argv: ["/usr/bin/op", "read\n/bin/evil"] }],
    ["a NUL character", { argv: ["/usr/bin/op\u0000"] }],
    ["100 arguments", { argv: ["/usr/bin/op", ...Array.from({ length: 100 }, () => "x")] }],
    ["a lifetime of a second", { argv: ["/usr/bin/op"], lifetime: 1 }],
    ["an invalid pointer", { argv: ["/usr/bin/op"], values: { api_key: "key" } }]
  ] as const
  for (const [what, given] of cases) {
    it(`rejects ${what}`, () => assert.throws(() => command(given)))
  }

  it("is rejected in a definition, whether the definition is registered or in the folder", () => {
    const argv = ["/usr/bin/op", "read"]
    const documents = [
      keyDocument({ api_key: { credential_command: { argv } } }),
      keyDocument({ credential_command: { argv } }),
      keyDocument({ command: { argv } }),
      keyDocument({ flow: "credential_command" }),
      keyDocument({ flows: ["api_key", "credential_command"] })
    ]
    for (const document of documents) {
      assert.isTrue(Result.isFailure(readDefinition(document)), JSON.stringify(document))
    }
  })
})
