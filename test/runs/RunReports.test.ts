import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { runNameOf } from "../../src/config/RunMark.ts"
import { first, noticed, register, runsOf, second, third, withDaemon } from "../support/RegisteredRun.ts"
import { key, resolveIn as resolve } from "../support/ResolveQueries.ts"
import type { TestDaemonShape } from "../support/TestDaemon.ts"

describe("RunReports", () => {
  describe("freezes a strict run whose request had a misplaced placeholder", () => {
    const report = (daemon: TestDaemonShape, id: string, misplaced: string) =>
      daemon.post("/runs/requests", {
        part: 2,
        last: false,
        missing: 0,
        entries: [[1, "GET", "evil.example", "", 0, 0, 0, null, null, null, null, misplaced]]
      }, { "credsvc-run": id })

    const refusal = (id: string) =>
      "403 This run gets no more credentials, because a request had a misplaced placeholder (--strict). " +
      `Find the request with credsvc log requests --run ${
        runNameOf(id)
      }, then start the command again with credsvc run.`

    withDaemon.live("and notifies it, even if it registers again", function*(daemon) {
      const { json, notices } = yield* register(daemon, first, { strict: true })
      assert.deepInclude(json, { strict: true, frozen_at: null })
      const other = yield* register(daemon, second)
      assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
      assert.strictEqual((yield* report(daemon, first, "unmatched query")).status, 200)
      yield* noticed(notices, "frozen")
      assert.strictEqual(yield* resolve(daemon, first), refusal(first))
      assert.strictEqual((yield* register(daemon, first, { strict: true })).status, 403)
      const { runs } = yield* runsOf(daemon)
      assert.isNotNull(runs.find(({ name }: { name: string }) => name === runNameOf(first)).frozen_at)
      assert.strictEqual(yield* resolve(daemon, second), `Bearer ${key}`)
      assert.notInclude(other.notices, "frozen")
      const { body } = yield* daemon.request("/ui/runs")
      assert.include(body, `<code>${runNameOf(first)}</code> <span class="pill bad">frozen</span>`)
      assert.notInclude(body, `<code>${runNameOf(second)}</code> <span class="pill bad">`)
      const log = fs.readFileSync(daemon.paths.daemonLog, "utf8")
      assert.include(log, `placeholder-misplaced run=${runNameOf(first)} kind=unmatched place=query`)
      // It can still be stopped.
      yield* daemon.request(`/runs/${runNameOf(first)}/stop`, { method: "POST" })
      yield* noticed(notices, "stopped")
    })

    withDaemon.live("with its strict outer runs and their inner runs", function*(daemon) {
      yield* register(daemon, first)
      const middle = yield* register(daemon, second, { inside: runNameOf(first), strict: true })
      const inner = yield* register(daemon, third, { inside: runNameOf(second) })
      assert.isTrue(inner.json.strict)
      yield* report(daemon, third, "provider body")
      yield* noticed(middle.notices, "frozen")
      yield* noticed(inner.notices, "frozen")
      assert.strictEqual(yield* resolve(daemon, second), refusal(third))
      assert.strictEqual(yield* resolve(daemon, third), refusal(third))
      assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
      const later = yield* register(daemon, "later-run-0123456789", { inside: runNameOf(second) })
      assert.strictEqual(later.status, 403)
    })

    withDaemon.live("and its sandbox, until it gets another token", function*(daemon) {
      const created = { name: "one", providers: ["openai"], expires_in: 3600, strict: true }
      yield* daemon.post("/sandboxes", created)
      const served = Effect.map(daemon.request("/proxy/sandboxes"), ({ json }) => {
        const { generation, id } = json.sandboxes[0]
        return { strict: true, sandbox: { generation, id } }
      })
      const listed = Effect.map(daemon.request("/sandboxes"), ({ json }) => json.sandboxes[0].frozen_at)
      yield* register(daemon, first, yield* served)
      const another = yield* register(daemon, "another-proxy-0123456789", yield* served)
      assert.isNull(yield* listed)
      assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
      yield* report(daemon, first, "unmatched query")
      assert.isNotNull(yield* listed)
      yield* noticed(another.notices, "frozen")
      assert.strictEqual(yield* resolve(daemon, "another-proxy-0123456789"), refusal(first))
      // As a proxy that was restarted.
      const { json, notices } = yield* register(daemon, second, yield* served)
      assert.isNotNull(json.frozen_at)
      yield* noticed(notices, "frozen")
      assert.strictEqual(yield* resolve(daemon, second), refusal(second))
      yield* daemon.request("/sandboxes/one/rotate", { method: "POST" })
      assert.isNull(yield* listed)
      yield* register(daemon, third, yield* served)
      assert.strictEqual(yield* resolve(daemon, third), `Bearer ${key}`)
    })

    withDaemon.live("and no other run", function*(daemon) {
      const { notices } = yield* register(daemon, first)
      assert.strictEqual((yield* report(daemon, first, "unmatched query")).status, 200)
      assert.strictEqual((yield* report(daemon, first, "unknown kind")).status, 400)
      assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
      assert.deepStrictEqual(notices, [])
    })
  })

  withDaemon.live(
    "counts the tokens of a run and of runs inside it, which start with the tokens that are left",
    function*(daemon) {
      const limited = (max_tokens: number) => ({ allow: [], deny: [], readonly: false, max_tokens })
      const report = (id: string, part: number, tokens: number) =>
        daemon.post("/runs/requests", JSON.stringify({ part, last: false, missing: 0, tokens, entries: [] }), {
          "credsvc-run": id
        })
      const tokens = Effect.map(runsOf(daemon), ({ runs }) => runs.map((run: { tokens?: number }) => run.tokens))
      yield* register(daemon, first, { rules: [limited(100)] })
      yield* report(first, 2, 30)
      yield* report(first, 2, 30)
      const { json } = yield* register(daemon, second, { inside: runNameOf(first), rules: [limited(90)] })
      assert.deepStrictEqual(json.rules, [limited(90), limited(70)])
      assert.deepStrictEqual(json.outer_rules, [limited(70)])
      yield* report(second, 2, 80)
      assert.deepStrictEqual(yield* tokens, [110, 80])
      const { json: last } = yield* register(daemon, third, { inside: runNameOf(first) })
      assert.deepStrictEqual(last.rules, [limited(0)])
    }
  )
})
