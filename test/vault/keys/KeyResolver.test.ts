import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { KeyResolver } from "../../../src/vault/keys/KeyResolver.ts"
import { Vault } from "../../../src/vault/Vault.ts"
import { effect, testsWith } from "../../support/Fixture.ts"
import { transact } from "../../support/Services.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { environmentOf, identity, memoryKeyring, type Situation, started, tamper } from "../support.ts"

const inHome = testsWith(temporaryDirectory)

const keyFile = (home: string) => path.join(home, "server", "master.key")
const keyA = Buffer.alloc(32, 1).toString("base64")
const keyB = Buffer.alloc(32, 2).toString("base64")

const seal = transact(Effect.flatMap(Vault, (vault) => vault.seal(identity, Redacted.make("s3cret"))))
const opens = (sealed: Uint8Array) =>
  Effect.flatMap(Vault, (vault) => Effect.map(vault.open(identity, sealed), Redacted.value))
const status = Effect.flatMap(Vault, (vault) => vault.masterKey)
const refusal = (home: string, situation: Situation = {}) =>
  Effect.map(
    started(home, situation)(Effect.flip(Effect.flatMap(Vault, (vault) => vault.available))),
    ({ detail }) => detail
  )

const databaseOf = (home: string) =>
  crypto.createHash("sha256").update(fs.readFileSync(path.join(home, "server", "credsvc.db"))).digest("hex")

/** Returns the error, after checking that neither the database nor the key locations changed. */
const refusalWithoutTrace = Effect.fnUntraced(function*(home: string, situation: Situation = {}) {
  const before = databaseOf(home)
  const keyBefore = fs.existsSync(keyFile(home)) ? fs.readFileSync(keyFile(home), "utf8") : undefined
  const detail = yield* refusal(home, situation)
  assert.strictEqual(databaseOf(home), before)
  assert.strictEqual(fs.existsSync(keyFile(home)) ? fs.readFileSync(keyFile(home), "utf8") : undefined, keyBefore)
  return detail
})

const memory = (entries = new Map<string, string>(), condition: "open" | "locked" | "unavailable" = "open") => ({
  entries,
  keyring: memoryKeyring(entries, () => condition)
})

describe("KeyResolver, for a new vault", () => {
  const cases: ReadonlyArray<readonly [string, Situation, string, string]> = [
    ["auto with the variable", { env: keyA, ...memory() }, "env", "environment variable CREDSVC_MASTER_KEY"],
    ["auto with a keyring", memory(), "keyring", "OS keyring (memory)"],
    ["auto with a locked keyring", memory(new Map(), "locked"), "local_key", "key file "],
    ["auto without a keyring", {}, "local_key", "key file "],
    ["local_key, though a keyring responds", { mode: "local_key", ...memory() }, "local_key", "key file "],
    [
      "keyring, though the variable is set",
      { mode: "keyring", env: keyA, ...memory() },
      "keyring",
      "OS keyring (memory)"
    ]
  ]
  for (const [what, situation, source, description] of cases) {
    inHome.effect(`uses the key source ${source} in mode ${what}`, function*(home) {
      const found = yield* started(home, situation)(status)
      assert.strictEqual(found.source, source)
      assert.strictEqual(found.description, source === "local_key" ? description + keyFile(home) : description)
      assert.strictEqual(fs.existsSync(keyFile(home)), source === "local_key")
    })
  }

  inHome.effect("uses no other source if only the keyring is allowed", function*(home) {
    assert.include(
      yield* refusal(home, { mode: "keyring", ...memory(new Map(), "locked") }),
      "OS keyring (memory)"
    )
    assert.isFalse(fs.existsSync(keyFile(home)))
    assert.strictEqual((yield* started(home, { mode: "keyring", ...memory() })(status)).source, "keyring")
  })

  const rows = [
    ["empty", ""],
    ["not base64", "not a key"],
    ["too short", Buffer.alloc(31).toString("base64")],
    ["too long", Buffer.alloc(33).toString("base64")],
    ["in base64url", Buffer.alloc(32, 0xff).toString("base64url")]
  ] as const
  for (const [what, value] of rows) {
    for (const mode of ["auto", "local_key"] as const) {
      inHome.effect(`rejects a variable that is ${what} in mode ${mode}, and creates no vault`, function*(home) {
        const detail = yield* refusal(home, { mode, env: value })
        assert.include(detail, "32 bytes in base64")
        if (value !== "") assert.notInclude(detail, value)
        assert.isFalse(fs.existsSync(keyFile(home)))
      })
    }
  }

  inHome.effect("creates one key for concurrent requests", function*(home) {
    const environment = environmentOf(home, { mode: "local_key" })
    const keys = yield* Effect.all(
      Array.from({ length: 24 }, () =>
        Effect.flatMap(KeyResolver, (resolver) => resolver.create("store")).pipe(
          Effect.provide(Layer.fresh(KeyResolver.layerNoDeps).pipe(Layer.provide(environment)))
        )),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(new Set(keys.map(({ key }) => key.id)).size, 1)
  })

  effect("uses the keyring entry left by an interrupted creation", function*() {
    const { entries, keyring } = memory()
    const environment = environmentOf(yield* temporaryDirectory, { keyring })
    const create = Effect.flatMap(KeyResolver, (resolver) => resolver.create("store")).pipe(
      Effect.provide(Layer.fresh(KeyResolver.layerNoDeps).pipe(Layer.provide(environment)))
    )
    assert.strictEqual((yield* create).key.id, (yield* create).key.id)
    assert.strictEqual(entries.size, 1)
  })
})

describe("KeyResolver, with a file that the variable names", () => {
  const withFile = (file: string, more: Partial<Situation> = {}): Situation => ({
    ...more,
    settings: { masterKeyFile: Option.some(file) }
  })
  const written = (home: string, content: string, mode = 0o600): string => {
    const file = path.join(home, "provided-key")
    fs.rmSync(file, { force: true })
    fs.writeFileSync(file, content, { mode })
    return file
  }

  inHome.effect("creates and opens a vault with its key, with or without a newline", function*(home) {
    const file = written(home, `${keyA}\n`)
    const sealed = yield* started(home, withFile(file))(seal)
    const found = yield* started(home, withFile(file, memory()))(status)
    assert.deepStrictEqual([found.source, found.description], ["key_file", `file ${file} (CREDSVC_MASTER_KEY_FILE)`])
    for (const content of [keyA, `${keyA}\r\n\n`, `credsvc-key-v1:${keyA}\n`]) {
      assert.strictEqual(yield* started(home, withFile(written(home, content)))(opens(sealed)), "s3cret")
    }
    assert.isFalse(fs.existsSync(keyFile(home)))
    assert.strictEqual(yield* started(home, { env: keyA })(opens(sealed)), "s3cret")
  })

  inHome.effect("opens a vault of a key file with a copy of that file, though a keyring responds", function*(home) {
    const sealed = yield* started(home, { mode: "local_key" })(seal)
    const file = written(home, fs.readFileSync(keyFile(home), "utf8"))
    fs.rmSync(keyFile(home))
    assert.strictEqual(yield* started(home, withFile(file, memory()))(opens(sealed)), "s3cret")
  })

  inHome.effect("follows links, as in a volume of Kubernetes", function*(home) {
    const file = written(home, keyA)
    fs.mkdirSync(path.join(home, "..data"))
    fs.renameSync(file, path.join(home, "..data", "key"))
    fs.symlinkSync(path.join("..data", "key"), file)
    assert.strictEqual((yield* started(home, withFile(file))(status)).source, "key_file")
  })

  inHome.effect("rejects another key, a missing variable, and a mode that excludes the file", function*(home) {
    yield* started(home, withFile(written(home, keyA)))(seal)
    const file = written(home, keyB)
    assert.include(
      yield* refusalWithoutTrace(home, withFile(file)),
      `File ${file} (CREDSVC_MASTER_KEY_FILE) does not contain this vault's key`
    )
    assert.include(yield* refusalWithoutTrace(home), "file that CREDSVC_MASTER_KEY_FILE names, which is not set")
    written(home, keyA)
    assert.include(yield* refusalWithoutTrace(home, withFile(file, { mode: "local_key" })), "mode is local_key")
  })

  const invalid: ReadonlyArray<readonly [what: string, prepare: (home: string) => string, expected: string]> = [
    ["does not exist", (home) => path.join(home, "missing"), "does not exist"],
    ["is a directory", (home) => home, "is not a regular file"],
    ["is empty", (home) => written(home, "\n"), "expected 32 bytes in base64"],
    ["is not base64", (home) => written(home, "CANARY-key"), "expected 32 bytes in base64"],
    ["holds two keys", (home) => written(home, `${keyA}\n${keyB}\n`), "expected 32 bytes in base64"],
    ["is too large", (home) => written(home, "CANARY".repeat(1000)), "is larger than 1024 bytes"],
    ["is writable by others", (home) => {
      const file = written(home, keyA)
      fs.chmodSync(file, 0o662)
      return file
    }, "can be changed by other users"],
    ["is in a directory that others can change", (home) => {
      const directory = path.join(home, "open")
      fs.mkdirSync(directory)
      fs.writeFileSync(path.join(directory, "key"), keyA, { mode: 0o600 })
      fs.chmodSync(directory, 0o777)
      return path.join(directory, "key")
    }, "can be changed by other users"],
    ["has an empty name", () => "", "is set but empty"]
  ]
  for (const [what, prepare, expected] of invalid) {
    inHome.effect(`rejects a file that ${what}, names the variable, and creates no vault`, function*(home) {
      const detail = yield* refusal(home, withFile(prepare(home)))
      assert.include(detail, "CREDSVC_MASTER_KEY_FILE")
      assert.include(detail, expected)
      assert.notInclude(detail, "CANARY")
      assert.isFalse(fs.existsSync(keyFile(home)))
    })
  }

  inHome.effect.skipIf(process.getuid?.() !== 0)("rejects a file of another user", function*(home) {
    const file = written(home, keyA)
    fs.chownSync(file, 65534, 65534)
    assert.include(yield* refusal(home, withFile(file)), "belongs to another user")
  })

  inHome.effect("rejects a configuration that sets both variables", function*(home) {
    const file = written(home, keyA)
    assert.include(
      yield* refusal(home, withFile(file, { env: keyA })),
      "CREDSVC_MASTER_KEY and CREDSVC_MASTER_KEY_FILE are both set"
    )
  })
})

describe("KeyResolver, for an existing vault", () => {
  inHome.effect("uses the source that the vault was created with", function*(home) {
    const sealed = yield* started(home)(seal)
    const { entries, keyring } = memory()
    yield* started(home, { keyring })(Effect.gen(function*() {
      assert.strictEqual((yield* status).source, "local_key")
      assert.strictEqual(yield* opens(sealed), "s3cret")
    }))
    assert.strictEqual(entries.size, 0)
  })

  inHome.effect("creates no second key if the key file is missing, and names the required file", function*(home) {
    const sealed = yield* started(home)(seal)
    const text = fs.readFileSync(keyFile(home), "utf8")
    fs.rmSync(keyFile(home))
    for (const situation of [{}, { mode: "local_key" as const }, memory()]) {
      assert.include(yield* refusalWithoutTrace(home, situation), keyFile(home))
    }
    fs.writeFileSync(keyFile(home), text, { mode: 0o600 })
    assert.strictEqual(yield* started(home)(opens(sealed)), "s3cret")
  })

  inHome.effect("rejects a different or damaged key in the file", function*(home) {
    yield* started(home)(seal)
    const text = fs.readFileSync(keyFile(home), "utf8")
    const cases = [
      [`credsvc-key-v1:${keyB}\n`, "does not contain this vault's key"],
      [text.slice(0, -5), "does not hold a credsvc key"],
      [text + text, "does not hold a credsvc key"],
      [text.replace("v1", "v2"), "does not hold a credsvc key"],
      ["", "does not hold a credsvc key"],
      ["x".repeat(5000), "is larger than 128 bytes"]
    ] as const
    for (const [other, expected] of cases) {
      fs.writeFileSync(keyFile(home), other)
      assert.include(yield* refusalWithoutTrace(home), expected)
    }
  })

  inHome.effect("rejects a key file that is a symbolic link", function*(home) {
    yield* started(home)(seal)
    fs.renameSync(keyFile(home), `${keyFile(home)}.moved`)
    fs.symlinkSync(`${keyFile(home)}.moved`, keyFile(home))
    assert.include(yield* refusalWithoutTrace(home), "symbolic link")
  })

  inHome.effect.skipIf(process.getuid?.() !== 0)("rejects a key file of another user", function*(home) {
    yield* started(home)(seal)
    fs.chownSync(keyFile(home), 65534, 65534)
    assert.include(yield* refusalWithoutTrace(home), "another user")
  })

  inHome.effect("uses a key file with too broad permissions, which the readiness check reports", function*(home) {
    const sealed = yield* started(home)(seal)
    fs.chmodSync(keyFile(home), 0o644)
    assert.strictEqual(yield* started(home)(opens(sealed)), "s3cret")
  })

  inHome.effect("creates no second key if the keyring is locked, unavailable or empty", function*(home) {
    const entries = new Map<string, string>()
    const sealed = yield* started(home, memory(entries))(seal)
    assert.include(yield* refusalWithoutTrace(home, memory(entries, "locked")), "locked")
    assert.include(yield* refusalWithoutTrace(home, memory(entries, "unavailable")), "does not respond")
    const emptied = memory()
    assert.include(yield* refusalWithoutTrace(home, emptied), "has no entry")
    assert.strictEqual(emptied.entries.size, 0)
    const [entry = ""] = entries.keys()
    assert.include(
      yield* refusalWithoutTrace(home, memory(new Map([[entry, `credsvc-key-v1:${keyB}`]]))),
      "does not contain this vault's key"
    )
    assert.strictEqual(yield* started(home, memory(entries))(opens(sealed)), "s3cret")
  })

  inHome.effect("opens soon after the keyring is unlocked, even if the clock is set back", function*(home) {
    const entries = new Map<string, string>()
    const sealed = yield* started(home, memory(entries))(seal)
    for (const later of [3000, -3000]) {
      let condition: "open" | "locked" = "locked"
      yield* started(home, { keyring: memoryKeyring(entries, () => condition) })(Effect.gen(function*() {
        const before = yield* status
        assert.isNull(before.source)
        assert.include(before.description, "locked")
        condition = "open"
        yield* TestClock.setTime((yield* Clock.currentTimeMillis) + later)
        assert.strictEqual(yield* opens(sealed), "s3cret")
        assert.strictEqual((yield* status).source, "keyring")
      }))
    }
  })

  inHome.effect("requires the variable that it was created with, containing the same key", function*(home) {
    const sealed = yield* started(home, { env: keyA })(seal)
    assert.include(yield* refusalWithoutTrace(home), "CREDSVC_MASTER_KEY, which is not set")
    assert.include(yield* refusalWithoutTrace(home, { env: keyB }), "does not contain this vault's key")
    assert.include(yield* refusalWithoutTrace(home, { env: keyA, mode: "local_key" }), "mode is local_key")
    assert.strictEqual(yield* started(home, { env: ` ${keyA}\n` })(opens(sealed)), "s3cret")
  })

  inHome.effect("uses the variable only if it contains the vault's key", function*(home) {
    yield* started(home)(seal)
    const same = fs.readFileSync(keyFile(home), "utf8").trim().replace("credsvc-key-v1:", "")
    assert.strictEqual((yield* started(home, { env: same })(status)).source, "env")
    assert.include(yield* refusalWithoutTrace(home, { env: keyB }), "Unset it")
    assert.strictEqual((yield* started(home)(status)).source, "local_key")
  })

  inHome.effect("rejects a mode that excludes the vault's source", function*(home) {
    yield* started(home)(seal)
    assert.include(yield* refusalWithoutTrace(home, { mode: "keyring", ...memory() }), "mode is keyring")
  })

  inHome.effect("uses the mode in config.json, and fails if that file is unreadable", function*(home) {
    fs.writeFileSync(path.join(home, "config.json"), "{\"master_key_mode\":\"local_key\"}")
    const found = yield* started(home, memory())(status)
    assert.deepStrictEqual([found.mode, found.source], ["local_key", "local_key"])
    fs.writeFileSync(path.join(home, "config.json"), "{")
    assert.include(yield* refusalWithoutTrace(home), "config.json")
  })

  inHome.effect("does not create a new vault over the remains of one", function*(home) {
    yield* started(home)(seal)
    const server = path.join(home, "server")
    const complete = fs.readFileSync(path.join(server, "credsvc.db"))
    tamper(home, (db) => db.exec("DELETE FROM meta"))
    assert.include(yield* refusalWithoutTrace(home), "header is damaged")
    tamper(home, (db) => db.exec("INSERT INTO meta VALUES ('store_id', 'x')"))
    assert.include(yield* refusalWithoutTrace(home), "header is damaged")
    fs.rmSync(path.join(server, "credsvc.db"))
    assert.include(yield* refusal(home), "shows that there was one")
    fs.writeFileSync(path.join(server, "credsvc.db"), complete)
    yield* started(home)(Effect.flatMap(Vault, (vault) => vault.available))
  })
})

describe("KeyResolver.layerKey", () => {
  inHome.effect("reports a wrong key of the embedding program, and opens with the correct one", function*(home) {
    const key = (byte: number): Situation => ({
      resolver: KeyResolver.layerKey(() => Buffer.alloc(32, byte), "the key of the app")
    })
    const sealed = yield* started(home, key(1))(seal)
    assert.include(yield* refusal(home, key(2)), "The key of the app does not contain this vault's key.")
    assert.strictEqual(yield* started(home, key(1))(opens(sealed)), "s3cret")
  })
})
