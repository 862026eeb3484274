import { afterEach, assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { openSandbox, type Sandbox } from "../support/Sandbox.ts"

const daemonsOf = (home: string): ReadonlyArray<number> =>
  fs.readdirSync("/proc").filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
    try {
      const environment = fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
      return environment.includes(`CREDSVC_HOME=${home}`) &&
        fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("daemon\0serve")
    } catch {
      return false
    }
  }).map(Number)

const portIsFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.createServer()
    probe.once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })

describe("first use", () => {
  let sandbox: Sandbox | undefined
  afterEach(() => sandbox?.close())

  it("starts one daemon for twenty clients at once, and answers them all (A48)", async (context) => {
    if (!(await portIsFree(7998))) context.skip("port 7998 is taken on this machine")
    const opened = await openSandbox({ start: false })
    sandbox = opened
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => opened.credsvc(["whoami", "--json"], { timeout: 60_000 }))
    )
    for (const outcome of outcomes) assert.strictEqual(outcome.code, 0, outcome.stderr)
    const identities = new Set(outcomes.map((outcome) => JSON.parse(outcome.stdout).identity))
    assert.strictEqual(identities.size, 1)
    assert.strictEqual(daemonsOf(opened.home).length, 1)
  })

  it("leaves no file that another user could read, whatever the umask (A45)", async (context) => {
    if (!(await portIsFree(7998))) context.skip("port 7998 is taken on this machine")
    const opened = await openSandbox({ start: false })
    sandbox = opened
    const before = process.umask(0)
    try {
      await opened.credsvc(["list"])
      await opened.credsvc(["register", "demo.json", "--yes"])
      await opened.credsvc(["login", "demo", "--stdin"], { input: opened.key })
      await opened.credsvc(["profile", "create"])
    } finally {
      process.umask(before)
    }
    const open = fs.readdirSync(opened.home, { recursive: true, withFileTypes: true })
      .map((file) => path.join(file.parentPath, file.name))
      .filter((file) => (fs.lstatSync(file).mode & 0o077) !== 0)
    assert.deepStrictEqual(open, [])
  })
})
