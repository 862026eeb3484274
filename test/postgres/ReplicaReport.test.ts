import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import * as os from "node:os"
import * as path from "node:path"
import { schemaVersion } from "../../src/store/Migrations.ts"
import { testsWith } from "../support/Fixture.ts"
import { programsDirectory } from "../support/postgres/Installation.ts"
import { replicaOf } from "../support/Replicas.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { startTestDaemon } from "../support/TestDaemon.ts"
import { databaseUrlOf, schemaOf } from "../support/TestStore.ts"
import { eventually } from "../support/Until.ts"

/** A foreign session, with what it prints. */
const session = Effect.acquireRelease(
  Effect.sync(() => {
    const child = spawn(
      path.join(programsDirectory()!, "psql"),
      ["-h", process.env["CREDSVC_TEST_POSTGRES_SOCKET"]!, "-U", "credsvc", "-qAtX", "postgres"],
      { env: { ...process.env, PGAPPNAME: `credsvc on ${os.hostname()}` }, stdio: ["pipe", "pipe", "inherit"] }
    )
    const found = { child, printed: "", run: (statement: string) => void child.stdin.write(`${statement};\n`) }
    child.stdout.setEncoding("utf8").on("data", (text: string) => found.printed += text)
    return found
  }),
  ({ child }) => Effect.sync(() => child.kill())
)

/** Holds the locks of a daemon and responds to nothing, as one that hangs. */
const hangingDaemon = (home: string) =>
  Effect.map(
    session,
    ({ run }) =>
      run(
        `SELECT pg_advisory_lock_shared(hashtext('credsvc'), hashtext('${
          schemaOf(home)
        }')), pg_advisory_lock(123456789012345)`
      )
  )

const inHome = testsWith(Effect.gen(function*() {
  const home = yield* temporaryDirectory
  const daemon = yield* startTestDaemon({ home })
  yield* daemon.request("/policies")
  return { home, daemon }
}))

describe("GET /replicas", () => {
  inHome.live("lists the daemons of the database, with the report of each", function*({ daemon, home }) {
    const copy = yield* replicaOf(home)
    const settings = { databaseUrl: Option.some(Redacted.make(databaseUrlOf(home))) }
    yield* startTestDaemon({ home: copy, settings })
    const { json, status } = yield* eventually(
      daemon.request("/replicas"),
      ({ json }) => json.replicas?.length === 2
    )
    assert.strictEqual(status, 200, JSON.stringify(json))
    assert.deepStrictEqual(json.problems, [])
    const [own, second] = json.replicas
    assert.deepInclude(own, { name: os.hostname(), own: true, silent_milliseconds: 0 })
    assert.deepInclude(second, { name: os.hostname(), own: false })
    assert.notStrictEqual(own.owner, second.owner)
    for (const [{ report }, at] of [[own, home], [second, copy]] as const) {
      assert.deepInclude(report, { home: at, schema: schemaVersion })
      assert.include(["ok", "degraded"], report.status)
      assert.isBelow(Math.abs(report.clock_milliseconds), 5000)
      assert.strictEqual(report.key_id, own.report.key_id)
    }
  })

  inHome.live("says which daemon does not respond, and for how long", function*({ daemon, home }) {
    yield* hangingDaemon(home)
    const { json } = yield* eventually(daemon.request("/replicas"), ({ json }) => json.replicas?.length === 2)
    const [, ghost] = json.replicas
    assert.deepInclude(ghost, { name: os.hostname(), owner: "123456789012345", own: false, report: null })
    assert.isAtLeast(ghost.silent_milliseconds, 1)
    assert.lengthOf(json.problems, 1)
    assert.match(
      json.problems[0].replace(os.hostname(), "HOST"),
      /^HOST 123456789012345 does not respond; its last message was \d+ s ago\. Restart it, unless it is starting\.$/
    )
  })

  inHome.live("ignores a false notice that the tables were migrated", function*({ daemon, home }) {
    const foreign = yield* session
    yield* daemon.request("/replicas")
    const schema = schemaOf(home)
    const holders = (answers: number) =>
      Effect.map(
        eventually(
          Effect.sync(() => {
            foreign.run(
              `SELECT 'held by', string_agg(pid::text, ' ') FROM pg_locks
              WHERE locktype = 'advisory' AND objsubid = 2 AND objid = (hashtext('${schema}')::bigint & 4294967295)::oid`
            )
            return foreign.printed
          }),
          (printed) =>
            printed.split(" replica ").length > answers && /held by[^]*\n/.test(printed.split(" replica ").at(-1)!)
        ),
        (printed) => /held by\|(\d+)\n/.exec(printed.split(" replica ").at(-1)!)?.[1]
      )
    const before = yield* holders(0)
    foreign.run("LISTEN credsvc")
    foreign.run(`SELECT pg_notify('credsvc', '${schema} 1 migrated ')`)
    foreign.run(`SELECT pg_notify('credsvc', '${schema} 1 replicas ')`)
    assert.strictEqual(yield* holders(1), before)
    assert.isDefined(before)
  })

  inHome.live("limits how often a daemon reports its state after notifications", function*({ daemon, home }) {
    const foreign = yield* session
    const answers = () => foreign.printed.match(/ replica [\w-]+"/g)?.length ?? 0
    const ask = (count: number) =>
      foreign.run(
        `SELECT pg_notify('credsvc', '${schemaOf(home)} 1 replicas ' || n) FROM generate_series(1, ${count}) n`
      )
    yield* daemon.request("/replicas")
    foreign.run("LISTEN credsvc")
    ask(1000)
    const began = performance.now()
    yield* eventually(
      Effect.sync(() => {
        ask(1)
        return answers()
      }),
      (count) => count >= 20
    )
    assert.isAbove(performance.now() - began, 1900)
  })
})
