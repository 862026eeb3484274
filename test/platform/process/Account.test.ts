import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { afterEach, vi } from "vitest"
import { builtins } from "../../../src/platform/builtins.ts"
import { account, homeDirectory } from "../../../src/platform/process/Account.ts"
import { commandOutput } from "../../../src/platform/process/CommandOutput.ts"
import { homeDirectories } from "../../../src/run/ContainedRun.ts"
import { live } from "../../support/Fixture.ts"

const unlisted = () => {
  vi.spyOn(builtins.os, "userInfo").mockImplementation(() => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)")
  })
}

describe("a user without an entry in the user database, as in containers", () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })

  it("has the user ID of the process as its name, and the home directory that HOME names", () => {
    assert.deepStrictEqual(account(), builtins.os.userInfo())
    unlisted()
    vi.stubEnv("HOME", "/home/of/variable")
    assert.deepStrictEqual(account(), { homedir: "/", uid: process.getuid!(), username: String(process.getuid!()) })
    assert.strictEqual(homeDirectory(), "/home/of/variable")
    assert.deepStrictEqual(homeDirectories(), ["/home/of/variable"])
    vi.stubEnv("HOME", "")
    assert.strictEqual(homeDirectory(), "/")
    vi.stubEnv("HOME", "/home/of/variable")
    vi.spyOn(builtins.os, "homedir").mockImplementation(() => {
      throw new Error("A system error occurred: uv_os_homedir returned ENOENT (no such file or directory)")
    })
    assert.strictEqual(homeDirectory(), "/")
  })

  live("runs the programs of credential commands", function*() {
    unlisted()
    const output = yield* commandOutput(["/bin/sh", "-c", "echo $USER $HOME"], { milliseconds: 5_000 })
    assert.strictEqual(Redacted.value(output).trim(), `${process.getuid!()} /`)
  })
})
