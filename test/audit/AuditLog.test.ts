import { afterAll, assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { AuditLog, type AuditRecord } from "../../src/audit/AuditLog.ts"
import type { ConnectionName } from "../../src/domain/Connection.ts"
import type { ProviderName } from "../../src/domain/Provider.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { SharedAccess } from "../../src/store/Sqlite.ts"
import { StoreManifest } from "../../src/vault/StoreManifest.ts"
import { foundation, query, tamper, withHome } from "../support/Services.ts"

const acme = "acme" as ProviderName
const work = "work" as ConnectionName

/** Opens the log in the home as a new process would. */
const started = <A, E>(
  home: string,
  body: (log: AuditLog["Service"]) => Effect.Effect<A, E, Profiles | StoreManifest | SqlClient.SqlClient>
) => Effect.flatMap(AuditLog, body).pipe(Effect.provide(foundation(home)))

const fill = (home: string, count: number) =>
  started(home, (log) =>
    Effect.gen(function*() {
      const identity = yield* (yield* Profiles).active
      const events = ["login", "get", "export", "logout"] as const
      for (let index = 0; index < count; index++) {
        yield* log.append({
          event: events[index % 4]!,
          provider: index % 2 === 0 ? acme : "other" as ProviderName,
          connection: work,
          identity,
          status: "ok"
        })
      }
    }))

const verify = (home: string) => started(home, (log) => log.verify)

const record = (identity: AuditRecord["identity"]): AuditRecord => ({
  event: "get",
  provider: acme,
  connection: work,
  identity,
  status: "ok"
})

describe("AuditLog", () => {
  it.effect("keeps entries in order, and returns the newest ones in chronological order", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 6)
        yield* started(home, (log) =>
          Effect.gen(function*() {
            const entries = yield* log.list({ limit: 4 })
            assert.deepStrictEqual(entries.map(({ seq }) => seq), [3, 4, 5, 6])
            assert.strictEqual(entries[0]!.event, "export")
            assert.strictEqual(entries[0]!.connection, "work")
            assert.strictEqual(entries[0]!.identity, yield* (yield* Profiles).active)
            assert.deepStrictEqual((yield* log.list({ limit: 9, provider: acme })).map(({ seq }) => seq), [1, 3, 5])
            assert.deepStrictEqual((yield* log.list({ limit: 9, event: "get" })).map(({ seq }) => seq), [2, 6])
          }))
      })
    ))

  it.effect("lists the entries since a time, inclusive", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 2)
        yield* TestClock.adjust("1 hour")
        const later = yield* DateTime.now
        yield* fill(home, 2)
        yield* started(home, (log) =>
          Effect.gen(function*() {
            const since = (time: DateTime.Utc) =>
              Effect.map(log.list({ limit: 9, since: time }), (entries) => entries.map(({ seq }) => seq))
            assert.deepStrictEqual(yield* since(later), [3, 4])
            assert.deepStrictEqual(yield* since(DateTime.subtract(later, { hours: 2 })), [1, 2, 3, 4])
            assert.deepStrictEqual(yield* since(DateTime.add(later, { milliseconds: 1 })), [])
          }))
      })
    ))

  it.effect("verifies an unchanged log, also after several restarts", () =>
    withHome((home) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* verify(home), {
          ok: true,
          entries: 0,
          head: "0".repeat(64),
          brokenAt: null,
          copy: "same",
          problem: null
        })
        yield* fill(home, 70)
        yield* fill(home, 70)
        const verified = yield* verify(home)
        assert.deepInclude(verified, { ok: true, entries: 140, brokenAt: null })
        assert.match(verified.head, /^[0-9a-f]{64}$/)
      })
    ))

  // Each list contains the changes that an attacker makes to the rows of a log with 130 entries.
  const attacks: ReadonlyArray<readonly [string, ReadonlyArray<string>, number]> = [
    ["an edited entry", ["UPDATE audit SET event = 'login' WHERE seq = 42"], 42],
    ["an edited time", ["UPDATE audit SET timestamp = '2020-01-01T00:00:00.000Z' WHERE seq = 42"], 42],
    ["another identity", ["UPDATE audit SET identity = 'somebody-else' WHERE seq = 42"], 42],
    [
      "a text that goes on after a NUL character",
      ["UPDATE audit SET event = event || char(0) || 'x' WHERE seq = 42"],
      42
    ],
    ["a provider made null", ["UPDATE audit SET provider = NULL WHERE seq = 42"], 42],
    ["a deleted entry", ["DELETE FROM audit WHERE seq = 42"], 42],
    ["a deleted first entry", ["DELETE FROM audit WHERE seq = 1"], 1],
    [
      "a deleted entry whose gap was closed",
      ["DELETE FROM audit WHERE seq = 42", "UPDATE audit SET seq = seq - 1 WHERE seq > 42"],
      42
    ],
    [
      "two swapped entries",
      [
        "UPDATE audit SET seq = 1000 WHERE seq = 42",
        "UPDATE audit SET seq = 42 WHERE seq = 43",
        "UPDATE audit SET seq = 43 WHERE seq = 1000"
      ],
      42
    ],
    ["a duplicated entry", [
      "INSERT INTO audit SELECT 131, timestamp, event, provider, connection, identity, status, " +
      "prev_hash, mac, signature FROM audit WHERE seq = 130"
    ], 131],
    ["an entry before the first", [
      "INSERT INTO audit SELECT 0, timestamp, event, provider, connection, identity, " +
      "status, prev_hash, mac, signature FROM audit WHERE seq = 1"
    ], 1],
    ["a cut tail", ["DELETE FROM audit WHERE seq > 100"], 101],
    ["a cut tail at a checkpoint", ["DELETE FROM audit WHERE seq > 128"], 129],
    ["an emptied log", ["DELETE FROM audit"], 1],
    ["a removed checkpoint", ["UPDATE audit SET signature = NULL WHERE seq = 64"], 64],
    [
      "a checkpoint of another place",
      ["UPDATE audit SET signature = (SELECT signature FROM audit WHERE seq = 128) WHERE seq = 64"],
      64
    ]
  ]

  // Written once: what differs between the attacks comes afterwards.
  const sample = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-audit-"))
  afterAll(() => fs.rmSync(sample, { recursive: true, force: true }))
  const filled = Effect.suspend(() => fs.existsSync(path.join(sample, "server")) ? Effect.void : fill(sample, 130))

  for (const [what, statements, brokenAt] of attacks) {
    it.effect(`detects ${what}`, () =>
      withHome((home) =>
        Effect.gen(function*() {
          yield* filled
          fs.cpSync(sample, home, { recursive: true })
          assert.deepInclude(yield* verify(home), { ok: true, entries: 130 })
          tamper(home, ...statements)
          assert.deepInclude(yield* verify(home), { ok: false, brokenAt })
        })
      ))
  }

  it.effect("detects a log replaced by that of another store", () =>
    withHome((home) =>
      withHome((other) =>
        Effect.gen(function*() {
          yield* fill(home, 5)
          yield* fill(other, 5)
          tamper(
            home,
            `ATTACH '${path.join(other, "server", "credsvc.db")}' AS other`,
            "DELETE FROM audit",
            "INSERT INTO audit SELECT * FROM other.audit"
          )
          assert.deepInclude(yield* verify(home), { ok: false, brokenAt: 1 })
        })
      )
    ))

  it.effect("rejects a head that was reset together with the log", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 3)
        const [head] = query(home, "SELECT value FROM meta WHERE key = 'audit_head'")
        yield* fill(home, 3)
        tamper(
          home,
          "DELETE FROM audit WHERE seq > 3",
          `UPDATE meta SET value = '${String(head!["value"])}' WHERE key = 'audit_head'`
        )
        const verified = yield* verify(home)
        assert.deepInclude(verified, { ok: false, copy: "differs" })
        assert.include(verified.problem, "changed outside of credsvc")
        assert.include(verified.problem, "line 4 of")
      })
    ))

  it.effect("detects a log that was truncated together with its head while the daemon ran", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 3)
        const [head] = query(home, "SELECT value FROM meta WHERE key = 'audit_head'")
        yield* started(home, (log) =>
          Effect.gen(function*() {
            const identity = yield* (yield* Profiles).active
            yield* log.append(record(identity))
            yield* log.append(record(identity))
            tamper(
              home,
              "DELETE FROM audit WHERE seq > 3",
              `UPDATE meta SET value = '${String(head!["value"])}' WHERE key = 'audit_head'`
            )
            const refused = yield* Effect.flip(log.append(record(identity)))
            assert.include(refused.detail, "changed outside of credsvc")
            assert.include((yield* Effect.flip(log.list({ limit: 9 }))).detail, "changed outside of credsvc")
            const verified = yield* log.verify
            assert.deepInclude(verified, { ok: false, entries: 3, brokenAt: 4, copy: "differs" })
            assert.include(verified.problem, "The first bad entry of the audit log is 4.")
          }))
        assert.deepInclude(yield* verify(home), { ok: false, entries: 3 })
      })
    ).pipe(Effect.provideService(SharedAccess, true)))

  it.effect("blocks every use of a secret after an altered entry was found", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 130)
        tamper(home, "UPDATE audit SET event = 'logout' WHERE seq = 42")
        yield* started(home, (log) =>
          Effect.gen(function*() {
            const manifest = yield* StoreManifest
            yield* manifest.ready
            const verified = yield* log.verify
            assert.deepInclude(verified, { ok: false, brokenAt: 42 })
            assert.include(verified.problem, "entry 42 of the audit log")
            assert.include((yield* Effect.flip(manifest.ready)).detail, "entry 42 of the audit log")
          }))
      })
    ))

  it.effect("adds the hash of all signatures to a head written by an earlier version", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 66)
        const headOf = () => String(query(home, "SELECT value FROM meta WHERE key = 'audit_head'")[0]!["value"])
        const before = JSON.parse(headOf()) as { readonly seq: number; readonly signatures: string }
        yield* started(home, () =>
          Effect.gen(function*() {
            const manifest = yield* StoreManifest
            const sql = yield* SqlClient.SqlClient
            yield* manifest.protect(
              sql`UPDATE meta SET value = json_remove(value, '$.signatures') WHERE key = 'audit_head'`
            )
          }))
        assert.deepInclude(yield* verify(home), { ok: true, entries: 66 })
        assert.notProperty(JSON.parse(headOf()), "signatures")
        yield* started(home, (log) =>
          Effect.gen(function*() {
            yield* log.append(record(yield* (yield* Profiles).active))
            assert.strictEqual(JSON.parse(headOf()).signatures, before.signatures)
          }))
        tamper(home, "UPDATE audit SET signature = NULL WHERE seq = 66")
        const verified = yield* verify(home)
        assert.deepInclude(verified, { ok: false, brokenAt: null })
        assert.include(verified.problem, "a signature was removed")
      })
    ).pipe(Effect.provideService(SharedAccess, true)))

  const copyOf = (home: string) => path.join(home, "server", "logs", "credsvc.log")

  it.effect("rewrites a removed copy at the next entry or verification", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 3)
        const whole = fs.readFileSync(copyOf(home), "utf8")
        yield* started(home, (log) =>
          Effect.gen(function*() {
            yield* log.verify
            fs.rmSync(copyOf(home))
            assert.deepInclude(yield* log.verify, { ok: true, copy: "rewritten", problem: null })
            assert.strictEqual(fs.readFileSync(copyOf(home), "utf8"), whole)
            assert.deepInclude(yield* log.verify, { ok: true, copy: "same" })
            fs.rmSync(copyOf(home))
            yield* log.append(record(yield* (yield* Profiles).active))
            assert.lengthOf(fs.readFileSync(copyOf(home), "utf8").split("\n"), 5)
          }))
        fs.rmSync(copyOf(home))
        assert.deepInclude(yield* verify(home), { ok: true, copy: "rewritten", entries: 4 })
      })
    ))

  const copyEdits: ReadonlyArray<readonly [string, (lines: ReadonlyArray<string>) => ReadonlyArray<string>, string]> = [
    ["an edited line", (lines) => lines.with(1, lines[1]!.replace("get", "export")), "line 2 of"],
    ["a removed line", (lines) => lines.toSpliced(1, 1), "entry 2 is missing before line 2 of"],
    ["a repeated line", (lines) => lines.toSpliced(1, 0, lines[1]!), "does not match entry 3"],
    ["a removed end", (lines) => lines.slice(0, 2), "entry 3 and those after it are missing"],
    ["a removed beginning", (lines) => lines.slice(1), "it begins with entry 2"],
    ["an added line", (lines) => [...lines, "{}"], "line 5 of"],
    ["everything removed", () => [], "entry 1 and those after it are missing"]
  ]
  for (const [what, change, expected] of copyEdits) {
    it.effect(`reports ${what} of the copy, without changing the copy or the store`, () =>
      withHome((home) =>
        Effect.gen(function*() {
          yield* fill(home, 4)
          yield* started(home, (log) =>
            Effect.gen(function*() {
              const manifest = yield* StoreManifest
              assert.deepInclude(yield* log.verify, { ok: true, copy: "same" })
              const edited = change(fs.readFileSync(copyOf(home), "utf8").trim().split("\n"))
                .map((line) => `${line}\n`).join("")
              fs.writeFileSync(copyOf(home), edited)
              const verified = yield* log.verify
              assert.deepInclude(verified, { ok: false, copy: "differs", brokenAt: null })
              assert.include(verified.problem, expected)
              assert.include(verified.problem, "The store itself is intact.")
              assert.strictEqual(fs.readFileSync(copyOf(home), "utf8"), edited)
              yield* manifest.ready
            }))
        })
      ))
  }

  it.effect("signs every 64th entry, and the last entry at shutdown", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 130)
        const signed = query(home, "SELECT seq FROM audit WHERE signature IS NOT NULL ORDER BY seq")
        assert.deepStrictEqual(signed.map(({ seq }) => seq), [64, 128, 130])
      })
    ))

  it.effect("rejects a checkpoint whose identity was deleted", () =>
    withHome((home) =>
      Effect.gen(function*() {
        const first = yield* started(home, () => Effect.flatMap(Profiles, ({ active }) => active))
        yield* fill(home, 64)
        yield* started(home, () =>
          Effect.gen(function*() {
            const profiles = yield* Profiles
            yield* profiles.use((yield* profiles.create(Option.none())).handle)
          }))
        fs.rmSync(path.join(home, "identities", `${first}.json`))
        assert.deepInclude(yield* verify(home), { ok: false, brokenAt: 64 })
      })
    ))

  it.effect("removes an entry if its transaction is rolled back", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 2)
        yield* started(home, (log) =>
          Effect.gen(function*() {
            const identity = yield* (yield* Profiles).active
            const manifest = yield* StoreManifest
            yield* manifest.protect(Effect.andThen(log.append(record(identity)), Effect.fail("no"))).pipe(Effect.flip)
            yield* log.append({ ...record(identity), event: "logout" })
            assert.deepStrictEqual((yield* log.list({ limit: 9 })).map(({ event }) => event), [
              "login",
              "get",
              "logout"
            ])
            assert.isTrue((yield* log.verify).ok)
          }))
        const mirrored = fs.readFileSync(path.join(home, "server", "logs", "credsvc.log"), "utf8").trim().split("\n")
        assert.deepStrictEqual(mirrored.map((line) => JSON.parse(line).event), ["login", "get", "logout"])
      })
    ))

  it.effect("copies each entry as a JSON line with the specification's fields, for its owner only", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 1)
        const file = path.join(home, "server", "logs", "credsvc.log")
        assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
        const lines = fs.readFileSync(file, "utf8").split("\n")
        assert.lengthOf(lines, 2)
        const entry = JSON.parse(lines[0]!)
        assert.deepStrictEqual(Object.keys(entry).toSorted(), [
          "connection",
          "event",
          "identity",
          "provider",
          "seq",
          "status",
          "timestamp"
        ])
      })
    ))

  it.effect("completes the copy after a crash that truncated its last line", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 4)
        const file = path.join(home, "server", "logs", "credsvc.log")
        const whole = fs.readFileSync(file, "utf8").split("\n")
        fs.writeFileSync(file, `${whole[0]}\n${whole[1]}\n${whole[2]!.slice(0, 20)}`)
        yield* fill(home, 1)
        const lines = fs.readFileSync(file, "utf8").split("\n")
        const seqs = lines.flatMap((line) => line.endsWith("}") ? [JSON.parse(line).seq] : [])
        assert.deepStrictEqual(seqs, [1, 2, 3, 4, 5])
        assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      })
    ))

  it.effect("fails if it cannot write, so that no action goes unrecorded", () =>
    withHome((home) =>
      Effect.gen(function*() {
        yield* fill(home, 1)
        yield* started(home, (log) =>
          Effect.gen(function*() {
            const identity = yield* (yield* Profiles).active
            yield* log.append(record(identity))
            const sql = yield* SqlClient.SqlClient
            yield* sql`PRAGMA max_page_count = 1`
            let written = 2
            const refused = yield* Effect.gen(function*() {
              while (true) {
                yield* log.append(record(identity))
                written++
              }
            }).pipe(Effect.flip)
            assert.strictEqual(refused._tag, "VaultUnavailableError")
            assert.lengthOf(yield* log.list({ limit: 99_999 }), written)
            yield* sql`PRAGMA max_page_count = 1000000`
            yield* log.append(record(identity))
            assert.deepInclude(yield* log.verify, { ok: true, entries: written + 1 })
          }))
      })
    ))
})
