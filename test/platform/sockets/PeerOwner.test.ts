import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as childProcess from "node:child_process"
import type * as Net from "node:net"
import { builtins } from "../../../src/platform/builtins.ts"
import { listenerOwnership, PeerOwner, peerOwnership } from "../../../src/platform/sockets/PeerOwner.ts"
import { effect } from "../../support/Fixture.ts"

const HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
const row = (local: string, remote: string, state: string, uid: number, inode: number) =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${uid}        0 ${inode} 1 0000000000000000\n`

const LOOPBACK = "0100007F"
const MAPPED = "0000000000000000FFFF0000" + LOOPBACK
const V6 = "00000000000000000000000001000000"
const daemon = { address: "127.0.0.1", port: 7998 }
const peer = { address: "127.0.0.1", port: 40000 }

const [ESTABLISHED, FIN_WAIT2, TIME_WAIT, LISTEN] = ["01", "05", "06", "0A"] as const
const [DAEMON, PEER, ANY] = [`${LOOPBACK}:1F3E`, `${LOOPBACK}:9C40`, "00000000:1F3E"] as const
const listener = (local: string, uid: number) => row(local, "00000000:0000", LISTEN, uid, uid + 10)

const tables = (tcp: string, tcp6 = "") => ({ tcp: HEADER + tcp, tcp6: HEADER + tcp6 })

describe("peerOwnership", () => {
  it("reads the owner of the peer's socket, not the owner of this end's socket", () => {
    const text = tables(row(DAEMON, PEER, ESTABLISHED, 1000, 11) + row(PEER, DAEMON, ESTABLISHED, 1001, 12))
    assert.strictEqual(peerOwnership(text, 1000, peer, daemon), "other")
    assert.strictEqual(peerOwnership(text, 1001, peer, daemon), "own")
  })

  it("does not take root for the user, unless the user is root", () => {
    const text = tables(row(PEER, DAEMON, ESTABLISHED, 0, 12))
    assert.strictEqual(peerOwnership(text, 1000, peer, daemon), "other")
    assert.strictEqual(peerOwnership(text, 0, peer, daemon), "own")
  })

  it("does not mistake the uid 0 of a closed socket for root", () => {
    for (const state of [TIME_WAIT, ESTABLISHED]) {
      assert.strictEqual(peerOwnership(tables(row(PEER, DAEMON, state, 0, 0)), 1000, peer, daemon), "unknown", state)
    }
  })

  it("finds IPv6 peers and IPv4-mapped peers", () => {
    const six = tables("", row(`${V6}:9C40`, `${V6}:1F3E`, ESTABLISHED, 1000, 12))
    const [peerOf6, daemonOf6] = [{ address: "::1", port: 40000 }, { address: "::1", port: 7998 }]
    assert.strictEqual(peerOwnership(six, 1000, peerOf6, daemonOf6), "own")
    const mapped = tables("", row(`${MAPPED}:9C40`, `${MAPPED}:1F3E`, ESTABLISHED, 1001, 12))
    assert.strictEqual(peerOwnership(mapped, 1000, peer, daemon), "other")
    const mappedDaemon = { address: "::ffff:7f00:1", port: 7998 }
    const mappedPeer = { address: "::ffff:127.0.0.1", port: 40000 }
    assert.strictEqual(peerOwnership(mapped, 1001, mappedPeer, mappedDaemon), "own")
  })

  it("is unknown for an invalid address", () => {
    assert.strictEqual(peerOwnership(tables(""), 1000, { address: "", port: 1 }, daemon), "unknown")
  })
})

describe("peerOwnership of a server", () => {
  const accepted = (uid: number, inode: number, state: string = ESTABLISHED) =>
    tables(
      row(DAEMON, PEER, state, uid, inode) +
        row(PEER, DAEMON, ESTABLISHED, 1000, 11) +
        row(DAEMON, "00000000:0000", LISTEN, 1000, 13)
    )

  it("reads who accepted the connection, not who listens on the port", () => {
    assert.strictEqual(peerOwnership(accepted(1000, 12), 1000, daemon, peer), "own")
    assert.strictEqual(peerOwnership(accepted(1001, 12), 1000, daemon, peer), "other")
  })

  it("is `other` when root accepted the connection", () => {
    assert.strictEqual(peerOwnership(accepted(0, 12), 1000, daemon, peer), "other")
  })

  it("is unknown before the connection is accepted and after the server has closed it", () => {
    assert.strictEqual(peerOwnership(accepted(0, 0), 1000, daemon, peer), "unknown")
    assert.strictEqual(peerOwnership(accepted(1000, 12, FIN_WAIT2), 1000, daemon, peer), "unknown")
  })
})

describe("listenerOwnership", () => {
  it("prefers the exact address to a wildcard, as the kernel does", () => {
    const rows = listener(ANY, 1000) + listener(DAEMON, 1001)
    assert.strictEqual(listenerOwnership(tables(rows), 1000, daemon), "other")
    assert.strictEqual(listenerOwnership(tables(rows), 1001, daemon), "own")
  })

  it("falls back to a wildcard, including a dual-stack one", () => {
    assert.strictEqual(listenerOwnership(tables(listener(ANY, 1000)), 1000, daemon), "own")
    const any6 = "0".repeat(32)
    const dualStack = row(`${any6}:1F3E`, `${any6}:0000`, LISTEN, 1001, 11)
    assert.strictEqual(listenerOwnership(tables("", dualStack), 1000, daemon), "other")
  })

  it("is `other` when several users share the port, and when root listens", () => {
    for (const rows of [listener(DAEMON, 1000) + listener(DAEMON, 1001), listener(DAEMON, 0)]) {
      assert.strictEqual(listenerOwnership(tables(rows), 1000, daemon), "other", rows)
    }
  })

  it("is unknown when no socket listens there", () => {
    assert.strictEqual(listenerOwnership(tables(listener(`${LOOPBACK}:1F3F`, 1000)), 1000, daemon), "unknown")
  })
})

const listen = (host: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: Net.Server; readonly port: number }>((resume) => {
      const server = builtins.net.createServer()
      server.listen(0, host, () => resume(Effect.succeed({ server, port: (server.address() as Net.AddressInfo).port })))
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

const accepted = (server: Net.Server) =>
  Effect.callback<Net.Socket>((resume) => {
    server.once("connection", (socket) => {
      socket.on("error", () => {})
      resume(Effect.succeed(socket))
    })
  })

const ends = (socket: Net.Socket) =>
  [
    { address: socket.remoteAddress ?? "", port: socket.remotePort ?? 0 },
    { address: socket.localAddress ?? "", port: socket.localPort ?? 0 }
  ] as const

/** Runs Node under another uid until the scope closes. */
const asNobody = (script: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      childProcess.spawn("setpriv", ["--reuid=65534", "--clear-groups", "node", "-e", script], {
        stdio: ["ignore", "pipe", "ignore"],
        cwd: "/",
        env: { PATH: "/usr/local/bin:/usr/bin:/bin" }
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const linux = process.platform === "linux"
const canBecomeNobody = linux && process.getuid?.() === 0 &&
  childProcess.spawnSync("setpriv", ["--reuid=65534", "--clear-groups", "node", "-v"], {
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" }
    }).status === 0
if (!canBecomeNobody) console.warn("skipped: tests with a second user need root, setpriv and a node for everyone")

describe("PeerOwner", () => {
  effect("is unknown when the tables cannot be read, and reads again for the next lookup", function*() {
    let attempts = 0
    const layer = PeerOwner.layerTables({
      uid: 1000,
      read: () => {
        attempts += 1
        return Promise.reject(new Error("unreadable"))
      }
    })
    yield* Effect.gen(function*() {
      const owner = yield* PeerOwner
      assert.strictEqual(yield* owner.listener(daemon), "unknown")
      assert.strictEqual(yield* owner.listener(daemon), "unknown")
      assert.strictEqual(attempts, 2)
    }).pipe(Effect.provide(layer))
  })

  for (const [host, target] of [["127.0.0.1", "127.0.0.1"], ["::1", "::1"], ["::", "127.0.0.1"]] as const) {
    it.effect.skipIf(!linux)(
      `recognizes this process at both ends of a connection from ${target} to ${host}`,
      () =>
        Effect.gen(function*() {
          const owner = yield* PeerOwner
          const { server, port } = yield* listen(host)
          assert.strictEqual(yield* owner.listener({ address: target, port }), "own")
          const client = builtins.net.connect(port, target)
          const socket = yield* accepted(server)
          assert.strictEqual(yield* owner.peer(...ends(socket)), "own")
          assert.strictEqual(yield* owner.peer(...ends(client)), "own")
          client.destroy()
          socket.destroy()
        }).pipe(Effect.provide(PeerOwner.layer))
    )
  }

  it.effect.skipIf(!canBecomeNobody)("recognizes another user who connects", () =>
    Effect.gen(function*() {
      const owner = yield* PeerOwner
      const { server, port } = yield* listen("127.0.0.1")
      const connection = yield* Effect.forkChild(accepted(server), { startImmediately: true })
      yield* asNobody(`require("node:net").connect(${port}, "127.0.0.1"); setTimeout(() => {}, 30000)`)
      const socket = yield* Fiber.join(connection)
      assert.strictEqual(yield* owner.peer(...ends(socket)), "other")
      socket.destroy()
    }).pipe(Effect.provide(PeerOwner.layer)))

  it.effect.skipIf(!canBecomeNobody)("recognizes another user who listens", () =>
    Effect.gen(function*() {
      const owner = yield* PeerOwner
      const child = yield* asNobody(
        `const s = require("node:net").createServer().listen(0, "127.0.0.1", () => console.log(s.address().port))`
      )
      const port = yield* Effect.callback<number>((resume) => {
        child.stdout?.once("data", (chunk) => resume(Effect.succeed(Number(chunk))))
      })
      assert.strictEqual(yield* owner.listener({ address: "127.0.0.1", port }), "other")
    }).pipe(Effect.provide(PeerOwner.layer)))
})
