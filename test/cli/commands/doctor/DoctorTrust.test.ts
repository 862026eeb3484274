/** Tests `doctor --trust` with a PATH that contains only the test's programs. */
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeEach, describe, it } from "vitest"
import { over } from "../../../support/Processes.ts"
import { entry } from "../../../support/Sandbox.ts"
import { testDirectory } from "../../../support/TestDirectories.ts"

interface Report {
  readonly status: string
  readonly clients: ReadonlyArray<
    {
      readonly client: string
      readonly status: string
      readonly option?: string
      readonly detail?: string
      readonly fix?: string
    }
  >
  readonly notices: ReadonlyArray<string>
}

describe("doctor --trust", () => {
  let directory: string
  let bin: string
  beforeEach(() => {
    directory = testDirectory()
    bin = path.join(directory, "bin")
    fs.mkdirSync(bin)
  })

  const link = (name: string) =>
    fs.symlinkSync(execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(), path.join(bin, name))
  const fake = (name: string, script: string) =>
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })

  const run = (args: ReadonlyArray<string> = [], env: NodeJS.ProcessEnv = {}) =>
    new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [entry, "doctor", "--trust", ...args], {
        env: { PATH: bin, HOME: directory, CREDSVC_HOME: path.join(directory, "home"), ...env },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let stdout = ""
      let stderr = ""
      child.stdout.on("data", (chunk) => stdout += String(chunk))
      child.stderr.on("data", (chunk) => stderr += String(chunk))
      child.on("close", (code) => resolve({ code, stdout, stderr }))
    })
  const report = async (env?: NodeJS.ProcessEnv) => {
    const { code, stderr, stdout } = await run(["--json"], env)
    const document: Report = JSON.parse(stdout === "" ? stderr : stdout)
    const of = (client: string) => document.clients.find((each) => each.client === client)
    return { code, document, of }
  }

  it("needs no daemon to report which clients work, and removes its files", async () => {
    link("curl")
    link("perl")
    const { code, document, of } = await report()
    assert.deepStrictEqual(of("curl"), { client: "curl", status: "works" })
    assert.deepStrictEqual(of("Ruby"), { client: "Ruby", status: "absent" })
    assert.strictEqual(document.status, "ok")
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(fs.readdirSync(path.join(directory, "home", "runs")), [])
    assert.isFalse(fs.existsSync(path.join(directory, "home", "server")))
  })

  it("prints the output of a failing client and what to do, and exits 1", async () => {
    link("curl")
    fs.writeFileSync(path.join(directory, ".curlrc"), "proxy = http://127.0.0.1:9\n")
    const { code, document, of } = await report()
    assert.strictEqual(code, 1)
    assert.strictEqual(document.status, "failed")
    assert.strictEqual(of("curl")?.status, "fails")
    assert.match(of("curl")?.detail ?? "", /^curl: \(7\)/)
    assert.match(of("curl")?.fix ?? "", /\.curlrc/)
    assert.match(document.notices.join(), /\.curlrc sets proxy/)
  })

  it("names the `run` option that a client needs", async () => {
    // Simulates a Bun version whose WebSocket gets the proxy from the preload.
    link("curl")
    fake("bun", `case "$BUN_OPTIONS$2" in --preload=*new*|await*) exec "${bin}/curl" -s "$3" ;; *) exit 1 ;; esac`)
    const { code, of } = await report()
    assert.deepStrictEqual(of("Bun"), { client: "Bun", status: "works" })
    assert.deepStrictEqual(of("Bun WebSocket"), { client: "Bun WebSocket", status: "works", option: "--hook bun" })
    assert.strictEqual(code, 0)
  })

  it("runs agents without the user's settings, login or key", async () => {
    link("curl")
    fs.writeFileSync(path.join(directory, ".claude.json"), "{}")
    fake(
      "claude",
      `[ ! -e "$HOME/.claude.json" ] && [ "$ANTHROPIC_API_KEY" = none ] && "${bin}/curl" -s "$ANTHROPIC_BASE_URL/v1/messages"`
    )
    const { of } = await report({ ANTHROPIC_API_KEY: "sk-ant-theirs" })
    assert.deepStrictEqual(of("Claude Code"), { client: "Claude Code", status: "works" })
  })

  it("fails a client that exits with 0 without a request, and kills the processes that it started", async () => {
    link("sleep")
    fake("wget", `sleep 1000 & echo $! >"${directory}/pid"; exit 0`)
    const { code, of } = await report()
    assert.strictEqual(of("wget")?.status, "fails")
    assert.strictEqual(code, 1)
    const pid = Number(fs.readFileSync(path.join(directory, "pid"), "utf8"))
    await over(pid)
  })

  it("prints a table, and everything else on stderr", async () => {
    link("curl")
    const { stderr, stdout } = await run()
    assert.match(stdout, /^CLIENT +STATUS +MESSAGE\ncurl +works\n$/)
    assert.match(
      stderr,
      /^Sending one request to this machine with each installed client[^\r]*\n[^\r]*Not on this machine \(\d+\): .*Ruby/
    )
    assert.match(stderr, /\nEvery client found here \(1\) reaches providers under credsvc run\.\n$/)
    const absent = /\((\d+)\): (.*)\.\n/.exec(stderr) ?? []
    assert.strictEqual(absent[2]?.split(", ").length, Number(absent[1]))
  })

  it("reports a client as absent if only its launcher is installed", async () => {
    link("cat")
    const sayses = [
      "rustup could not choose a version of cargo to run, because one wasn't specified explicitly",
      "toolchain '1.70.0-x86_64-unknown-linux-gnu' is not installed",
      "'cargo' is not installed for the toolchain 'stable-x86_64-unknown-linux-gnu'."
    ]
    for (const says of sayses) {
      fake("cargo", `cat >&2 <<'E'\nerror: ${says}\nhelp: run 'rustup default stable'\nE\nexit 1`)
      const { of } = await report()
      assert.deepStrictEqual(of("cargo"), { client: "cargo", status: "absent" }, says)
    }
  })
})
