import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { commandOutput } from "../../../src/platform/process/CommandOutput.ts"
import { live } from "../../support/Fixture.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"

const sh = (script: string, ...args: ReadonlyArray<string>) =>
  commandOutput(["/bin/sh", "-c", script, "sh", ...args], { milliseconds: 5_000 })

const printed = (effect: ReturnType<typeof commandOutput>) => Effect.map(effect, Redacted.value)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !fs.readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== "linux")("commandOutput", () => {
  live("returns what the program prints, redacted, and passes arguments unchanged", function*() {
    const output = yield* sh("printf %s \"$1\"", "a 'b' $(c) \"d\"")
    assert.strictEqual(String(output), "<redacted>")
    assert.strictEqual(Redacted.value(output), "a 'b' $(c) \"d\"")
  })

  live("passes no variable of this process to the program, and sets HOME to the account's home", function*() {
    process.env["COMMAND_OUTPUT_CANARY"] = "1"
    const lines = (yield* printed(commandOutput(["/usr/bin/env"], { milliseconds: 5_000 }))).trim().split("\n")
    const names = lines.map((line) => line.split("=")[0]!).filter((name) => name !== "XDG_RUNTIME_DIR").toSorted()
    assert.deepStrictEqual(names, ["HOME", "LANG", "LOGNAME", "PATH", "USER"])
    assert.include(lines, `HOME=${os.userInfo().homedir}`)
    assert.include(lines, "PATH=/usr/bin:/usr/local/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin")
    assert.strictEqual((yield* printed(sh("pwd"))).trim(), fs.realpathSync(os.userInfo().homedir))
    delete process.env["COMMAND_OUTPUT_CANARY"]
  })

  const cases = [
    ["a failure", "echo CANARY; echo CANARY >&2; exit 3", "exited with code 3"],
    ["a signal", "echo CANARY; kill -TERM $$", "was terminated by SIGTERM"],
    ["too much output", "while :; do echo CANARYCANARYCANARYCANARYCANARY; done", "printed more than 64 KiB"],
    ["endless reading from stdin", "cat; exit 7", "exited with code 7"]
  ] as const
  for (const [what, script, detail] of cases) {
    live(`reports ${what} without the output of the program`, function*() {
      const error = yield* Effect.flip(sh(script))
      assert.isTrue(error.message.startsWith(detail), error.message)
      assert.notInclude(JSON.stringify(error), "CANARY")
    })
  }

  live("reports a program that is missing, not executable or invalid", function*() {
    const directory = yield* temporaryDirectory
    const file = path.join(directory, "key")
    fs.writeFileSync(file, "CANARY", { mode: 0o600 })
    const detail = (program: string) =>
      Effect.map(Effect.flip(commandOutput([program], { milliseconds: 5_000 })), (error) => error.message)
    assert.strictEqual(yield* detail("/nonexistent/op"), "was not found")
    assert.strictEqual(yield* detail(file), "may not be executed")
    assert.include(yield* detail("/bin/echo\u0000CANARY"), "could not be started")
  })

  live("kills the program with the processes that it started when the time limit is reached", function*() {
    const file = path.join(yield* temporaryDirectory, "pids")
    const script = `sleep 60 & echo $! $$ > ${file}; wait`
    const error = yield* Effect.flip(commandOutput(["/bin/sh", "-c", script], { milliseconds: 700 }))
    assert.strictEqual(error.message, "did not end within 0.7 seconds")
    const pids = fs.readFileSync(file, "utf8").trim().split(" ").map(Number)
    assert.lengthOf(pids, 2)
    for (let turn = 0; turn < 100 && pids.some(isAlive); turn++) yield* Effect.sleep("20 millis")
    assert.isFalse(pids.some(isAlive))
  })

  live("does not wait for a process that the program leaves behind with its output open", function*() {
    assert.strictEqual(yield* printed(sh("sleep 20 & echo key")), "key\n")
  }, 10_000)
})
