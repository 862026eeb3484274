import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { buildStub } from "../scripts/build.ts"
import { effect } from "./support/Fixture.ts"
import { temporaryDirectory } from "./support/TemporaryDirectory.ts"

const { version } = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string
}

/** An installed package whose program is the given text. */
const installed = Effect.fnUntraced(function*(program: string) {
  const base = yield* temporaryDirectory
  const dist = path.join(base, "lib", "node_modules", "credsvc", "dist")
  fs.mkdirSync(dist, { recursive: true })
  fs.writeFileSync(path.join(dist, "..", "package.json"), "{\"type\":\"module\"}")
  fs.writeFileSync(path.join(dist, "main.js"), program)
  yield* Effect.promise(() => buildStub(dist))
  // Makes the running Node report an old version.
  fs.writeFileSync(
    path.join(base, "old.cjs"),
    "delete process.getBuiltinModule; " +
      "Object.defineProperty(process, \"versions\", { value: { ...process.versions, node: \"18.20.4\" } })"
  )
  return { base, stub: path.join(dist, "credsvc.js"), home: path.join(base, "home") }
})

/** Creates a `node` of this version below the directory, which runs the real one without the preload. */
const addNode = (directory: string) => {
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "node"), `#!/bin/sh\nunset NODE_OPTIONS\nexec "${process.execPath}" "$@"\n`, {
    mode: 0o755
  })
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

const run = (
  stub: string,
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  whenReady?: (child: ChildProcess) => void
) =>
  Effect.callback<Ended>((resume) => {
    const child = spawn(process.execPath, [stub, ...args], { env, stdio: ["ignore", "pipe", "pipe"] })
    let stdout = ""
    let stderr = ""
    child.stderr.on("data", (chunk: Buffer) => stderr += chunk.toString())
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString()
      if (stdout.includes("ready")) whenReady?.(child)
    })
    child.on("close", (code, signal) => resume(Effect.succeed({ code, signal, stdout, stderr })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const printUmask = "console.log(process.umask().toString(8), process.versions.node, process.argv.slice(2).join())"

describe("bin", () => {
  effect("handles --version and -v without loading the program", function*() {
    const { home, stub } = yield* installed("throw new Error(\"loaded\")")
    for (const flag of ["--version", "-v"]) {
      const ended = yield* run(stub, [flag], { CREDSVC_HOME: home })
      assert.deepStrictEqual(ended, { code: 0, signal: null, stdout: `${version}\n`, stderr: "" })
    }
    assert.isFalse(fs.existsSync(home))
  })

  effect("handles --version with versions of Node that are too old for the program", function*() {
    const { base, home, stub } = yield* installed("throw new Error(\"loaded\")")
    const env = { CREDSVC_HOME: home, NODE_OPTIONS: `--require=${path.join(base, "old.cjs")}` }
    const ended = yield* run(stub, ["--version"], env)
    assert.deepStrictEqual(ended, { code: 0, signal: null, stdout: `${version}\n`, stderr: "" })
  })

  effect.skipIf(!fs.existsSync("/dev/full"))("fails if the version cannot be written", function*() {
    const { stub } = yield* installed("")
    const { status, stderr } = spawnSync("sh", [
      "-c",
      "exec \"$0\" \"$1\" --version >/dev/full",
      process.execPath,
      stub
    ], {
      encoding: "utf8"
    })
    assert.deepStrictEqual([status, stderr], [1, "error: The output could not be written to stdout (ENOSPC).\n"])
  })

  effect("can be parsed by versions of Node that support neither modules nor newer syntax", function*() {
    const { stub } = yield* installed("")
    const code = fs.readFileSync(stub, "utf8")
    assert.match(code, /^#!\/usr\/bin\/env node\n/)
    assert.notMatch(
      code,
      /\?\?|\?\.[a-z[(]|\bawait\b|#[a-z]+\s*[=;(]|\bimport\.meta\b|(^|[;}\n])\s*(import|export)[ {*]/
    )
    assert.strictEqual(fs.statSync(stub).mode & 0o111, 0o111)
  })

  effect("restricts new files to their owner, and keeps compiled code below the home directory", function*() {
    const { home, stub } = yield* installed(printUmask)
    const ended = yield* run(stub, ["list"], { CREDSVC_HOME: home })
    assert.strictEqual(ended.stdout, `77 ${process.versions.node} list\n`)
    for (const made of [home, path.join(home, "client"), path.join(home, "client", "cache", "compile")]) {
      assert.strictEqual(fs.statSync(made).mode & 0o777, 0o700, made)
    }
    assert.isAbove(fs.readdirSync(path.join(home, "client", "cache", "compile")).length, 0)
  })

  effect("stores no compiled code where another user could replace it", function*() {
    const { base, stub } = yield* installed(printUmask)
    const open = path.join(base, "open")
    fs.mkdirSync(open)
    fs.chmodSync(open, 0o777)
    const real = path.join(base, "real")
    fs.mkdirSync(real, { mode: 0o700 })
    const link = path.join(base, "link")
    fs.symlinkSync(real, link)
    for (const home of [open, path.join(open, "below"), link]) {
      const ended = yield* run(stub, ["list"], { CREDSVC_HOME: home })
      assert.strictEqual(ended.code, 0)
      assert.isFalse(fs.existsSync(path.join(home, "client")), home)
    }
  })

  effect("continues with a newer Node that is in the package, beside the package, or in PATH", function*() {
    const places = ["lib/node_modules/credsvc/node_modules/node/bin", "lib/node_modules/.bin", "elsewhere"]
    for (const place of places) {
      const { base, home, stub } = yield* installed(printUmask)
      addNode(path.join(base, place))
      const ended = yield* run(stub, ["get", "a b"], {
        CREDSVC_HOME: home,
        NODE_OPTIONS: `--require=${path.join(base, "old.cjs")}`,
        PATH: `relative:${path.join(base, "elsewhere")}`
      })
      assert.deepStrictEqual(ended, {
        code: 0,
        signal: null,
        stdout: `77 ${process.versions.node} get,a b\n`,
        stderr: ""
      })
    }
  })

  effect.skipIf(process.platform !== "linux")("is not taken for an outer run by a newer Node", function*() {
    const { base, home, stub } = yield* installed(
      `import { readFileSync } from "node:fs"
       console.log(readFileSync("/proc/" + process.ppid + "/cmdline", "utf8").includes("run"))`
    )
    addNode(path.join(base, "bin"))
    const { stdout } = yield* run(stub, ["run", "--", "true"], {
      CREDSVC_HOME: home,
      NODE_OPTIONS: `--require=${path.join(base, "old.cjs")}`,
      PATH: path.join(base, "bin")
    })
    assert.strictEqual(stdout, "false\n")
  })

  effect("reports the required and the running version and where it searched, if it finds no newer Node", function*() {
    const { base, home, stub } = yield* installed(printUmask)
    const env = {
      CREDSVC_HOME: home,
      NODE_OPTIONS: `--require=${path.join(base, "old.cjs")}`,
      PATH: path.join(base, "empty")
    }
    const text = yield* run(stub, ["list", "--", "--json"], env)
    assert.strictEqual(text.code, 1)
    assert.strictEqual(text.stdout, "")
    for (const part of ["22.19", "18.20.4", process.execPath, path.join(base, "empty", "node")]) {
      assert.include(text.stderr, part)
    }
    const json = yield* run(stub, ["list", "--json"], env)
    assert.strictEqual(json.code, 1)
    assert.strictEqual(json.stderr, "")
    const { error, message } = JSON.parse(json.stdout) as { error: string; message: string }
    assert.strictEqual(error, "UnsupportedNodeError")
    assert.include(message, "22.19")
  })

  effect("passes on exit codes and signals when it continues with a newer Node", function*() {
    const { base, home, stub } = yield* installed(`
        const [how] = process.argv.slice(2)
        if (how === "exit") process.exit(7)
        setTimeout(() => process.exit(99), 20_000)
        if (how === "handle") process.on("SIGTERM", () => process.exit(5))
        console.log("ready")
      `)
    addNode(path.join(base, "bin"))
    const env = {
      CREDSVC_HOME: home,
      NODE_OPTIONS: `--require=${path.join(base, "old.cjs")}`,
      PATH: path.join(base, "bin")
    }
    const terminate = (child: ChildProcess) => child.kill("SIGTERM")
    assert.strictEqual((yield* run(stub, ["exit"], env)).code, 7)
    assert.strictEqual((yield* run(stub, ["handle"], env, terminate)).code, 5)
    assert.strictEqual((yield* run(stub, ["die"], env, terminate)).signal, "SIGTERM")
  })
})
