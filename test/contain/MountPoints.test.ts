import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeEach, describe, it } from "vitest"
import { createMountPoints, removeMountPoints } from "../../src/contain/MountPoints.ts"
import { testDirectory } from "../support/TestDirectories.ts"

let root: string
beforeEach(() => {
  root = testDirectory()
})

const runDirectory = (name: string): string => {
  const directory = path.join(root, `credsvc-run-${name}`)
  fs.mkdirSync(directory)
  return directory
}

describe("mount points", () => {
  it("are removed after the run that created them, unless something is in them", () => {
    const [one, other] = [path.join(root, "one"), path.join(root, "other")]
    const run = runDirectory("a")
    createMountPoints([{ path: one }, { path: other }], run)
    assert.isTrue(fs.existsSync(one) && fs.existsSync(other))
    fs.writeFileSync(path.join(other, "file"), "")
    removeMountPoints(run)
    assert.isFalse(fs.existsSync(one))
    assert.isTrue(fs.existsSync(other))
  })

  it("are not removed if they existed before the run", () => {
    const directory = path.join(root, "one")
    fs.mkdirSync(directory)
    const run = runDirectory("a")
    createMountPoints([{ path: directory }], run)
    removeMountPoints(run)
    assert.isTrue(fs.existsSync(directory))
  })

  it("are kept while another run uses them, and removed after the last one", () => {
    const directory = path.join(root, "one")
    const [first, second] = [runDirectory("a"), runDirectory("b")]
    createMountPoints([{ path: directory }], first)
    createMountPoints([{ path: directory }], second)
    removeMountPoints(first)
    assert.isTrue(fs.existsSync(directory))
    removeMountPoints(second)
    assert.isFalse(fs.existsSync(directory))
  })

  it("can be files, which are removed unless they have changed", () => {
    const [one, other, mine] = ["one", "other", "mine"].map((name) => path.join(root, name)) as [string, string, string]
    fs.writeFileSync(mine, "x")
    const [first, second] = [runDirectory("a"), runDirectory("b")]
    createMountPoints([one, other, mine].map((file) => ({ path: file, content: "x" })), first)
    createMountPoints([{ path: one, content: "x" }], second)
    assert.strictEqual(fs.readFileSync(one, "utf8"), "x")
    fs.writeFileSync(other, "changed")
    removeMountPoints(first)
    assert.deepStrictEqual([one, other, mine].map((file) => fs.existsSync(file)), [true, true, true])
    removeMountPoints(second)
    assert.deepStrictEqual([one, other, mine].map((file) => fs.existsSync(file)), [false, true, true])
  })

  it("are not removed elsewhere if the run has replaced their directory by a link", () => {
    const points = [{ path: path.join(root, "tree/hooks") }, { path: path.join(root, "tree/config"), content: "" }]
    for (const name of ["tree", "elsewhere"]) fs.mkdirSync(path.join(root, name))
    const run = runDirectory("a")
    createMountPoints(points, run)
    fs.mkdirSync(path.join(root, "elsewhere/hooks"))
    fs.writeFileSync(path.join(root, "elsewhere/config"), "")
    fs.renameSync(path.join(root, "tree"), path.join(root, "moved"))
    fs.symlinkSync("elsewhere", path.join(root, "tree"))
    removeMountPoints(run)
    assert.deepStrictEqual(fs.readdirSync(path.join(root, "elsewhere")), ["config", "hooks"])
  })

  it("are removed although a run was killed while it wrote its list", () => {
    const directory = path.join(root, "one")
    fs.writeFileSync(path.join(runDirectory("killed"), "mount-points.json"), "[{")
    const run = runDirectory("a")
    createMountPoints([{ path: directory }], run)
    removeMountPoints(run)
    assert.isFalse(fs.existsSync(directory))
  })
})
