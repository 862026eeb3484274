import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import * as path from "node:path"
import { AuditLog, loggedRequest } from "../../src/audit/AuditLog.ts"
import type { AuditRecord } from "../../src/audit/AuditRecord.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { SharedAccess } from "../../src/store/Store.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { failsWith } from "../support/Failures.ts"
import { testsWith } from "../support/Fixture.ts"
import { foundation, query, tamper } from "../support/Services.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"
import { copyStore, onPostgres, replaceRows } from "../support/TestStore.ts"

const columns = "timestamp, event, provider, connection, identity, status, prev_hash, mac, request"
const acme = "acme" as ProviderName
const work = "work" as ConnectionName

const inHome = testsWith(temporaryDirectory)
/** The tests may change the database while the service has it open. */
const inSharedHome = testsWith(temporaryDirectory, () => Layer.succeed(SharedAccess, true))

/** Opens the log in the home as a new process would. */
const started = <A>(
  home: string,
  body: (
    log: AuditLog["Service"]
  ) => Effect.fn.Return<A, unknown, AuditLog | Profiles | StoreManifest | SqlClient.SqlClient>
) => Effect.flatMap(AuditLog, (log) => Effect.gen(() => body(log))).pipe(Effect.provide(foundation(home)))

/** Appends an entry of the active identity. */
const append = (event: AuditRecord["event"] = "get", provider = acme) =>
  Effect.gen(function*() {
    const identity = yield* (yield* Profiles).active
    yield* (yield* AuditLog).append({ event, provider, connection: work, identity, status: "ok" })
  })

const fill = (home: string, count: number) =>
  started(home, function*() {
    const events = ["login", "get", "export", "logout"] as const
    for (let index = 0; index < count; index++) {
      yield* Effect.provideService(
        append(events[index % 4]!, index % 2 === 0 ? acme : "other" as ProviderName),
        loggedRequest,
        index % 4 === 1 ? `request-${index}` : null
      )
    }
  })

const verify = (home: string) =>
  started(home, function*(log) {
    return yield* log.verify
  })

const headOf = (home: string) => String(query(home, "SELECT value FROM meta WHERE key = 'audit_head'")[0]!["value"])

/** Truncates the log, and resets its head to an earlier one. */
const truncateTo = (home: string, seq: number, head: string) =>
  tamper(
    home,
    `DELETE FROM audit WHERE seq > ${seq}`,
    `UPDATE meta SET value = '${head}' WHERE key = 'audit_head'`
  )

const copyOf = (home: string) => path.join(home, "server", "logs", "credsvc.log")
const linesOf = (home: string) => fs.readFileSync(copyOf(home), "utf8").trim().split("\n")

describe("AuditLog", () => {
  inHome.effect("keeps entries in order, and returns the newest ones in chronological order", function*(home) {
    yield* fill(home, 6)
    yield* started(home, function*(log) {
      const entries = yield* log.list({ limit: 4 })
      assert.deepStrictEqual(entries.map(({ seq }) => seq), [3, 4, 5, 6])
      assert.strictEqual(entries[0]!.event, "export")
      assert.strictEqual(entries[0]!.connection, "work")
      assert.strictEqual(entries[0]!.identity, yield* (yield* Profiles).active)
      assert.deepStrictEqual((yield* log.list({ limit: 9, provider: acme })).map(({ seq }) => seq), [1, 3, 5])
      assert.deepStrictEqual((yield* log.list({ limit: 9, event: "get" })).map(({ seq }) => seq), [2, 6])
    })
  })

  inHome.effect("lists the entries since a time, including entries at exactly that time", function*(home) {
    yield* fill(home, 2)
    yield* TestClock.adjust("1 hour")
    const later = yield* DateTime.now
    yield* fill(home, 2)
    yield* started(home, function*(log) {
      const since = (time: DateTime.Utc) =>
        Effect.map(log.list({ limit: 9, since: time }), (entries) => entries.map(({ seq }) => seq))
      assert.deepStrictEqual(yield* since(later), [3, 4])
      assert.deepStrictEqual(yield* since(DateTime.subtract(later, { hours: 2 })), [1, 2, 3, 4])
      assert.deepStrictEqual(yield* since(DateTime.add(later, { milliseconds: 1 })), [])
    })
  })

  inHome.effect("finds the last use of each connection in the newest 2000 entries", function*(home) {
    yield* started(home, function*(log) {
      const profile = yield* (yield* Profiles).active
      const transact = (yield* StoreManifest).transact
      const uses = Effect.map(
        log.lastUses(profile),
        (found) =>
          [...found.values()].map(({ provider, timestamp }) => [provider, timestamp.epochMilliseconds]).toSorted()
      )
      yield* append("resolve")
      yield* append("resolve", "other" as ProviderName)
      yield* append("get", "other" as ProviderName)
      assert.deepStrictEqual(yield* uses, [["acme", 0], ["other", 0]])
      yield* TestClock.adjust("1 hour")
      yield* append("export", "other" as ProviderName)
      assert.deepStrictEqual(yield* uses, [["acme", 0], ["other", 3_600_000]])
      yield* transact(Effect.forEach(Array.from({ length: 1998 }), () => append("get")))
      assert.deepStrictEqual(yield* uses, [["other", 3_600_000]])
    })
  })

  inHome.effect("verifies an unchanged log, even after several restarts", function*(home) {
    assert.deepStrictEqual(yield* verify(home), {
      ok: true,
      entries: 0,
      first: 1,
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

  /** What an attacker does to a log with 130 entries, and the first entry that verification rejects. */
  const attacks: ReadonlyArray<readonly [what: string, brokenAt: number, ...statements: ReadonlyArray<string>]> = [
    ["an edited entry", 42, "UPDATE audit SET event = 'login' WHERE seq = 42"],
    ["an edited time", 42, "UPDATE audit SET timestamp = '2020-01-01T00:00:00.000Z' WHERE seq = 42"],
    ["a changed connection", 42, "UPDATE audit SET connection = 'other' WHERE seq = 42"],
    ["a changed status", 42, "UPDATE audit SET status = 'failed' WHERE seq = 42"],
    ["a changed identity", 42, "UPDATE audit SET identity = 'somebody-else' WHERE seq = 42"],
    ["text appended after a NUL character", 42, "UPDATE audit SET event = event || char(0) || 'x' WHERE seq = 42"],
    ["a provider set to null", 42, "UPDATE audit SET provider = NULL WHERE seq = 42"],
    ["a changed request", 42, "UPDATE audit SET request = 'request-45' WHERE seq = 42"],
    ["a request set to null", 42, "UPDATE audit SET request = NULL WHERE seq = 42"],
    ["an added request", 43, "UPDATE audit SET request = 'request-41' WHERE seq = 43"],
    ["a deleted entry", 42, "DELETE FROM audit WHERE seq = 42"],
    ["a deleted first entry", 1, "DELETE FROM audit WHERE seq = 1"],
    [
      "a deleted entry whose gap was closed",
      42,
      "DELETE FROM audit WHERE seq = 42",
      "UPDATE audit SET seq = seq - 1 WHERE seq > 42"
    ],
    [
      "two swapped entries",
      42,
      "UPDATE audit SET seq = 1000 WHERE seq = 42",
      "UPDATE audit SET seq = 42 WHERE seq = 43",
      "UPDATE audit SET seq = 43 WHERE seq = 1000"
    ],
    ["a duplicated entry", 131, `INSERT INTO audit SELECT 131, ${columns} FROM audit WHERE seq = 130`],
    ["an entry before the first", 1, `INSERT INTO audit SELECT 0, ${columns} FROM audit WHERE seq = 1`],
    ["a truncated log", 101, "DELETE FROM audit WHERE seq > 100"],
    ["a log truncated at a checkpoint", 129, "DELETE FROM audit WHERE seq > 128"],
    ["an empty log", 1, "DELETE FROM audit"]
  ]

  // The attacks start from copies of one home.
  const sample = suiteDirectory()
  const filled = Effect.suspend(() => fs.existsSync(path.join(sample, "server")) ? Effect.void : fill(sample, 130))

  for (const [what, brokenAt, ...statements] of attacks) {
    inHome.effect.skipIf(onPostgres && what.includes("NUL"))(`detects ${what}`, function*(home) {
      yield* filled
      fs.cpSync(sample, home, { recursive: true })
      copyStore(sample, home)
      assert.deepInclude(yield* verify(home), { ok: true, entries: 130 })
      tamper(home, ...statements)
      assert.deepInclude(yield* verify(home), { ok: false, brokenAt })
    })
  }

  inHome.effect("detects that the log was replaced by the log of another store", function*(home) {
    const other = yield* temporaryDirectory
    yield* fill(home, 5)
    yield* fill(other, 5)
    replaceRows(home, "audit", other)
    assert.deepInclude(yield* verify(home), { ok: false, brokenAt: 1 })
  })

  inHome.effect("rejects a head that was reset together with the log", function*(home) {
    yield* fill(home, 3)
    const head = headOf(home)
    yield* fill(home, 3)
    truncateTo(home, 3, head)
    const verified = yield* verify(home)
    assert.deepInclude(verified, { ok: false, copy: "differs" })
    assert.include(verified.problem, "changed outside of credsvc")
    assert.include(verified.problem, "line 4 of")
  })

  inSharedHome.effect("detects a log that was truncated together with its head while the daemon ran", function*(home) {
    yield* fill(home, 3)
    const head = headOf(home)
    yield* started(home, function*(log) {
      yield* append()
      yield* append()
      truncateTo(home, 3, head)
      assert.include((yield* Effect.flip(append())).detail, "changed outside of credsvc")
      assert.include((yield* Effect.flip(log.list({ limit: 9 }))).detail, "changed outside of credsvc")
      const verified = yield* log.verify
      assert.deepInclude(verified, { ok: false, entries: 3, copy: "differs" })
      assert.include(verified.problem, "changed outside of credsvc")
    })
    assert.deepInclude(yield* verify(home), { ok: false, entries: 3 })
  })

  inSharedHome.effect.skipIf(onPostgres)(
    "refuses to continue after one of the newest entries was edited",
    function*(home) {
      yield* fill(home, 3)
      yield* started(home, function*() {
        yield* append()
        tamper(home, "UPDATE audit SET event = 'logout' WHERE seq = 3")
        assert.include((yield* Effect.flip(append())).detail, "entry 3 of the audit log")
      })
    }
  )

  inHome.effect("blocks every use of a secret after an altered entry was found", function*(home) {
    yield* fill(home, 130)
    tamper(home, "UPDATE audit SET event = 'logout' WHERE seq = 42")
    yield* started(home, function*(log) {
      const manifest = yield* StoreManifest
      yield* manifest.verified("rows")
      const verified = yield* log.verify
      assert.deepInclude(verified, { ok: false, brokenAt: 42 })
      assert.include(verified.problem, "entry 42 of the audit log")
      assert.include((yield* Effect.flip(manifest.verified("rows"))).detail, "entry 42 of the audit log")
    })
  })

  inHome.effect("rewrites a removed copy of the log at the next verification, or with the next entry", function*(home) {
    yield* fill(home, 3)
    const whole = fs.readFileSync(copyOf(home), "utf8")
    yield* started(home, function*(log) {
      yield* log.verify
      fs.rmSync(copyOf(home))
      assert.deepInclude(yield* log.verify, { ok: true, copy: "rewritten", problem: null })
      assert.strictEqual(fs.readFileSync(copyOf(home), "utf8"), whole)
      assert.deepInclude(yield* log.verify, { ok: true, copy: "same" })
      fs.rmSync(copyOf(home))
      yield* append()
      assert.lengthOf(linesOf(home), 4)
    })
    fs.rmSync(copyOf(home))
    assert.deepInclude(yield* verify(home), { ok: true, copy: "rewritten", entries: 4 })
  })

  const copyEdits: ReadonlyArray<readonly [string, (lines: ReadonlyArray<string>) => ReadonlyArray<string>, string]> = [
    ["an edited line", (lines) => lines.with(1, lines[1]!.replace("get", "export")), "line 2 of"],
    ["a removed line", (lines) => lines.toSpliced(1, 1), "entry 2 is missing before line 2 of"],
    ["a repeated line", (lines) => lines.toSpliced(1, 0, lines[1]!), "does not match entry 3"],
    ["a removed end", (lines) => lines.slice(0, 2), "entry 3 and all later entries are missing"],
    ["a removed beginning", (lines) => lines.slice(1), "it begins with entry 2"],
    ["an added line", (lines) => [...lines, "{}"], "line 5 of"],
    ["the removal of all lines", () => [], "entry 1 and all later entries are missing"]
  ]
  for (const [what, change, expected] of copyEdits) {
    inHome.effect(`reports ${what} of the copy, without changing the copy or the store`, function*(home) {
      yield* fill(home, 4)
      yield* started(home, function*(log) {
        const manifest = yield* StoreManifest
        assert.deepInclude(yield* log.verify, { ok: true, copy: "same" })
        const edited = change(linesOf(home)).map((line) => `${line}\n`).join("")
        fs.writeFileSync(copyOf(home), edited)
        const verified = yield* log.verify
        assert.deepInclude(verified, { ok: false, copy: "differs", brokenAt: null })
        assert.include(verified.problem, expected)
        assert.include(verified.problem, "The store itself is intact.")
        assert.strictEqual(fs.readFileSync(copyOf(home), "utf8"), edited)
        yield* manifest.verified("rows")
      })
    })
  }

  inHome.effect("removes an entry if its transaction is rolled back", function*(home) {
    yield* fill(home, 2)
    const expected = ["login", "get", "logout"]
    yield* started(home, function*(log) {
      const manifest = yield* StoreManifest
      yield* Effect.flip(manifest.transact(Effect.andThen(append(), Effect.fail("no"))))
      yield* append("logout")
      assert.deepStrictEqual((yield* log.list({ limit: 9 })).map(({ event }) => event), expected)
      assert.isTrue((yield* log.verify).ok)
    })
    assert.deepStrictEqual(linesOf(home).map((line) => JSON.parse(line).event), expected)
  })

  inHome.effect("copies each entry as a JSON line with the specified fields to a private file", function*(home) {
    yield* fill(home, 1)
    assert.strictEqual(fs.statSync(copyOf(home)).mode & 0o777, 0o600)
    const text = fs.readFileSync(copyOf(home), "utf8")
    assert.match(text, /^.+\n$/)
    const fields = ["connection", "event", "identity", "provider", "seq", "status", "timestamp"]
    assert.deepStrictEqual(Object.keys(JSON.parse(text)).toSorted(), fields)
  })

  inHome.effect("completes the copy after a crash that truncated its last line", function*(home) {
    yield* fill(home, 4)
    const [first, second, third] = linesOf(home)
    fs.writeFileSync(copyOf(home), `${first}\n${second}\n${third!.slice(0, 20)}`)
    yield* fill(home, 1)
    const seqs = linesOf(home).flatMap((line) => line.endsWith("}") ? [JSON.parse(line).seq] : [])
    assert.deepStrictEqual(seqs, [1, 2, 3, 4, 5])
    assert.strictEqual(fs.statSync(copyOf(home)).mode & 0o777, 0o600)
  })

  inHome.effect("ends an unterminated last line of the copy before it adds an entry", function*(home) {
    yield* fill(home, 2)
    yield* started(home, function*(log) {
      yield* append()
      fs.writeFileSync(copyOf(home), fs.readFileSync(copyOf(home), "utf8").slice(0, -1))
      yield* append()
      assert.deepStrictEqual(linesOf(home).map((line) => JSON.parse(line).seq), [1, 2, 3, 4])
      assert.deepInclude(yield* log.verify, { ok: true, copy: "same" })
    })
  })

  inHome.effect("deletes old entries, but never the newest 1000, and verifies the rest", function*(home) {
    yield* started(home, function*(log) {
      for (let index = 0; index < 1003; index++) yield* append()
      yield* log.prune(yield* DateTime.now)
      assert.deepInclude(yield* log.verify, { ok: true, entries: 1003, first: 1 }, "none is older")
      yield* log.prune(DateTime.add(yield* DateTime.now, { days: 9 }))
      assert.deepStrictEqual((yield* log.list({ limit: 99_999 })).map(({ seq }) => seq).slice(0, 2), [4, 5])
      assert.deepInclude(yield* log.verify, { ok: true, entries: 1000, first: 4, copy: "same" })
      yield* append()
    })
    assert.deepInclude(yield* verify(home), { ok: true, entries: 1001, first: 4 })
    tamper(home, "DELETE FROM audit WHERE seq = 4")
    assert.deepInclude(yield* verify(home), { ok: false, brokenAt: 4 })
  })

  inHome.effect.skipIf(onPostgres)("finds entries by each filter with an index", function*(home) {
    yield* fill(home, 3)
    for (const filter of ["provider", "event", "identity", "status"]) {
      const [plan] = query(
        home,
        `EXPLAIN QUERY PLAN SELECT * FROM audit
        WHERE seq >= 1 AND seq < 9 AND ${filter} = 'x' ORDER BY seq DESC LIMIT 50`
      )
      assert.match(String(plan!["detail"]), new RegExp(`SEARCH audit USING INDEX audit_${filter} `))
    }
  })

  inHome.effect.skipIf(onPostgres)("fails if it cannot write, so that no action goes unrecorded", function*(home) {
    yield* fill(home, 1)
    yield* started(home, function*(log) {
      const sql = yield* SqlClient.SqlClient
      yield* append()
      yield* sql`PRAGMA max_page_count = 1`
      let written = 2
      const writing = Effect.tap(append(), () => Effect.sync(() => written++))
      yield* failsWith(Effect.forever(writing), "VaultUnavailableError")
      assert.lengthOf(yield* log.list({ limit: 99_999 }), written)
      yield* sql`PRAGMA max_page_count = 1000000`
      yield* append()
      assert.deepInclude(yield* log.verify, { ok: true, entries: written + 1 })
    })
  })
})
