import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { isCurrent, readDirectoryState } from "../../../src/platform/files/DirectoryState.ts"
import { settleFiles } from "../../support/FileClock.ts"
import { testDirectory } from "../../support/TestDirectories.ts"

let directory: string

beforeEach(() => {
  directory = testDirectory()
})

afterEach(() => void vi.restoreAllMocks())

const write = (name: string, content: string) => fs.writeFileSync(path.join(directory, name), content)
const read = () => readDirectoryState(directory, (name) => name.endsWith(".json"))

describe("readDirectoryState", () => {
  it("lists the accepted names in order", () => {
    write("b.json", "")
    write("a.json", "")
    write("c.txt", "")
    assert.deepStrictEqual(read().entries.map(({ name }) => name), ["a.json", "b.json"])
  })

  it("treats an absent directory as empty, and detects when it appears", () => {
    fs.rmdirSync(directory)
    const state = read()
    assert.deepStrictEqual(state.entries, [])
    assert.isTrue(state.readable)
    assert.isTrue(isCurrent(state))
    fs.mkdirSync(directory)
    assert.isFalse(isCurrent(state))
  })
})

describe("isCurrent", () => {
  it("does not trust a state younger than a tick of the clock", () => {
    write("a.json", "1")
    const { ctimeMs } = fs.statSync(path.join(directory, "a.json"))
    const clock = vi.spyOn(Date, "now").mockReturnValue(ctimeMs + 50)
    assert.isFalse(isCurrent(read()))
    clock.mockReturnValue(ctimeMs + 150)
    assert.isTrue(isCurrent(read()))
  })

  it("detects added, changed and removed files", () => {
    write("a.json", "1")
    settleFiles()
    const before = read()
    assert.isTrue(isCurrent(before))
    write("a.json", "2")
    assert.isFalse(isCurrent(before))
    settleFiles()
    const changed = read()
    write("b.json", "1")
    assert.isFalse(isCurrent(changed))
    settleFiles()
    const added = read()
    fs.rmSync(path.join(directory, "a.json"))
    assert.isFalse(isCurrent(added))
  })

  it("detects a change whose time stamp was set back", () => {
    write("a.json", "1")
    fs.utimesSync(path.join(directory, "a.json"), 1000, 1000)
    settleFiles()
    const before = read()
    write("a.json", "2")
    fs.utimesSync(path.join(directory, "a.json"), 1000, 1000)
    assert.isFalse(isCurrent(before))
  })
})
