import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { pathToFileURL } from "node:url"

const source = (file: string): string => JSON.stringify(pathToFileURL(`${import.meta.dirname}/../../src/${file}`).href)

const program = `
import { AsyncResource } from "node:async_hooks"
import * as http2 from "node:http2"
import { Duplex } from "node:stream"
import * as v8 from "node:v8"
const { prepareHeap } = await import(${source("platform/process/V8Flags.ts")})
const { forgetEndedStreams } = await import(${source("http/NodeQuirks.ts")})
const oldBytes = () => v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size
/** The share of objects that collections of the young generation keep. */
const kept = (add) => {
  add(0, {})
  gc({ type: "major" })
  const before = oldBytes()
  for (let each = 1; each <= 2000; each++) {
    add(each, new Array(100).fill(each))
    if (each % 100 === 0) gc({ type: "minor" })
  }
  return (oldBytes() - before) / (2000 * 800)
}
prepareHeap()
const session = http2.connect("http://localhost", { createConnection: () => new Duplex({ read() {}, write() {} }) })
forgetEndedStreams(session)
const { streams } = session[Object.getOwnPropertySymbols(session).find(({ description }) => description === "state")]
const table = kept((id, stream) => {
  streams.set(id, stream)
  streams.delete(id - 1)
})
const bound = kept((_, value) => new AsyncResource("test").bind(() => value)())
console.log(JSON.stringify({ table, bound, size: streams.size, last: streams.get(2000)[0], former: streams.get(1999) }))
process.exit()
`

describe("NodeQuirks", () => {
  it("releases an ended HTTP/2 request of a proxy without a full garbage collection", () => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ["--expose-gc", "--input-type=module", "--eval", program],
      { encoding: "utf8" }
    )
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    const { bound, table, ...rest } = JSON.parse(stdout)
    assert.deepStrictEqual(rest, { size: 1, last: 2000 })
    assert.isBelow(table, 0.1)
    assert.isBelow(bound, 0.1)
  })
})
