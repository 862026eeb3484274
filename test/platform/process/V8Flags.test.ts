import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { pathToFileURL } from "node:url"

const source = (file: string): string =>
  JSON.stringify(pathToFileURL(`${import.meta.dirname}/../../../src/platform/process/${file}`).href)

const program = `
import * as v8 from "node:v8"
const { prepareHeap } = await import(${source("V8Flags.ts")})
const { collectGarbage } = await import(${source("IdleMemory.ts")})
const youngMebibytes = () => {
  const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")
  return (young.space_used_size + young.space_available_size) / 1024 / 1024
}
prepareHeap()
// After the flags are set.
setTimeout(() => {
  collectGarbage()
  const collected = youngMebibytes()
  const deadline = performance.now() + 20_000
  const load = () => {
    for (let each = 0; each < 100_000; each++) ({ each })
    const now = youngMebibytes()
    if (now > 7 || performance.now() > deadline) console.log(JSON.stringify({ collected, now })), process.exit()
    setImmediate(load)
  }
  load()
}, 1000)
`

describe("V8Flags", () => {
  it.each([
    { what: "a collection while it was idle", flags: [], least: 1, most: 8 },
    {
      what: "a collection that left it a size which does not divide 8 MiB",
      flags: ["--min-semi-space-size=5"],
      least: 5,
      most: 10
    }
  ])("gives a proxy under load a young generation of at least 8 MiB again after $what", ({ flags, least, most }) => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [...flags, "--input-type=module", "--eval", program],
      { encoding: "utf8" }
    )
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    const sizes = JSON.parse(stdout)
    assert.deepStrictEqual([Math.ceil(sizes.collected), Math.ceil(sizes.now)], [least, most])
  })
})
