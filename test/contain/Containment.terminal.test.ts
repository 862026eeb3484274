/** A contained command on a terminal behaves as in other runs (test/cli/commands/Run.terminal.test.ts). */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { canContain, type ContainedSandbox, openContainedSandbox } from "../support/ContainedSandbox.ts"
import { entry } from "../support/Sandbox.ts"
import { onTerminal as openTerminal } from "../support/Terminal.ts"

describe.skipIf(!canContain)("run --contain on a terminal", () => {
  let sandbox: ContainedSandbox
  const children: Array<{ readonly kill: (signal: NodeJS.Signals) => unknown }> = []
  beforeAll(async () => {
    sandbox = await openContainedSandbox()
  })
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL")
    await sandbox?.close()
  })

  const run = `'${process.execPath}' '${entry}' run --contain --quiet --`
  const script = (name: string, text: string): void => fs.writeFileSync(path.join(sandbox.work, name), text)
  const onTerminal = (command: string) =>
    openTerminal(
      {
        directory: sandbox.work,
        env: sandbox.env as Readonly<Record<string, string>>,
        track: (child) => void children.push(child)
      },
      command
    )

  it("leaves Ctrl-C and Ctrl-\\ to the terminal, so that the command gets each signal once", async () => {
    script(
      "count.cjs",
      "let n = 0; const name = process.argv[2]; setInterval(() => {}, 1000);" +
        "process.on(name, () => { n++; setTimeout(() => { console.log(name + 's ' + n); process.exit(5) }, 200) });" +
        "console.log('ready')"
    )
    for (const [name, keys] of [["SIGINT", "\u0003"], ["SIGQUIT", "\u001c"]] as const) {
      const terminal = onTerminal(`exec ${run} '${sandbox.seen.node}' count.cjs ${name}`)
      await terminal.until(/ready/)
      terminal.type(keys)
      const { exitCode, shown } = await terminal.ended
      assert.include(shown, `${name}s 1`)
      assert.strictEqual(exitCode, 5)
    }
  })

  it("ends on Ctrl-C the shell loop that started the command", async () => {
    script("loop.sh", `for each in 1 2; do ${run} sh -c 'echo started; exec sleep 100'; done; echo after`)
    const terminal = onTerminal("exec bash loop.sh")
    await terminal.until(/started/)
    terminal.type("\u0003")
    const { exitCode, shown } = await terminal.ended
    assert.notInclude(shown, "after")
    assert.strictEqual(exitCode, 130)
  })

  it("forwards Ctrl-C to a command in its own process group", async () => {
    const terminal = onTerminal(`exec ${run} timeout 100 sh -c 'echo started; exec sleep 100'`)
    await terminal.until(/started/)
    terminal.type("\u0003")
    assert.strictEqual((await terminal.ended).exitCode, 130)
  })

  it("returns to the shell prompt when the command stops itself, and resumes together with the command", async () => {
    script(
      "jobs.sh",
      `set -m; ${run} sh -c 'kill -STOP $$; echo went on; exit 7'; echo stopped $?; fg; echo ended $?`
    )
    assert.match((await onTerminal("bash jobs.sh").ended).shown, /stopped 148[^]*went on[^]*ended 7/)
  })

  it("stops on Ctrl-Z and continues in the foreground", async () => {
    script(
      "jobs.sh",
      `set -m; ${run} sh -c 'echo ready; read line; echo "got $line"'; echo stopped $?; fg; echo ended $?`
    )
    const terminal = onTerminal("bash jobs.sh")
    await terminal.until(/ready/)
    terminal.type("\u001a")
    await terminal.until(/stopped 148/)
    terminal.type("text\n")
    assert.match((await terminal.ended).shown, /got text[^]*ended 0/)
  })

  it("allows the command to open other terminals", async () => {
    const terminal = onTerminal(`exec ${run} script -qefc 'test -t 0 && tty' /dev/null`)
    assert.match((await terminal.ended).shown, /\/dev\/pts\/0/)
  })

  it("ends everything when the terminal is closed", async () => {
    const terminal = onTerminal(`exec ${run} sh -c 'sleep 1234 & echo ready; sleep 1234'`)
    await terminal.until(/ready/)
    process.kill(terminal.pid, "SIGKILL")
    await terminal.ended
    const left = () =>
      execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n")
        .filter((line) => line.includes(path.join(sandbox.home, "runs", "credsvc-run-")))
    for (let tries = 0; left().length > 0 && tries < 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.deepStrictEqual(left(), [])
  })
})
