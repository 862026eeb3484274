import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { killDaemon } from "../support/Processes.ts"
import { demoHost, inShell, openSandbox } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"
import { until } from "../support/Until.ts"

const url = `https://${demoHost}/v1/whoami`

describe("a hostile environment", () => {
  const sandbox = shared(() => openSandbox())

  it("cannot make credsvc run another program named node on PATH", async () => {
    const planted = path.join(sandbox.directory, "bin")
    fs.mkdirSync(planted)
    for (const name of ["node", "sh", "credsvc"]) {
      fs.writeFileSync(path.join(planted, name), `#!/bin/sh\necho ${name} >>${sandbox.directory}/planted\n`, {
        mode: 0o755
      })
    }
    await killDaemon(sandbox.home)
    const answer = await sandbox.credsvc(["list", "--json"], {
      cwd: planted,
      env: { PATH: `${planted}:.:${process.env.PATH}` }
    })
    assert.strictEqual(answer.code, 0, answer.stderr)
    assert.isFalse(fs.existsSync(path.join(sandbox.directory, "planted")))
  })

  it("cannot open a debugger in credsvc run, but can open one in the command of the run", async () => {
    const look = "const { get } = require('node:http'); " +
      "const seen = (text) => process.exit(console.log(text, require('node:inspector').url() !== undefined)); " +
      "get(process.argv[1], () => seen('open')).on('error', () => seen('closed'))"
    const env = { NODE_OPTIONS: "--inspect=127.0.0.1:0" }
    const script = "read port; exec node -e \"$0\" \"http://127.0.0.1:$port/json\""
    const running = sandbox.spawn(["run", "--", "sh", "-c", script, look], { env })
    running.stderr?.once("data", (text: Buffer) => {
      running.stdin?.end(`${/ws:\/\/127\.0\.0\.1:(\d+)/.exec(text.toString())?.[1]}\n`)
    })
    let stdout = ""
    running.stdout?.on("data", (text: Buffer) => stdout += text.toString())
    await new Promise((resolve) => running.once("close", resolve))
    assert.strictEqual(stdout, "closed true\n")
  })

  it("cannot make credsvc send plain text to another machine or follow redirects of a fake daemon", async () => {
    const heard: Array<string> = []
    const elsewhere = http.createServer((request, response) => {
      heard.push(`elsewhere ${request.url}`)
      response.end("{}")
    })
    const impostor = http.createServer((request, response) => {
      heard.push(`impostor ${request.url?.split("?")[0]}`)
      response.writeHead(307, { location: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/` })
      response.end()
    })
    for (const server of [elsewhere, impostor]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    try {
      const daemon = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`
      const redirected = await sandbox.credsvc(["login", "demo", "--stdin"], {
        env: { CREDSVC_DAEMON_URL: daemon },
        input: sandbox.key
      })
      assert.strictEqual(redirected.code, 9)
      assert.deepStrictEqual([...new Set(heard)], ["impostor /health"])
      for (const given of ["http://192.0.2.1:7998", "https://user:secretpass@192.0.2.1"]) {
        const refused = await sandbox.credsvc(["list"], { env: { CREDSVC_DAEMON_URL: given } })
        assert.include([1, 2, 9], refused.code, refused.stderr)
        assert.notInclude(refused.stderr, "secretpass")
      }
    } finally {
      for (const server of [elsewhere, impostor]) server.close()
    }
  })

  it("cannot give a command network access or a secret by killing its run", async () => {
    const file = path.join(sandbox.directory, "after")
    const child = sandbox.spawn(inShell(
      `curl -s -o /dev/null ${url}; echo ready; while kill -0 $PPID 2>/dev/null; do sleep 0.05; done; ` +
        `curl -s ${url} >${file}.part; echo $? >>${file}.part; mv ${file}.part ${file}`
    ))
    await new Promise<void>((resolve) => child.stdout?.once("data", () => resolve()))
    child.kill("SIGKILL")
    await until(() => fs.existsSync(file))
    // Exit code 7: curl could not connect, and did not bypass the proxy.
    assert.strictEqual(fs.readFileSync(file, "utf8"), "7\n")
    assert.strictEqual(sandbox.api.received.length, 1)
  })
})
