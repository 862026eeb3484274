import { assert, describe, it } from "vitest"
import { wholeTree } from "../../src/cli/api/WholeTree.ts"
import { completionModel } from "../../src/cli/completion/CommandModel.ts"
import { isRun } from "../../src/config/RunMark.ts"

const programs = [["/usr/bin/credsvc"], ["/opt/node", "/usr/lib/credsvc.js"], [
  "node",
  "--no-warnings",
  "/usr/bin/credsvc"
]]

describe("isRun", () => {
  it("recognizes the command `run` after any global flag and its value", () => {
    const { globalFlags } = completionModel(wholeTree)
    for (const program of programs) {
      for (const { names, value } of globalFlags) {
        for (const name of names) {
          const flag = value === undefined ? [name] : [name, "file"]
          assert.isTrue(isRun([...program, ...flag, "run", "--contain", "--", "npm"]), flag.join(" "))
          assert.isFalse(isRun([...program, ...flag, "ssh", "run"]), flag.join(" "))
        }
      }
      assert.isTrue(isRun([...program, "run", "npm", "test"]))
      assert.isTrue(isRun([...program, "--log-file=run", "run", "npm"]))
    }
  })

  it("ignores the word `run` in the arguments of another command", () => {
    const others = [["ssh", "run"], ["explain", "GET", "run"], ["help", "run"], ["--log-file", "run", "list"], [
      "get",
      "run"
    ]]
    for (const program of programs) {
      for (const other of others) assert.isFalse(isRun([...program, ...other]), other.join(" "))
    }
    assert.isFalse(isRun(["node", "/srv/other.js", "run"]))
  })
})
