import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as path from "node:path"
import { vi } from "vitest"
import { defaults, type Upstream } from "../../src/config/file/ConfigDocument.ts"
import type { Authority } from "../../src/outbound/Authority.ts"
import { DialError } from "../../src/outbound/DialError.ts"
import { type DialerOptions, UpstreamDialer } from "../../src/outbound/UpstreamDialer.ts"
import { builtins } from "../../src/platform/builtins.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { live } from "../support/Fixture.ts"
import { certificate } from "../support/ProxiedHost.ts"
import { temporaryFile } from "../support/ProxyHarness.ts"
import * as SocksServer from "../support/SocksServer.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { authority, makeAuthority, type TestCertificate } from "../support/TestCertificates.ts"
import { listen } from "../support/TestServer.ts"
import { turn } from "../support/UpstreamPeer.ts"

const HOST = "api.example.com"
const target = (port = 443): Authority => ({ host: HOST, port, kind: "name" })
const upstreamOf = (more: Partial<Upstream> = {}): Upstream => ({ ...defaults.upstream, ...more })

const dialer = (more: Partial<Upstream>, options: Partial<DialerOptions> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => new UpstreamDialer({ upstream: () => upstreamOf(more), ownPorts: () => new Set(), ...options })),
    (made) => Effect.sync(() => made.close())
  )

const problemOf = (run: () => Promise<unknown>) =>
  Effect.promise(() =>
    run().then(
      () => "connected",
      (error: unknown) => error instanceof DialError ? error.problem : String(error)
    )
  )

const addresses = (...rounds: ReadonlyArray<ReadonlyArray<string>>) => {
  let round = 0
  return async () =>
    (rounds[Math.min(round++, rounds.length - 1)] ?? []).map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4
    }))
}

describe("UpstreamDialer", () => {
  const private4 = ["127.0.0.1", "10.1.2.3", "192.168.1.1", "100.64.0.1", "0.0.0.0"]
  const private6 = ["::1", "fd00::1", "fe80::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "::ffff:0:7f00:1"]
  for (const found of [...[...private4, ...private6].map((address) => [address]), ["93.184.216.34", "127.0.0.1"]]) {
    live(`does not connect to a provider at the private address ${found.join(", even after ")}`, function*() {
      const made = yield* dialer({}, { lookup: addresses(found) })
      assert.strictEqual(yield* problemOf(() => made.tls(target(), "provider")), "private_address")
    })
  }

  live("never connects to a metadata address, even if permitted", function*() {
    const made = yield* dialer({ privateHosts: [HOST] }, { lookup: addresses(["169.254.169.254"]) })
    assert.strictEqual(yield* problemOf(() => made.tls(target(), "provider")), "forbidden")
    assert.strictEqual(yield* problemOf(() => made.tcp(target(80), "tunnel")), "forbidden")
  })

  live("connects to the checked address without a second name resolution", function*() {
    const upstream = yield* FakeUpstream.make()
    let lookups = 0
    const made = yield* dialer({ privateHosts: [HOST] }, {
      lookup: async () => [{ address: lookups++ === 0 ? "127.0.0.1" : "127.0.0.9", family: 4 }]
    })
    const socket = yield* Effect.promise(() => made.tcp(target(upstream.port), "provider"))
    assert.strictEqual(socket.remoteAddress, "127.0.0.1")
    assert.strictEqual(lookups, 1)
  })

  live("allows a private address for hosts in `private_hosts` and `resolve`", function*() {
    const upstream = yield* FakeUpstream.make()
    const named = yield* dialer({ privateHosts: [HOST] }, { lookup: addresses(["127.0.0.1"]) })
    assert.strictEqual(yield* problemOf(() => named.tcp(target(upstream.port), "provider")), "connected")
    const fixed = yield* dialer({ resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` } }, {
      lookup: async () => assert.fail("a fixed address is not looked up")
    })
    assert.strictEqual(yield* problemOf(() => fixed.tcp(target(), "provider")), "connected")
  })

  live("allows a private address for every name below a wildcard of `private_hosts`, and for no other", function*() {
    const upstream = yield* FakeUpstream.make()
    const made = yield* dialer({ privateHosts: ["*.corp.test"] }, { lookup: addresses(["127.0.0.1"]) })
    const reach = (host: string) => problemOf(() => made.tcp({ host, port: upstream.port, kind: "name" }, "provider"))
    assert.strictEqual(yield* reach("git.corp.test"), "connected")
    assert.strictEqual(yield* reach("a.git.corp.test"), "connected")
    for (const host of ["corp.test", "gitcorp.test", "git.corp.test.example.com"]) {
      assert.strictEqual(yield* reach(host), "private_address", host)
    }
  })

  live("refuses private addresses named by a public server, regardless of the settings", function*() {
    const upstream = yield* FakeUpstream.make()
    const made = yield* dialer({
      privateHosts: [HOST],
      resolve: { "fixed.example.com:443": `127.0.0.1:${upstream.port}` }
    }, { lookup: addresses(["127.0.0.1"]) })
    const fixed: Authority = { host: "fixed.example.com", port: 443, kind: "name" }
    assert.strictEqual(yield* problemOf(() => made.tcp(target(upstream.port), "public")), "private_address")
    assert.strictEqual(yield* problemOf(() => made.tcp(fixed, "public")), "private_address")
    assert.strictEqual(upstream.connections(), 0)
  })

  live("connects to literal loopback if allowed for the provider, and to no other private address", function*() {
    const upstream = yield* FakeUpstream.make()
    const made = yield* dialer({}, { lookup: addresses(["127.0.0.1"]) })
    const literal: Authority = { host: "127.0.0.1", port: upstream.port, kind: "ipv4" }
    assert.strictEqual(yield* problemOf(() => made.tcp(literal, "loopback")), "connected")
    assert.strictEqual(yield* problemOf(() => made.tcp(literal, "provider")), "private_address")
    assert.strictEqual(yield* problemOf(() => made.tcp(target(upstream.port), "loopback")), "private_address")
    const others: ReadonlyArray<Authority> = [
      { host: "10.0.0.1", port: 443, kind: "ipv4" },
      { host: "fd00::1", port: 443, kind: "ipv6" },
      { host: "::ffff:7f00:1", port: 443, kind: "ipv6" }
    ]
    for (const other of others) {
      assert.strictEqual(yield* problemOf(() => made.tcp(other, "loopback")), "private_address")
    }
  })

  live("opens tunnels of a contained run only to public addresses, by name", function*() {
    const { port } = yield* FakeUpstream.make({ certificate: makeAuthority("authority").issue([HOST]) })
    const tunnel = (found: string, more: Partial<Upstream> = {}) =>
      Effect.flatMap(
        dialer(more, { client: "contained run", connectTimeout: 1000, lookup: addresses([found]) }),
        (made) => problemOf(() => made.tcp(target(port), "tunnel"))
      )
    for (const address of [...private4, ...private6]) {
      assert.strictEqual(yield* tunnel(address), "private_address", address)
    }
    assert.strictEqual(yield* tunnel("169.254.169.254"), "forbidden")
    // A private network may be allowed, but not this machine, unless an address is set for exactly this host and port.
    assert.strictEqual(yield* tunnel("127.0.0.1", { privateHosts: [HOST] }), "private_address")
    assert.strictEqual(
      yield* tunnel("127.0.0.1", { resolve: { [`${HOST}:${port}`]: `127.0.0.1:${port}` } }),
      "connected"
    )

    const made = yield* dialer({}, { client: "contained run", connectTimeout: 1000 })
    for (const [host, kind] of [["127.0.0.1", "ipv4"], ["::1", "ipv6"], ["93.184.216.34", "ipv4"]] as const) {
      assert.strictEqual(yield* problemOf(() => made.tcp({ host, kind, port }, "tunnel")), "forbidden", host)
    }
    assert.strictEqual(
      yield* problemOf(() => made.tcp({ host: "localhost", kind: "name", port }, "tunnel")),
      "private_address"
    )
    const outside = yield* dialer({}, { lookup: addresses(["127.0.0.1"]) })
    assert.strictEqual(yield* problemOf(() => outside.tcp(target(port), "tunnel")), "connected")
  })

  live("sends the user and password of a proxy, even with a percent sign that begins no escape", function*() {
    const hop = yield* FakeUpstream.make()
    const given: Array<string | undefined> = []
    hop.server.on("connect", ({ headers }, socket: Net.Socket) => {
      given.push(headers["proxy-authorization"])
      socket.end("HTTP/1.1 200 OK\r\n\r\n")
    })
    for (const password of ["p%40ss", "100%"]) {
      const made = yield* dialer({ proxy: `http://user:${password}@127.0.0.1:${hop.port}` })
      assert.strictEqual(yield* problemOf(() => made.tcp(target(), "tunnel")), "connected")
    }
    assert.deepStrictEqual(
      given,
      ["user:p@ss", "user:100%"].map((text) => `Basic ${Buffer.from(text).toString("base64")}`)
    )
  })

  live("connects through a proxy without a scheme, and through SOCKS 5 with names or with addresses", function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const socks = yield* SocksServer.make(upstream.port)
    const hop = yield* FakeUpstream.make()
    hop.server.on("connect", (_request, socket: Net.Socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\n"))
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const lookup = addresses(["93.184.216.34"])
    const rows = [
      [`socks5h://127.0.0.1:${socks.port}`, `${HOST}:443`],
      [`socks5h://user:p%40ss@127.0.0.1:${socks.port}`, `${HOST}:443`],
      [`socks://127.0.0.1:${socks.port}/`, `${HOST}:443`],
      [`socks5://127.0.0.1:${socks.port}`, "93.184.216.34:443"]
    ] as const
    for (const [proxy, asked] of rows) {
      const made = yield* dialer({ proxy, extraCaCerts: [ca] }, { lookup })
      const socket = yield* Effect.promise(() => made.tls(target(), "provider"))
      assert.isTrue(socket.authorized)
      assert.deepStrictEqual(socks.asked.splice(0), [asked], proxy)
    }
    assert.deepStrictEqual(socks.users, ["user:p@ss"])
    const bare = yield* dialer({ proxy: `127.0.0.1:${hop.port}` }, { lookup })
    assert.strictEqual(yield* problemOf(() => bare.tcp(target(), "tunnel")), "connected")
    const local = yield* dialer({ proxy: `socks5://127.0.0.1:${socks.port}` }, { lookup: addresses(["10.0.0.1"]) })
    assert.strictEqual(yield* problemOf(() => local.tls(target(), "provider")), "private_address")
    const refusing = yield* SocksServer.make(upstream.port, 2)
    const refused = yield* dialer({ proxy: `socks5h://127.0.0.1:${refusing.port}` }, { lookup })
    assert.strictEqual(yield* problemOf(() => refused.tcp(target(), "tunnel")), "hop")
  })

  live("opens no tunnel of a contained run to this machine, even through a proxy on this machine", function*() {
    const hop = yield* FakeUpstream.make()
    const asked: Array<string | undefined> = []
    hop.server.on("connect", ({ url }, socket: Net.Socket) => {
      asked.push(url)
      socket.end(url?.startsWith("[") === true ? "HTTP/1.1 502 No IPv6\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\n")
    })
    const proxy = `http://127.0.0.1:${hop.port}`
    const tunnel = (options: Partial<DialerOptions>, more: Partial<Upstream> = {}) =>
      Effect.flatMap(
        dialer({ proxy, ...more }, { client: "contained run", ...options }),
        (made) => problemOf(() => made.tcp(target(), "tunnel"))
      )
    const unknown = () => Promise.reject(new Error("unknown"))
    assert.strictEqual(yield* tunnel({ lookup: addresses(["127.0.0.1"]) }), "private_address")
    assert.strictEqual(yield* tunnel({ lookup: unknown }), "unresolved")
    assert.deepStrictEqual(asked, [])
    // The proxy would resolve a name again, and the owner of the name could respond differently.
    assert.strictEqual(yield* tunnel({ lookup: addresses(["2001:4860::1", "93.184.216.34"]) }), "connected")
    assert.deepStrictEqual(asked.splice(0), ["[2001:4860::1]:443", "93.184.216.34:443"])
    const local = { lookup: addresses(["93.184.216.34"], ["127.0.0.1"]) }
    assert.strictEqual(
      yield* tunnel(local, { proxy: `http://localhost:${hop.port}` }),
      "connected"
    )
    assert.deepStrictEqual(asked.splice(0), ["93.184.216.34:443"])
    assert.strictEqual(yield* tunnel({ lookup: unknown }, { privateHosts: [HOST] }), "connected")
    assert.strictEqual(yield* tunnel({ lookup: unknown, client: undefined }), "connected")
    assert.deepStrictEqual(asked, [`${HOST}:443`, `${HOST}:443`])
  })

  live("passes unresolved names to a remote proxy, for tunnels of a contained run", function*() {
    const lookup = () => Promise.reject(new Error("unknown"))
    const made = yield* dialer({ proxy: "http://proxy.invalid:1" }, { client: "contained run", lookup })
    // The attempt to connect to the proxy fails.
    assert.strictEqual(yield* problemOf(() => made.tcp(target(), "tunnel")), "hop")
  })

  live("refuses a name that resolves to one of the ports of credsvc", function*() {
    const upstream = yield* FakeUpstream.make()
    const made = yield* dialer({}, {
      lookup: addresses(["127.0.0.1"]),
      ownPorts: () => new Set([upstream.port])
    })
    assert.strictEqual(yield* problemOf(() => made.tcp(target(upstream.port), "tunnel")), "forbidden")
    assert.strictEqual(upstream.connections(), 0)
  })

  describe("verification", () => {
    const authority = makeAuthority()
    const stranger = makeAuthority("stranger")
    const hour = 3_600_000
    const bad: ReadonlyArray<readonly [string, TestCertificate]> = [
      ["self-signed", authority.issue([HOST], { selfSigned: true })],
      ["expired", authority.issue([HOST], { notBefore: Date.now() - 9 * hour, notAfter: Date.now() - hour })],
      ["not yet valid", authority.issue([HOST], { notBefore: Date.now() + hour, notAfter: Date.now() + 2 * hour })],
      ["for another name", authority.issue(["other.example.com"])],
      ["of an unknown authority", stranger.issue([HOST])]
    ]
    /** A dialer that trusts the authority, and an upstream. */
    const trusting = (options: Parameters<typeof FakeUpstream.make>[0]) =>
      Effect.gen(function*() {
        const upstream = yield* FakeUpstream.make(options)
        const ca = yield* temporaryFile("ca.pem", authority.caPem)
        const resolve = { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` }
        return { ca, made: yield* dialer({ extraCaCerts: [ca], resolve }), resolve, upstream }
      })

    for (const [what, certificate] of bad) {
      live(`rejects a certificate that is ${what}, regardless of NODE_TLS_REJECT_UNAUTHORIZED`, function*() {
        const { made, upstream } = yield* trusting({ certificate })
        process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
        const problem = yield* problemOf(() => made.tls(target(), "provider"))
        delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
        assert.strictEqual(problem, "untrusted")
        assert.lengthOf(upstream.seen, 0)
      })
    }

    live("rejects TLS 1.1", function*() {
      const { made } = yield* trusting({
        certificate: authority.issue([HOST]),
        tls: { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }
      })
      assert.notStrictEqual(yield* problemOf(() => made.tls(target(), "provider")), "connected")
    })

    live("reads the trusted roots in `prepare`, before the first connection and once for all dialers", function*() {
      const { ca, made, resolve } = yield* trusting({ certificate: authority.issue([HOST]) })
      fs.appendFileSync(ca, makeAuthority("of this test").caPem)
      const read = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(builtins.tls, "createSecureContext")),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      made.prepare()
      yield* Effect.promise(turn)
      const before = read.mock.calls.length
      assert.strictEqual(yield* problemOf(() => made.tls(target(), "provider")), "connected")
      const other = yield* dialer({ extraCaCerts: [ca], resolve })
      assert.strictEqual(yield* problemOf(() => other.tls(target(), "provider")), "connected")
      assert.deepStrictEqual([before, read.mock.calls.length], [1, 1])
    })

    live("names files without certificates when it does not trust the upstream, and disconnects", function*() {
      const { ca, resolve, upstream } = yield* trusting({ certificate: authority.issue([HOST]) })
      const loop = path.join(yield* temporaryDirectory, "loop.pem")
      fs.symlinkSync(loop, loop)
      const damaged = yield* temporaryFile(
        "damaged.pem",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
      )
      const closed = Promise.withResolvers<void>()
      upstream.server.once("connection", (socket: Net.Socket) => socket.once("close", () => closed.resolve()))
      for (const file of [loop, damaged, `/${"a".repeat(300)}`, `${ca}.absent`]) {
        const made = yield* dialer({ extraCaCerts: [file], resolve })
        made.prepare()
        const error = yield* Effect.promise(() => made.tls(target(), "provider").catch((error: unknown) => error))
        assert.instanceOf(error, DialError)
        assert.strictEqual((error as DialError).problem, "untrusted")
        assert.include((error as DialError).message, `no certificate could be read from ${file}`)
      }
      yield* Effect.promise(() => closed.promise)
      const made = yield* dialer({ extraCaCerts: [loop, ca], resolve })
      assert.strictEqual(yield* problemOf(() => made.tls(target(), "provider")), "connected")
    })

    live("distinguishes a failed handshake from a failed verification", function*() {
      const plain = yield* listen(builtins.net.createServer((socket) => void socket.end("HTTP/1.1 400 Bad\r\n\r\n")))
      const old = yield* FakeUpstream.make({
        certificate: authority.issue([HOST]),
        tls: { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }
      })
      for (const { port } of [plain, old]) {
        const made = yield* dialer({ resolve: { [`${HOST}:443`]: `127.0.0.1:${port}` } })
        assert.strictEqual(yield* problemOf(() => made.tls(target(), "provider")), "unreachable")
      }
    })

    live("applies changed certificate authorities to the next connection", function*() {
      const { ca, resolve } = yield* trusting({ certificate: authority.issue([HOST]) })
      let extra: ReadonlyArray<string> = []
      const made = yield* dialer({}, { upstream: () => upstreamOf({ extraCaCerts: extra, resolve }) })
      assert.strictEqual(yield* problemOf(() => made.tls(target(), "provider")), "untrusted")
      extra = [ca]
      assert.strictEqual(yield* problemOf(() => made.tls(target(), "provider")), "connected")
    })
  })
})
