import { assert, describe, it } from "@effect/vitest"
import { wholeTree } from "../../../src/cli/api/WholeTree.ts"
import { readCommandLine } from "../../../src/cli/CommandTree.ts"
import { type CommandModel, completionModel } from "../../../src/cli/completion/CommandModel.ts"
import type { GlobalFlags } from "../../../src/cli/parse/GlobalFlags.ts"

describe("GlobalFlags", () => {
  const cases: ReadonlyArray<
    readonly [what: string, args: string, rest: string, flags: Partial<GlobalFlags["Service"]>]
  > = [
    ["flags before the command", "--json --quiet list", "list", { json: true, quiet: true }],
    ["flags after the command, and repeated ones", "list --json --quiet --json", "list", { json: true, quiet: true }],
    ["the last value of a repeated flag", "--json list --json=false", "list", { json: false }],
    ["an unknown value as an argument", "--json=maybe list", "--json=maybe list", { json: false }],
    ["the path of the log", "list --log-file=/x", "list", { logFile: "/x" }],
    ["an empty path of the log", "list --log-file ", "list", { logFile: "" }],
    ["no path of the log", "list", "list", { logFile: undefined }],
    ["a flag without its value as an argument", "list --log-file", "list --log-file", { logFile: undefined }],
    ["-n5 as -n 5", "log -n5", "log -n 5", {}],
    [
      "no flag after the end of the options",
      "run --quiet -- curl --json -n5 -- --verbose",
      "run -- curl --json -n5 -- --verbose",
      { quiet: true, json: false, verbose: false }
    ],
    ...["true", "yes", "on", "1", "y"].map((value) => [value, `--json=${value} list`, "list", { json: true }] as const),
    ...["false", "no", "off", "0", "n"].map((value) =>
      [value, `--json --json=${value} list`, "list", { json: false }] as const
    )
  ]
  it.each(cases)("reads %s: %s", (_what, args, rest, expected) => {
    const read = readCommandLine(args.split(" "))
    assert.strictEqual(read.args.join(" "), rest)
    assert.deepInclude(read.flags, expected)
  })

  it("ends the global flags at the first word of a command, whatever flags and values precede it", () => {
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

  it("passes on words of a command that are empty or look like a value or `--`", () => {
    for (const command of [["true"], ["-", "--json"], ["", "--json"], ["run", "--json"], ["curl", "--", "--json"]]) {
      assert.deepStrictEqual(readCommandLine(["run", "--contain", ...command]).args, [
        "run",
        "--contain",
        "--",
        ...command
      ])
    }
  })

  it("knows every command that passes its arguments to a program", () => {
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
})
