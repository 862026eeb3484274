import * as fs from "node:fs"
import * as path from "node:path"
import { stripVTControlCharacters } from "node:util"
import { assert, describe, it } from "vitest"
import { entry } from "../../support/Sandbox.ts"
import { onTerminal } from "../../support/Terminal.ts"
import { useWorkplace } from "../../support/Transcript.ts"

const workplace = useWorkplace(undefined, async (workplace) => {
  const setUp = await workplace.sh(
    "printf %s sk-0123456789 | credsvc login openai --stdin && printf %s sk-9876543210 | credsvc login openai --stdin " +
      "--connection work && credsvc profile create spare && credsvc sandbox create dev --provider openai"
  )
  assert.strictEqual(setUp.exitCode, 0, setUp.stderr)
})

const shells = {
  bash: {
    start: "bash --norc -i",
    load: "bind 'set enable-bracketed-paste off'; eval \"$(credsvc completion bash)\"; PS1='rea''dy> '"
  },
  zsh: {
    start: "zsh -f -i",
    load:
      "unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; eval \"$(credsvc completion zsh)\"; PS1='rea''dy> '"
  }
}

const pressed: ReadonlyArray<readonly [typed: string, completed: string]> = [
  ["credsvc who", "credsvc whoami"],
  ["credsvc get op", "credsvc get openai"],
  ["credsvc login elev", "credsvc login elevenlabs"],
  ["credsvc get openai --connection wo", "credsvc get openai --connection work"],
  ["credsvc get openai --connection=wo", "credsvc get openai --connection=work"],
  ["credsvc run --connection openai=wo", "credsvc run --connection openai=work"],
  ["credsvc run --unmatched=de", "credsvc run --unmatched=deny"],
  ["credsvc profile use sp", "credsvc profile use spare"],
  ["credsvc sandbox env de", "credsvc sandbox env dev"],
  ["credsvc register unusual", "credsvc register unusual-name.json"],
  ["credsvc run -- credsv", "credsvc run -- credsvc"]
]

describe("completion", () => {
  for (const [name, { load, start }] of Object.entries(shells)) {
    it(`completes a command line in ${name} when Tab is pressed`, async () => {
      fs.writeFileSync(path.join(workplace.directory, "unusual-name.json"), "{}")
      const terminal = onTerminal(workplace, `exec ${start}`)
      terminal.type(`${load}\r`)
      await terminal.until(/ready> [^\n]*$/)
      for (const [typed, completed] of pressed) {
        const before = terminal.shown().length
        terminal.type(`${typed}\t`)
        await terminal.until({
          test: (shown) => stripVTControlCharacters(shown.slice(before)).replaceAll(/\p{Cc}/gu, "").includes(completed)
        })
        terminal.type("\u0015")
      }
      terminal.type("exit\r")
      await terminal.ended
    })
  }

  it("completes in fish, with a description for each candidate", async () => {
    await workplace.sh("credsvc completion fish > completion.fish")
    const completed = async (line: string) =>
      (await workplace.sh(`fish --no-config -c 'source completion.fish; complete -C "${line}"'`)).stdout
    for (const [typed, line] of pressed) {
      assert.include(await completed(typed), line.split(" ").at(-1)!, typed)
    }
    assert.strictEqual(await completed("credsvc get openai --connection "), "default\tconnected\nwork\tconnected\n")
    assert.match(await completed("credsvc dae"), /^daemon\tManage the background daemon/)
  })

  it("neither starts a daemon nor prints an error when none is running", async () => {
    const outcome = await workplace.sh("CREDSVC_HOME=$PWD/nobody credsvc __complete get ''; ls nobody")
    assert.deepStrictEqual(outcome, { stdout: "client\n", stderr: "", exitCode: 0 })
    const hidden = await workplace.sh("credsvc --help; credsvc list --help")
    assert.notInclude(hidden.stdout, "__complete")
  })

  it("loads only its own code when it needs no daemon", () => {
    const completion = fs.readFileSync(path.join(path.dirname(entry), "complete.js"), "utf8")
    const loaded = [...completion.matchAll(/\bimport\b[^("']*["']\.\/([^"']+)["']/g)].map(([, file]) => file)
    assert.deepStrictEqual(loaded.filter((file) => !file!.startsWith("rolldown-runtime")), [])
    assert.isBelow(completion.length, 10_000)
  })
})
