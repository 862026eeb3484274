import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { openSandbox, type Sandbox } from "../support/Sandbox.ts"

const daemonPid = (sandbox: Sandbox): number | undefined => {
  try {
    return JSON.parse(fs.readFileSync(path.join(sandbox.home, "server", "daemon.json"), "utf8")).pid
  } catch {
    return undefined
  }
}

const killDaemon = (sandbox: Sandbox): void => {
  const pid = daemonPid(sandbox)
  if (pid === undefined) return
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It is gone already.
  }
}

/** Delays that cover an operation of about `span` milliseconds, denser where it begins to write. */
const delays = (count: number, span: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => (index / (count - 1)) ** 1.5 * span)

const rounds = Number(process.env["CREDSVC_KILL_ROUNDS"] ?? 24)

describe("kill -9 of the daemon", () => {
  it(
    `during login and logout leaves the old state or the new one, and doctor healthy (${rounds} times each)`,
    async () => {
      const sandbox = await openSandbox({ connect: false })
      try {
        let connected = false
        for (const [index, delay] of delays(rounds * 2, 220).entries()) {
          const login = !connected
          const key = `${sandbox.key}_${index}`
          const running = login
            ? sandbox.credsvc(["login", "demo", "--stdin"], { input: key })
            : sandbox.credsvc(["logout", "demo"])
          await new Promise((resolve) => setTimeout(resolve, delay))
          killDaemon(sandbox)
          const outcome = await running
          await sandbox.credsvc(["daemon", "start", "--port", "0"])
          const doctor = await sandbox.credsvc(["doctor", "--json"])
          assert.strictEqual(doctor.code, 0, `after ${delay} ms of ${login ? "login" : "logout"}: ${doctor.stdout}`)
          const after = await sandbox.credsvc(["get", "demo", "--field", "api_key", "--show-secret"])
          if (after.code === 0) {
            assert.strictEqual(after.stdout, login ? `${key}\n` : after.stdout)
            connected = true
          } else {
            assert.strictEqual(after.code, 3, after.stderr)
            connected = false
          }
          // What was reported as done is done.
          if (outcome.code === 0) {
            assert.strictEqual(
              connected,
              login,
              `${login ? "login" : "logout"} was reported as done`
            )
          }
          const verified = await sandbox.credsvc(["log", "--verify", "--json"])
          assert.strictEqual(verified.code, 0, verified.stdout)
        }
      } finally {
        await sandbox.close()
      }
    },
    600_000
  )

  it(`during the first start leaves a home that the next start completes (${rounds} times)`, async () => {
    for (const delay of delays(rounds, 260)) {
      const sandbox = await openSandbox({ start: false })
      try {
        const starting = sandbox.spawn(["daemon", "serve", "--port", "0"])
        const ended = new Promise((resolve) => starting.on("close", resolve))
        await new Promise((resolve) => setTimeout(resolve, delay))
        starting.kill("SIGKILL")
        await ended
        const started = await sandbox.credsvc(["daemon", "start", "--port", "0"])
        assert.strictEqual(started.code, 0, `after ${delay} ms: ${started.stderr}`)
        const doctor = await sandbox.credsvc(["doctor", "--json"])
        assert.strictEqual(doctor.code, 0, `after ${delay} ms: ${doctor.stdout}`)
        const whoami = JSON.parse((await sandbox.credsvc(["whoami", "--json"])).stdout)
        assert.strictEqual(whoami.master_key_source, "local_key")
        assert.strictEqual(fs.readdirSync(path.join(sandbox.home, "identities")).length, 1)
      } finally {
        await sandbox.close()
      }
    }
  }, 600_000)
})
