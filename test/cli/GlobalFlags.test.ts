import { assert, describe, it } from "@effect/vitest"
import { wholeTree } from "../../src/cli/api/WholeTree.ts"
import { readCommandLine } from "../../src/cli/CommandTree.ts"
import { type CommandModel, completionModel } from "../../src/cli/completion/CommandModel.ts"

describe("GlobalFlags", () => {
  it("accepts global flags before and after the command, and repeated", () => {
    const before = readCommandLine(["--json", "--quiet", "list"])
    const after = readCommandLine(["list", "--json", "--quiet", "--json"])
    assert.deepStrictEqual(before, after)
    assert.deepStrictEqual(before.args, ["list"])
    assert.isTrue(before.flags.json && before.flags.quiet)
  })

  it("uses the last value of a repeated flag", () => {
    assert.isFalse(readCommandLine(["--json", "list", "--json=false"]).flags.json)
  })

  it("accepts every value of a Boolean flag that other flags accept", () => {
    for (const value of ["true", "yes", "on", "1", "y"]) {
      assert.deepInclude(readCommandLine([`--json=${value}`, "list"]), { args: ["list"] })
      assert.isTrue(readCommandLine([`--json=${value}`, "list"]).flags.json, value)
    }
    for (const value of ["false", "no", "off", "0", "n"]) {
      assert.deepInclude(readCommandLine(["--json", `--json=${value}`, "list"]), { args: ["list"] })
      assert.isFalse(readCommandLine(["--json", `--json=${value}`, "list"]).flags.json, value)
    }
    assert.deepStrictEqual(readCommandLine(["--json=maybe", "list"]).args, ["--json=maybe", "list"])
  })

  it("reads the path of the log, including an empty one", () => {
    assert.strictEqual(readCommandLine(["list", "--log-file", ""]).flags.logFile, "")
    assert.strictEqual(readCommandLine(["list", "--log-file=/x"]).flags.logFile, "/x")
    assert.isUndefined(readCommandLine(["list"]).flags.logFile)
  })

  it("leaves a flag without its value to be reported as a usage error", () => {
    assert.deepStrictEqual(readCommandLine(["list", "--log-file"]).args, ["list", "--log-file"])
  })

  it("ignores arguments after the end of the options", () => {
    const { args, flags } = readCommandLine(["run", "--quiet", "--", "curl", "--json", "-n5", "--", "--verbose"])
    assert.deepStrictEqual(args, ["run", "--", "curl", "--json", "-n5", "--", "--verbose"])
    assert.isTrue(flags.quiet)
    assert.isFalse(flags.json || flags.verbose)
  })

  it("ends its options at the first word of a command, whatever flags and values precede it", () => {
    const { globalFlags, root } = completionModel(wholeTree)
    const command = [
      "cmd",
      "--json",
      "--quiet",
      "--verbose",
      "--log-file",
      "x",
      "-n5",
      "-o",
      "x=y",
      "--version",
      "--tty"
    ]
    for (const [name, before] of [["run", []], ["ssh", ["host"]], ["login", ["openai"]]] as const) {
      const declared = root.commands.find((each) => each.name === name)!
      for (const { names, value } of [...declared.flags, ...globalFlags.filter((each) => each.value === undefined)]) {
        for (const flag of names) {
          const own = value === undefined ? [flag] : [flag, "value"]
          const toggled = /^--(?:json|quiet|no-color|verbose)$/.test(flag) ? [] : own
          for (const marker of [[], ["--"]]) {
            const { args, flags } = readCommandLine([name, ...own, ...before, ...marker, ...command])
            assert.deepStrictEqual(args, [name, ...toggled, ...before, "--", ...command], flag)
            assert.strictEqual(flags.json, flag === "--json", flag)
            assert.isUndefined(flags.logFile)
          }
        }
      }
    }
  })

  it("reads its flags between the host and the command of ssh", () => {
    assert.deepStrictEqual(
      readCommandLine(["--json", "ssh", "host", "-o", "Port=2222", "--quiet", "-o=User=me", "npm", "test", "--json"]),
      {
        flags: { json: true, quiet: true, noColor: false, verbose: false, logFile: undefined },
        args: ["ssh", "host", "-o", "Port=2222", "-o=User=me", "--", "npm", "test", "--json"]
      }
    )
    assert.isTrue(readCommandLine(["ssh", "host", "--json"]).flags.json)
  })

  it("keeps the words of a command that look like a value, a marker or nothing", () => {
    for (const command of [["true"], ["-", "--json"], ["", "--json"], ["run", "--json"], ["curl", "--", "--json"]]) {
      assert.deepStrictEqual(readCommandLine(["run", "--contain", ...command]).args, [
        "run",
        "--contain",
        "--",
        ...command
      ])
    }
  })

  it("declares every command that passes its words to a program", () => {
    const passing = (command: CommandModel): ReadonlyArray<string> => [
      ...command.arguments.some(({ value, variadic }) => variadic && value === "command") ? [command.name] : [],
      ...command.commands.flatMap(passing)
    ]
    const variadic = (command: CommandModel): ReadonlyArray<string> => [
      ...command.arguments.some((each) => each.variadic) ? [command.name] : [],
      ...command.commands.flatMap(variadic)
    ]
    const { root } = completionModel(wholeTree)
    assert.deepStrictEqual([...passing(root), "help"].toSorted(), variadic(root).toSorted())
  })

  it("reads a number of lines with or without a space", () => {
    assert.deepStrictEqual(readCommandLine(["log", "-n5"]).args, ["log", "-n", "5"])
  })
})
