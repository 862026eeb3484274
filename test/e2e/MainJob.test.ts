import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { killDaemon } from "../support/Processes.ts"
import { demoHost, filesHolding, inShell, openSandbox } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"

const url = `https://${demoHost}/v1/whoami`

/** The command lines and environments of all readable processes on this machine. */
const processesHolding = (text: string): ReadonlyArray<string> =>
  fs.readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid).flatMap((pid) =>
    ["cmdline", "environ"].filter((file) => {
      try {
        return fs.readFileSync(`/proc/${pid}/${file}`).includes(text)
      } catch {
        return false
      }
    }).map((file) => `/proc/${pid}/${file}`)
  )

/** Collects a command's output, and waits until stdout matches. */
const conversation = (child: ChildProcess) => {
  const { stderr, stdout } = child
  const texts = { stdout: "", stderr: "" }
  stderr?.on("data", (chunk: Buffer) => texts.stderr += chunk.toString())
  const ended = new Promise<typeof texts>((resolve) => child.once("close", () => resolve(texts)))
  const said = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => void (pattern.test(texts.stdout) && resolve())
      stdout?.on("data", look)
      look()
      void ended.then(() => reject(new Error(`ended without ${pattern}: ${texts.stdout}${texts.stderr}`)))
    })
  stdout?.on("data", (chunk: Buffer) => texts.stdout += chunk.toString())
  return { ended, said }
}

describe("credsvc run with an API key", () => {
  // A directory for temporary files of these programs only, which a test searches.
  const temporary = suiteDirectory()
  beforeAll(() => void vi.stubEnv("TMPDIR", temporary))
  afterAll(() => {
    vi.unstubAllEnvs()
  })
  const sandbox = shared(() => openSandbox())

  it("delivers the key to the API, and only a placeholder to the command", async () => {
    const child = await sandbox.must(["run", "--", "sh", "-c", `env; curl -sS ${url}`])
    assert.include(child.stdout, "DEMO_API_KEY=credsvc-proxy-managed")
    assert.include(child.stdout, "\"hello\":\"Ada\"")
    assert.notInclude(child.stdout, sandbox.key)
    assert.strictEqual(sandbox.api.received.at(-1), `Bearer ${sandbox.key}`)
  })

  it("keeps the key out of every file, command line, environment and response", async () => {
    const running = sandbox.spawn(["--verbose", "run", "--", "sh", "-c", `curl -sS ${url}; read _`])
    const { ended, said } = conversation(running)
    await said(/Ada/)
    assert.deepStrictEqual(processesHolding(sandbox.key), [])
    assert.deepStrictEqual(filesHolding(os.tmpdir(), sandbox.key), [])
    running.stdin?.end("\n")
    assert.notInclude((await ended).stderr, sandbox.key)

    const commands = [
      ["list"],
      ["list", "--json"],
      ["get", "demo"],
      ["get", "demo", "--json"],
      ["inspect", "demo"],
      ["whoami", "--json"],
      ["doctor", "--json"],
      ["log", "--json"],
      ["log", "--raw"],
      ["daemon", "status"],
      ["daemon", "logs"],
      ["login", "demo", "--stdin"],
      ["get", "demo", "--connection", "absent"],
      ["export", "absent"]
    ]
    for (const args of commands) {
      const said = await sandbox.credsvc(args, { input: sandbox.key })
      assert.notInclude(said.stdout, sandbox.key, args.join(" "))
      assert.notInclude(said.stderr, sandbox.key, args.join(" "))
    }
    assert.deepStrictEqual(filesHolding(sandbox.home, sandbox.key), [])
  })

  it("fails closed when the daemon dies, and recovers when it is back", async () => {
    const status = JSON.parse((await sandbox.credsvc(["daemon", "status"])).stdout)
    // A client never starts a daemon at an explicit URL.
    const running = sandbox.spawn(
      inShell(
        `curl -sS -o /dev/null -w '%{http_code} ' ${url}; read _; curl -sS -o /dev/null -w '%{http_code} ' ${url}; ` +
          `read _; curl -sS -o /dev/null -w '%{http_code}' ${url}`
      ),
      { env: { CREDSVC_DAEMON_URL: status.url } }
    )
    const { ended, said } = conversation(running)
    await said(/^200 $/)
    await killDaemon(sandbox.home)
    const seen = sandbox.api.received.length
    running.stdin?.write("\n")
    await said(/^200 (403|502) $/)
    assert.strictEqual(sandbox.api.received.length, seen, "nothing reached the API while the daemon was dead")
    await sandbox.must(["daemon", "start", "--port", String(new URL(status.url).port)])
    running.stdin?.end("\n")
    assert.match((await ended).stdout, /^200 (403|502) 200$/)
  })

  it("stops injecting with the first request after a logout", async () => {
    const running = sandbox.spawn(inShell(
      `curl -sS ${url}; echo; read _; curl -sS -o /dev/null -w '%{http_code}' ${url}`
    ))
    const { ended, said } = conversation(running)
    await said(/Ada/)
    await sandbox.credsvc(["logout", "demo"])
    const seen = sandbox.api.received.length
    running.stdin?.end("\n")
    assert.match((await ended).stdout, /403$/)
    assert.strictEqual(sandbox.api.received.length, seen)
  })
})
