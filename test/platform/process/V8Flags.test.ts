import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
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
  it("gives a proxy under load a young generation of 8 MiB again after a collection while it was idle", () => {
    const args = ["--input-type=module", "--eval", program]
    const sizes = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))
    assert.isBelow(sizes.collected, 2)
    assert.strictEqual(Math.ceil(sizes.now), 8)
  })
})
