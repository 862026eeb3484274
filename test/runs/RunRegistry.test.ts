import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { vi } from "vitest"
import { runNameOf } from "../../src/config/RunMark.ts"
import { callAt } from "../../src/platform/process/CallAt.ts"
import { bodyOf, first, noticed, register, runsOf, second, third, withDaemon } from "../support/RegisteredRun.ts"
import { key, resolveIn as resolve } from "../support/ResolveQueries.ts"
import { logIn, type TestDaemonShape } from "../support/TestDaemon.ts"
import { eventually } from "../support/Until.ts"

describe("RunRegistry", () => {
  withDaemon.live("knows a run until its connection closes", function*(daemon) {
    const scope = yield* Scope.make()
    const { json, status } = yield* Scope.provide(register(daemon, first, { providers: ["openai"] }), scope)
    assert.strictEqual(status, 200)
    const { profile } = (yield* daemon.request("/whoami")).json
    assert.deepInclude(json, {
      name: runNameOf(first),
      pid: process.pid,
      profile,
      providers: ["openai"],
      connections: {},
      unmatched: "allow",
      contained: false
    })
    assert.deepStrictEqual((yield* runsOf(daemon)).runs, [json])
    yield* Scope.close(scope, Exit.void)
    yield* eventually(runsOf(daemon), ({ runs }) => runs.length === 0)
  })

  describe("notifies the runs when", () => {
    const definition = {
      name: "acme",
      display_name: "Acme",
      auth_type: "api_key",
      flow: "api_key",
      api_url: "https://api.acme.test",
      hosts: ["api.acme.test"],
      export: { env: { api_key: "ACME_API_KEY" } }
    }
    const changes: ReadonlyArray<readonly [string, string, string, object?]> = [
      ["a connection is removed", "POST", "/connections/openai/default/logout"],
      ["the connections of a provider are revoked", "POST", "/connections/openai/revoke"],
      ["a connection is limited to contained runs", "POST", "/connections/openai/default/contained-only"],
      ["a provider is registered", "POST", "/providers", definition]
    ]
    for (const [what, method, path, body] of changes) {
      withDaemon.live(what, function*(daemon) {
        const { notices } = yield* register(daemon, first)
        const { status } = yield* daemon.request(path, { method, ...(body === undefined ? {} : { body }) })
        assert.strictEqual(status < 300, true, `${path}: ${status}`)
        yield* noticed(notices, "changed")
      })
    }

    withDaemon.live("the default connection is set to another one", function*(daemon) {
      yield* logIn(daemon, "sk-proj-other0123456789abcdefghij", { connection: "other" })
      const { notices } = yield* register(daemon, first)
      const { status } = yield* daemon.request("/connections/openai/other/default", { method: "POST" })
      assert.strictEqual(status, 200)
      yield* noticed(notices, "changed")
    })

    withDaemon.live("a run's credentials expire, so that open streams end", function*(daemon) {
      const expiresAt = Date.now() + 500
      const { notices } = yield* register(daemon, first, { expires_at: new Date(expiresAt).toISOString() })
      yield* noticed(notices, "changed")
      assert.isAtLeast(Date.now(), expiresAt)
      assert.match(yield* resolve(daemon, first, { confirm: true }), /^403 The credentials of this run expired/)
    })

    it("a run's credentials expire while the machine is suspended, soon after it wakes up", () => {
      vi.useFakeTimers({ toFake: ["Date", "setTimeout"] })
      try {
        const expired = vi.fn()
        callAt(Date.now() + 3_600_000, expired)
        vi.setSystemTime(Date.now() + 3_600_000)
        vi.advanceTimersByTime(10_000)
        assert.strictEqual(expired.mock.calls.length, 1)
      } finally {
        vi.useRealTimers()
      }
    })

    withDaemon.live("a sandbox is deleted or gets another token", function*(daemon) {
      const sandbox = { name: "one", providers: ["openai"], expires_in: 3600 }
      const { status } = yield* daemon.post("/sandboxes", sandbox)
      assert.strictEqual(status, 201)
      const { notices } = yield* register(daemon, first)
      yield* daemon.request("/sandboxes/one/rotate", { method: "POST" })
      yield* eventually(Effect.sync(() => notices), ({ length }) => length > 0)
      const before = notices.length
      yield* daemon.request("/sandboxes/one", { method: "DELETE" })
      yield* eventually(Effect.sync(() => notices), ({ length }) => length > before)
    })
  })

  describe("stops a run", () => {
    const refusal = "403 This run was stopped with credsvc stop and gets no more credentials. " +
      "Start the command again with credsvc run."
    const stop = (daemon: TestDaemonShape, id: string) =>
      daemon.request(`/runs/${runNameOf(id)}/stop`, { method: "POST" })

    withDaemon.live("which is notified, gets no more credentials and cannot register again", function*(daemon) {
      const { notices } = yield* register(daemon, first)
      assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
      const { json } = yield* stop(daemon, first)
      assert.deepStrictEqual(json, { status: "stopped", runs: [runNameOf(first)] })
      yield* noticed(notices, "stopped")
      assert.strictEqual(yield* resolve(daemon, first), refusal)
      assert.strictEqual((yield* register(daemon, first)).status, 403)
      assert.isNotNull((yield* runsOf(daemon)).runs[0].stopped_at)
      const { entries } = (yield* daemon.request("/audit?event=run-stop")).json
      assert.deepStrictEqual(entries.map(({ connection }: { connection: string }) => connection), [runNameOf(first)])
    })

    withDaemon.live("even if it has lost its connection", function*(daemon) {
      const scope = yield* Scope.make()
      yield* Scope.provide(register(daemon, first), scope)
      yield* stop(daemon, first)
      yield* Scope.close(scope, Exit.void)
      yield* eventually(runsOf(daemon), ({ runs }) => runs.length === 0)
      assert.strictEqual(yield* resolve(daemon, first), refusal)
      assert.strictEqual((yield* register(daemon, first)).status, 403)
    })

    withDaemon.live("with its inner runs, and registers no other inner run", function*(daemon) {
      yield* register(daemon, first)
      const inner = yield* register(daemon, second, { inside: runNameOf(first) })
      const beside = yield* register(daemon, "other-run-0123456789")
      const { json } = yield* stop(daemon, first)
      assert.deepStrictEqual(json.runs, [runNameOf(first), runNameOf(second)])
      yield* noticed(inner.notices, "stopped")
      assert.strictEqual(yield* resolve(daemon, second), refusal)
      assert.strictEqual(yield* resolve(daemon, "other-run-0123456789"), `Bearer ${key}`)
      assert.notInclude(beside.notices, "stopped")
      const later = yield* register(daemon, third, { inside: runNameOf(first) })
      assert.strictEqual(later.status, 403)
    })

    withDaemon.live("unless it is unknown", function*(daemon) {
      const { json, status } = yield* stop(daemon, first)
      assert.strictEqual(status, 403)
      assert.strictEqual(json.detail, `Unknown run "${runNameOf(first)}". List the active runs with: credsvc runs`)
    })
  })

  withDaemon.live("gives no credentials to a run that outlives its outer run, and notifies it", function*(daemon) {
    const outer = yield* Scope.make()
    yield* Scope.provide(register(daemon, first), outer)
    const middle = yield* Scope.make()
    yield* Scope.provide(register(daemon, second, { inside: runNameOf(first) }), middle)
    const inner = yield* register(daemon, third, { inside: runNameOf(second) })
    assert.strictEqual(yield* resolve(daemon, third), `Bearer ${key}`)
    assert.notInclude(inner.notices, "changed")
    yield* Scope.close(outer, Exit.void)
    yield* noticed(inner.notices, "changed")
    const refusal = yield* resolve(daemon, third)
    assert.include(refusal, "403")
    assert.include(refusal, "The outer run has ended, so this run gets no more credentials.")
    assert.strictEqual(yield* resolve(daemon, second), refusal)
    yield* Scope.close(middle, Exit.void)
  })

  withDaemon.live("registers no run for a client that has not proved the access key", function*(daemon) {
    const { json, status } = yield* daemon.post("/runs", bodyOf(), { "credsvc-run": first })
    assert.deepStrictEqual([status, json.detail], [403, "Only credsvc run can register a run."])
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 })
    const early = yield* daemon.post("/runs", bodyOf(), { "credsvc-run": first })
    vi.useRealTimers()
    assert.include(early.json.detail, "The clock was set back to a time before the start of the daemon.")
  })

  if (process.platform === "linux") {
    withDaemon.live("takes the process ID of a run from its connection, not from the request", function*(daemon) {
      assert.strictEqual((yield* register(daemon, first, { pid: 1 })).json.pid, process.pid)
    })
  }
})
