import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"
import { canContain } from "../support/ContainedSandbox.ts"
import { check, type Outcome, parseTranscript } from "../support/Transcript.ts"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..")

const stepsOf = (document: string) =>
  [...fs.readFileSync(path.join(root, "docs", document), "utf8").matchAll(/^```console\n(.*?)^```$/gms)]
    .flatMap(([, block]) => parseTranscript(block!).steps)
    .filter(({ command }) => canContain || !command.includes("--contain"))

/** The ID of a request in the document. */
const sampleId = "0b8c2f6e"

/** The shell that the tutorial opens. Commands are run one after the other; stderr is a part of their stdout. */
const openShell = () => {
  const child = spawn(process.execPath, ["scripts/demo.ts", "--shell"], {
    cwd: root,
    env: { ...process.env, SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
    detached: true
  })
  let printed = ""
  let onText = (): void => {}
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
    onText()
  })
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()))
  const answer = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      onText = () => {
        const found = pattern.exec(printed)
        if (found === null) return
        printed = ""
        resolve(found)
      }
      onText()
      void closed.then(() => reject(new Error(`the shell has ended: ${printed}`)))
    })
  return {
    opened: answer(/^A temporary home: (.*)\n.*Leave with: exit\n/s),
    sh: async (command: string): Promise<Outcome> => {
      child.stdin.write(`{\n${command}\n} 2>&1\nprintf 'exit code %s.\\n' $?\n`)
      const [, stdout, exitCode] = await answer(/^(.*)exit code (\d+)\.\n$/s)
      return { stdout: stdout!, stderr: "", exitCode: Number(exitCode) }
    },
    close: () => {
      child.stdin.end()
      return closed
    },
    /** Sends what a terminal sends to all its programs when its window is closed. */
    hangUp: () => {
      process.kill(-child.pid!, "SIGHUP")
      return closed
    }
  }
}

describe("a tutorial", () => {
  it.each([
    ["tutorial.md", 20],
    ["tutorial-definition.md", 10],
    ["tutorial-hosting.md", 12]
  ])("shows what its commands print: %s", async (document, least) => {
    const steps = stepsOf(document)
    assert.isAbove(steps.length, least)
    const shell = openShell()
    onTestFinished(() => shell.close())
    await shell.opened
    let id = ""
    for (const step of steps) {
      if (step.command === "credsvc approve") {
        while (id === "") id = /"id": "(\w+)"/.exec((await shell.sh("credsvc approve --json")).stdout)?.[1] ?? ""
      }
      const text = (line: string) => line.replaceAll(sampleId, id)
      const expected = { ...step, command: text(step.command), stdout: step.stdout.map(text) }
      assert.deepStrictEqual(check(expected, await shell.sh(expected.command), "").join("\n"), "")
    }
  }, 240_000)

  it("leaves no daemon and no files when its terminal is closed", async () => {
    const shell = openShell()
    onTestFinished(() => shell.close())
    const [, home] = await shell.opened
    const url = (await shell.sh("credsvc daemon start --quiet")).stdout.trim()
    assert.isTrue((await fetch(`${url}/health`)).ok)
    await shell.hangUp()
    assert.strictEqual(await fetch(`${url}/health`).catch(() => "refused"), "refused")
    assert.isFalse(fs.existsSync(path.dirname(home!)))
  }, 60_000)
})
