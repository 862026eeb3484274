/** Programs that are started with a cleaned environment, as MCP servers on stdio are. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { canContain, openContainedSandbox } from "../support/ContainedSandbox.ts"
import { demoHost } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"

const url = `https://${demoHost}/v1/hello`

/** What the official SDKs pass to servers on stdio. */
const cleaned = "exec env -i HOME=\"$HOME\" PATH=\"$PATH\" SHELL=/bin/sh TERM=dumb USER=someone"

const servers: ReadonlyArray<readonly [name: string, command: string]> = [
  ["node", `node -e 'fetch("${url}").then((r) => r.text()).then(console.log)'`],
  ["a script of node", "./server"],
  ["python", `python3 -c 'import urllib.request as r; print(r.urlopen("${url}").read().decode())'`]
]

describe.skipIf(process.platform !== "linux" || !canContain)("a program with a cleaned environment", () => {
  const sandbox = shared(() => openContainedSandbox())
  let env: NodeJS.ProcessEnv
  const run = (flags: ReadonlyArray<string>, script: string) =>
    sandbox.credsvc(["run", "--quiet", ...flags, "--", "sh", "-c", script], { cwd: sandbox.work, env })

  beforeAll(() => {
    const bin = path.join(sandbox.person, "bin")
    fs.mkdirSync(bin)
    fs.symlinkSync(sandbox.seen.node, path.join(bin, "node"))
    fs.writeFileSync(
      path.join(sandbox.work, "server"),
      `#!/usr/bin/env node\nfetch("${url}").then((r) => r.text()).then(console.log)\n`,
      { mode: 0o755 }
    )
    env = { ...sandbox.env, PATH: `${bin}:/usr/bin:/bin` }
  })

  it.each(servers)("reaches providers with --hook mcp, but not without it: %s", async (_, command) => {
    const { code, stderr, stdout } = await run(["--hook", "mcp"], `${cleaned} ${command}`)
    assert.include(stdout, "\"hello\":\"Ada\"", stderr)
    assert.strictEqual(code, 0)
    assert.notInclude((await run([], `${cleaned} ${command} 2>&1`)).stdout, "Ada")
  })

  it.each(servers)("reaches providers in a contained run: %s", async (_, command) => {
    const { stderr, stdout } = await run(["--contain"], `${cleaned} ${command}`)
    assert.include(stdout, "\"hello\":\"Ada\"", stderr)
  })

  it("keeps its variables, even empty ones, and gets neither placeholder nor credential of the proxy", async () => {
    const set = "NO_PROXY= NODE_EXTRA_CA_CERTS=/mine"
    const { stdout } = await run(["--hook", "mcp"], `${cleaned} ${set} node -p 'JSON.stringify(process.env)'`)
    const seen = JSON.parse(stdout)
    assert.deepInclude(seen, { NO_PROXY: "", NODE_EXTRA_CA_CERTS: "/mine", TERM: "dumb" })
    assert.match(seen["HTTPS_PROXY"], /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.notProperty(seen, "DEMO_API_KEY")
  })

  it.each([
    [["--hook", "mcp"], true],
    [["--contain"], true],
    [[], false]
  ])(
    "keeps the preloaded script of Node where a package's script replaces NODE_OPTIONS, with %j: %s",
    async (flags, kept) => {
      const script = "NODE_OPTIONS=--max-old-space-size=64 node -p process.env.NODE_OPTIONS"
      const { stdout } = await run(flags, script)
      assert.match(stdout, kept ? /^--max-old-space-size=64 --require=\S+credsvc-preload\.cjs$/m : /=64$/m)
      assert.match(
        (await run(flags, "node -p process.env.NODE_OPTIONS")).stdout,
        /^--require=\S+credsvc-preload\.cjs$/m
      )
    }
  )

  it("can be called at the same path after the run, and exists only for programs that are installed", async () => {
    const { stdout } = await run(["--hook", "mcp"], "command -v node; command -v deno; node -p process.execPath")
    const [found = "", executable] = stdout.trim().split("\n")
    assert.strictEqual(executable, fs.realpathSync(sandbox.seen.node), "no wrapper of a program that is missing")
    assert.notInclude(found, "credsvc-run-")
    const after = { ...env, PATH: `${path.dirname(found)}:${env["PATH"]}` }
    assert.strictEqual(execFileSync(found, ["-p", "1 + 1"], { env: after, encoding: "utf8" }), "2\n")
    assert.strictEqual(execFileSync(found, ["-p", "process.argv[1]", "a b"], { env: after, encoding: "utf8" }), "a b\n")
  })
})
