import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { AuditLog } from "../../../src/audit/AuditLog.ts"
import { ConfigFile } from "../../../src/config/file/ConfigFile.ts"
import { Paths } from "../../../src/config/Paths.ts"
import { Settings, type SettingsShape } from "../../../src/config/Settings.ts"
import { Connections } from "../../../src/connections/Connections.ts"
import { ClientCredentialsRepo } from "../../../src/connections/oauth/ClientCredentialsRepo.ts"
import { VaultUnavailableError } from "../../../src/domain/Errors.ts"
import type { PolicyName } from "../../../src/domain/rules/RuleSchemas.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProfileHandle } from "../../../src/domain/wire/Profile.ts"
import type { SandboxName } from "../../../src/domain/wire/Sandbox.ts"
import { FlowRunner } from "../../../src/flows/FlowRunner.ts"
import { PublicUrl } from "../../../src/flows/PublicUrl.ts"
import { ApiHttp } from "../../../src/outbound/ApiHttp.ts"
import * as SecureFiles from "../../../src/platform/files/SecureFiles.ts"
import { Policies } from "../../../src/policies/Policies.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../../src/providers/BundledProviders.ts"
import { Sandboxes } from "../../../src/sandboxes/Sandboxes.ts"
import { layerWith } from "../../../src/server/Services.ts"
import { KeyResolver } from "../../../src/vault/keys/KeyResolver.ts"
import { Keyring } from "../../../src/vault/keys/Keyring.ts"
import { KeyRotation } from "../../../src/vault/keys/KeyRotation.ts"
import { makeDataKey } from "../../../src/vault/keys/WrappedDataKey.ts"
import { StoreManifest } from "../../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../../src/vault/Vault.ts"
import { acme, keyDocument, oauthDefinition } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { noNetwork } from "../../support/FakeOAuthHttp.ts"
import { testsIn } from "../../support/Fixture.ts"
import { origin, query, withHome } from "../../support/Services.ts"
import { storeOf } from "../../support/StoredConnections.ts"
import { type Returned, toEffect } from "../../support/TestBody.ts"
import { testStore } from "../../support/TestStore.ts"
import { memoryKeyring } from "../support.ts"

const keyA = Buffer.alloc(32, 1).toString("base64")
const keyB = Buffer.alloc(32, 2).toString("base64")

interface Situation {
  readonly keyring?: Map<string, string>
  readonly settings?: Partial<SettingsShape>
}

/** All services, as a newly started daemon has them. */
const daemonOf = (home: string, { keyring, settings }: Situation) =>
  layerWith([]).pipe(
    Layer.provideMerge(noNetwork),
    Layer.provideMerge(Layer.mock(ApiHttp, {})),
    Layer.provideMerge(BundledProviders.layer),
    Layer.provideMerge(PublicUrl.layerOf(origin)),
    Layer.provideMerge(KeyResolver.layerNoDeps),
    Layer.provideMerge(keyring === undefined ? Keyring.layerAbsent : memoryKeyring(keyring, () => "open")),
    Layer.provideMerge(testStore),
    Layer.provideMerge(ConfigFile.layerNoDeps),
    Layer.provideMerge(Paths.layerNoDeps),
    Layer.provideMerge(Settings.layerOf({ home, ...settings }))
  )

const names = ["default", "work", "third"].map((name) => name as ConnectionName)
const triage = "triage" as PolicyName
const dev = "dev" as SandboxName
const secretOf = (name: string) => `CANARY-${name}`
const client = { definition: oauthDefinition(), baseUrl: null, issuer: "https://login.acme.example" }

const context = Effect.gen(function*() {
  const audit = yield* AuditLog
  const clients = yield* ClientCredentialsRepo
  const connections = yield* Connections
  const manifest = yield* StoreManifest
  const policies = yield* Policies
  const profiles = yield* Profiles
  const rotation = yield* KeyRotation
  const runner = yield* FlowRunner
  const sandboxes = yield* Sandboxes
  const vault = yield* Vault
  const profile = yield* profiles.active
  const save = yield* storeOf(profile)

  const record = audit.append({
    event: "vault-rotate",
    provider: null,
    connection: null,
    identity: profile,
    status: "ok"
  })
  const rotate = (newKey?: string) =>
    rotation.rotate({ newKey: Option.map(Option.fromUndefinedOr(newKey), Redacted.make), record })

  const secret = (name: string, of: ProfileHandle = profile) =>
    Effect.map(
      connections.get(of, acme, name as ConnectionName, { reveal: true }),
      ({ apiKey }) => Redacted.value(apiKey!)
    )

  /** Stores a row of each kind. */
  const fill = Effect.gen(function*() {
    for (const name of names) yield* save({ api_key: secretOf(name) }, { connection: name })
    yield* manifest.transact(clients.save({ ...client, profile }, {
      source: "entered",
      clientId: "app",
      clientSecret: Redacted.make("CANARY-client"),
      authentication: null,
      redirectUri: null,
      secretExpiresAt: null,
      registration: null,
      refusedAt: null
    }))
    yield* policies.set(profile, triage, { allow: ["GET api.acme.example/**"], deny: [], readonly: false })
    const { token } = yield* sandboxes.create(profile, { name: dev, providers: [acme], expiresIn: 3600 })
    const { sessionId } = yield* runner.start(profile, { provider: acme, connection: "login" as ConnectionName })
    return { token: Redacted.value(token), sessionId }
  })

  /** Reads every row that `fill` has stored, and verifies the store. */
  const check = Effect.fnUntraced(function*({ sessionId, token }: Effect.Success<typeof fill>) {
    for (const name of names) assert.strictEqual(yield* secret(name), secretOf(name))
    const found = yield* clients.find({ ...client, profile })
    assert.strictEqual(Redacted.value(found!.credentials.clientSecret!), "CANARY-client")
    assert.lengthOf((yield* policies.get(profile, triage)).rules.allow, 1)
    assert.strictEqual(Redacted.value((yield* sandboxes.access(profile, dev)).token), token)
    assert.strictEqual((yield* runner.get(sessionId, {})).nextAction.type, "enter_input")
    yield* manifest.verify
    const { brokenAt } = yield* audit.verify
    assert.isNull(brokenAt)
  })
  const events = Effect.map(audit.list({ limit: 999 }), (entries) => entries.map(({ event }) => event))
  return {
    sql: yield* SqlClient.SqlClient,
    manifest,
    profile,
    record,
    rotate,
    rotation,
    save,
    secret,
    fill,
    check,
    events,
    vault
  }
})

type Context = Effect.Success<typeof context>

/** Runs the body in a new process on the home. */
const started = <A>(home: string, body: (context: Context) => Returned<A>, situation: Situation = {}) =>
  Effect.flatMap(context, (found) => toEffect(body(found))).pipe(
    Effect.provide(Layer.fresh(daemonOf(home, situation)), { local: true }),
    Effect.scoped
  )

const inHome = <A>(body: (home: string) => Returned<A>) => withHome(body, keyDocument())

const { live } = testsIn(inHome)

const filesOf = (home: string) =>
  ["credsvc.db", "credsvc.db-wal", "manifest.anchor", "master.key", "master.key.next"]
    .map((name) => path.join(home, "server", name))
    .filter((file) => fs.existsSync(file))
    .map((file) => fs.readFileSync(file))

const keyIds = (home: string) =>
  [
    ...query(home, "SELECT value AS id FROM meta WHERE key = 'key_id'"),
    ...query(home, "SELECT key_id AS id FROM data_keys WHERE profile <> '*store'")
  ].map(({ id }) => String(id))

describe("KeyRotation", () => {
  live("changes nothing if a table that no service knows has sealed rows", function*(home) {
    const stored = yield* started(home, ({ fill }) => fill)
    const before = keyIds(home)
    yield* started(home, function*({ check, rotate, vault }) {
      vault.addTable("policies", () => Effect.succeed(0))
      const error = yield* failsWith(rotate(), "VaultUnavailableError")
      assert.include(error.detail, "Nothing was changed")
      yield* check(stored)
    })
    assert.deepStrictEqual(keyIds(home), before)
    yield* started(home, ({ check, rotate }) => Effect.andThen(check(stored), rotate()))
  })

  live("opens and rotates a home in which an earlier version had sealed only some rows again", function*(home) {
    const stored = yield* started(home, ({ fill }) => fill)
    yield* started(home, function*({ manifest, profile, sql }) {
      const { key, storeId } = yield* manifest.verified("rows")
      yield* manifest.transact(Effect.gen(function*() {
        yield* sql`UPDATE data_keys SET active = 0 WHERE profile = ${profile}`
        const { dataKey, row: { wrapped } } = makeDataKey(key, { storeId, profile })
        yield* sql`INSERT INTO data_keys ${
          sql.insert({ key_id: dataKey.id, profile, active: 1, created_at: "2026-01-01T00:00:00Z", wrapped })
        }`
      }))
    })
    const before = keyIds(home)
    yield* started(home, function*({ check, rotate, save }) {
      yield* check(stored)
      yield* save({ api_key: secretOf("later") }, { connection: "later" as ConnectionName })
      assert.deepInclude(yield* rotate(), { rows: 8, dataKeys: 2 })
      yield* check(stored)
    })
    assert.isEmpty(keyIds(home).filter((id) => before.includes(id)))
    yield* started(home, ({ check }) => check(stored))
  })

  live("replaces all keys, and keeps every secret, in this process and the next", function*(home) {
    const stored = yield* started(home, ({ fill }) => fill)
    const before = keyIds(home)
    const result = yield* started(home, function*({ check, events, rotate, rotation }) {
      const first = yield* rotation.status
      assert.deepInclude(first, { source: "local_key", generation: 1 })
      const result = yield* rotate()
      assert.strictEqual(result.dataKeys, 1)
      assert.deepInclude(result.keys, { generation: 2, dataKeys: first.dataKeys })
      assert.notStrictEqual(result.keys.keyId, first.keyId)
      yield* check(stored)
      assert.lengthOf((yield* events).filter((event) => event === "vault-rotate"), 1)
      return result
    })
    // Three connections, a client, a policy, a sandbox and a login.
    assert.strictEqual(result.rows, 7)
    assert.isEmpty(keyIds(home).filter((id) => before.includes(id)))
    yield* started(home, ({ check }) => check(stored))
  })

  live("leaves nothing in the files that the old keys open", function*(home) {
    const stored = yield* started(home, ({ fill }) => fill)
    const key = fs.readFileSync(path.join(home, "server", "master.key"))
    const boxes = query(home, "SELECT wrapped AS box FROM data_keys UNION ALL SELECT secret FROM connections")
      .map(({ box }) => Buffer.from(box as Uint8Array))
    const marks = [...keyIds(home).map((id) => Buffer.from(id, "hex")), ...boxes, key.subarray(15, 40)]
    for (const mark of marks) assert.isTrue(filesOf(home).some((content) => content.includes(mark)))
    yield* started(home, function*({ rotate }) {
      yield* rotate()
      for (const mark of marks) assert.isFalse(filesOf(home).some((content) => content.includes(mark)), "while open")
    })
    for (const mark of marks) assert.isFalse(filesOf(home).some((content) => content.includes(mark)))
    const now = fs.readFileSync(path.join(home, "server", "master.key"))
    fs.writeFileSync(path.join(home, "server", "master.key"), key)
    const error = yield* started(home, ({ secret }) => failsWith(secret("default"), "VaultUnavailableError"))
    assert.include(error.detail, "does not contain this vault's key")
    fs.writeFileSync(path.join(home, "server", "master.key"), now)
    yield* started(home, ({ check }) => check(stored))
  })

  live("replaces the old key in the keyring by the new key", function*(home) {
    const keyring = new Map<string, string>()
    const stored = yield* started(home, ({ fill }) => fill, { keyring })
    const [entry = "", former = ""] = [...keyring][0]!
    yield* started(home, function*({ check, rotate }) {
      assert.strictEqual((yield* rotate()).keys.source, "keyring")
      yield* check(stored)
    }, { keyring })
    assert.notStrictEqual(keyring.get(entry), former)
    assert.notInclude([...keyring.values()], former)
    yield* started(home, ({ check }) => check(stored), { keyring })
  })

  const withKey = (key: string): Situation => ({ settings: { masterKey: Option.some(Redacted.make(key)) } })

  live("uses the given key if the environment provides the key, and needs it after a restart", function*(home) {
    const stored = yield* started(home, ({ fill }) => fill, withKey(keyA))
    yield* started(home, function*({ check, rotate }) {
      const missing = yield* failsWith(rotate(), "OperationNotAllowedError")
      assert.include(missing.detail, "CREDSVC_MASTER_KEY, which credsvc cannot change")
      for (const key of ["CANARY", keyA]) {
        const error = yield* failsWith(rotate(key), "OperationNotAllowedError")
        assert.notInclude(error.detail, key)
      }
      yield* rotate(`${keyB}\n`)
      yield* check(stored)
    }, withKey(keyA))
    const error = yield* started(
      home,
      ({ secret }) => failsWith(secret("default"), "VaultUnavailableError"),
      withKey(keyA)
    )
    assert.include(error.detail, "CREDSVC_MASTER_KEY does not contain this vault's key")
    yield* started(home, ({ check }) => check(stored), withKey(keyB))
  })

  live("rotates to the key of another file", function*(home) {
    const file = path.join(home, "provided")
    const situation: Situation = { settings: { masterKeyFile: Option.some(file) } }
    fs.writeFileSync(file, keyA, { mode: 0o600 })
    const stored = yield* started(home, ({ fill }) => fill, situation)
    yield* started(home, function*({ check, rotate }) {
      assert.strictEqual((yield* rotate(keyB)).keys.source, "key_file")
      yield* check(stored)
    }, situation)
    fs.writeFileSync(file, keyB)
    yield* started(home, ({ check }) => check(stored), situation)
  })

  live("refuses a given key where credsvc creates the key itself", function*(home) {
    yield* started(home, function*({ fill, rotate, rotation }) {
      yield* fill
      yield* failsWith(rotate(keyB), "OperationNotAllowedError")
      assert.strictEqual((yield* rotation.status).generation, 1)
    })
  })

  live("replaces no key if the rotation cannot be recorded", function*(home) {
    const stored = yield* started(home, function*({ check, fill, rotation }) {
      const stored = yield* fill
      const before = yield* rotation.status
      const record = Effect.fail(VaultUnavailableError.of("no record"))
      yield* failsWith(rotation.rotate({ newKey: Option.none(), record }), "VaultUnavailableError")
      assert.deepStrictEqual(yield* rotation.status, before)
      yield* check(stored)
      return stored
    })
    yield* started(home, ({ check, rotate }) => Effect.andThen(check(stored), rotate()))
  })

  it.live("loses no connection that is used, replaced or created meanwhile", () =>
    inHome(function*(home) {
      yield* started(home, function*({ rotate, save, secret }) {
        const all = Array.from({ length: 150 }, (_, index) => `n${index}`)
        for (const name of all) yield* save({ api_key: `${name}-0` }, { connection: name as ConnectionName })
        const rotating = yield* Effect.forkChild(rotate())
        let round = 0
        while (rotating.pollUnsafe() === undefined) {
          round++
          const name = all[(round * 37) % all.length]!
          yield* save({ api_key: `${name}-${round}` }, { connection: name as ConnectionName, force: true })
          assert.strictEqual(yield* secret(name), `${name}-${round}`)
          yield* save({ api_key: "new" }, { connection: `x${round}` as ConnectionName })
          assert.match(yield* secret(all[(round * 11) % all.length]!), /^n\d+-\d+$/)
          yield* Effect.yieldNow
        }
        assert.isAbove(round, 0)
        yield* Fiber.join(rotating)
        for (const name of all) assert.match(yield* secret(name), new RegExp(`^${name}-\\d+$`))
        for (let number = 1; number <= round; number++) assert.strictEqual(yield* secret(`x${number}`), "new")
      })
      yield* started(home, ({ secret }) => Effect.map(secret("n5"), (value) => assert.match(value, /^n5-\d+$/)))
    }), 120_000)

  live("completes although its caller is interrupted, and another rotation waits for its turn", function*(home) {
    yield* started(home, function*({ fill, rotate, rotation }) {
      yield* fill
      const first = yield* Effect.forkChild(rotate())
      const other = yield* Effect.forkChild(rotate())
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* Fiber.join(other)
      assert.strictEqual((yield* rotation.status).generation, 3)
    })
  })

  /** Fails the nth operation on a file of a key. */
  const failing = (nth: number) => {
    let count = 0
    const perform: SecureFiles.Perform = (operation, file, evaluate) =>
      file.includes("master.key") && ++count === nth
        ? Effect.fail(new SecureFiles.SecureFileError({ path: file, problem: "io", code: "ENOSPC" }))
        : Effect.try({ try: evaluate, catch: (cause) => cause as SecureFiles.SecureFileError })
    return { perform, count: () => count }
  }

  it.live(
    "survives a full disk at each change of the key file",
    () =>
      inHome(function*(home) {
        const stored = yield* started(home, ({ fill }) => fill)
        let failures = 0
        for (let nth = 1; nth <= 6; nth++) {
          const { perform } = failing(nth)
          const outcome = yield* Effect.exit(
            started(home, ({ rotate }) => rotate()).pipe(Effect.provideService(SecureFiles.FileOperations, perform))
          )
          if (outcome._tag === "Failure") failures++
          yield* started(home, function*({ check, rotate, rotation }) {
            yield* check(stored)
            const { generation } = yield* rotation.status
            assert.strictEqual((yield* rotate()).keys.generation, generation + 1)
            yield* check(stored)
          })
        }
        assert.isAbove(failures, 2)
      }),
    60_000
  )

  live("loses no key if a rotation of an empty vault fails and the next one fails too", function*(home) {
    yield* started(home, ({ record }) => record)
    const key = path.join(home, "server", "master.key")
    const perform: SecureFiles.Perform = (_operation, file, evaluate) =>
      file === key && fs.existsSync(`${key}.next`)
        ? Effect.fail(new SecureFiles.SecureFileError({ path: file, problem: "io", code: "ENOSPC" }))
        : Effect.try({ try: evaluate, catch: (cause) => cause as SecureFiles.SecureFileError })
    yield* started(home, ({ rotate }) => failsWith(rotate(), "VaultUnavailableError")).pipe(
      Effect.provideService(SecureFiles.FileOperations, perform)
    )
    const stored = yield* started(home, function*({ fill, rotation }) {
      const stored = yield* fill
      const record = Effect.fail(VaultUnavailableError.of("no record"))
      yield* failsWith(rotation.rotate({ newKey: Option.none(), record }), "VaultUnavailableError")
      return stored
    })
    yield* started(home, ({ check, rotate }) => Effect.andThen(check(stored), rotate()))
    yield* started(home, ({ check }) => check(stored))
  })
})
