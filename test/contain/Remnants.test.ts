import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { createMountPoints, removeMountPoints } from "../../src/contain/Remnants.ts"

let root: string
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-contain-"))
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const runDirectory = (name: string): string => {
  const directory = path.join(root, `credsvc-run-${name}`)
  fs.mkdirSync(directory)
  return directory
}

describe("mount points", () => {
  it("are removed after the run that created them, unless something is in them", () => {
    const [one, other] = [path.join(root, "one"), path.join(root, "other")]
    const run = runDirectory("a")
    createMountPoints([one, other], run)
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
    createMountPoints([directory], run)
    removeMountPoints(run)
    assert.isTrue(fs.existsSync(directory))
  })

  it("are kept while another run uses them, and removed after the last one", () => {
    const directory = path.join(root, "one")
    const [first, second] = [runDirectory("a"), runDirectory("b")]
    createMountPoints([directory], first)
    createMountPoints([directory], second)
    removeMountPoints(first)
    assert.isTrue(fs.existsSync(directory))
    removeMountPoints(second)
    assert.isFalse(fs.existsSync(directory))
  })
})
