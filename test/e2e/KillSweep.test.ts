/**
 * Tests the state that a daemon leaves when it is killed at any moment of a login, a logout or its first start.
 *
 * The kills are triggered by changes of its files. How far the daemon has come by then varies a little, but does not
 * depend on the speed of the machine.
 */
import { assert, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { killDaemon } from "../support/Processes.ts"
import { openSandbox, type Outcome, type Sandbox } from "../support/Sandbox.ts"

const daemonFile = (sandbox: Sandbox): string => path.join(sandbox.home, "server", "daemon.json")

/** Sends requests to the daemon directly, which is faster than starting a command. */
const ask = (
  sandbox: Sandbox,
  target: string,
  method = "GET"
): Promise<{ readonly status: number; readonly json: any }> =>
  new Promise((resolve, reject) => {
    const { port } = JSON.parse(fs.readFileSync(daemonFile(sandbox), "utf8"))
    http.request({ host: "127.0.0.1", port, path: target, method, agent: false }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => text += chunk)
      response.on("end", () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) }))
    }).on("error", reject).end()
  })

interface Serving {
  readonly child: ChildProcess
  /** The daemon's URL, or undefined if it exited before it listened. */
  readonly listens: Promise<string | undefined>
  readonly said: () => string
  readonly ended: Promise<unknown>
}

const serve = (sandbox: Sandbox): Serving => {
  const child = sandbox.spawn(["daemon", "serve", "--port", "0"])
  let said = ""
  child.stderr?.on("data", (chunk: Buffer) => said += chunk.toString())
  const ended = new Promise((resolve) => child.once("close", resolve))
  const listens = new Promise<string | undefined>((resolve) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString()))
    void ended.then(() => resolve(undefined))
  })
  return { child, listens, said: () => said, ended }
}

/** Starts the next daemon, which must find a consistent state. */
const recover = async (sandbox: Sandbox, after: string): Promise<void> => {
  const { listens, said } = serve(sandbox)
  assert.isDefined(await listens, `${after}: ${said()}`)
  const ready = await ask(sandbox, "/ready")
  assert.strictEqual(ready.json.status, "ok", `${after}: ${JSON.stringify(ready.json)}`)
  const verified = await ask(sandbox, "/audit/verify")
  assert.isTrue(verified.json.ok, `${after}: ${JSON.stringify(verified.json)}`)
}

/**
 * Calls back at the nth change below a directory, or immediately if n is 0. Does nothing if the operation makes fewer
 * changes.
 */
const atChange = async <A>(
  directory: string,
  nth: number,
  operation: () => Promise<A>,
  then: () => void
): Promise<{ readonly reached: boolean; readonly result: A }> => {
  let changes = 0
  const watcher = fs.watch(directory, { recursive: true }, () => {
    if (++changes === nth) then()
  })
  try {
    const running = operation()
    if (nth === 0) then()
    return { result: await running, reached: changes >= nth }
  } finally {
    watcher.close()
  }
}

const key = async (sandbox: Sandbox): Promise<string | undefined> => {
  const { json, status } = await ask(sandbox, "/connections/demo/default?reveal=true")
  assert.include([200, 404], status)
  return json.api_key
}

/**
 * The number of changes between kills. Each operation makes about as many changes as stated below; a busy machine
 * reports several of them as one.
 */
const step = 5

describe("kill -9 of the daemon", () => {
  it("during login and logout leaves the old or the new state, and a healthy daemon", async () => {
    const sandbox = await openSandbox({ connect: false })
    const login = (value: string): Promise<Outcome> =>
      sandbox.credsvc(["login", "demo", "--stdin", "--force"], { input: value })
    onTestFinished(() => sandbox.close())
    for (const [name, changes] of [["login", 60], ["logout", 28]] as const) {
      let hit = 0
      for (let nth = 0; nth <= changes; nth += step) {
        const after = `${name} killed at change ${nth}`
        const next = `${sandbox.key}_${nth}`
        if (name === "logout" && await key(sandbox) === undefined) assert.strictEqual((await login(next)).code, 0)
        const old = await key(sandbox)
        assert.isTrue(name === "login" || old !== undefined)
        const { reached, result } = await atChange(
          path.join(sandbox.home, "server"),
          nth,
          () => name === "login" ? login(next) : sandbox.credsvc(["logout", "demo"]),
          () => void killDaemon(sandbox.home)
        )
        if (reached) hit++
        await killDaemon(sandbox.home)
        await recover(sandbox, after)
        const found = await key(sandbox)
        const done = name === "login" ? next : undefined
        // An operation that was reported as completed must be complete.
        assert.include(result.code === 0 ? [done] : [old, done], found, after)
      }
      assert.isAbove(hit, 2)
    }
  }, 600_000)

  it("during the first start leaves a home that the next start completes", async () => {
    const changes = 66
    let hit = 0
    for (let nth = 0; nth <= changes; nth += step) {
      const sandbox = await openSandbox({ start: false })
      onTestFinished(() => sandbox.close())
      const first = serve(sandbox)
      const { reached } = await atChange(
        sandbox.home,
        nth,
        () => first.listens,
        () => first.child.kill("SIGKILL")
      )
      if (reached) hit++
      first.child.kill("SIGKILL")
      await first.ended
      await recover(sandbox, `first start killed at change ${nth}`)
      assert.strictEqual((await ask(sandbox, "/whoami")).json.master_key_source, "local_key")
      assert.strictEqual(fs.readdirSync(path.join(sandbox.home, "identities")).length, 1)
    }
    assert.isAbove(hit, 2)
  }, 600_000)
})
