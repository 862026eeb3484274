import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { repository } from "../support/Sandbox.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"

const executable = path.join(repository, "build", "credsvc")
const key = "sk-test-0123456789abcdef0123456789abcdef"

describe("the single executable, on a machine without Node", () => {
  const directory = suiteDirectory()
  let env: NodeJS.ProcessEnv

  const credsvc = (args: ReadonlyArray<string>, input = "") => {
    const { status, stderr, stdout } = spawnSync(executable, [...args], {
      env,
      cwd: directory,
      encoding: "utf8",
      input
    })
    return { code: status, stderr, stdout }
  }
  const must = (...args: ReadonlyArray<string>): string => {
    const { code, stderr, stdout } = credsvc(args)
    assert.strictEqual(code, 0, stderr)
    return stdout
  }

  beforeAll(() => {
    // A PATH without any program.
    const empty = path.join(directory, "bin")
    fs.mkdirSync(empty)
    env = { PATH: empty, HOME: directory, CREDSVC_HOME: path.join(directory, "home"), NO_COLOR: "1" }
    Object.assign(env, { CREDSVC_MASTER_KEY_MODE: "local_key" })
    must("daemon", "start", "--port", "0")
    const { code, stderr } = credsvc(["login", "openai", "--stdin"], key)
    assert.strictEqual(code, 0, stderr)
  })
  afterAll(() => void credsvc(["daemon", "stop"]))

  it("prints its version", () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(repository, "package.json"), "utf8")) as {
      version: string
    }
    assert.strictEqual(must("--version").trim(), version)
  })

  it("shows and lists credentials with the daemon that it has started", () => {
    assert.strictEqual(must("get", "openai", "--show-secret", "--field", "api_key").trim(), key)
    assert.include(must("list"), "openai")
    assert.include(must("list", "--all"), "anthropic")
  })

  it("gives a command placeholders and the files of a run", () => {
    const script = "echo $OPENAI_API_KEY; while read -r line; do echo \"$line\"; done <\"${NODE_OPTIONS##*=}\""
    const shown = must("run", "--", "/bin/sh", "-c", script)
    assert.notInclude(shown, key)
    assert.match(shown, /^sk-\S*credsvc\S*\n/)
    assert.isAbove(shown.split("\n").length, 10)
  })

  it("completes the words of a command line", () => {
    assert.include(must("__complete", "login", "op"), "openai")
  })

  it("serves the dashboard and the documentation of the interface", async () => {
    const { url } = JSON.parse(must("--json", "daemon", "status")) as { url: string }
    for (const page of ["/", "/docs"]) {
      const response = await fetch(`${url}${page}`)
      assert.strictEqual(response.status, 200, page)
      assert.include(await response.text(), "<html")
    }
  })

  it("checks definitions", () => {
    const file = path.join(directory, "demo.json")
    fs.copyFileSync(path.join(repository, "providers", "openai.json"), file)
    assert.include(must("provider", "test", file), "ok")
  })

  it("loads its own library for the keyring", () => {
    const local = env
    env = { ...env, CREDSVC_MASTER_KEY_MODE: "keyring", CREDSVC_HOME: path.join(directory, "other") }
    onTestFinished(() => void (env = local))
    credsvc(["daemon", "start", "--port", "0"])
    // There is no session with a keyring.
    const { code, stderr } = credsvc(["login", "openai", "--stdin"], key)
    assert.notStrictEqual(code, 0)
    assert.include(stderr, "the Secret Service does not respond")
    credsvc(["daemon", "stop"])
    assert.deepStrictEqual(fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("credsvc-keyring-")), [])
  })
})
