import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { pathToFileURL } from "node:url"

const source = (file: string): string =>
  JSON.stringify(pathToFileURL(`${import.meta.dirname}/../../../src/platform/process/${file}`).href)

const ticks = `
import { createHook } from "node:async_hooks"
const { prepareHeap } = await import(${source("V8Flags.ts")})
const { collectGarbage } = await import(${source("IdleMemory.ts")})
const made = []
const hook = createHook({ init: (id, type, trigger, object) => type === "TickObject" && made.push(new WeakRef(object)) })
hook.enable()
prepareHeap()
hook.disable()
setTimeout(() => {
  collectGarbage()
  console.log(made.filter((object) => object.deref() !== undefined).length)
  process.exit()
}, 10)
`

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

const transfer = `
import { constants, PerformanceObserver } from "node:perf_hooks"
const { prepareHeap } = await import(${source("V8Flags.ts")})
prepareHeap()
let whole = 0
const isWhole = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
new PerformanceObserver((list) => whole += list.getEntries().filter(isWhole).length).observe({ entryTypes: ["gc"] })
const relay = (left) => {
  const chunks = Array.from({ length: 8 }, () => Buffer.allocUnsafeSlow(64 * 1024))
  if (left > 0 && chunks.length === 8) setImmediate(relay, left - 1)
  else setTimeout(() => console.log(whole), 100)
}
// After the flags are set.
setTimeout(relay, 1000, 1000)
`

const evaluate = (source: string, ...flags: ReadonlyArray<string>): string => {
  const args = [...flags, "--input-type=module", "--eval", source]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
  return stdout
}

describe("V8Flags", () => {
  it("keeps one object of process.nextTick, so that V8 keeps their shape", () => {
    assert.strictEqual(evaluate(ticks), "1\n")
  })

  it.skipIf(Number.parseInt(process.versions.v8) >= 14)("collects the whole heap rarely during a transfer", () => {
    assert.isAtMost(Number(evaluate(transfer)), 2)
  })

  it.each([
    { what: "a collection while it was idle", flags: [], least: 1, most: 8 },
    {
      what: "a collection that left it a size which does not divide 8 MiB",
      flags: ["--min-semi-space-size=5"],
      least: 5,
      most: 10
    }
  ])("gives a proxy under load a young generation of at least 8 MiB again after $what", ({ flags, least, most }) => {
    const sizes = JSON.parse(evaluate(program, ...flags))
    assert.deepStrictEqual([Math.ceil(sizes.collected), Math.ceil(sizes.now)], [least, most])
  })
})
