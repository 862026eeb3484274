/** What a connection writes, and when, without a connection. */
import type * as Net from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { flushAll, WriteQueue } from "../../../src/http/http1/WriteQueue.ts"
import { turn } from "../../support/UpstreamPeer.ts"

afterEach(() => {
  vi.restoreAllMocks()
})

/** An output, and what was written to its socket. */
const open = (written: Array<string> = []) => {
  const write = (text: string, encoding: string) => written.push(`${encoding} ${text}`)
  return { output: new WriteQueue({ write } as unknown as Net.Socket), written }
}

describe("WriteQueue", () => {
  it("writes at once what is to be written now, and after it what is to be written soon, each once, in latin1", async () => {
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

  it("writes for all connections when the turn is over, one after the other", async () => {
    const immediates = vi.spyOn(globalThis, "setImmediate")
    const written: Array<string> = []
    for (const text of ["a", "b", "c"]) open(written).output.writeSoon(text)
    expect(immediates).toHaveBeenCalledTimes(1)
    await new Promise<void>((resolve) => process.nextTick(resolve))
    expect(written).toEqual([])
    await turn()
    expect(written).toEqual(["latin1 a", "latin1 b", "latin1 c"])
  })

  it("writes what comes after the others were made to hurry", async () => {
    const written: Array<string> = []
    open(written).output.writeSoon("a")
    flushAll()
    open(written).output.writeSoon("b")
    expect(written).toEqual(["latin1 a"])
    await turn()
    expect(written).toEqual(["latin1 a", "latin1 b"])
  })

  it("keeps no more than 16 KiB of a connection waiting", () => {
    const { output, written } = open()
    for (let i = 0; i < 20; i++) output.writeSoon("x".repeat(1024))
    expect(written.map(({ length }) => length)).toEqual(["latin1 ".length + 17 * 1024])
    flushAll()
    expect(written).toHaveLength(2)
  })

  it("writes nothing where nothing is waiting", async () => {
    const { output, written } = open()
    output.writeSoon("")
    output.flush()
    await turn()
    expect(written).toEqual([])
  })
})
