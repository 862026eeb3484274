import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Net from "node:net"
import { vi } from "vitest"
import { openDaemonConnection } from "../../src/client/DaemonConnection.ts"
import {
  endsOfClient,
  endsOfDaemon,
  helloWindow,
  isClientHello,
  proofHeader,
  serverProof
} from "../../src/config/daemon/AccessKey.ts"
import { apiVersion } from "../../src/domain/wire/ApiVersion.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { type Ownership, PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { live } from "../support/Fixture.ts"
import { listen } from "../support/TestServer.ts"

const key = new Uint8Array(32).fill(7)

/** The ends of a connection from one port of this machine to another. */
const at = (localPort: number, remotePort: number, address = "127.0.0.1") => ({
  localAddress: "127.0.0.1",
  localPort,
  remoteAddress: address,
  remotePort
})

/** `server` is the user who accepted the connection, `listener` the one who listens on its port. */
const peerOwner = (server: Ownership, listener: Ownership = server) =>
  PeerOwner.of({
    listener: () => Effect.succeed(listener),
    peer: () => Effect.succeed(server),
    process: () => Effect.succeed(undefined)
  })

type Proof = (nonce: string, socket: Net.Socket, hello: string) => string | undefined

const ownProof: Proof = (nonce, socket) => serverProof(key, nonce, endsOfDaemon(socket))
const foreignProof: Proof = (nonce, socket) => serverProof(new Uint8Array(32), nonce, endsOfDaemon(socket))
const noProof: Proof = () => undefined

/** A server that performs the handshake as given, and records every byte that it receives afterwards. */
const fakeDaemon = (
  proof: Proof = noProof,
  { responses = [], version = apiVersion }: {
    readonly responses?: ReadonlyArray<string>
    readonly version?: number
  } = {}
) =>
  Effect.gen(function*() {
    const received: Array<string> = []
    const sockets = new Set<Net.Socket>()
    const remaining = [...responses]
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
          const proved = proof(nonce, socket, hello)
          const body = JSON.stringify({ version: "9.9.9", api_version: version, instance: "started" })
          const header = proved === undefined ? "" : `${proofHeader}: ${proved}\r\n`
          socket.write(`HTTP/1.1 200 OK\r\n${header}content-length: ${body.length}\r\n\r\n${body}`)
          return
        }
        received.push(text)
        const response = remaining.shift() ?? "{}"
        if (response === "reset") return socket.resetAndDestroy()
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${response.length}\r\n\r\n${response}`
        )
      })
    })
    const { port } = yield* listen(server)
    return { port, received, sockets }
  })

interface ConnectOptions {
  /** What the socket table says about the owner of the server. */
  readonly owner?: Ownership | PeerOwner["Service"]
  readonly accessKey?: Uint8Array | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the user has named the URL. */
  readonly explicit?: boolean
  /** The start of the daemon that this home has recorded. */
  readonly instance?: string
  readonly startedAt?: string
}

const connectTo = (
  { port }: { readonly port: number },
  { explicit = false, instance, owner = "own", startedAt, ...rest }: ConnectOptions
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      openDaemonConnection({
        url: new URL(`http://127.0.0.1:${port}`),
        loopback: true,
        explicit,
        instance,
        startedAt,
        startable: false
      }, {
        accessKey: key,
        ...rest,
        peerOwner: typeof owner === "string" ? peerOwner(owner) : owner
      })
    ),
    (connection) => Effect.sync(connection.close)
  )

const get = { method: "GET", path: "/connections", headers: {}, body: undefined }
const post = { method: "POST", path: "/auth/sessions", headers: {}, body: "{\"provider\":\"openai\"}" }

describe("DaemonConnection", () => {
  live("trusts a server that proves it can read the access key, whatever the socket table says", function*() {
    const daemon = yield* fakeDaemon(ownProof)
    const connection = yield* connectTo(daemon, { owner: "unknown" })
    assert.strictEqual((yield* connection.send(get)).status, 200)
    yield* connection.send(post)
    assert.strictEqual(daemon.sockets.size, 1, "the second request uses the proved connection")
  })

  live("sends a proof that a daemon rejects if it started later than the connection", function*() {
    const hellos: Array<{ readonly hello: string; readonly nonce: string; readonly ends: string }> = []
    const squatter = yield* fakeDaemon((nonce, socket, hello) =>
      void hellos.push({ hello, nonce, ends: endsOfDaemon(socket) })
    )
    const connection = yield* connectTo(squatter, { owner: "other" })
    const sent = yield* Effect.forkChild(Effect.flip(connection.send(get)), { startImmediately: true })
    // The kernel establishes the connection while this process is blocked.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    const startedAt = Date.now()
    yield* Fiber.join(sent)
    const [{ hello, ...seen } = { hello: "", nonce: "", ends: "" }] = hellos
    const expected = { ...seen, now: startedAt }
    assert.isTrue(isClientHello(key, hello, { ...expected, startedAt: startedAt - helloWindow }))
    assert.isFalse(isClientHello(key, hello, { ...expected, startedAt }))
  })

  live("adds its default headers to every request that does not set them", function*() {
    const daemon = yield* fakeDaemon(ownProof)
    const connection = yield* connectTo(daemon, { headers: { "credsvc-profile": "quiet-heron-4821" } })
    yield* connection.send(get)
    yield* connection.send({ ...get, headers: { "credsvc-profile": "light-trout-3674" } })
    assert.deepStrictEqual(
      daemon.received.map((text) => /credsvc-profile: (.*)\r\n/.exec(text)?.[1]),
      ["quiet-heron-4821", "light-trout-3674"]
    )
  })

  interface Untrusted extends ConnectOptions {
    readonly proof?: Proof
    readonly version?: number
    readonly reason: string
    readonly message: string
  }
  const stranger = { owner: "other", reason: "untrusted", message: "another user" } as const
  const given = { explicit: true, reason: "untrusted", message: "CREDSVC_DAEMON_URL" } as const
  const otherHome = { proof: foreignProof, reason: "foreign", message: "another home" } as const
  const untrusted: Readonly<Record<string, Untrusted>> = {
    "a listener of another user that has no proof": stranger,
    "a listener of another user that has the proof of another key": { ...stranger, proof: foreignProof },
    "a listener of another user that relays the proof of another port": {
      ...stranger,
      proof: (nonce, { localPort = 0, remotePort = 0 }) =>
        serverProof(key, nonce, endsOfClient(at(remotePort, localPort + 1)))
    },
    "a listener of another user that relays the proof of the same port at another address": {
      ...stranger,
      proof: (nonce, { localPort = 0, remotePort = 0 }) =>
        serverProof(key, nonce, endsOfClient(at(remotePort, localPort, "::1")))
    },
    "a listener of another user that responds to an old nonce": {
      ...stranger,
      proof: (_, socket) => serverProof(key, "00", endsOfDaemon(socket))
    },
    "a listener of another user if there is no key": { ...stranger, accessKey: undefined },
    "a server at a given URL whose connection has another owner, although the user listens there now": {
      ...given,
      owner: peerOwner("other", "own")
    },
    "a server at a given URL whose connection has an unknown owner, although the user listens there now": {
      ...given,
      owner: peerOwner("unknown", "own")
    },
    "another home's daemon at the default address, with a key": otherHome,
    "another home's daemon at the default address, without a key": { ...otherHome, accessKey: undefined },
    "another home's daemon at the address that this home has recorded": { ...otherHome, instance: "earlier" },
    "this home's daemon of another version, whose proof has another form": {
      ...otherHome,
      instance: "started",
      reason: "incompatible",
      message:
        "of another version of credsvc (9.9.9), started before an update. Restart it with: credsvc daemon restart"
    },
    "this home's daemon whose start is in the future, because the clock was set back": {
      ...otherHome,
      instance: "started",
      startedAt: "9999-01-01T00:00:00.000Z",
      reason: "incompatible",
      message: "The clock of this machine was set back to a time before the start of the daemon"
    },
    "another user's listener that names the daemon of this home": {
      ...stranger,
      proof: foreignProof,
      instance: "started"
    },
    "a daemon with another interface version": {
      proof: ownProof,
      version: apiVersion + 1,
      reason: "incompatible",
      message: "credsvc daemon restart"
    }
  }
  for (const [name, { message, proof, reason, version, ...options }] of Object.entries(untrusted)) {
    live(`sends nothing to ${name}`, function*() {
      const server = yield* fakeDaemon(proof, version === undefined ? {} : { version })
      const connection = yield* connectTo(server, options)
      const error = yield* Effect.flip(connection.send(post))
      assert.strictEqual(error.reason, reason)
      assert.include(error.message, message)
      assert.deepStrictEqual(server.received, [])
    })
  }

  live("does not send the handshake to a listener of another user if there is no key", function*() {
    let handshakes = 0
    const listener = yield* fakeDaemon(() => void handshakes++)
    const connection = yield* connectTo(listener, { owner: "other", accessKey: undefined })
    assert.strictEqual((yield* Effect.flip(connection.send(get))).reason, "untrusted")
    assert.strictEqual(handshakes, 0)
  })

  live("requires that a server proves knowledge of the access key if the platform has no socket table", function*() {
    const server = yield* fakeDaemon()
    const send = (accessKey: Uint8Array | undefined) =>
      Effect.flatMap(
        connectTo(server, { accessKey, explicit: true, owner: "unsupported" }),
        (connection) => connection.send(get)
      )
    assert.strictEqual((yield* Effect.flip(send(key))).reason, "untrusted")
    assert.deepStrictEqual(server.received, [])
    assert.strictEqual((yield* send(undefined)).status, 200)
  })

  live("trusts another home's daemon of the same user at an explicit URL", function*() {
    const connection = yield* connectTo(yield* fakeDaemon(), { explicit: true })
    assert.strictEqual((yield* connection.send(get)).status, 200)
  })

  live("repeats a read request, but never a login, when a kept-alive connection was closed", function*() {
    const daemon = yield* fakeDaemon(ownProof, { responses: ["{}", "reset", "{}", "reset"] })
    const connection = yield* connectTo(daemon, {})
    yield* connection.send(get)
    assert.strictEqual((yield* connection.send(get)).status, 200)
    assert.strictEqual((yield* Effect.flip(connection.send(post))).reason, "broken")
    assert.strictEqual(daemon.received.filter((text) => text.includes("POST")).length, 1)
  })

  // With a key, the server is looked up after the handshake; without one, the listener is looked up before it.
  for (const [name, accessKey] of [["after", key], ["before", undefined]] as const) {
    for (const [how, leave] of [["resets", "resetAndDestroy"], ["closes", "end"]] as const) {
      live(
        `reports that the daemon ${how} the connection during the lookup of the server's owner ${name} the handshake`,
        function*() {
          const daemon = yield* fakeDaemon()
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
          const owner = PeerOwner.of({
            ...peerOwner("own"),
            ...(accessKey === undefined ? { listener: () => lookUp } : { peer: () => lookUp })
          })
          const connection = yield* connectTo(daemon, { accessKey, explicit: true, owner })
          assert.strictEqual((yield* Effect.flip(connection.send(get))).reason, "broken")
          const resolve = { method: "POST", path: "/credentials/resolve", headers: {}, body: "{}" }
          assert.isUndefined(
            yield* Effect.callback((resume) =>
              connection.exchange(resolve, (response) => resume(Effect.succeed(response)))
            )
          )
          assert.deepStrictEqual(daemon.received, [])
        }
      )
    }
  }

  live("reports that no server listens", function*() {
    const stopped = yield* Effect.scoped(fakeDaemon())
    const connection = yield* connectTo(stopped, {})
    assert.strictEqual((yield* Effect.flip(connection.send(get))).reason, "refused")
  })
})
