import { assert, describe, it } from "vitest"
import { wholeTree } from "../../../src/cli/api/WholeTree.ts"
import { completionModel } from "../../../src/cli/completion/CommandModel.ts"
import { wantedAt } from "../../../src/cli/parse/CommandLine.ts"

const model = completionModel(wholeTree)

/** `|` marks the cursor. */
const wanted = (line: string) => wantedAt(model, line.replace(/\|$/, "").split(" "))

const candidates = (line: string): ReadonlyArray<string> => {
  const found = wanted(line)
  assert.strictEqual(found._tag, "Candidates", line)
  return found._tag === "Candidates" ? found.candidates.map(({ value }) => `${found.prefix}${value}`) : []
}

const names = (line: string) => {
  const found = wanted(line)
  return found._tag === "Names" ? [found.names, found.prefix, found.provider] : found._tag
}

describe("completion", () => {
  it("completes commands and their subcommands", () => {
    assert.includeMembers([...candidates("|")], ["login", "run", "daemon", "help"])
    assert.deepStrictEqual(candidates("daemon |"), ["serve", "start", "stop", "restart", "status", "logs"])
    assert.includeMembers([...candidates("--json --log-file x |")], ["login"])
  })

  it("completes the kind of name that an argument or flag takes, for the provider on the line", () => {
    assert.deepStrictEqual(names("login |"), ["provider", "", undefined])
    assert.deepStrictEqual(names("get |"), ["connected", "", undefined])
    assert.deepStrictEqual(names("get openai --connection |"), ["connection", "", "openai"])
    assert.deepStrictEqual(names("get --json openai --connection=|"), ["connection", "--connection=", "openai"])
    assert.deepStrictEqual(names("set-default openai |"), ["connection", "", "openai"])
    assert.deepStrictEqual(names("run --connection |"), ["assignment", "", undefined])
    assert.deepStrictEqual(names("run --profile |"), ["profile", "", undefined])
    assert.deepStrictEqual(names("profile use |"), ["profile", "", undefined])
    assert.deepStrictEqual(names("explain --connection |"), ["assignment", "", undefined])
    assert.deepStrictEqual(names("admin grant |"), ["connected", "", undefined])
    assert.deepStrictEqual(names("admin grant openai --to |"), ["profile", "", "openai"])
    assert.deepStrictEqual(names("admin withdraw openai --from |"), ["profile", "", "openai"])
    assert.deepStrictEqual(names("admin disable |"), ["identity", "", undefined])
    for (const line of ["sandbox env |", "sandbox rotate |", "sandbox delete |", "proxy --sandbox |"]) {
      assert.deepStrictEqual(names(line), ["sandbox", "", undefined], line)
    }
    assert.deepStrictEqual(names("stop |"), ["run", "", undefined])
    assert.deepStrictEqual(names("log requests --run |"), ["run", "", undefined])
    assert.deepStrictEqual(candidates("profile create |"), [])
    assert.deepStrictEqual(candidates("sandbox create |"), [])
  })

  it("offers each flag once, and the values of flags with choices", () => {
    assert.includeMembers([...candidates("get openai --|")], ["--field", "--json", "--help"])
    assert.notInclude(candidates("get openai --field status --|"), "--field")
    assert.include(candidates("run --connection a=b --|"), "--connection")
    assert.notInclude(candidates("log -n 5 --|"), "--lines")
    assert.deepStrictEqual(candidates("export openai --format |"), ["env", "shell", "json"])
    assert.deepStrictEqual(candidates("run --unmatched=|"), ["--unmatched=allow", "--unmatched=deny"])
    assert.deepStrictEqual(candidates("get openai --field |"), [])
    assert.deepStrictEqual(candidates("completion |"), ["bash", "zsh", "fish"])
  })

  it("completes command names as the argument of help", () => {
    assert.include(candidates("help |"), "run")
    assert.include(candidates("help daemon |"), "serve")
    assert.deepStrictEqual(candidates("help nonsense |"), [])
  })

  it("leaves files and other programs' command lines to the shell", () => {
    assert.deepStrictEqual(wanted("register |"), { _tag: "Files" })
    const cases = [
      "list --log-file |",
      "run --write |",
      "run --hide |",
      "sandbox env dev --directory |",
      "daemon serve --front-socket |",
      "api providers register --input |"
    ]
    for (const line of cases) {
      assert.deepStrictEqual(wanted(line), { _tag: "Files" }, line)
    }
    assert.deepStrictEqual(wanted("run -- |"), { _tag: "Command", at: 2 })
    assert.deepStrictEqual(wanted("run --provider openai -- git --json |"), { _tag: "Command", at: 4 })
    assert.deepStrictEqual(wanted("run git st|"), { _tag: "Command", at: 1 })
    assert.deepStrictEqual(wanted("run gi|"), { _tag: "Command", at: 1 })
    assert.deepStrictEqual(wanted("ssh devbox git --j|"), { _tag: "Command", at: 2 })
    assert.deepStrictEqual(wanted("ssh -o Port=22 devbox -- git |"), { _tag: "Command", at: 5 })
  })
})
