import { assert, describe, it } from "@effect/vitest"
import { readArguments } from "../../src/cli/GlobalFlags.ts"

describe("GlobalFlags", () => {
  it("takes global flags before and after the command, as often as they are given", () => {
    const before = readArguments(["--json", "--quiet", "list"])
    const after = readArguments(["list", "--json", "--quiet", "--json"])
    assert.deepStrictEqual(before, after)
    assert.deepStrictEqual(before.args, ["list"])
    assert.isTrue(before.flags.json && before.flags.quiet)
  })

  it("lets a later value win", () => {
    assert.isFalse(readArguments(["--json", "list", "--json=false"]).flags.json)
  })

  it("reads the path of the log, the empty one included", () => {
    assert.strictEqual(readArguments(["list", "--log-file", ""]).flags.logFile, "")
    assert.strictEqual(readArguments(["list", "--log-file=/x"]).flags.logFile, "/x")
    assert.isUndefined(readArguments(["list"]).flags.logFile)
  })

  it("leaves a flag without its value to be told as wrong usage", () => {
    assert.deepStrictEqual(readArguments(["list", "--log-file"]).args, ["list", "--log-file"])
  })

  it("looks at nothing behind the end of the options", () => {
    const { args, flags } = readArguments(["run", "--quiet", "--", "curl", "--json", "-n5", "--", "--verbose"])
    assert.deepStrictEqual(args, ["run", "--", "curl", "--json", "-n5", "--", "--verbose"])
    assert.isTrue(flags.quiet)
    assert.isFalse(flags.json || flags.verbose)
  })

  it("ends the options of run at its first word, so that the command keeps its own", () => {
    assert.deepStrictEqual(
      readArguments(["run", "--connection", "openai=work", "curl", "-v", "--json", "--", "x"]).args,
      ["run", "--connection", "openai=work", "--", "curl", "-v", "--json", "--", "x"]
    )
  })

  it("reads the count of lines with or without a space", () => {
    assert.deepStrictEqual(readArguments(["log", "-n5"]).args, ["log", "-n", "5"])
  })
})
