import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as os from "node:os"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { RequestLog } from "../../src/audit/RequestLog.ts"
import { RunName } from "../../src/domain/wire/Run.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { testsWith } from "../support/Fixture.ts"
import { foundation, tamper } from "../support/Services.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { startTestDaemon } from "../support/TestDaemon.ts"
import { eventually } from "../support/Until.ts"

const inHome = testsWith(temporaryDirectory)

const definition = { auth_type: "api_key", flow: "api_key", hosts: ["api.example.net"] }

const write = (home: string, name: string, text: string) => {
  fs.mkdirSync(`${home}/providers`, { recursive: true, mode: 0o700 })
  fs.writeFileSync(`${home}/providers/${name}.json`, text, { mode: 0o600 })
}

describe("Readiness", () => {
  inHome.live("is ok if all six checks are ok", function*(home) {
    const daemon = yield* startTestDaemon({ home })
    const { json, status } = yield* daemon.request("/ready")
    assert.strictEqual(status, 200)
    assert.strictEqual(json.status, "ok", JSON.stringify(json))
    assert.deepStrictEqual(Object.keys(json.checks), [
      "spec_version",
      "identity",
      "providers",
      "connections",
      "vault",
      "integrity"
    ])
    for (const check of Object.values<any>(json.checks)) assert.strictEqual(check.status, "ok")
    assert.deepStrictEqual([json.warnings, json.problems], [[], []])
    assert.strictEqual(json.master_key_source, "local_key")
  })

  inHome.live("is degraded by a warning, and reports it", function*(home) {
    write(home, "openai", JSON.stringify({ name: "openai", ...definition }))
    const daemon = yield* startTestDaemon({
      home,
      settings: { allowAnyPeer: true, metricsToken: Option.some(Redacted.make("a".repeat(32))) }
    })
    yield* daemon.request("/ready")
    fs.chmodSync(daemon.paths.masterKey, 0o644)
    const { json, status } = yield* daemon.request("/ready?full=true")
    assert.strictEqual(status, 200)
    assert.strictEqual(json.status, "degraded")
    const warnings = (json.warnings as ReadonlyArray<string>).join("\n")
    assert.match(warnings, /openai/)
    assert.include(warnings, daemon.paths.masterKey)
    assert.include(warnings, "CREDSVC_ALLOW_ANY_PEER")
    assert.include(warnings, "CREDSVC_METRICS_TOKEN has no effect")
    assert.deepStrictEqual(json.problems, [])
  })

  const fillLogs = (home: string) =>
    Effect.gen(function*() {
      const log = yield* RequestLog
      const audit = yield* AuditLog
      const identity = yield* (yield* Profiles).active
      for (const run of ["aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"]) yield* log.recordGap(RunName.make(run), identity)
      for (let index = 0; index < 150; index++) {
        yield* audit.append({ event: "get", provider: null, connection: null, identity, status: "ok" })
      }
    }).pipe(Effect.provide(Layer.provideMerge(RequestLog.layerNoDeps, foundation(home))))

  const earlier = [
    ["the audit log", "UPDATE audit SET event = 'logout' WHERE seq = 5", /entry 5 /],
    ["the request log", "UPDATE use_batches SET run = 'dddddddddd' WHERE seq = 2", /batch 2 /]
  ] as const
  for (const [what, statement, expected] of earlier) {
    inHome.live(`checks only the newest entries of ${what}, while a verification checks all of them`, function*(home) {
      yield* fillLogs(home)
      tamper(home, statement)
      const daemon = yield* startTestDaemon({ home })
      const { json, status } = yield* daemon.request("/ready")
      assert.strictEqual(status, 200, JSON.stringify(json))
      assert.strictEqual(json.checks.integrity.status, "ok")
      const verified = yield* daemon.request("/audit/verify")
      assert.isFalse(verified.json.ok)
      assert.match(verified.json.problem, expected)
    })
  }

  const newest = [
    ["audit log", "UPDATE audit SET event = 'logout' WHERE seq = 149"],
    ["request log", "UPDATE use_batches SET run = 'dddddddddd' WHERE seq = 3"]
  ] as const
  for (const [what, statement] of newest) {
    inHome.live(`responds with unhealthy if the end of the ${what} was altered`, function*(home) {
      yield* fillLogs(home)
      tamper(home, statement)
      const daemon = yield* startTestDaemon({ home })
      const { json, status } = yield* daemon.request("/ready")
      assert.strictEqual(status, 503)
      assert.strictEqual(json.checks.integrity.status, "failed")
      assert.include(json.problems.join(), what)
    })
  }

  inHome.live("responds with unhealthy if a provider file is unusable", function*(home) {
    write(home, "broken", "{\"name\": \"broken\", \"auth_typ\": 1}")
    const daemon = yield* startTestDaemon({ home })
    const { json, status } = yield* daemon.request("/ready")
    assert.strictEqual(status, 503)
    assert.strictEqual(json.status, "unhealthy")
    assert.strictEqual(json.checks.providers.status, "failed")
    assert.include(json.problems.join("\n"), "broken.json")
    assert.strictEqual((yield* daemon.request("/providers")).status, 200)
  })

  inHome.live("explains how to recover from a missing key, as do the failing operations", function*(home) {
    yield* Effect.scoped(Effect.gen(function*() {
      const daemon = yield* startTestDaemon({ home })
      assert.strictEqual((yield* daemon.request("/ready")).json.status, "ok")
    }))
    const key = `${home}/server/master.key`
    fs.renameSync(key, `${home}/saved.key`)
    const daemon = yield* startTestDaemon({ home })
    const health = yield* daemon.request("/health")
    assert.strictEqual(health.status, 200)
    assert.isNull(health.json.master_key_source)
    const ready = yield* daemon.request("/ready")
    assert.strictEqual(ready.status, 503)
    assert.strictEqual(ready.json.checks.vault.status, "failed")
    assert.include(ready.json.problems.join("\n"), key)
    const { daemonLog } = daemon.paths
    yield* eventually(Effect.sync(() => fs.readFileSync(daemonLog, "utf8")), (log) => log.includes(key))
    const refused = yield* daemon.post("/credentials/export", { provider: "openai" })
    assert.include([404, 503], refused.status)
    const login = yield* daemon.post("/auth/sessions", { provider: "openai" })
    assert.strictEqual(login.status, 503)
    assert.strictEqual(login.json.error, "VaultUnavailableError")
    assert.include(login.json.detail, key)
    assert.isFalse(fs.existsSync(key), "no second key was created")
    const page = yield* daemon.request("/ui/")
    assert.include([200, 503], page.status)
  })

  inHome.live("is degraded on an address that other machines can reach", function*(home) {
    const daemon = yield* startTestDaemon({ home, host: "0.0.0.0" })
    const { json } = yield* daemon.request("/ready")
    assert.strictEqual(json.status, "degraded")
    assert.match(json.warnings.join("\n"), /0\.0\.0\.0.*does not encrypt connections/)
    for (
      const name of [`192.168.1.5:${daemon.port}`, `0.0.0.0:${daemon.port}`, `${os.hostname()}:${daemon.port}`]
    ) {
      assert.strictEqual((yield* daemon.request("/health", { headers: { host: name } })).status, 403, name)
    }
  })
})
