import { assert, describe, it } from "vitest"
import { parseEnvFile } from "../../../src/cli/scan/EnvFile.ts"

const parsed = (text: string) => Object.fromEntries(parseEnvFile(text))

describe("EnvFile", () => {
  it("parses files as common `.env` libraries do", () => {
    const text = [
      "\ufeff# a comment",
      "BARE=value",
      "export EXPORTED=value",
      "  SPACED = value with blanks  ",
      "YAML: value",
      "COMMENTED=value # not this",
      "HASH=va#lue",
      "EMPTY=",
      "ONLY_COMMENT= # nothing",
      "SINGLE='lite\\nral $X # kept'",
      "DOUBLE=\"es\\ncap\\\"ed \\$X\" # not this",
      "BACKTICK=`'mixed' \"quotes\"`",
      "no assignment",
      "1BAD=value",
      "TWICE=first",
      "TWICE=second"
    ].join("\r\n")
    assert.deepStrictEqual(parsed(text), {
      BARE: "value",
      EXPORTED: "value",
      SPACED: "value with blanks",
      YAML: "value",
      COMMENTED: "value",
      HASH: "va#lue",
      EMPTY: "",
      ONLY_COMMENT: "",
      SINGLE: "lite\\nral $X # kept",
      DOUBLE: "es\ncap\"ed $X",
      BACKTICK: "'mixed' \"quotes\"",
      TWICE: "second"
    })
  })

  it("parses quoted values of several lines, and continues after them", () => {
    assert.deepStrictEqual(parsed("A=\"one\ntwo=2\nthree\"\nB='x\ny' # end\nC=3"), {
      A: "one\ntwo=2\nthree",
      B: "x\ny",
      C: "3"
    })
  })

  it("treats an unclosed quote as part of a one-line value", () => {
    assert.deepStrictEqual(parsed("A=\"open\nB=2"), { A: "\"open", B: "2" })
  })

  it("does not expand references and commands", () => {
    assert.deepStrictEqual(parsed("A=$HOME\nB=\"${HOME}\"\nC=`id`\nD=$(id)"), {
      A: "$HOME",
      B: "${HOME}",
      C: "id",
      D: "$(id)"
    })
  })

  it("parses a megabyte of quotes in linear time", () => {
    const before = process.cpuUsage().user
    parseEnvFile("A=\"\\\n".repeat(200_000))
    parseEnvFile("A='\n".repeat(250_001))
    assert.isBelow(process.cpuUsage().user - before, 5_000_000)
  })
})
