import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { runNameOf } from "../../src/config/RunMark.ts"
import type { Lineage } from "../../src/platform/process/Lineage.ts"
import { descends } from "../../src/runs/RunCallers.ts"
import { runProgram } from "../support/Programs.ts"
import { curl, curlJson, first, register, runsOf, second, withDaemon } from "../support/RegisteredRun.ts"
import { asked, key, resolveIn as resolve } from "../support/ResolveQueries.ts"

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

describe("RunCallers › descends", () => {
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

describe.runIf(process.platform === "linux")("RunCallers", () => {
  withDaemon.live("finds the commands in a run by their ancestors, and denies them secrets", function*(daemon) {
    const list = curl(daemon, "/runs")
    const inside = () => Effect.map(list, (list) => list.caller_inside)
    const exported = () => curlJson(daemon, "/credentials/export", { provider: "openai" })
    assert.isFalse(yield* inside())
    assert.include((yield* exported()).output, key)
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

  withDaemon.live(
    "allows a command in a run to stop only runs that its run contains",
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
})
