import { assert, describe, it } from "@effect/vitest"
import { programFiles } from "../../../src/platform/files/FindProgram.ts"

describe("programFiles", () => {
  const windows = "C:\\Program Files\\op;.;D:\\bin"
  it.each<[string, string, NodeJS.Platform, ReadonlyArray<string>]>([
    ["op", "/usr/bin::bin:/opt/bin", "linux", ["/usr/bin/op", "/opt/bin/op"]],
    ["/opt/op", "/usr/bin", "linux", ["/opt/op"]],
    ["op.exe", "/usr/bin", "darwin", ["/usr/bin/op.exe"]],
    ["op", windows, "win32", [
      "C:\\Program Files\\op\\op.com",
      "C:\\Program Files\\op\\op.exe",
      "D:\\bin\\op.com",
      "D:\\bin\\op.exe"
    ]],
    ["OP.EXE", windows, "win32", ["C:\\Program Files\\op\\OP.EXE", "D:\\bin\\OP.EXE"]],
    ["C:/tools/op", windows, "win32", ["C:\\tools\\op.com", "C:\\tools\\op.exe"]],
    ["op.cmd", "C:\\npm", "win32", ["C:\\npm\\op.cmd.com", "C:\\npm\\op.cmd.exe"]]
  ])("looks for %s in %s on %s in files that need no shell", (program, directories, platform, files) => {
    assert.deepStrictEqual(programFiles(program, directories, platform), files)
  })
})
