import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import * as path from "node:path"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { RequestLog, type RequestQuery, verifyLogs } from "../../src/audit/RequestLog.ts"
import type { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import { readReport, type ReportedRequest } from "../../src/domain/wire/RequestReport.ts"
import type { RunName } from "../../src/domain/wire/Run.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { testsWith } from "../support/Fixture.ts"
import { copyOf, foundation, query, tamper } from "../support/Services.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { onPostgres } from "../support/TestStore.ts"
import { eventually } from "../support/Until.ts"

const inHome = testsWith(temporaryDirectory)
const first = "aaaaaaaaaa" as RunName
const second = "bbbbbbbbbb" as RunName
const start = Date.parse("2026-11-01T00:00:00Z")

const request = (
  path: string,
  changes: { readonly status?: number; readonly at?: number; readonly error?: string } = {}
) =>
  [
    start + (changes.at ?? 0),
    "GET",
    "api.acme.test",
    path,
    changes.status ?? 200,
    1,
    2,
    "acme",
    "work",
    null,
    changes.error ?? null
  ] satisfies ReportedRequest

/** Opens the log in the home as a new process would. */
const started = <A>(
  home: string,
  body: (
    log: RequestLog["Service"]
  ) => Effect.fn.Return<A, unknown, RequestLog | AuditLog | Profiles | SqlClient.SqlClient | Scope.Scope>
) =>
  Effect.flatMap(RequestLog, (log) => Effect.gen(() => body(log))).pipe(
    Effect.provide(RequestLog.layerNoDeps.pipe(Layer.provideMerge(foundation(home))))
  )

const record = (run: RunName, part: number, entries: ReadonlyArray<ReportedRequest>, last = false, missing = 0) =>
  Effect.gen(function*() {
    const profile = yield* (yield* Profiles).active
    const report = readReport(Buffer.from(JSON.stringify({ part, last, missing, entries })))
    yield* (yield* RequestLog).record({ run, profile, report })
  })

const gap = (run: RunName) =>
  Effect.gen(function*() {
    const profile = yield* (yield* Profiles).active
    yield* (yield* RequestLog).record({ run, profile, report: undefined })
  })

const paths = (query: Partial<RequestQuery> = {}) =>
  Effect.gen(function*() {
    const { entries } = yield* (yield* RequestLog).list({ limit: 100, ...query })
    return entries.map(({ kind, missing, path }) => kind === "gap" ? `gap ${missing}` : path)
  })

const verified = (home: string) =>
  started(home, function*(log) {
    return yield* verifyLogs(yield* AuditLog, log)
  })

const fill = (home: string) =>
  started(home, function*() {
    yield* record(first, 2, [request("/1"), request("/2", { status: 404, at: 1000 })])
    yield* record(second, 2, [request("/3", { at: 2000 })], true)
    yield* record(first, 4, [request("/4", { at: 3000, error: "RuleRefusedError", status: 403 })], true)
  })

describe("RequestLog", () => {
  inHome.live("lists the newest matching requests in chronological order", function*(home) {
    yield* fill(home)
    yield* started(home, function*(log) {
      assert.deepStrictEqual(yield* paths(), ["/1", "/2", "/3", "/4"])
      assert.deepStrictEqual(yield* paths({ limit: 3 }), ["/2", "/3", "/4"])
      assert.deepStrictEqual(yield* paths({ run: first }), ["/1", "/2", "/4"])
      assert.deepStrictEqual(yield* paths({ status: 404 }), ["/2"])
      assert.deepStrictEqual(yield* paths({ failed: true }), ["/2", "/4"])
      assert.deepStrictEqual(yield* paths({ provider: "other" }), [])
      assert.deepStrictEqual(yield* paths({ host: "api.acme.test", limit: 1 }), ["/4"])
      const at = (millis: number) => DateTime.makeUnsafe(start + millis)
      assert.deepStrictEqual(yield* paths({ since: at(1000), until: at(2000) }), ["/2", "/3"])
      assert.deepStrictEqual(yield* paths({ after: 2 }), ["/4"])
      assert.deepStrictEqual(yield* paths({ upTo: 2 }), ["/1", "/2", "/3"])
      assert.strictEqual(yield* log.newest, 3)
    })
  })

  inHome.live("keeps the scopes that a host demanded, unless they have unusual characters", function*(home) {
    yield* started(home, function*(log) {
      yield* record(first, 2, [[...request("/1", { status: 403 }), null, "read write $(id)"], request("/2")])
      const { entries } = yield* log.list({ limit: 9 })
      assert.deepStrictEqual(entries.map(({ kind, missingScopes }) => [kind, missingScopes]), [
        ["request", ["read", "write"]],
        ["request", undefined]
      ])
    })
  })

  inHome.live("deletes old requests even after a request with a time in the future", function*(home) {
    yield* started(home, function*(log) {
      yield* record(first, 2, [request("/1", { at: Date.parse("9000-01-01") - start })], true)
      yield* record(second, 2, [request("/2")], true)
      yield* log.prune(DateTime.makeUnsafe(Date.now() + 60_000))
      assert.deepStrictEqual(yield* paths(), [])
      assert.isUndefined((yield* log.verify).problem)
    })
  })

  inHome.live("records each part of a report once, even if it is sent again to another daemon", function*(home) {
    yield* started(home, function*() {
      yield* record(first, 2, [request("/1")])
      yield* record(first, 2, [request("/1")])
    })
    yield* started(home, function*() {
      yield* record(first, 2, [request("/1")])
      yield* record(first, 4, [request("/2")])
      assert.deepStrictEqual(yield* paths(), ["/1", "/2"])
    })
  })

  inHome.live("shows how many requests are missing, and continues after a gap", function*(home) {
    yield* started(home, function*() {
      yield* record(first, 2, [request("/1")], false, 7)
      yield* gap(first)
      yield* record(first, 4, [request("/2")])
      assert.deepStrictEqual(yield* paths(), ["gap 7", "/1", "gap null", "/2"])
      assert.deepStrictEqual(yield* paths({ status: 200 }), ["/1", "/2"])
    })
  })

  inHome.live("remembers across restarts the runs whose last report is missing", function*(home) {
    yield* started(home, function*() {
      yield* record(first, 2, [request("/1")])
      yield* record(second, 2, [request("/2")])
      yield* record(second, 4, [], true)
    })
    yield* started(home, function*(log) {
      assert.deepStrictEqual((yield* log.open).map(({ run }) => run), [first])
      yield* gap(first)
      assert.deepStrictEqual(yield* log.open, [])
    })
  })

  // A session of PostgreSQL cannot make the sessions of its pool read-only.
  inHome.live.skipIf(onPostgres)("records a gap as soon as the store can be written again", function*(home) {
    yield* started(home, function*(log) {
      const sql = yield* SqlClient.SqlClient
      yield* record(first, 2, [request("/1")])
      yield* sql`PRAGMA query_only = ON`
      const profile = yield* (yield* Profiles).active
      const recorded = yield* Effect.forkChild(log.recordGap(second, profile))
      const error = yield* Effect.flip(gap(second))
      assert.include(error.message, "cannot be written")
      yield* sql`PRAGMA query_only = OFF`
      yield* Fiber.join(recorded)
      assert.deepStrictEqual(yield* paths(), ["/1", "gap null"])
    })
  })

  for (const [days, kept] of [[undefined, []], [60, ["/1", "/2", "/3", "/4"]]] as const) {
    inHome.live(`deletes batches after ${days ?? "30"} days, as config.json says`, function*(home) {
      yield* fill(home)
      if (days !== undefined) {
        const settings = { request_log: { retention_days: days } }
        fs.writeFileSync(path.join(home, "config.json"), JSON.stringify(settings), { mode: 0o600 })
      }
      yield* Effect.gen(function*() {
        yield* TestClock.setTime(start + 31 * 24 * 3_600_000)
        yield* started(home, function*() {
          yield* TestClock.adjust("1 minute")
          assert.deepStrictEqual<ReadonlyArray<string>>(
            yield* eventually(paths(), (found) => found.length === kept.length),
            kept
          )
        })
      }).pipe(Effect.provide(TestClock.layer()))
    })
  }

  inHome.live("records the requests of a profile whose identity is missing, and of other profiles", function*(home) {
    yield* started(home, function*(log) {
      yield* record(first, 2, [request("/1")])
      const report = readReport(
        Buffer.from(JSON.stringify({ part: 2, last: true, missing: 0, entries: [request("/2")] }))
      )
      yield* Effect.all([
        log.record({ run: second, profile: "lost-wolf-0001" as ProfileHandle, report }),
        record(first, 4, [request("/3")])
      ], { concurrency: "unbounded" })
      assert.sameMembers([...yield* paths()], ["/1", "/2", "/3"])
      assert.isUndefined((yield* log.verify).problem)
    })
  })

  inHome.live("ends a search that finds nothing after a limited number of requests", function*(home) {
    yield* started(home, function*(log) {
      const many = Array.from({ length: 1000 }, (_, index) => request(`/${index}`))
      for (let part = 2; part <= 50; part += 2) yield* record(first, part, many)
      const search = { limit: 50, host: "elsewhere.test" }
      const found = yield* log.list(search)
      assert.deepInclude(found, { entries: [], older: 4 })
      assert.deepStrictEqual(yield* log.list({ ...search, upTo: found.older }), { entries: [], older: undefined })
    })
  })

  inHome.live("writes batches that arrive together in one transaction", function*(home) {
    yield* started(home, function*(log) {
      const profile = yield* (yield* Profiles).active
      yield* record(first, 2, [request("/1")])
      const epoch = () => Number(query(home, "SELECT epoch FROM manifest")[0]!["epoch"])
      const before = epoch()
      yield* Effect.forEach([4, 6, 8, 10], (part) => {
        const report = readReport(
          Buffer.from(JSON.stringify({ part, last: false, missing: 0, entries: [request(`/${part}`)] }))
        )
        return log.record({ run: first, profile, report })
      }, { concurrency: "unbounded" })
      assert.strictEqual(epoch(), before + 1)
      assert.deepStrictEqual(yield* paths(), ["/1", "/4", "/6", "/8", "/10"])
    })
  })

  inHome.live("keeps a chain that can be verified, even after old batches were deleted", function*(home) {
    yield* fill(home)
    assert.deepInclude(yield* verified(home), { ok: true, requestBatches: 3 })
    yield* started(home, function*(log) {
      yield* log.prune(DateTime.makeUnsafe(start + 1500))
    })
    assert.deepInclude(yield* verified(home), { ok: true, requestBatches: 2 })
    yield* started(home, function*(log) {
      assert.deepStrictEqual(yield* paths(), ["/3", "/4"])
      yield* log.prune(DateTime.makeUnsafe(start + 10_000))
      assert.deepStrictEqual(yield* paths(), [])
      yield* record(first, 6, [request("/5")])
      assert.deepStrictEqual(yield* paths(), ["/5"])
    })
    assert.deepInclude(yield* verified(home), { ok: true, requestBatches: 1 })
  })

  const forgeries: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["a removed batch", "DELETE FROM use_batches WHERE seq = 2", /batch/],
    ["a removed last batch", "DELETE FROM use_batches WHERE seq = 3", /batch/],
    ["a removed first batch", "DELETE FROM use_batches WHERE seq = 1", /batch 1/],
    [
      "an altered batch",
      "UPDATE use_batches SET content = (SELECT content FROM use_batches WHERE seq = 1) WHERE seq = 2",
      /batch 2/
    ],
    ["an altered run", "UPDATE use_batches SET run = 'cccccccccc' WHERE seq = 1", /batch 1/],
    ["an altered time", "UPDATE use_batches SET ended = '2020-01-01T00:00:00.000Z' WHERE seq = 3", /batch 3/]
  ]
  for (const [what, statement, expected] of forgeries) {
    inHome.live(`detects ${what}`, function*(home) {
      yield* fill(home)
      tamper(home, statement)
      const found = yield* Effect.exit(verified(home))
      const text = JSON.stringify(found)
      assert.match(text, expected)
      assert.notInclude(text, "\"ok\":true")
    })
  }

  inHome.live("keeps every confirmed batch and an intact chain, wherever the process is killed", function*(home) {
    yield* started(home, function*() {
      for (let part = 2; part <= 12; part += 2) {
        yield* record(first, part, [request(`/${part}`)])
        // The disk as the next process finds it.
        const copy = yield* copyOf(home)
        const seen = yield* started(copy, function*() {
          return yield* paths()
        })
        assert.include(seen, `/${part}`)
        assert.deepInclude(yield* verified(copy), { ok: true })
      }
    })
  })

  inHome.live("refuses to read a batch that cannot be decompressed", function*(home) {
    yield* fill(home)
    tamper(home, "UPDATE use_batches SET content = x'00' WHERE seq = 1")
    const { message } = yield* Effect.flip(started(home, function*() {
      return yield* paths()
    })) as Effect.Effect<{ readonly message: string }, unknown>
    assert.include(message, "credsvc log verify")
  })
})
