import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { collect, entry, openSandbox, type Sandbox } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"

/**
 * Runs in its own network namespace, because the first use takes the default port, which other tests and the machine's
 * own daemon may use too.
 */
const namespace = ["unshare", "--net", "--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]
const isolated = spawnSync(namespace[0]!, [...namespace.slice(1), "true"]).status === 0
const missing = "needs a network namespace: root, unshare and ip (Debian: util-linux, iproute2)"

const inNamespace = (sandbox: Sandbox, script: string) =>
  collect(
    spawn(namespace[0]!, [...namespace.slice(1), "sh", "-c", script], {
      cwd: sandbox.directory,
      env: { ...sandbox.env, CREDSVC: `${process.execPath} ${entry}` },
      stdio: ["pipe", "pipe", "pipe"]
    })
  )

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

describe("first use", () => {
  const sandbox = shared(() => openSandbox({ start: false }))

  it("starts one daemon for eight concurrent clients, and leaves no file that another user can read, under any umask", async (context) => {
    if (!isolated) context.skip(missing)
    fs.rmSync(path.join(sandbox.home, "client"), { recursive: true })
    const ended = await inNamespace(
      sandbox,
      "umask 0; for i in $(seq 8); do $CREDSVC whoami --json >out.$i 2>err.$i || echo $i failed & done; wait; " +
        "{ $CREDSVC list && $CREDSVC register demo.json --yes && echo key | $CREDSVC login demo --stdin && " +
        "$CREDSVC profile create && $CREDSVC get demo; } >/dev/null"
    )
    assert.deepStrictEqual([ended.code, ended.stdout], [0, ""], ended.stderr)
    const answers = Array.from(
      { length: 8 },
      (_, index) => JSON.parse(fs.readFileSync(path.join(sandbox.directory, `out.${index + 1}`), "utf8"))
    )
    assert.strictEqual(new Set(answers.map((answer) => answer.identity)).size, 1)
    assert.strictEqual(answers[0].daemon_url, "http://127.0.0.1:7998")
    assert.strictEqual(daemonsOf(sandbox.home).length, 1)
    const open = fs.readdirSync(sandbox.home, { recursive: true, withFileTypes: true })
      .map((file) => path.join(file.parentPath, file.name))
      .filter((file) => (fs.lstatSync(file).mode & 0o077) !== 0)
    assert.deepStrictEqual(open, [])
  })
})
