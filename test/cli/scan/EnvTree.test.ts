import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, beforeEach, describe, it, onTestFinished } from "vitest"
import { findEnvFiles } from "../../../src/cli/scan/EnvTree.ts"
import { testDirectory } from "../../support/TestDirectories.ts"

let root: string

beforeEach(() => {
  root = testDirectory()
})

const write = (file: string, content: string | Buffer = "A=1\n") => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), content)
}
const found = () => findEnvFiles(root).files.map(({ path }) => path)

describe("EnvTree", () => {
  it("finds .env files in the directory and below it, the nearest first", () => {
    for (const file of ["b/.env", "a/deep/.env.local", ".env.production", ".env", "env", ".envrc", "a/.environment"]) {
      write(file)
    }
    assert.deepStrictEqual(found(), [".env", ".env.production", ".envrc", "b/.env", "a/deep/.env.local"])
  })

  it("skips .git and node_modules", () => {
    write(".git/.env")
    write("node_modules/x/.env")
    write("a/node_modules/.env")
    assert.deepStrictEqual(found(), [])
  })

  it("follows no link, opens no pipe or device, and reads no huge or binary file", () => {
    const outside = path.join(os.tmpdir(), `credsvc-outside-${process.pid}`)
    fs.writeFileSync(outside, "SECRET=1")
    onTestFinished(() => fs.rmSync(outside))
    fs.symlinkSync(outside, path.join(root, ".env.link"))
    fs.symlinkSync(root, path.join(root, "loop"))
    fs.symlinkSync("/dev/zero", path.join(root, ".env.zero"))
    execFileSync("mkfifo", [path.join(root, ".env.pipe")])
    write(".env.binary", Buffer.from("A=1\0\n"))
    write(".env.huge")
    fs.truncateSync(path.join(root, ".env.huge"), 1024 ** 3)
    fs.mkdirSync(path.join(root, ".env.directory"))
    const { files, notes } = findEnvFiles(root)
    assert.deepStrictEqual(files, [])
    assert.deepStrictEqual(notes, [
      ".env.binary is a binary file, and was left out.",
      ".env.huge is larger than 1 MiB, and was left out.",
      ".env.link is a symbolic link, and was left out.",
      ".env.pipe is not a regular file, and was left out.",
      ".env.zero is a symbolic link, and was left out."
    ])
  })

  it("skips names with control characters, which could imitate messages", () => {
    for (const name of [".env.a\nerror: no vault", "a\u001b[2J/.env", ".env"]) write(name)
    const { files, notes } = findEnvFiles(root)
    assert.deepStrictEqual(files.map(({ path }) => path), [".env"])
    assert.deepStrictEqual(notes, ["Files and directories with control characters in their names were left out."])
  })

  it("stops after ten thousand entries and at sixteen levels", () => {
    write(`${"d/".repeat(16)}.env`)
    write(`${"d/".repeat(17)}.env`)
    assert.deepStrictEqual(found(), [`${"d/".repeat(16)}.env`])
    assert.include(findEnvFiles(root).notes, "Directories deeper than 16 levels were left out.")

    write("z/.env")
    fs.mkdirSync(path.join(root, "many"))
    for (let at = 0; at < 10_000; at++) fs.writeFileSync(path.join(root, "many", `f${at}`), "")
    const { files, notes } = findEnvFiles(root)
    assert.deepStrictEqual(files, [])
    assert.deepStrictEqual(notes, ["The search stopped after 10000 entries; run scan in a subdirectory."])
  }, 240_000)
})
