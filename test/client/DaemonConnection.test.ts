import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Net from "node:net"
import { vi } from "vitest"
import type { DaemonAddress } from "../../src/client/DaemonAddress.ts"
import { openDaemonConnection } from "../../src/client/DaemonConnection.ts"
import {
  clientHello,
  endpointOf,
  helloWindow,
  isClientHello,
  proofHeader,
  serverProof
} from "../../src/config/AccessKey.ts"
import { apiVersion } from "../../src/domain/Health.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { type Ownership, PeerOwner } from "../../src/platform/PeerOwner.ts"

const key = new Uint8Array(32).fill(7)
const at = (port: number) => endpointOf("127.0.0.1", port)

/** `server` is the user who accepted the connection, `listener` the one who listens on its port. */
const peerOwner = (server: Ownership, listener: Ownership = server) =>
  PeerOwner.of({
    listener: () => Effect.succeed(listener),
    server: () => Effect.succeed(server),
    peer: () => Effect.succeed("unknown"),
    peerInode: () => Effect.succeed(undefined)
  })

/** A server that performs the handshake as given, and records every byte that it receives afterwards. */
const fakeDaemon = (options: {
  readonly proof?: (nonce: string, port: number, hello: string) => string | undefined
  readonly version?: number
  readonly answers?: ReadonlyArray<string>
}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly received: Array<string>; readonly sockets: Set<Net.Socket> }>(
      (resume) => {
        const received: Array<string> = []
        const sockets = new Set<Net.Socket>()
        const answers = [...(options.answers ?? [])]
        const server = builtins.net.createServer((socket) => {
          sockets.add(socket)
          socket.on("error", () => {})
          let handshaken = false
          socket.on("data", (chunk) => {
            const text = chunk.toString("latin1")
            if (!handshaken) {
              handshaken = true
              const nonce = /nonce=([0-9a-f]+)/.exec(text)?.[1] ?? ""
              const hello = /credsvc-client: (\S+)/.exec(text)?.[1] ?? ""
              const proof = options.proof?.(nonce, port(), hello)
              const body = JSON.stringify({ version: "9.9.9", api_version: options.version ?? apiVersion })
              const header = proof === undefined ? "" : `${proofHeader}: ${proof}\r\n`
              socket.write(`HTTP/1.1 200 OK\r\n${header}content-length: ${body.length}\r\n\r\n${body}`)
              return
            }
            received.push(text)
            const answer = answers.shift() ?? "{}"
            if (answer === "reset") return socket.resetAndDestroy()
            socket.write(
              `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`
            )
          })
        })
        const port = () => (server.address() as Net.AddressInfo).port
        server.listen(0, "127.0.0.1", () =>
          resume(Effect.succeed({
            get port() {
              return port()
            },
            received,
            sockets,
            close: () => server.close()
          })))
      }
    ),
    ({ sockets, ...server }) =>
      Effect.sync(() => {
        ;(server as unknown as { close: () => void }).close()
        for (const socket of sockets) socket.destroy()
      })
  )

const addressOf = (port: number, explicit = false): DaemonAddress => ({
  url: new URL(`http://127.0.0.1:${port}`),
  loopback: true,
  explicit,
  startable: false
})

const get = { method: "GET", path: "/connections", headers: {}, body: undefined }
const post = { method: "POST", path: "/auth/sessions", headers: {}, body: "{\"provider\":\"openai\"}" }

describe("DaemonConnection", () => {
  it.live("trusts a server that proves it can read the access key, whatever the socket table says", () =>
    Effect.gen(function*() {
      const daemon = yield* fakeDaemon({ proof: (nonce, port) => serverProof(key, nonce, at(port)) })
      const connection = openDaemonConnection(addressOf(daemon.port), {
        accessKey: key,
        peerOwner: peerOwner("unknown")
      })
      const answer = yield* connection.send(get)
      assert.strictEqual(answer.status, 200)
      yield* connection.send(post)
      assert.strictEqual(daemon.sockets.size, 1, "the second request uses the proved connection")
      connection.close()
    }))

  it.live("sends a hello that a daemon started after the connection rejects", () =>
    Effect.gen(function*() {
      const hellos: Array<{ readonly hello: string; readonly nonce: string }> = []
      const squatter = yield* fakeDaemon({ proof: (nonce, _, hello) => void hellos.push({ hello, nonce }) })
      const connection = openDaemonConnection(addressOf(squatter.port), {
        accessKey: key,
        peerOwner: peerOwner("other")
      })
      const sent = yield* Effect.forkChild(Effect.flip(connection.send(get)), { startImmediately: true })
      // The kernel establishes the connection while this process is blocked.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      const startedAt = Date.now()
      yield* Fiber.join(sent)
      const [{ hello, nonce } = { hello: "", nonce: "" }] = hellos
      const expected = { nonce, endpoint: at(squatter.port), now: startedAt }
      assert.isTrue(isClientHello(key, hello, { ...expected, startedAt: startedAt - helloWindow }))
      assert.isFalse(isClientHello(key, hello, { ...expected, startedAt }))
      connection.close()
    }))

  it.live("adds its default headers to every request that does not set them", () =>
    Effect.gen(function*() {
      const daemon = yield* fakeDaemon({ proof: (nonce, port) => serverProof(key, nonce, at(port)) })
      const connection = openDaemonConnection(addressOf(daemon.port), {
        accessKey: key,
        peerOwner: peerOwner("unknown"),
        headers: { "credsvc-profile": "quiet-heron-4821" }
      })
      yield* connection.send(get)
      yield* connection.send({ ...get, headers: { "credsvc-profile": "light-trout-3674" } })
      assert.deepStrictEqual(
        daemon.received.map((text) => /credsvc-profile: (.*)\r\n/.exec(text)?.[1]),
        ["quiet-heron-4821", "light-trout-3674"]
      )
      connection.close()
    }))

  for (
    const [name, proof] of [
      ["has no proof", () => undefined],
      [
        "has the proof of another key",
        (nonce: string, port: number) => serverProof(new Uint8Array(32), nonce, at(port))
      ],
      ["relays the proof of another port", (nonce: string, port: number) => serverProof(key, nonce, at(port + 1))],
      [
        "relays the proof of the same port at another address",
        (nonce: string, port: number) => serverProof(key, nonce, endpointOf("::1", port))
      ],
      ["answers an old nonce", (_: string, port: number) => serverProof(key, "00", at(port))]
    ] as const
  ) {
    it.live(`sends nothing to a listener of another user that ${name}`, () =>
      Effect.gen(function*() {
        const squatter = yield* fakeDaemon({ proof })
        const connection = openDaemonConnection(addressOf(squatter.port), {
          accessKey: key,
          peerOwner: peerOwner("other")
        })
        const error = yield* Effect.flip(connection.send(post))
        assert.strictEqual(error.reason, "untrusted")
        assert.include(error.message, "another user")
        assert.deepStrictEqual(squatter.received, [])
        connection.close()
      }))
  }

  it.live("does not even send the handshake if there is no key and the listener belongs to another user", () =>
    Effect.gen(function*() {
      const squatter = yield* fakeDaemon({})
      const connection = openDaemonConnection(addressOf(squatter.port), {
        accessKey: undefined,
        peerOwner: peerOwner("other")
      })
      const error = yield* Effect.flip(connection.send(get))
      assert.strictEqual(error.reason, "untrusted")
      assert.deepStrictEqual(squatter.received, [])
      connection.close()
    }))

  for (const server of ["other", "unknown"] as const) {
    it.live(`sends nothing to a server at a given URL whose connection has ${server} owner, whoever listens there now`, () =>
      Effect.gen(function*() {
        const squatter = yield* fakeDaemon({ proof: () => undefined })
        const connection = openDaemonConnection(addressOf(squatter.port, true), {
          accessKey: key,
          peerOwner: peerOwner(server, "own")
        })
        const error = yield* Effect.flip(connection.send(post))
        assert.strictEqual(error.reason, "untrusted")
        assert.include(error.message, "CREDSVC_DAEMON_URL")
        assert.deepStrictEqual(squatter.received, [])
        connection.close()
      }))
  }

  it.live("requires the proof of a home with a key if the platform has no socket table", () =>
    Effect.gen(function*() {
      const server = yield* fakeDaemon({ proof: () => undefined })
      const send = (accessKey: Uint8Array | undefined) => {
        const connection = openDaemonConnection(addressOf(server.port, true), {
          accessKey,
          peerOwner: peerOwner("unsupported")
        })
        return Effect.ensuring(connection.send(get), Effect.sync(connection.close))
      }
      assert.strictEqual((yield* Effect.flip(send(key))).reason, "untrusted")
      assert.deepStrictEqual(server.received, [])
      assert.strictEqual((yield* send(undefined)).status, 200)
    }))

  it.live("trusts another home's daemon of the same user at an explicit URL", () =>
    Effect.gen(function*() {
      const daemon = yield* fakeDaemon({ proof: () => undefined })
      const connection = openDaemonConnection(addressOf(daemon.port, true), {
        accessKey: key,
        peerOwner: peerOwner("own")
      })
      assert.strictEqual((yield* connection.send(get)).status, 200)
      connection.close()
    }))

  for (const accessKey of [key, undefined]) {
    it.live(`sends nothing to another home's daemon at the default address, ${accessKey === undefined ? "without" : "with"} a key`, () =>
      Effect.gen(function*() {
        const daemon = yield* fakeDaemon({
          proof: (nonce, port) => serverProof(new Uint8Array(32), nonce, at(port))
        })
        const connection = openDaemonConnection(addressOf(daemon.port), { accessKey, peerOwner: peerOwner("own") })
        const error = yield* Effect.flip(connection.send(post))
        assert.strictEqual(error.reason, "foreign")
        assert.include(error.message, "another home")
        assert.deepStrictEqual(daemon.received, [])
        connection.close()
      }))
  }

  it.live("rejects a daemon with another interface version before it sends anything", () =>
    Effect.gen(function*() {
      const daemon = yield* fakeDaemon({
        proof: (nonce, port) => serverProof(key, nonce, at(port)),
        version: apiVersion + 1
      })
      const connection = openDaemonConnection(addressOf(daemon.port), { accessKey: key, peerOwner: peerOwner("own") })
      const error = yield* Effect.flip(connection.send(post))
      assert.strictEqual(error.reason, "incompatible")
      assert.include(error.message, "credsvc daemon restart")
      assert.deepStrictEqual(daemon.received, [])
      connection.close()
    }))

  it.live("repeats a read, but never a login, when a kept-alive connection was closed", () =>
    Effect.gen(function*() {
      const daemon = yield* fakeDaemon({
        proof: (nonce, port) => serverProof(key, nonce, at(port)),
        answers: ["{}", "reset", "{}", "reset"]
      })
      const connection = openDaemonConnection(addressOf(daemon.port), { accessKey: key, peerOwner: peerOwner("own") })
      yield* connection.send(get)
      assert.strictEqual((yield* connection.send(get)).status, 200)
      const error = yield* Effect.flip(connection.send(post))
      assert.strictEqual(error.reason, "broken")
      assert.strictEqual(daemon.received.filter((text) => text.includes("POST")).length, 1)
      connection.close()
    }))

  for (
    const [name, accessKey] of [["after its handshake", key], [
      "before its handshake, without a key",
      undefined
    ]] as const
  ) {
    for (const [how, leave] of [["resets", "resetAndDestroy"], ["closes", "end"]] as const) {
      it.live(`reports it when the daemon ${how} the connection while its owner is looked up, ${name}`, () =>
        Effect.gen(function*() {
          const daemon = yield* fakeDaemon({})
          const connects = vi.spyOn(builtins.net, "connect")
          yield* Effect.addFinalizer(() => Effect.sync(() => connects.mockRestore()))
          const lookUp = Effect.promise(async () => {
            const ours = connects.mock.results.at(-1)!.value as Net.Socket
            const closed = new Promise((resolve) => ours.destroyed ? resolve(0) : ours.once("close", resolve))
            // Once the server has responded, it has accepted the connection. Without a key it has received nothing yet.
            while (daemon.sockets.size < connects.mock.calls.length) await new Promise(setImmediate)
            for (const socket of daemon.sockets) socket[leave]()
            await closed
            return "own" as const
          })
          const connection = openDaemonConnection(addressOf(daemon.port, true), {
            accessKey,
            // With a key, the server is looked up after the handshake; without one, the listener is looked up before
            // it.
            peerOwner: PeerOwner.of({
              ...peerOwner("own"),
              ...(accessKey === undefined ? { listener: () => lookUp } : { server: () => lookUp })
            })
          })
          assert.strictEqual((yield* Effect.flip(connection.send(get))).reason, "broken")
          const resolve = { method: "POST", path: "/credentials/resolve", headers: {}, body: "{}" }
          assert.isUndefined(
            yield* Effect.callback((resume) => connection.exchange(resolve, (answer) => resume(Effect.succeed(answer))))
          )
          assert.deepStrictEqual(daemon.received, [])
          connection.close()
        }))
    }
  }

  it.live("reports that no server listens", () =>
    Effect.gen(function*() {
      const port = yield* Effect.scoped(Effect.map(fakeDaemon({}), (daemon) => daemon.port))
      const connection = openDaemonConnection(addressOf(port), { accessKey: key, peerOwner: peerOwner("own") })
      assert.strictEqual((yield* Effect.flip(connection.send(get))).reason, "refused")
    }))
})

describe("AccessKey", () => {
  const expected = { nonce: "ab", endpoint: at(7998), now: 1_000_000, startedAt: 900_000 }
  const hello = clientHello(key, "ab", at(7998), 1_000_000)

  it("accepts a hello of this key, nonce and endpoint", () => {
    assert.isTrue(isClientHello(key, hello, expected))
  })

  it("normalizes an address, also for dual-stack sockets", () => {
    assert.strictEqual(endpointOf("::ffff:127.0.0.1", 7998), endpointOf("127.0.0.1", 7998))
    assert.notStrictEqual(endpointOf("::1", 7998), endpointOf("127.0.0.1", 7998))
  })

  it("rejects a hello of another key, nonce, endpoint or time, and one older than the daemon", () => {
    assert.isFalse(isClientHello(new Uint8Array(32), hello, expected))
    assert.isFalse(isClientHello(key, hello, { ...expected, nonce: "ac" }))
    assert.isFalse(isClientHello(key, hello, { ...expected, endpoint: at(7999) }))
    assert.isFalse(isClientHello(key, hello, { ...expected, endpoint: endpointOf("127.0.0.2", 7998) }))
    assert.isFalse(isClientHello(key, hello, { ...expected, now: expected.now + helloWindow + 1 }))
    assert.isFalse(isClientHello(key, hello, { ...expected, startedAt: 1_000_001 }))
    assert.isFalse(isClientHello(key, hello.replace("1000000", "1000001"), expected))
    assert.isFalse(isClientHello(key, "nonsense", expected))
  })
})
