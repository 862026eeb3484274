import { assert, describe, it } from "@effect/vitest"
import { EventEmitter } from "node:events"
import type * as Net from "node:net"
import { ConnectionLimit, type Standing } from "../../../src/platform/sockets/ConnectionLimit.ts"

class FakeSocket extends EventEmitter {
  remoteAddress = "127.0.0.1"
  destroyed = false
  standing: Standing = "silent"
  resetAndDestroy(): void {
    this.destroyed = true
    this.emit("close")
  }
}

/** Opens one connection per standing on a full server, then one more. Returns the connection that was closed. */
const closedOf = (standings: ReadonlyArray<Standing>, ...addresses: ReadonlyArray<string>): number => {
  const limit = new ConnectionLimit(standings.length, (socket) => (socket as unknown as FakeSocket).standing)
  const sockets = [...standings, "silent" as const].map((standing, at) => {
    const socket = new FakeSocket()
    socket.remoteAddress = addresses[at] ?? addresses[0] ?? "127.0.0.1"
    limit.add(socket as unknown as Net.Socket)
    socket.standing = standing
    return socket
  })
  return sockets.findIndex(({ destroyed }) => destroyed)
}

describe("ConnectionLimit", () => {
  it("closes the oldest connection of the lowest rank to make room for a new one", () => {
    assert.strictEqual(closedOf(["busy", "slow", "idle", "unknown", "silent", "silent"]), 4)
    assert.strictEqual(closedOf(["busy", "slow", "idle", "unknown", "unknown"]), 3)
    assert.strictEqual(closedOf(["busy", "slow", "idle", "idle"]), 2)
    assert.strictEqual(closedOf(["busy", "slow", "slow"]), 1)
  })

  it("closes the new connection when all others are busy", () => {
    assert.strictEqual(closedOf(["busy", "busy"]), 2)
  })

  it("closes a busy connection of another machine only to make room for a connection of this machine", () => {
    assert.strictEqual(closedOf(["busy", "remote", "remote"]), 1)
    assert.strictEqual(closedOf(["busy", "remote", "slow"]), 2)
    assert.strictEqual(closedOf(["busy", "remote"], "::ffff:127.0.0.1"), 1)
    assert.strictEqual(closedOf(["busy", "remote"], "192.0.2.1"), 2)
  })

  it("closes a busy connection of another machine to make room for a machine with fewer connections", () => {
    const [a, b, c] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"] as const
    assert.strictEqual(closedOf(["remote", "remote", "remote"], a, b, b, c), 1)
    assert.strictEqual(closedOf(["remote", "remote", "remote"], a, b, b, a), 3)
    assert.strictEqual(closedOf(["busy", "remote", "remote"], b, b, a, c), 3)
  })

  it("does not count connections that have closed", () => {
    const limit = new ConnectionLimit(1, () => "silent")
    const [first, second] = [new FakeSocket(), new FakeSocket()]
    limit.add(first as unknown as Net.Socket)
    first.resetAndDestroy()
    assert.isTrue(limit.add(second as unknown as Net.Socket))
    assert.isFalse(second.destroyed)
    assert.strictEqual(limit.open.size, 1)
  })
})
