/** Runs of several daemons that share a database. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as os from "node:os"
import { runNameOf } from "../../src/config/RunMark.ts"
import { plural } from "../../src/domain/text/Plural.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { testsWith } from "../support/Fixture.ts"
import { runProgram } from "../support/Programs.ts"
import { first, noticed, register, second, third } from "../support/RegisteredRun.ts"
import { replicaOf } from "../support/Replicas.ts"
import { key, loggedIn, resolveIn as resolve } from "../support/ResolveQueries.ts"
import { startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"
import { databaseUrlOf, executeOn, queryOn } from "../support/TestStore.ts"
import { eventually } from "../support/Until.ts"

/** Another daemon on the database of this one. */
const replica = (daemon: TestDaemonShape) =>
  Effect.gen(function*() {
    const home = yield* replicaOf(daemon.home)
    return yield* startTestDaemon({
      home,
      settings: { databaseUrl: Option.some(Redacted.make(databaseUrlOf(daemon.home))) }
    })
  })

const withReplicas = testsWith(
  Effect.gen(function*() {
    const one = yield* loggedIn
    return { one, other: yield* replica(one) }
  }),
  () => PeerOwner.layer
)

const runsOf = (daemon: TestDaemonShape) => Effect.map(daemon.request("/runs"), ({ json }) => json.runs)
const namesOf = (daemon: TestDaemonShape) =>
  Effect.map(runsOf(daemon), (runs) => runs.map(({ name }: { name: string }) => name))
const stop = (daemon: TestDaemonShape, id: string) => daemon.request(`/runs/${runNameOf(id)}/stop`, { method: "POST" })

const stopped = "403 This run was stopped with credsvc stop and gets no more credentials. " +
  "Start the command again with credsvc run."
const exhausted = (uses: number) =>
  `403 This run has used credentials for ${plural(uses, "request")}, which is its limit (--max-uses).`

describe("Runs of daemons that share a database", () => {
  withReplicas.live("are listed by each daemon, with their connections, until they end", function*({ one, other }) {
    const scope = yield* Scope.make()
    const { json } = yield* Scope.provide(register(one, first, { providers: ["openai"] }), scope)
    assert.deepStrictEqual(yield* runsOf(other), [json])
    yield* resolve(one, first)
    const used = Effect.map(runsOf(other), ([run]) => run.uses)
    const [use] = yield* eventually(used, ({ length }) => length > 0)
    assert.deepInclude(use, { provider: "openai", connection: "default" })
    yield* Scope.close(scope, Exit.void)
    yield* eventually(namesOf(other), ({ length }) => length === 0)
  })

  withReplicas.live("have the same limits at each of them", function*({ one, other }) {
    yield* register(one, first, { providers: ["github-token"] })
    yield* register(one, second, { providers: ["openai"] })
    assert.strictEqual(yield* resolve(other, second), `Bearer ${key}`)
    assert.strictEqual(
      yield* resolve(other, first),
      "403 This run is limited to github-token and does not include openai."
    )
    const target = `${other.url}/credentials/resolve`
    const fields = ["-H", "content-type: application/json", "-H", `credsvc-run: ${second}`]
    const body = JSON.stringify({ host: "api.openai.com" })
    const curled = yield* runProgram("curl", ["-sS", "--noproxy", "*", target, ...fields, "-d", body])
    assert.include(curled.output, "Commands inside credsvc run cannot read credentials")
  })

  withReplicas.live("share one limit of uses", function*({ one, other }) {
    yield* register(one, first, { max_uses: 40 })
    const all = yield* Effect.all(
      Array.from({ length: 50 }, (_, at) => resolve(at % 2 === 0 ? one : other, first, { method: `M${at}` })),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(all.filter((result) => result === `Bearer ${key}`), 40)
    assert.lengthOf(all.filter((result) => result === exhausted(40)), 10)
    yield* register(other, second, { inside: runNameOf(first) })
    assert.strictEqual(yield* resolve(other, second), exhausted(40))
  })

  withReplicas.live("do not count a use that ended without a credential", function*({ one, other }) {
    yield* register(one, first, { max_uses: 1 })
    assert.match(yield* resolve(other, first, { connection: "missing" }), /^404/)
    assert.strictEqual(yield* resolve(one, first), `Bearer ${key}`)
    assert.strictEqual(yield* resolve(other, first), exhausted(1))
  })

  withReplicas.live("write nothing for a use, unless it is limited", function*({ one, other }) {
    yield* register(one, first)
    const rows = () => queryOn(one.home, "SELECT xmin, ctid, * FROM runs")
    for (const daemon of [one, other]) yield* resolve(daemon, first)
    const before = [rows(), queryOn(one.home, "SELECT xmin, * FROM run_uses")]
    for (const daemon of [one, other]) yield* resolve(daemon, first)
    assert.deepStrictEqual([rows(), queryOn(one.home, "SELECT xmin, * FROM run_uses")], before)
  })

  withReplicas.live("are stopped by each of them, with their inner runs", function*({ one, other }) {
    const outer = yield* register(one, first)
    const inner = yield* register(other, second, { inside: runNameOf(first) })
    const beside = yield* register(one, third)
    const { json } = yield* stop(other, first)
    assert.sameMembers(json.runs, [runNameOf(first), runNameOf(second)])
    assert.strictEqual(yield* resolve(other, first), stopped)
    yield* noticed(outer.notices, "stopped")
    yield* noticed(inner.notices, "stopped")
    for (const daemon of [one, other]) {
      for (const id of [first, second]) assert.strictEqual(yield* resolve(daemon, id), stopped)
      assert.strictEqual((yield* register(daemon, first)).status, 403)
      assert.strictEqual(yield* resolve(daemon, third), `Bearer ${key}`)
    }
    assert.notInclude(beside.notices, "stopped")
    assert.strictEqual((yield* register(other, "later-run-0123456789", { inside: runNameOf(first) })).status, 403)
  })

  withReplicas.live("are frozen with their strict outer runs", function*({ one, other }) {
    const outer = yield* register(one, first, { strict: true })
    yield* register(other, second, { inside: runNameOf(first) })
    const report = {
      part: 2,
      last: false,
      missing: 0,
      entries: [[1, "GET", "evil.example", "", 0, 0, 0, null, null, null, null, "unmatched query"]]
    }
    // A front may pass the report on to another daemon than the one of the run.
    const { status } = yield* one.post("/runs/requests", report, { "credsvc-run": second })
    assert.strictEqual(status, 200)
    yield* noticed(outer.notices, "frozen")
    for (const daemon of [one, other]) {
      for (const id of [first, second]) {
        assert.match(yield* resolve(daemon, id), /^403 This run gets no more credentials, because a request/)
        assert.strictEqual((yield* register(daemon, id, { strict: true })).status, 403)
      }
    }
  })

  withReplicas.live("are notified of changes at other daemons", function*({ one, other }) {
    const { notices } = yield* register(one, first)
    const changed = (path: string, method = "POST", body?: object) =>
      Effect.gen(function*() {
        const before = notices.length
        const { status } = yield* other.request(path, { method, ...(body === undefined ? {} : { body }) })
        assert.isBelow(status, 300, path)
        yield* eventually(Effect.sync(() => notices), ({ length }) => length > before)
      })
    yield* changed("/connections/openai/default/contained-only")
    yield* changed("/sandboxes", "POST", { name: "one", providers: ["openai"], expires_in: 3600 })
    yield* changed("/sandboxes/one/rotate")
    yield* changed("/connections/openai/default/logout")
    assert.match(yield* resolve(one, first), /^404/)
  })

  withReplicas.live(
    "ask at their own daemon; other daemons refuse answers and name the machine of the run",
    function*({ one, other }) {
      const answered = (daemon: TestDaemonShape) =>
        Effect.map(
          daemon.post("/runs/questions/01234567/answer", { answer: "no" }),
          ({ json }) => json.detail
        )
      assert.include(yield* answered(other), "it was answered or has ended")
      yield* register(one, first, { ask: true })
      assert.include(yield* answered(other), `answer on the machine of the run (${os.hostname()})`)
      assert.include(yield* answered(one), "it was answered or has ended")
    }
  )

  withReplicas.live("continue at another daemon, and the first one forgets them", function*({ one, other }) {
    const { notices } = yield* register(one, first, { max_uses: 3 })
    assert.strictEqual(yield* resolve(one, first), `Bearer ${key}`)
    yield* register(other, first, { max_uses: 3, used: 1 })
    assert.deepStrictEqual(yield* eventually(namesOf(one), ({ length }) => length === 1), [runNameOf(first)])
    assert.strictEqual(yield* resolve(other, first), `Bearer ${key}`)
    assert.strictEqual(yield* resolve(one, first), `Bearer ${key}`)
    assert.strictEqual(yield* resolve(one, first), exhausted(3))
    yield* stop(one, first)
    assert.strictEqual(yield* resolve(other, first), stopped)
    assert.notInclude(notices, "stopped")
  })

  withReplicas.live("are forgotten after their daemon has ended, and their last requests may be missing", function*({
    one
  }) {
    const scope = yield* Scope.make()
    const ending = yield* replica(one).pipe(Scope.provide(scope))
    yield* register(ending, first)
    yield* resolve(ending, first)
    yield* register(ending, second, { max_uses: 1 })
    yield* resolve(ending, second)
    assert.lengthOf(yield* namesOf(one), 2)
    yield* Scope.close(scope, Exit.void)
    const gaps = Effect.map(one.request("/audit/requests"), ({ json }) => json.entries)
    const entries = yield* eventually(gaps, ({ length }) => length >= 2)
    assert.sameMembers(
      entries.map(({ kind, run }: { kind: string; run: string }) => `${kind} ${run}`),
      [first, second].map((id) => `gap ${runNameOf(id)}`)
    )
    assert.deepStrictEqual(yield* namesOf(one), [])
    yield* register(one, second, { max_uses: 1 })
    assert.strictEqual(yield* resolve(one, second), exhausted(1))
  })

  withReplicas.live(
    "end with an outer run whose daemon has ended, unless it continues at another daemon",
    function*({
      one
    }) {
      const scope = yield* Scope.make()
      const ending = yield* replica(one).pipe(Scope.provide(scope))
      yield* register(ending, first)
      yield* register(ending, second)
      yield* register(one, third, { inside: runNameOf(first) })
      const orphan = "fourth-run-0123456789"
      const { notices } = yield* register(one, orphan, { inside: runNameOf(second) })
      for (const id of [third, orphan]) assert.strictEqual(yield* resolve(one, id), `Bearer ${key}`)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* resolve(one, third), `Bearer ${key}`)
      yield* register(one, first)
      const before = notices.length
      yield* eventually(
        resolve(one, orphan),
        (response) => response.includes("The outer run has ended")
      )
      yield* eventually(Effect.sync(() => notices.slice(before)), (later) => later.includes("changed"))
      assert.strictEqual(yield* resolve(one, third), `Bearer ${key}`)
    }
  )

  withReplicas.live("keep their limits after a change of their rows outside of credsvc", function*({ one, other }) {
    yield* register(one, first, { providers: ["github-token"] })
    executeOn(one.home, "UPDATE runs SET content = replace(content, 'github-token', 'openai')")
    assert.match(yield* resolve(other, first), /^503 A row of the registered runs was changed outside of credsvc/)
    assert.match(yield* resolve(one, first), /^403 This run is limited to github-token/)
  })
})
