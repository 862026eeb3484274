/** Timing and order of writes, without a connection. */
import type * as Net from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { flushAll, WriteQueue } from "../../../src/http/http1/WriteQueue.ts"
import { turn } from "../../support/UpstreamPeer.ts"

afterEach(() => {
  vi.restoreAllMocks()
})

/** An output, and the bytes written to its socket. */
const open = (written: Array<string> = []) => {
  const write = (text: string, encoding: string) => written.push(`${encoding} ${text}`)
  return { output: new WriteQueue({ write } as unknown as Net.Socket), written }
}

describe("WriteQueue", () => {
  it("writes urgent text at once, with the queued text before it, each once, in latin1", async () => {
    const { output, written } = open()
    output.write("a")
    output.writeSoon("b")
    output.writeSoon("c")
    expect(written).toEqual(["latin1 a"])
    output.write("d")
    expect(written).toEqual(["latin1 a", "latin1 bc", "latin1 d"])
    await turn()
    expect(written).toEqual(["latin1 a", "latin1 bc", "latin1 d"])
  })

  it("writes for all connections at the end of the event-loop turn, in order", async () => {
    const immediates = vi.spyOn(globalThis, "setImmediate")
    const written: Array<string> = []
    for (const text of ["a", "b", "c"]) open(written).output.writeSoon(text)
    expect(immediates).toHaveBeenCalledTimes(1)
    await new Promise<void>((resolve) => process.nextTick(resolve))
    expect(written).toEqual([])
    await turn()
    expect(written).toEqual(["latin1 a", "latin1 b", "latin1 c"])
  })

  it("writes text that is queued after a flush", async () => {
    const written: Array<string> = []
    open(written).output.writeSoon("a")
    flushAll()
    open(written).output.writeSoon("b")
    expect(written).toEqual(["latin1 a"])
    await turn()
    expect(written).toEqual(["latin1 a", "latin1 b"])
  })

  it("queues at most 16 KiB per connection", () => {
    const { output, written } = open()
    for (let i = 0; i < 20; i++) output.writeSoon("x".repeat(1024))
    expect(written.map(({ length }) => length)).toEqual(["latin1 ".length + 17 * 1024])
    flushAll()
    expect(written).toHaveLength(2)
  })

  it("writes nothing if its queue is empty", async () => {
    const { output, written } = open()
    output.writeSoon("")
    output.flush()
    await turn()
    expect(written).toEqual([])
  })
})
