/** Kills the program, the proxy or the daemon while a login that was taken over is refreshed. `CREDSVC_TEST_KILLS` sets the number. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { CLAUDE_CLIENT, openLoginVendor } from "../support/LoginVendor.ts"
import { killDaemon } from "../support/Processes.ts"
import { collect, openProgram } from "../support/Sandbox.ts"
import { random } from "../support/Seed.ts"
import { until } from "../support/Until.ts"

/** Refreshes and calls the API, as Claude Code does at its start. */
const PROGRAM = `
import * as fs from "node:fs"
const { accessToken, refreshToken: refresh_token } = JSON.parse(fs.readFileSync(process.env.FILE, "utf8")).claudeAiOauth
console.error("pid", process.pid)
const post = async (url, body, headers) => {
  const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } }
  const response = await fetch(url, init)
  await response.text()
  console.log(response.status)
}
await post("https://platform.claude.com/v1/oauth/token", {
  grant_type: "refresh_token", refresh_token, client_id: "${CLAUDE_CLIENT}", scope: "user:inference"
})
await post("https://api.anthropic.com/v1/messages", {}, { authorization: "Bearer " + accessToken })
`

const kills = Number(process.env["CREDSVC_TEST_KILLS"] ?? 48)

describe("a login that was taken over", () => {
  it(
    "survives kills, and the vendor gets each refresh token once, unless the daemon dies before it reads the response",
    async () => {
      const vendor = await openLoginVendor()
      const sandbox = openProgram([vendor])
      const file = path.join(sandbox.directory, ".claude", ".credentials.json")
      const program = path.join(sandbox.directory, "program.mjs")
      const options = { env: { HOME: sandbox.directory, FILE: file } }
      const seen = { program: 0, proxy: 0, daemon: 0, during: 0, lost: 0 }
      const adopt = async () => {
        const { access_token: accessToken, refresh_token: refreshToken } = vendor.tokens("claude", "ada")
        const login = { accessToken, refreshToken, expiresAt: Date.now() + 1000, accountUuid: "uuid-ada" }
        fs.writeFileSync(file, JSON.stringify({ claudeAiOauth: login }))
        await sandbox.must(["login", "claude-code", "--adopt", "--force"], options)
      }
      const start = () => sandbox.start(["run", "--", process.execPath, program], options)
      try {
        fs.mkdirSync(path.dirname(file))
        fs.writeFileSync(program, PROGRAM)
        await sandbox.must(["daemon", "start", "--port", "0"])
        vendor.lifetime = 1
        await adopt()
        for (let round = 0; round < kills; round++) {
          vendor.delay = Math.floor(random() * 60)
          const [reused, refreshes] = [vendor.counts.reused, vendor.counts.refreshes]
          const target = (["program", "proxy", "daemon"] as const)[round % 3]!
          const child = start()
          const ended = collect(child)
          let pid = 0
          child.stderr!.on("data", (text: string) => pid ||= Number(/pid (\d+)/.exec(text)?.[1] ?? 0))
          await until(() => pid > 0 || child.exitCode !== null)
          await setTimeout(random() * 400)
          if (target === "daemon") await killDaemon(sandbox.home)
          else if (target === "proxy") child.kill("SIGKILL")
          else if (pid > 0) {
            try {
              process.kill(pid, "SIGKILL")
            } catch {
              // It has ended.
            }
          }
          seen[target]++
          if (vendor.counts.refreshes > refreshes) seen.during++
          await ended
          const { code, stderr, stdout } = await collect(start())
          const isLost = stdout !== "200\n200\n"
          if (target !== "daemon") {
            assert.deepStrictEqual([isLost, vendor.counts.reused], [false, reused], stdout + stderr)
          }
          if (!isLost) {
            assert.deepStrictEqual([code, vendor.counts.reused], [0, reused], stderr)
            continue
          }
          // The daemon was killed between the vendor's use of the token and its own reading of the response.
          assert.strictEqual(vendor.counts.reused, reused + 1, stdout + stderr)
          seen.lost++
          await adopt()
        }
        console.info(`${kills} kills: ${JSON.stringify(seen)}, ${vendor.counts.refreshes} refreshes`)
      } finally {
        await sandbox.close()
        await vendor.close()
      }
    },
    3_600_000
  )
})
