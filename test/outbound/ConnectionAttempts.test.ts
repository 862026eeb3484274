import { afterEach, assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type * as Net from "node:net"
import { vi } from "vitest"
import { alternatingFamilies, firstConnected, TIMED_OUT } from "../../src/outbound/ConnectionAttempts.ts"

class FakeSocket extends EventEmitter {
  destroyed = false
  destroy(): this {
    this.destroyed = true
    return this
  }
}

/** Attempts that connect or fail after so many milliseconds, or never do anything. */
const attempts = (...outcomes: ReadonlyArray<readonly [what: "connect" | "error" | "nothing", after: number]>) => {
  const sockets: Array<FakeSocket> = []
  const makers = outcomes.map(([what, after], i) => () => {
    const socket = new FakeSocket()
    sockets.push(socket)
    if (what !== "nothing") setTimeout(() => socket.destroyed || socket.emit(what, new Error(`error ${i}`)), after)
    return socket as unknown as Net.Socket
  })
  return { makers, sockets }
}

describe("several addresses of a host", () => {
  afterEach(() => void vi.useRealTimers())

  const rows = [
    ["the first one responds immediately", [["connect", 10], ["nothing", 0]], 0, 1, 10],
    [
      "the first one takes longer than an attempt delay, and the last one is dead",
      [["connect", 400], ["nothing", 0]],
      0,
      2,
      400
    ],
    ["the first one takes two seconds, and the last one fails", [["connect", 2000], ["error", 5]], 0, 2, 2000],
    ["the first one is dead", [["nothing", 0], ["connect", 300]], 1, 2, 550],
    ["the first one fails immediately", [["error", 5], ["connect", 10]], 1, 2, 15]
  ] as const
  for (const [what, outcomes, winner, count, after] of rows) {
    it(`are tried so that one connects if ${what}`, async () => {
      vi.useFakeTimers()
      const { makers, sockets } = attempts(...outcomes)
      let connected: unknown
      void firstConnected(makers, 30_000).then((socket) => connected = socket)
      await vi.advanceTimersByTimeAsync(after - 1)
      assert.isUndefined(connected)
      await vi.advanceTimersByTimeAsync(1)
      assert.strictEqual(connected, sockets[winner])
      assert.lengthOf(sockets, count)
      assert.deepStrictEqual(
        sockets.map(({ destroyed }) => destroyed),
        sockets.map((_, i) => i !== winner && outcomes[i]![0] !== "error")
      )
      await vi.advanceTimersByTimeAsync(60_000)
      assert.lengthOf(sockets, count)
    })
  }

  it("fail with the last error, or when their common time limit expires", async () => {
    vi.useFakeTimers()
    const errors: Array<unknown> = []
    const failing = (makers: ReadonlyArray<() => Net.Socket>) =>
      firstConnected(makers, 30_000).catch((error: unknown) => errors.push(error))
    void failing(attempts(["error", 1], ["error", 1]).makers)
    await vi.advanceTimersByTimeAsync(10)
    assert.include(String(errors[0]), "error 1")
    const { makers, sockets } = attempts(["nothing", 0], ["nothing", 0])
    void failing(makers)
    await vi.advanceTimersByTimeAsync(29_999)
    assert.lengthOf(errors, 1)
    await vi.advanceTimersByTimeAsync(1)
    assert.strictEqual(errors[1], TIMED_OUT)
    assert.isTrue(sockets.every(({ destroyed }) => destroyed))
    void failing([])
    await vi.advanceTimersByTimeAsync(0)
    assert.lengthOf(errors, 3)
  })

  it("are tried alternately from the two address families", () => {
    const of = (...addresses: ReadonlyArray<string>) =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    assert.deepStrictEqual(alternatingFamilies(of("::1", "::2", "::3", "1.1.1.1")), of("::1", "1.1.1.1", "::2", "::3"))
    assert.deepStrictEqual(alternatingFamilies(of("1.1.1.1", "1.1.1.2", "::1")), of("1.1.1.1", "::1", "1.1.1.2"))
  })
})
