import { assert, describe, it } from "@effect/vitest"
import { readArguments } from "../../src/cli/GlobalFlags.ts"

describe("GlobalFlags", () => {
  it("accepts global flags before and after the command, and repeated", () => {
    const before = readArguments(["--json", "--quiet", "list"])
    const after = readArguments(["list", "--json", "--quiet", "--json"])
    assert.deepStrictEqual(before, after)
    assert.deepStrictEqual(before.args, ["list"])
    assert.isTrue(before.flags.json && before.flags.quiet)
  })

  it("uses the last value of a repeated flag", () => {
    assert.isFalse(readArguments(["--json", "list", "--json=false"]).flags.json)
  })

  it("accepts every value of a Boolean flag that other flags accept", () => {
    for (const value of ["true", "yes", "on", "1", "y"]) {
      assert.deepInclude(readArguments([`--json=${value}`, "list"]), { args: ["list"] })
      assert.isTrue(readArguments([`--json=${value}`, "list"]).flags.json, value)
    }
    for (const value of ["false", "no", "off", "0", "n"]) {
      assert.deepInclude(readArguments(["--json", `--json=${value}`, "list"]), { args: ["list"] })
      assert.isFalse(readArguments(["--json", `--json=${value}`, "list"]).flags.json, value)
    }
    assert.deepStrictEqual(readArguments(["--json=maybe", "list"]).args, ["--json=maybe", "list"])
  })

  it("reads the path of the log, including an empty one", () => {
    assert.strictEqual(readArguments(["list", "--log-file", ""]).flags.logFile, "")
    assert.strictEqual(readArguments(["list", "--log-file=/x"]).flags.logFile, "/x")
    assert.isUndefined(readArguments(["list"]).flags.logFile)
  })

  it("leaves a flag without its value to be reported as a usage error", () => {
    assert.deepStrictEqual(readArguments(["list", "--log-file"]).args, ["list", "--log-file"])
  })

  it("ignores arguments after the end of the options", () => {
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
    for (const flag of ["--provider", "--unmatched", "--profile", "--hook", "--write", "--hide", "--allow-port"]) {
      assert.deepStrictEqual(readArguments(["run", flag, "value", "curl"]).args, ["run", flag, "value", "--", "curl"])
    }
  })

  it("reads a number of lines with or without a space", () => {
    assert.deepStrictEqual(readArguments(["log", "-n5"]).args, ["log", "-n", "5"])
  })
})
