/**
 * Daemons in separate pid namespaces that share a database: what clients see while daemons are killed and restarted, and
 * while PostgreSQL is restarted.
 *
 * The suite takes a small share of each sweep. `CREDSVC_TEST_REPLICAS=full` runs 300 kills and 20 restarts
 * of PostgreSQL. HostedReplicas.test.ts restarts daemons in turn under load.
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { bundleProgram } from "../support/BundledProgram.ts"
import { paths } from "../support/HostileAuthorizationServer.ts"
import { startCluster } from "../support/postgres/Cluster.ts"
import { type Answer, NoAnswer, Replica } from "../support/ReplicaProcesses.ts"
import { openRotatingServer, rotatingDefinition, type RotatingServer } from "../support/RotatingServer.ts"
import { random } from "../support/Seed.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"
import { writeConfig } from "../support/TestSites.ts"
import { databaseUrlOf } from "../support/TestStore.ts"

const isFull = process.env["CREDSVC_TEST_REPLICAS"] === "full"
const kills = isFull ? 300 : 4
/** Pairs of replicas that are killed at the same time. */
const lanes = isFull ? 3 : 1
const restarts = isFull ? 20 : 2

const canIsolate = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0
if (!canIsolate) console.warn("SKIPPED: the tests of replicas need pid namespaces")

const delay = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

const directory = suiteDirectory()
const program = await bundleProgram(path.join(import.meta.dirname, "replicaProgram.ts"), directory)

interface Pair {
  readonly replicas: readonly [Replica, Replica]
  readonly server: RotatingServer
  /** Stores a connection, with requests to these replicas in turn. */
  readonly login: (name: string, ...at: ReadonlyArray<Replica>) => Promise<void>
}

const resolve = (at: Replica, connection: string): Promise<Answer> =>
  at.ask("POST", "/credentials/resolve", { host: "api.rotating.test", connection })

const tokenOf = ({ json, status }: Answer): string => {
  assert.strictEqual(status, 200, JSON.stringify(json))
  return String(json.headers.Authorization).replace("Bearer ", "")
}

type Ask = (method: string, target: string, body?: unknown) => Promise<Answer>

/** A login in a browser, whose requests may each reach another replica. */
const loginWith = async (server: RotatingServer, ask: Ask, name: string): Promise<void> => {
  const begun = await ask("POST", "/auth/sessions", { provider: "rotating", connection: name })
  assert.strictEqual(begun.status, 201, JSON.stringify(begun.json))
  const { next_action, session_id } = begun.json
  const back = await ask("POST", `/auth/sessions/${session_id}/resume`, {
    data: { callback: server.redirect(next_action.url) }
  })
  assert.strictEqual(back.status, 200, JSON.stringify(back.json))
  for (let status = ""; status !== "completed";) {
    const { json } = await ask("GET", `/auth/sessions/${session_id}?wait=25`)
    status = json.status
    assert.notInclude(["failed", "expired", "cancelled", undefined], status, JSON.stringify(json))
  }
}

/** Runs the body with two replicas and an authorization server whose access tokens expire after this many seconds. */
const withPair = async (expiresIn: number, body: (pair: Pair) => Promise<void>, url = databaseUrlOf): Promise<void> => {
  const server = await openRotatingServer(expiresIn)
  const home = fs.mkdtempSync(path.join(directory, "pair-"))
  const masterKey = crypto.randomBytes(32).toString("base64")
  const homes = [path.join(home, "one"), path.join(home, "other")] as const
  const [one, other] = homes.map((own) => new Replica({ home: own, program, databaseUrl: url(home), masterKey })) as [
    Replica,
    Replica
  ]
  try {
    for (const { home } of [one, other]) writeConfig(home, [server])
    await Promise.all([one.start(), other.start()])
    // Both may create the vault.
    await Promise.all([one, other].map((replica) => replica.ask("GET", "/whoami")))
    const registered = await one.ask("POST", "/providers?force=true", rotatingDefinition(server))
    assert.strictEqual(registered.status, 201, JSON.stringify(registered.json))
    let turn = 0
    await body({
      replicas: [one, other],
      server,
      login: (name, ...at) => loginWith(server, (...request) => at[turn++ % at.length]!.ask(...request), name)
    })
    for (const replica of [one, other]) {
      if (!replica.isRunning) continue
      const { json } = await replica.ask("GET", "/audit/verify")
      assert.isTrue(json.ok, JSON.stringify(json))
    }
    const { logins, replays, rotations, unknown, graces } = server.counts
    console.log(
      `${logins} logins, ${rotations} rotations, ${graces} lost responses tried again,`,
      `${replays} replays, ${unknown} lost grants`
    )
    assert.strictEqual(replays + unknown, 0)
  } finally {
    await Promise.all([one.kill(), other.kill()])
    await server.close()
  }
}

describe.skipIf(!canIsolate)("Replicas in separate pid namespaces", () => {
  /** Kills the replicas in turn: before the server acts, after it, or shortly after it has responded. */
  const sweep = (count: number) =>
    withPair(1, async ({ login, replicas, server }) => {
      await login("default", ...replicas)
      let victim: Replica | undefined
      let when = ""
      server.answer(paths.token, async (request) => {
        const target = victim
        victim = undefined
        if (target !== undefined && when === "before") await target.kill()
        const reply = server.token(request)
        if (target !== undefined && when === "after") await target.kill()
        if (target !== undefined && when === "later") setTimeout(() => void target.kill(), random() * 25)
        return reply
      })
      for (let round = 0; round < count; round++) {
        const [first, second] = round % 2 === 0 ? replicas : [replicas[1], replicas[0]]
        await delay(1000)
        when = ["before", "after", "later"][round % 3]!
        victim = first
        const lost = resolve(first, "default").catch((error: unknown) => assert.instanceOf(error, NoAnswer))
        await Promise.race([lost, delay(150)])
        const token = tokenOf(await resolve(second, "default"))
        assert.isTrue(server.accepts(token), `round ${round}, killed ${when}`)
        await lost
        await first.kill()
        await first.start()
      }
    })

  it(`lose no grant when one is killed during a refresh, ${kills} times`, async () => {
    await Promise.all(Array.from({ length: lanes }, () => sweep(kills / lanes)))
  }, 3_600_000)

  it(
    `complete every request, lose no grant and store each change once while PostgreSQL restarts ${restarts} times`,
    async () => {
      const cluster = await startCluster()
      const url = `postgres:///postgres?host=${cluster.directory}&user=credsvc&schema=team`
      const names = ["first", "second", "third"]
      onTestFinished(() => cluster.stop())
      await withPair(1, async ({ login, replicas, server }) => {
        for (const name of names) await login(name, ...replicas)
        const failed: Array<Answer> = []
        let resolved = 0
        let written = 0
        const over = new AbortController()
        const use = async (at: Replica, name: string): Promise<void> => {
          while (!over.signal.aborted) {
            const answer = await resolve(at, name)
            resolved++
            // Earlier refresh tokens must not be used from now on.
            if (answer.status === 200) server.accepts(tokenOf(answer))
            else failed.push(answer)
            await delay(100)
          }
        }
        const write = async (at: Replica): Promise<void> => {
          while (!over.signal.aborted) {
            const answer = await at.ask("POST", `/policies/p${written++ % 100}`, {
              readonly: true,
              allow: [],
              deny: []
            })
            if (answer.status !== 200) failed.push(answer)
          }
        }
        const users = Promise.all(replicas.flatMap((at) => [write(at), ...names.map((name) => use(at, name))]))
        for (let count = 0; count < restarts; count++) {
          await Promise.race([delay(2000), users])
          await cluster.restart(count % 2 === 0 ? "fast" : "immediate")
        }
        await Promise.race([delay(3000), users])
        over.abort()
        await users
        console.log(`${resolved} resolves, ${written} changes, ${failed.length} failed`)
        assert.deepStrictEqual(failed, [])
        const { json } = await replicas[0].ask("GET", "/audit?event=policy-set&limit=1000")
        assert.lengthOf(json.entries, written)
        for (const at of replicas) {
          for (const name of names) assert.isTrue(server.accepts(tokenOf(await resolve(at, name))))
        }
      }, () => url)
    },
    1_800_000
  )
})
