import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as path from "node:path"
import * as CertificateAuthority from "../../../src/certificates/CertificateAuthority.ts"
import { DaemonUnavailableError, ProviderNotFoundError } from "../../../src/domain/Errors.ts"
import type { ProfileHandle } from "../../../src/domain/wire/Profile.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import type { SandboxName, ServedSandbox } from "../../../src/domain/wire/Sandbox.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import type { Ownership } from "../../../src/platform/sockets/PeerOwner.ts"
import { CredentialSource } from "../../../src/proxy/routing/CredentialSource.ts"
import { SandboxProxy, type SandboxProxyOptions } from "../../../src/proxy/sandbox/SandboxProxy.ts"
import type { SandboxSocket } from "../../../src/proxy/sandbox/SandboxSockets.ts"
import { SandboxSource } from "../../../src/proxy/sandbox/SandboxSource.ts"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { certificate, EVIL, HOST, request } from "../../support/ProxiedHost.ts"
import {
  configOf,
  fakeDaemon,
  ownerOf,
  route,
  SECRET,
  sourceOf,
  temporaryFile,
  Wire
} from "../../support/ProxyHarness.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { authority } from "../../support/TestCertificates.ts"
import { until } from "../../support/Until.ts"

const OTHER_HOST = "api.other.example"
const PROXY_NAME = "proxy.example"

const tlsSocket = (): SandboxSocket => {
  const { cert, key } = authority.issue([PROXY_NAME])
  return { _tag: "tcp", host: "127.0.0.1", port: 0, tokenRequired: true, tls: { cert: String(cert), key: String(key) } }
}

const tokenOf = (name: string, generation = 1): string => `${name}-token-${generation}-`.padEnd(43, "x")

const sandboxOf = (name: string, provider: string, changes: Partial<ServedSandbox> = {}): ServedSandbox => {
  const host = provider === "other" ? OTHER_HOST : HOST
  const lifetime = { created: Date.now(), expires: Date.now() + 3_600_000 }
  const { keyPem, ...root } = CertificateAuthority.createStored([host], lifetime)
  const generation = changes.generation ?? 1
  return {
    name: name as SandboxName,
    profile: "main" as ProfileHandle,
    providers: [provider as ProviderName],
    connections: {},
    unmatched: "allow",
    strict: false,
    rules: [],
    expiresAt: DateTime.makeUnsafe(Date.now() + 3_600_000),
    generation,
    id: `id-of-${name}`,
    tokenHash: builtins.crypto.createHash("sha256").update(tokenOf(name, generation)).digest("hex"),
    authority: { ...root, keyPem: Redacted.make(keyPem) },
    ...changes
  }
}

const credential = (name: string, token = tokenOf(name)): string =>
  `Proxy-Authorization: Basic ${Buffer.from(`${name}:${token}`).toString("base64")}\r\n`

interface State {
  sandboxes: ReadonlyArray<ServedSandbox>
  version: number
  down: boolean
  /** What becomes of the routes and credentials of a sandbox. */
  source: "works" | "is unknown" | "has a defect"
  /** How long the response to a poll takes to arrive, in milliseconds. */
  delay: number
}

interface Options extends Partial<SandboxProxyOptions> {
  readonly peer?: Ownership
  readonly handler?: FakeUpstream.Handler
}

/** A proxy for two sandboxes: `one` for a provider with `HOST`, `two` for one with `OTHER_HOST`. */
const setUp = (options: Options = {}) =>
  Effect.gen(function*() {
    const { handler, peer = "other", ...more } = options
    const upstream = yield* FakeUpstream.make({ certificate, handler })
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const daemon = fakeDaemon([route(HOST, "example"), route(OTHER_HOST, "other")])
    const state: State = {
      sandboxes: [sandboxOf("one", "example"), sandboxOf("two", "other")],
      version: 1,
      down: false,
      source: "works",
      delay: 0
    }
    const change = (...sandboxes: ReadonlyArray<ServedSandbox>): void => {
      state.sandboxes = sandboxes
      state.version++
    }
    const read = (version: string | undefined) =>
      Effect.suspend(() => {
        if (state.down) return Effect.fail(new DaemonUnavailableError({ url: "", detail: "no daemon" }))
        const current = String(state.version)
        return Effect.succeed(version === current ? undefined : { version: current, sandboxes: state.sandboxes })
      })
    const poll = (version: string | undefined) =>
      Effect.flatMap(read(version), (list) => Effect.as(Effect.sleep(state.delay), list))
    const source = Layer.succeed(
      SandboxSource,
      SandboxSource.of({
        read,
        poll,
        credentials: () =>
          state.source === "works"
            ? sourceOf(daemon)
            : Layer.effect(
              CredentialSource,
              state.source === "is unknown"
                ? Effect.fail(ProviderNotFoundError.of("acme"))
                : Effect.die(new TypeError("broken"))
            )
      })
    )
    const context = yield* Layer.build(
      SandboxProxy.layer({
        sockets: [{ _tag: "tcp", host: "127.0.0.1", port: 0, tokenRequired: false }],
        pollMilliseconds: 20,
        ...more
      }).pipe(
        Layer.provide([
          source,
          configOf({
            extraCaCerts: [ca],
            resolve: {
              [`${HOST}:443`]: `127.0.0.1:${upstream.port}`,
              [`${EVIL}:443`]: `127.0.0.1:${upstream.port}`
            }
          }),
          ownerOf(peer)
        ])
      )
    )
    const { addresses } = Context.get(context, SandboxProxy)
    const connectTo = (address: string) =>
      Effect.acquireRelease(
        Effect.promise(() =>
          new Promise<Wire>((resolve, reject) => {
            const [first] = options.sockets ?? []
            const port = Number(address.split(":").at(-1))
            const socket = address.startsWith("/")
              ? builtins.net.connect(address)
              : first?._tag === "tcp" && first.tls !== undefined
              ? builtins.tls.connect({ port, host: "127.0.0.1", servername: PROXY_NAME, ca: authority.caPem })
              : builtins.net.connect(port, "127.0.0.1")
            socket.once("error", reject)
            socket.once("encrypted" in socket ? "secureConnect" : "connect", () => resolve(new Wire(socket)))
          })
        ),
        ({ socket }) => Effect.sync(() => socket.destroy())
      )
    const connect = connectTo(addresses[0]!)
    /** The response to a CONNECT request on a connection of its own. */
    const answer = (headers: string, host = HOST) =>
      Effect.scoped(Effect.flatMap(connect, (wire) => wire.exchange(`CONNECT ${host}:443 HTTP/1.1\r\n${headers}\r\n`)))
    /** A TLS connection through a tunnel, trusting the authority of the sandbox. */
    const secure = (sandbox: ServedSandbox, host = HOST) =>
      Effect.gen(function*() {
        const wire = yield* connect
        const { status } = yield* wire.exchange(`CONNECT ${host}:443 HTTP/1.1\r\n${credential(sandbox.name)}\r\n`)
        assert.strictEqual(status, 200)
        const { socket } = wire
        socket.removeAllListeners("data")
        const secured = builtins.tls.connect({ socket, servername: host, ca: sandbox.authority.rootPem })
        yield* Effect.promise(() =>
          new Promise<void>((resolve, reject) => secured.once("secureConnect", resolve).once("error", reject))
        )
        return new Wire(secured)
      })
    return { addresses, answer, change, connect, connectTo, daemon, secure, state, upstream }
  })

describe("SandboxProxy", () => {
  live("adds the credential of the sandbox's provider, under the sandbox's own authority", function*() {
    const { daemon, secure, state, upstream } = yield* setUp()
    const wire = yield* secure(state.sandboxes[0]!)
    assert.strictEqual((yield* wire.exchange(request("GET /v1/models"))).status, 200)
    assert.deepStrictEqual(upstream.seen.map(({ headers }) => headers.authorization), [`Bearer ${SECRET}`])
    assert.deepStrictEqual(daemon.resolved.map(({ provider }) => provider), ["example"])
  })

  live("routes only the providers of the sandbox", function*() {
    const { answer, daemon } = yield* setUp()
    // To sandbox two, this host belongs to no provider, so it is a host on this machine as the test has pinned it.
    assert.strictEqual((yield* answer(credential("two"), HOST)).status, 200)
    assert.lengthOf(daemon.resolved, 0)
  })

  live("refuses unknown names, and tokens that are missing, wrong, malformed or of another sandbox", function*() {
    const { answer, daemon } = yield* setUp({ peer: "own" })
    const attempts = [
      "",
      credential("nobody"),
      credential("one", tokenOf("two")),
      credential("two", tokenOf("one")),
      credential("one", ""),
      credential("one", tokenOf("one").slice(0, -1)),
      credential("one", tokenOf("one") + "x"),
      credential("ONE"),
      credential("../one"),
      `Proxy-Authorization: Bearer ${tokenOf("one")}\r\n`,
      "Proxy-Authorization: Basic !!!\r\n",
      "Proxy-Authorization: Basic \r\n"
    ]
    for (const headers of attempts) {
      const { headers: sent, status } = yield* answer(headers)
      assert.deepStrictEqual([status, sent.get("proxy-authenticate")], [407, "Basic realm=\"credsvc\""], headers)
    }
    assert.strictEqual(daemon.routeCalls, 0)
  })

  const cases = [
    ["a rotated token", [sandboxOf("one", "example", { generation: 2 })]],
    ["the token of a deleted sandbox", []],
    ["the token of a sandbox that was created again", [sandboxOf("one", "example", { id: "another", generation: 2 })]]
  ] as const
  for (const [what, next] of cases) {
    live(`refuses ${what} immediately, and closes its open connections and tunnels`, function*() {
      const { answer, change, connect, secure, state } = yield* setUp({ pollMilliseconds: 20 })
      const [one, two] = state.sandboxes as [ServedSandbox, ServedSandbox]
      const intercepted = yield* secure(one)
      assert.strictEqual((yield* intercepted.exchange(request("GET /"))).status, 200)
      const tunnel = yield* connect
      const opened = yield* tunnel.exchange(`CONNECT ${EVIL}:443 HTTP/1.1\r\n${credential("one")}\r\n`)
      assert.strictEqual(opened.status, 200)
      const other = yield* connect
      assert.strictEqual(
        (yield* other.exchange(`CONNECT ${EVIL}:443 HTTP/1.1\r\n${credential("two")}\r\n`)).status,
        200
      )
      change(...next, two)
      const refused = yield* answer(credential("one"))
      assert.strictEqual(refused.status, 407)
      assert.match(refused.body, /no longer valid/)
      yield* Effect.promise(() => Promise.all([intercepted.closed(), tunnel.closed()]))
      assert.isFalse(other.ended)
    })
  }

  live("keeps the connections of a new token when the response to an earlier request arrives late", function*() {
    const { change, connect, state } = yield* setUp({ pollMilliseconds: 1 })
    state.delay = 100
    // The polls from now on bring the state of their beginning.
    change(state.sandboxes[0]!)
    yield* Effect.sleep(50)
    change(sandboxOf("one", "example", { generation: 2 }))
    const tunnel = yield* connect
    const headers = credential("one", tokenOf("one", 2))
    assert.strictEqual((yield* tunnel.exchange(`CONNECT ${EVIL}:443 HTTP/1.1\r\n${headers}\r\n`)).status, 200)
    yield* Effect.sleep(200)
    assert.isFalse(tunnel.ended)
  })

  live("refuses every token while the daemon does not respond, because the token may have been withdrawn", function*() {
    const { answer, state } = yield* setUp()
    state.down = true
    const { body, status } = yield* answer(credential("one"))
    assert.strictEqual(status, 503)
    assert.match(body, /credsvc daemon start/)
    state.down = false
    assert.strictEqual((yield* answer(credential("one"))).status, 200)
  })

  live("says why it cannot serve a sandbox, and serves the sandbox once the cause is gone", function*() {
    const { answer, state } = yield* setUp()
    state.source = "has a defect"
    const defect = yield* answer(credential("one"))
    assert.strictEqual(defect.status, 502)
    assert.include(defect.body, "credsvc failed to set up this sandbox")
    state.source = "is unknown"
    const refused = yield* answer(credential("one"))
    assert.strictEqual(refused.status, 502)
    assert.include(refused.body, "ProviderNotFoundError")
    state.source = "works"
    assert.strictEqual((yield* answer(credential("one"))).status, 200)
  })

  live("does not reach this machine, private addresses or metadata, by name or address", function*() {
    const { answer, connect, upstream } = yield* setUp()
    const targets = [
      `127.0.0.1:${upstream.port}`,
      `localhost:${upstream.port}`,
      `[::1]:${upstream.port}`,
      "169.254.169.254:80",
      "10.0.0.1:80",
      "0.0.0.0:80",
      "93.184.216.34:443"
    ]
    for (const target of targets) {
      const wire = yield* connect
      const { status } = yield* wire.exchange(`CONNECT ${target} HTTP/1.1\r\n${credential("one")}\r\n`)
      assert.strictEqual(status, 403, target)
      const plain = yield* connect
      const forwarded = yield* plain.exchange(
        `GET http://${target}/ HTTP/1.1\r\nHost: ${target}\r\n${credential("one")}\r\n`
      )
      assert.strictEqual(forwarded.status, 403, target)
    }
    assert.lengthOf(upstream.seen, 0)
    assert.strictEqual((yield* answer(credential("one"), EVIL)).status, 200)
  })

  live("blocks other hosts if the sandbox denies them", function*() {
    const { answer, change } = yield* setUp()
    change(sandboxOf("one", "example", { unmatched: "deny" }))
    const { body, status } = yield* answer(credential("one"), EVIL)
    assert.strictEqual(status, 403)
    assert.match(body, /provider of this sandbox/)
  })

  live("applies the rules of the sandbox", function*() {
    const { change, secure, upstream } = yield* setUp()
    const limited = sandboxOf("one", "example", {
      generation: 2,
      rules: [{ allow: [], deny: [], readonly: true }]
    })
    change({ ...limited, tokenHash: sandboxOf("one", "example").tokenHash })
    const wire = yield* secure(limited)
    assert.strictEqual((yield* wire.exchange(`DELETE / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)).status, 403)
    assert.strictEqual((yield* wire.exchange(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)).status, 200)
    assert.lengthOf(upstream.seen, 1)
  })

  describe("of one sandbox", () => {
    live("admits a process of this user without a token, and refuses the token of another sandbox", function*() {
      const { answer } = yield* setUp({ only: "one", peer: "own" })
      assert.strictEqual((yield* answer("")).status, 200)
      assert.strictEqual((yield* answer(credential("one"))).status, 200)
      assert.strictEqual((yield* answer(credential("one", "wrong"))).status, 407)
      const { body, status } = yield* answer(credential("two"))
      assert.strictEqual(status, 407)
      assert.match(body, /only the sandbox "one"/)
    })

    live("refuses other users, and clients on an address that requires a token", function*() {
      for (const peer of ["other", "unknown", "unsupported"] as const) {
        const { answer } = yield* setUp({ only: "one", peer })
        assert.strictEqual((yield* answer("")).status, 407, peer)
      }
      const socket: SandboxSocket = { _tag: "tcp", host: "127.0.0.1", port: 0, tokenRequired: true }
      const { answer } = yield* setUp({ only: "one", peer: "own", sockets: [socket] })
      assert.strictEqual((yield* answer("")).status, 407)
      assert.strictEqual((yield* answer(credential("one"))).status, 200)
    })

    live("refuses clients without a token once the sandbox is deleted", function*() {
      const { answer, change } = yield* setUp({ only: "one", peer: "own" })
      assert.strictEqual((yield* answer("")).status, 200)
      change()
      assert.strictEqual((yield* answer("")).status, 407)
    })
  })

  describe("on a Unix socket", () => {
    const unix = (file: string, options: Options = {}) => setUp({ sockets: [{ _tag: "unix", path: file }], ...options })

    it.live("is accessible only to its owner, and requires a token", () =>
      Effect.scoped(Effect.gen(function*() {
        const file = path.join(yield* temporaryDirectory, "proxy.sock")
        const before = process.umask(0o077)
        const { answer } = yield* Effect.ensuring(unix(file), Effect.sync(() => process.umask(before)))
        assert.strictEqual(fs.statSync(file).mode & 0o077, 0)
        assert.strictEqual((yield* answer(credential("one"))).status, 200)
        assert.strictEqual((yield* answer("")).status, 407)
      })))

    it.live("requires no token if it serves only one sandbox", () =>
      Effect.scoped(Effect.gen(function*() {
        const file = path.join(yield* temporaryDirectory, "proxy.sock")
        const { answer } = yield* unix(file, { only: "one" })
        assert.strictEqual((yield* answer("")).status, 200)
        assert.strictEqual((yield* answer(credential("two"))).status, 407)
      })))

    const problemOf = (file: string) =>
      Effect.map(Effect.flip(unix(file)), (error) => (error as { readonly message: string }).message)

    it.live("replaces the socket of a killed process, and nothing else", () =>
      Effect.scoped(Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const stale = path.join(directory, "stale.sock")
        // A process that is killed leaves its socket.
        builtins.childProcess.spawnSync(process.execPath, [
          "-e",
          "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))",
          stale
        ])
        assert.isTrue(fs.lstatSync(stale).isSocket())
        assert.strictEqual((yield* (yield* unix(stale)).answer(credential("one"))).status, 200)
        assert.match(yield* problemOf(stale), /another process listens/)

        const plain = path.join(directory, "file")
        fs.writeFileSync(plain, "content")
        assert.match(yield* problemOf(plain), /is not a socket/)
        assert.strictEqual(fs.readFileSync(plain, "utf8"), "content")
        const link = path.join(directory, "link")
        fs.symlinkSync(stale, link)
        assert.match(yield* problemOf(link), /is not a socket/)
        assert.match(yield* problemOf(path.join(directory, "x".repeat(100))), /too long/)
        const shared = path.join(directory, "shared")
        fs.mkdirSync(shared)
        fs.chmodSync(shared, 0o777)
        assert.match(yield* problemOf(path.join(shared, "proxy.sock")), /only you can write/)
      })))

    live("is removed when the proxy ends", function*() {
      const directory = yield* temporaryDirectory
      const file = path.join(directory, "proxy.sock")
      yield* Effect.scoped(unix(file))
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    })
  })

  live("closes the connections of a deleted sandbox immediately when the daemon reports a change", function*() {
    const { change, daemon, secure, state } = yield* setUp({ pollMilliseconds: 3_600_000 })
    const [one, two] = state.sandboxes as [ServedSandbox, ServedSandbox]
    const wire = yield* secure(one)
    change(two)
    for (const listener of daemon.listeners) listener()
    yield* Effect.promise(() => wire.closed())
  })

  live("closes the connections of a sandbox when it expires, without waiting for a poll", function*() {
    const { answer, change, secure, state } = yield* setUp({ pollMilliseconds: 3_600_000 })
    const [one, two] = state.sandboxes as [ServedSandbox, ServedSandbox]
    const expiring = { ...one, expiresAt: DateTime.makeUnsafe(Date.now() + 1500) }
    change(expiring, two)
    yield* answer(credential("two"))
    const wire = yield* secure(expiring)
    state.down = true
    yield* Effect.promise(() => wire.closed())
    state.down = false
    assert.match((yield* answer(credential("one"))).body, /no longer valid/)
    assert.isAtLeast(Date.now(), expiring.expiresAt.epochMilliseconds)
  })

  live("closes connections that do not complete a TLS handshake", function*() {
    const { addresses } = yield* setUp({ sockets: [tlsSocket()], handshakeMilliseconds: 100 })
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => builtins.net.connect(Number(addresses[0]!.split(":")[1]), "127.0.0.1")),
      (socket) => Effect.sync(() => socket.destroy())
    )
    const closed = new Wire(socket).closed()
    const outcome = Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 5000, "open"))])
    assert.notStrictEqual(yield* Effect.promise<unknown>(() => outcome), "open")
  })

  const rows = [
    [
      "a Unix socket",
      (directory: string): SandboxSocket => ({ _tag: "unix", path: path.join(directory, "proxy.sock") })
    ],
    ["TLS", tlsSocket]
  ] as const
  for (const [what, socketIn] of rows) {
    it.live(`continues to serve others after connections over ${what} were aborted`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { answer, connect, secure, state, upstream } = yield* setUp({
          sockets: [socketIn(yield* temporaryDirectory)],
          handler: (incoming, response) => {
            response.writeHead(200, { "Content-Length": 10 }).write("part")
            if (incoming.url === "/lost") setTimeout(() => incoming.socket.destroy(), 20)
          }
        })
        const [one] = state.sandboxes as [ServedSandbox, ServedSandbox]
        const lost = yield* secure(one)
        const response = yield* lost.exchange(request("GET /lost"))
        assert.deepStrictEqual([response.body, response.complete], ["part", false])

        const halfClosed = yield* secure(one)
        halfClosed.send(request("GET /"))
        yield* Effect.promise(() => halfClosed.text("part"))
        halfClosed.socket.end()
        yield* Effect.promise(() => halfClosed.closed())

        const tunneled = new Set<Net.Socket>()
        upstream.server.on("connection", (socket: Net.Socket) => tunneled.add(socket))
        const tunnel = yield* connect
        const target = `CONNECT ${EVIL}:443 HTTP/1.1\r\n${credential("one")}\r\n`
        assert.strictEqual((yield* tunnel.exchange(target)).status, 200)
        yield* Effect.promise(() => until(() => tunneled.size > 0))
        for (const socket of tunneled) socket.resetAndDestroy()
        yield* Effect.promise(() => tunnel.closed())

        assert.strictEqual((yield* answer(credential("one"))).status, 200)
      })))
  }

  live("limits the connections of a sandbox, so that others stay reachable", function*() {
    const { answer, connect } = yield* setUp()
    for (let count = 0; count < 512; count++) {
      const wire = yield* connect
      yield* wire.exchange(`CONNECT ${EVIL}:443 HTTP/1.1\r\n${credential("one")}\r\n`)
    }
    assert.strictEqual((yield* answer(credential("one"))).status, 503)
    assert.strictEqual((yield* answer(credential("two"), EVIL)).status, 200)
  }, 60_000)
})
