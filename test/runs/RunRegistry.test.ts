import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import { runNameOf } from "../../src/config/RunMark.ts"
import type { Lineage } from "../../src/platform/process/Lineage.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { descends } from "../../src/runs/RunCallers.ts"
import { keyDocument } from "../support/Acme.ts"
import { testsWith } from "../support/Fixture.ts"
import { runProgram } from "../support/Programs.ts"
import { bodyOf, type Changes, noticed, register } from "../support/RegisteredRun.ts"
import { asked, key, loggedIn, loggedInWith, resolveIn as resolve } from "../support/ResolveQueries.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { logIn, startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"
import { onPostgres, queryOn } from "../support/TestStore.ts"
import { eventually } from "../support/Until.ts"

const first = "first-run-0123456789"
const second = "second-run-0123456789"
const third = "third-run-0123456789"

const runsOf = (daemon: TestDaemonShape) => Effect.map(daemon.request("/runs"), ({ json }) => json)

const curl = (daemon: TestDaemonShape, target: string, ...options: ReadonlyArray<string>) =>
  Effect.map(
    runProgram("curl", ["-sS", "--noproxy", "*", ...options, daemon.url + target]),
    ({ output }) => JSON.parse(output)
  )

/** The same with a JSON body. */
const curlJson = (daemon: TestDaemonShape, target: string, body: object, ...options: ReadonlyArray<string>) =>
  curl(daemon, target, "-H", "content-type: application/json", ...options, "-d", JSON.stringify(body))

const withDaemon = testsWith(loggedIn, () => PeerOwner.layer)

/** A process of a session whose leader has ended, and which has lost its ancestors. */
const lost = (pid: number, changes: Partial<Lineage> = {}): Lineage => ({
  pid,
  identity: `${pid}-${pid}`,
  group: 100,
  session: 50,
  started: pid,
  ancestors: new Set(),
  markers: new Set(),
  marks: new Set(),
  top: { pid, group: 100, started: pid },
  ...changes
})

describe("descends", () => {
  const run = lost(200)

  it("is true for an orphan in the job of the run, unless it is older than the run", () => {
    assert.isTrue(descends(lost(201), run))
    assert.isFalse(descends(lost(199), run))
    assert.isFalse(descends(lost(201, { top: { pid: 201, group: 101, started: 201 } }), run))
    assert.isFalse(descends(lost(201, { top: { pid: 50, group: 100, started: 201 } }), run), "the leader lives")
  })

  it("is false for the process of the run itself, even as an orphan", () => {
    assert.isFalse(descends(run, run))
  })
})

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

  withDaemon.live("keeps the rules that a policy had when the run was registered", function*(daemon) {
    const rules = { allow: ["GET api.openai.com"], deny: [], readonly: false }
    yield* daemon.post("/policies/triage", rules)
    const { json, status } = yield* register(daemon, first, { policies: ["triage"], rules: [] })
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(json.rules, [{ ...rules, policy: "triage" }])
    yield* daemon.post("/policies/triage", { ...rules, allow: ["api.openai.com"] })
    assert.deepStrictEqual((yield* runsOf(daemon)).runs[0].rules, json.rules)
    yield* daemon.request("/policies/triage", { method: "DELETE" })
    const again = yield* register(daemon, second, { policies: ["triage"] })
    assert.deepInclude(again.json, { detail: "Unknown policy \"triage\". List the policies with: credsvc policy list" })
    const many = Array.from({ length: 32 }, (_, at) => ({ ...rules, allow: [`GET api.openai.com/${at}`] }))
    yield* daemon.post("/policies/triage", rules)
    const excessive = yield* register(daemon, second, { policies: ["triage"], rules: many })
    assert.strictEqual(excessive.status, 400)
  })

  withDaemon.live("lists the connections that a run has used", function*(daemon) {
    yield* register(daemon, first)
    yield* resolve(daemon, first)
    const { uses } = (yield* runsOf(daemon)).runs[0]
    assert.lengthOf(uses, 1)
    assert.deepInclude(uses[0], { provider: "openai", connection: "default" })
    const { last_used_at: before } = uses[0]
    yield* Effect.sleep(5)
    yield* resolve(daemon, first)
    assert.isAbove(Date.parse((yield* runsOf(daemon)).runs[0].uses[0].last_used_at), Date.parse(before))
  })

  it.live("records a gap after a restart for a run that used a credential and has reported nothing", () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* temporaryDirectory
      const scope = yield* Scope.make()
      const stopped = yield* Scope.provide(loggedInWith({ home }), scope)
      for (const id of [first, second]) yield* register(stopped, id)
      assert.strictEqual(yield* resolve(stopped, first), `Bearer ${key}`)
      // The daemon notes the use after its response.
      yield* eventually(
        Effect.sync(() => JSON.stringify(queryOn(home, "SELECT value FROM meta WHERE key = 'use_log_head'"))),
        (head) => head.includes(runNameOf(first))
      )
      yield* Scope.close(scope, Exit.void)
      const daemon = yield* startTestDaemon({ home })
      const entries = Effect.map(daemon.request("/audit/requests"), ({ json }) => json.entries)
      const [{ kind, missing, run }, ...others] = yield* eventually(entries, ({ length }) => length > 0)
      assert.deepStrictEqual({ kind, missing, run }, { kind: "gap", missing: null, run: runNameOf(first) })
      assert.isEmpty(others)
    })).pipe(Effect.provide(PeerOwner.layer)))

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

    if (process.platform === "linux") {
      withDaemon.live(
        "for a command in a run only if that run contains the stopped one",
        function*(daemon) {
          yield* register(daemon, first)
          yield* register(daemon, second, { inside: runNameOf(first) })
          const stopped = (id: string) => curl(daemon, `/runs/${runNameOf(id)}/stop`, "-X", "POST")
          // All processes of this test are inside the first run, and the second one counts as the same process.
          for (const id of [first, second]) {
            assert.include((yield* stopped(id)).detail, "can stop only runs that they have started themselves")
          }
        }
      )
    }
  })

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

  const readonlyRules = { allow: [], deny: [], readonly: true }
  const onlyAcme = { allow: ["GET api.acme.example/v1/**"], deny: [], readonly: false }

  withDaemon.live("adds the rules of the outer run to those of a run inside it", function*(daemon) {
    const outer = yield* register(daemon, first, {
      rules: [readonlyRules],
      max_uses: 5,
      expires_at: "2099-01-01T00:00:00Z"
    })
    assert.deepStrictEqual(outer.json.rules, [readonlyRules])
    const inside = { inside: runNameOf(first) }
    const { json } = yield* register(daemon, second, { ...inside, rules: [onlyAcme], max_uses: 9 })
    assert.deepStrictEqual(json.rules, [onlyAcme, readonlyRules])
    assert.deepInclude(json, { max_uses: 5, expires_at: "2099-01-01T00:00:00.000Z" })
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

  withDaemon.live("rejects invalid rules and unknown limits", function*(daemon) {
    for (const rules of [[{ ...onlyAcme, allow: ["GET /"] }], Array.from({ length: 33 }, () => readonlyRules), [{}]]) {
      assert.strictEqual((yield* register(daemon, first, { rules })).status, 400)
    }
    assert.strictEqual((yield* register(daemon, first, { max_uses: 0 })).status, 400)
  })

  withDaemon.live("counts the uses of a run and of its inner runs, even when registered again", function*(daemon) {
    const scope = yield* Scope.make()
    yield* Scope.provide(register(daemon, first, { max_uses: 3 }), scope)
    yield* register(daemon, second, { inside: runNameOf(first) })
    assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
    assert.strictEqual(yield* resolve(daemon, second), `Bearer ${key}`)
    assert.match(yield* resolve(daemon, second, { connection: "missing" }), /^404/)
    for (const more of [{ rejected: "2000-01-01T00:00:00Z" }, { confirm: true }]) {
      assert.strictEqual(yield* resolve(daemon, second, more), `Bearer ${key}`)
    }
    yield* Scope.close(scope, Exit.void)
    yield* eventually(runsOf(daemon), ({ runs }) => runs.length === 1)
    yield* register(daemon, first, { max_uses: 3 })
    assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
    for (const id of [first, second]) {
      assert.strictEqual(
        yield* resolve(daemon, id),
        "403 This run has used credentials for 3 requests, which is its limit (--max-uses)."
      )
    }
  })

  withDaemon.live("counts for an outer run the uses that its inner runs had at an earlier daemon", function*(daemon) {
    yield* register(daemon, first, { max_uses: 3, used: 1 })
    const scope = yield* Scope.make()
    yield* Scope.provide(register(daemon, second, { inside: runNameOf(first), max_uses: 3, used: 1 }), scope)
    yield* Scope.close(scope, Exit.void)
    yield* eventually(runsOf(daemon), ({ runs }) => runs.length === 1)
    // With the same daemon, the uses of the inner run are known.
    yield* register(daemon, second, { inside: runNameOf(first), max_uses: 3, used: 1 })
    assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
    assert.match(yield* resolve(daemon, first), /^403/)
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

  withDaemon.live(
    "limits a run inside two other runs by both, even if its caller names only one of them",
    function*(daemon) {
      yield* register(daemon, first, { max_uses: 1 })
      yield* register(daemon, second, { inside: runNameOf(first) })
      yield* register(daemon, third, { inside: runNameOf(second) })
      assert.strictEqual(yield* resolve(daemon, third), `Bearer ${key}`)
      assert.strictEqual(
        yield* resolve(daemon, first),
        "403 This run has used credentials for 1 request, which is its limit (--max-uses)."
      )
    }
  )

  withDaemon.live("registers no run for a client that has not proved the access key", function*(daemon) {
    const { json, status } = yield* daemon.post("/runs", bodyOf(), { "credsvc-run": first })
    assert.deepStrictEqual([status, json.detail], [403, "Only credsvc run can register a run."])
  })

  withDaemon.live("resolves credentials within the limits of the run only", function*(daemon) {
    const { profile } = (yield* daemon.request("/whoami")).json
    const other = (yield* daemon.post("/profiles", {})).json.handle
    yield* register(daemon, first, { providers: ["openai"], connections: { openai: "default" } })
    assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
    assert.strictEqual(
      yield* resolve(daemon, first, {}, { "credsvc-profile": other }),
      `403 This run is limited to the profile ${profile}.`
    )
    yield* register(daemon, second, { providers: ["github-token"] })
    const excluded = "403 This run is limited to github-token and does not include openai."
    assert.strictEqual(yield* resolve(daemon, second), excluded)
    assert.strictEqual(yield* resolve(daemon, second, { provider: undefined }), excluded)
    yield* register(daemon, third, { connections: { openai: "work" } })
    assert.strictEqual(
      yield* resolve(daemon, third),
      "403 This run is limited to openai=work and does not include openai=default."
    )
  })

  withDaemon.live("narrows a run inside another run, and refuses limits wider than the outer run's", function*(daemon) {
    const { profile } = (yield* daemon.request("/whoami")).json
    const other = (yield* daemon.post("/profiles", {})).json.handle
    const outer = { providers: ["openai", "github-token"], connections: { openai: "default" }, unmatched: "deny" }
    yield* register(daemon, first, outer, { "credsvc-profile": other })
    const inside = runNameOf(first)
    const inner = yield* register(daemon, second, { inside, providers: ["openai"] })
    assert.deepInclude(inner.json, { ...outer, profile: other, providers: ["openai"] })
    const exceeding: ReadonlyArray<readonly [Changes, string]> = [
      [
        { providers: ["slack"] },
        "/providers: the outer run is limited to openai, github-token and does not include slack"
      ],
      [
        { connections: { openai: "work" } },
        "/connections: the outer run is limited to openai=default and does not include openai=work"
      ]
    ]
    for (const [changes, detail] of exceeding) {
      const { json, status } = yield* register(daemon, "other-run-0123456789", { inside, ...changes })
      assert.deepStrictEqual([status, json.detail], [400, detail])
    }
    const elsewhere = yield* register(daemon, second, { inside }, { "credsvc-profile": profile })
    assert.deepStrictEqual([elsewhere.status, elsewhere.json.error], [403, "OperationNotAllowedError"])
    assert.lengthOf((yield* runsOf(daemon)).runs, 2)
  })

  withDaemon.live("resolves a connection for contained runs only if all outer runs are contained", function*(daemon) {
    yield* daemon.request("/connections/openai/default/contained-only", { method: "POST" })
    const refused = "403 The connection \"default\" for openai is for contained runs only, so it is not used here. " +
      "Use it with: credsvc run --contain -- <command>"
    yield* register(daemon, first)
    assert.strictEqual(yield* resolve(daemon, first), refused)
    yield* register(daemon, second, { inside: runNameOf(first), contained: true })
    assert.strictEqual(yield* resolve(daemon, second), refused)
    yield* register(daemon, third, { contained: true })
    assert.strictEqual(yield* resolve(daemon, third), `Bearer ${key}`)
    assert.strictEqual(yield* resolve(daemon, "no-such-run-0123456789"), refused)
  })

  withDaemon.live("refuses a run inside an unknown run, unless the unknown run registers soon", function*(daemon) {
    const inside = runNameOf(first)
    const [, inner] = yield* Effect.all([
      Effect.andThen(Effect.sleep(300), register(daemon, first)),
      register(daemon, second, { inside })
    ], { concurrency: 2 })
    assert.strictEqual(inner.status, 200)
    const lost = yield* register(daemon, "other-run-0123456789", { inside: "0123456789" })
    assert.strictEqual(lost.status, 403)
    assert.include(lost.json.detail, "inside a run that the daemon does not know")
  })

  if (process.platform === "linux") {
    withDaemon.live("finds the commands in a run by their ancestors, and denies them secrets", function*(daemon) {
      const list = curl(daemon, "/runs")
      const inside = () => Effect.map(list, (list) => list.caller_inside)
      const exported = () => curlJson(daemon, "/credentials/export", { provider: "openai" })
      assert.isFalse(yield* inside())
      assert.include((yield* exported()).output, key)
      const define = (more: object) =>
        curlJson(daemon, "/providers?force=true", { ...keyDocument({}), name: "limited", ...more })
      assert.strictEqual((yield* define({ contained_only: true })).name, "limited")
      yield* register(daemon, first)
      assert.isTrue(yield* inside())
      assert.deepStrictEqual((yield* list).caller_runs, [runNameOf(first)])
      assert.strictEqual((yield* exported()).error, "OperationNotAllowedError")
      const login = (fields: object) => curlJson(daemon, "/auth/sessions", fields)
      for (const trust of [{ trust_issuer: "https://other.example" }, { no_resource: true }]) {
        const { detail } = yield* login({ provider: "github", ...trust })
        assert.include(detail, "cannot decide which authorization server or resource is trusted.")
      }
      const lifted = yield* login({ provider: "openai", force: true, contained_only: false })
      assert.include(
        lifted.detail,
        "Commands inside credsvc run cannot remove the limitation of a connection to contained runs."
      )
      assert.strictEqual((yield* define({})).detail, lifted.detail)
      assert.strictEqual((yield* curl(daemon, "/providers/limited", "-X", "DELETE")).detail, lifted.detail)
      assert.strictEqual((yield* define({ name: { toString: 0 } })).error, "InvalidRequestError")
      assert.strictEqual((yield* define({ contained_only: true, notes: ["changed"] })).name, "limited")
      if (!onPostgres) {
        fs.writeFileSync(path.join(daemon.home, "providers", "limited.json"), "{")
        assert.strictEqual((yield* define({})).detail, lifted.detail)
        assert.strictEqual((yield* curl(daemon, "/providers/limited", "-X", "DELETE")).detail, lifted.detail)
      }
      // The process of the run itself is not inside of it.
      assert.isFalse((yield* runsOf(daemon)).caller_inside)
    })

    withDaemon.live("shows the commands in a run the requests of that run only, and no audit log", function*(daemon) {
      const read = (target: string) => curl(daemon, target)
      const requests = (id: string) => read(`/audit/requests?run=${runNameOf(id)}`)
      const page = (target: string) =>
        Effect.map(runProgram("curl", ["-sS", "--noproxy", "*", daemon.url + target]), ({ output }) => output)
      assert.isArray((yield* read("/audit")).entries)
      assert.include(yield* page("/ui/"), "Recent activity")
      assert.isArray((yield* read("/audit/requests")).entries)
      yield* register(daemon, first)
      for (const target of ["/audit", "/audit/requests", `/audit/requests?run=${runNameOf(second)}`]) {
        const { detail, error } = yield* read(target)
        assert.strictEqual(error, "OperationNotAllowedError", target)
        assert.include(detail, `or read the requests of the run with: credsvc log requests --run ${runNameOf(first)}`)
      }
      assert.isArray((yield* requests(first)).entries)
      for (const target of ["/ui/audit", "/ui/runs", "/ui/requests"]) {
        assert.include(yield* page(target), "Commands inside credsvc run cannot read what other programs did.", target)
      }
      assert.notInclude(yield* page("/ui/"), "Recent activity")
      assert.isArray((yield* daemon.request("/audit")).json.entries, "for the process of the run itself")
      // The command is now inside the second run, too, whose rules may be narrower.
      yield* register(daemon, second, { inside: runNameOf(first) })
      assert.strictEqual((yield* requests(first)).error, "OperationNotAllowedError")
      assert.isArray((yield* requests(second)).entries)
    })

    withDaemon.live("shows no requests to a command that claims to be inside two separate runs", function*(daemon) {
      yield* register(daemon, first)
      yield* register(daemon, second)
      for (const id of [first, second]) {
        const { detail, error } = yield* curl(daemon, `/audit/requests?run=${runNameOf(id)}`)
        assert.strictEqual(error, "OperationNotAllowedError")
        assert.include(detail, "Run this command outside of the run.")
      }
    })

    withDaemon.live("runs no credential command for the commands in a run", function*(daemon) {
      const marker = path.join(daemon.home, "ran")
      const start = () =>
        curlJson(daemon, "/auth/sessions", {
          provider: "openai",
          flow: "credential_command",
          force: true,
          command: { argv: ["/usr/bin/touch", marker] }
        })
      assert.strictEqual((yield* start()).error, "AuthenticationFailedError")
      assert.isTrue(fs.existsSync(marker))
      fs.rmSync(marker)
      yield* register(daemon, first)
      const refused = yield* start()
      assert.strictEqual(refused.error, "OperationNotAllowedError")
      assert.include(refused.detail, "cannot register a credential command")
      assert.isFalse(fs.existsSync(marker))
    })

    withDaemon.live(
      "resolves credentials for the process that registered a run, and for no other that sends its ID",
      function*(daemon) {
        yield* daemon.request("/connections/openai/default/contained-only", { method: "POST" })
        yield* register(daemon, first, { contained: true })
        assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
        const denied = yield* curlJson(daemon, "/credentials/resolve", asked, "-H", `credsvc-run: ${first}`)
        assert.strictEqual(denied.error, "OperationNotAllowedError")
        assert.include(denied.detail, "Commands inside credsvc run cannot read credentials")
      }
    )

    withDaemon.live("takes the process ID of a run from its connection, not from the request", function*(daemon) {
      assert.strictEqual((yield* register(daemon, first, { pid: 1 })).json.pid, process.pid)
    })
  }
})
