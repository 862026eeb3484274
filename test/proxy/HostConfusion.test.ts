/** No spelling of a host is read differently by the proxy and others, and no secret reaches another host. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { authority, certificate, HOST, proxyTo } from "../support/ProxiedHost.ts"
import { authorization, connectTo, dial, SECRET, secureTunnel, Wire } from "../support/ProxyHarness.ts"
import * as StrictRecorder from "../support/StrictRecorder.ts"

const EVIL = "evil.example.net"
const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

/** The routed host, and one without a provider. */
const setUp = Effect.gen(function*() {
  const good = yield* StrictRecorder.make(certificate)
  const evil = yield* StrictRecorder.make(authority.issue([EVIL]))
  const parts = yield* proxyTo(good.port, {
    upstream: {
      resolve: {
        [`${HOST}:443`]: `127.0.0.1:${good.port}`,
        [`${EVIL}:443`]: `127.0.0.1:${evil.port}`,
        [`${EVIL}:80`]: `127.0.0.1:${evil.port}`
      }
    }
  })
  /** Checks after every case that the secret reached only its host, and that every request there named that host. */
  const held = (served: number) => {
    assert.deepStrictEqual([...good.violations, ...evil.violations], [])
    assert.notInclude(evil.received(), SECRET)
    assert.lengthOf(good.requests, served)
    for (const { headers, line } of good.requests) {
      assert.deepStrictEqual(headers.filter(([name]) => name === "host"), [["host", HOST]])
      assert.deepStrictEqual(headers.filter(([name]) => name === "authorization"), [[
        "authorization",
        `Bearer ${SECRET}`
      ]])
      assert.match(line, / \//)
    }
    assert.isAtLeast(parts.daemon.resolved.length, served)
    if (served === 0) assert.lengthOf(parts.daemon.resolved, 0)
  }
  return { ...parts, evil, good, held }
})

describe("the Host header inside a tunnel", () => {
  const same = [HOST, `${HOST}:443`, HOST.toUpperCase(), `${HOST}.`, `${HOST}.:443`, `\t${HOST} `]
  const others = [
    EVIL,
    `${HOST}:80`,
    `${HOST}:8443`,
    `${HOST}:`,
    `${HOST}:0443`,
    `${HOST}:443:443`,
    `${HOST}:443x`,
    `${HOST}: 443`,
    `${HOST}..`,
    `.${HOST}`,
    `x.${HOST}`,
    `${HOST}.${EVIL}`,
    `${HOST},${EVIL}`,
    `${HOST} ${EVIL}`,
    `${HOST}@${EVIL}`,
    `user@${HOST}`,
    `user:pass@${HOST}`,
    `${HOST}/`,
    `${HOST}/../`,
    `${HOST}#${EVIL}`,
    `${HOST}?${EVIL}`,
    `${HOST}\\${EVIL}`,
    `${HOST};${EVIL}`,
    `${HOST}%00.${EVIL}`,
    `${HOST}%2e${EVIL}`,
    HOST.replace(".", "%2e"),
    HOST.replace(".", "\xb7"),
    `${HOST}\xad`,
    "xn--pi-bia.example.com",
    "\xe0pi.example.com",
    "\xef\xbd\x81pi.example.com",
    `[${HOST}]`,
    "[::1]",
    "127.0.0.1",
    "0x7f.1",
    "*",
    "-",
    ""
  ]
  for (const [texts, served] of [[same, true], [others, false]] as const) {
    for (const text of texts) {
      it.live(`${JSON.stringify(text)} is ${served ? "accepted for the tunnel" : "refused without resolving a credential"}`, () =>
        Effect.gen(function*() {
          const { held, tunnel } = yield* setUp
          const { wire } = yield* tunnel
          wire.send(`GET /x HTTP/1.1\r\nHost: ${text}\r\n\r\n`)
          assert.strictEqual((yield* promise(() => wire.answer())).status, served ? 200 : 421)
          held(served ? 1 : 0)
        }).pipe(Effect.scoped))
    }
  }

  const heads: ReadonlyArray<readonly [string, string]> = [
    ["none", ""],
    ["two that agree", `Host: ${HOST}\r\nHost: ${HOST}\r\n`],
    ["two that differ", `Host: ${HOST}\r\nHost: ${EVIL}\r\n`],
    ["two that differ in case as well", `host: ${EVIL}\r\nHOST: ${HOST}\r\n`],
    ["a space before its colon", `Host : ${HOST}\r\n`],
    ["a folded one", `Host: ${HOST}\r\n .${EVIL}\r\n`],
    ["one with a NUL", `Host: ${HOST}\0.${EVIL}\r\n`],
    ["one after a bare line feed", `X: x\nHost: ${EVIL}\r\nHost: ${HOST}\r\n`]
  ]
  for (const [what, headers] of heads) {
    it.live(`is refused with ${what}`, () =>
      Effect.gen(function*() {
        const { held, tunnel } = yield* setUp
        const { wire } = yield* tunnel
        wire.send(`GET /x HTTP/1.1\r\n${headers}\r\n`)
        assert.strictEqual((yield* promise(() => wire.answer())).status, 400)
        held(0)
      }).pipe(Effect.scoped))
  }

  it.live("is the only one that names the host: gateways' headers are ordinary fields", () =>
    Effect.gen(function*() {
      const { held, tunnel } = yield* setUp
      const { wire } = yield* tunnel
      const names = [
        "X-Forwarded-Host",
        "X-Host",
        "Forwarded",
        "X-Original-URL",
        "X-Rewrite-URL",
        "X-HTTP-Host-Override"
      ]
      wire.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\n${names.map((name) => `${name}: ${EVIL}\r\n`).join("")}\r\n`)
      assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
      held(1)
    }).pipe(Effect.scoped))
})

describe("the target inside a tunnel", () => {
  const refused = [
    `https://${HOST}/x`,
    `https://${EVIL}/x`,
    `http://${HOST}/x`,
    `//${EVIL}/x#`,
    `${HOST}:443`,
    `${EVIL}:443`,
    "*",
    "x",
    "?x",
    "#",
    "/x#",
    `/x#@${EVIL}/`,
    `@${EVIL}/`,
    `\\\\${EVIL}/`
  ]
  for (const target of refused) {
    it.live(`${JSON.stringify(target)} is refused without resolving a credential`, () =>
      Effect.gen(function*() {
        const { held, tunnel } = yield* setUp
        const { wire } = yield* tunnel
        wire.send(`GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
        assert.strictEqual((yield* promise(() => wire.answer())).status, 400)
        held(0)
      }).pipe(Effect.scoped))
  }

  for (
    const target of [
      `//${EVIL}/x`,
      `/@${EVIL}`,
      `/\\${EVIL}`,
      `/https://${EVIL}/`,
      "/%2f%2fx",
      "/x?y=z?//",
      "/..//../x"
    ]
  ) {
    it.live(`${JSON.stringify(target)} is an unchanged path of the tunnel's host`, () =>
      Effect.gen(function*() {
        const { good, held, tunnel } = yield* setUp
        const { wire } = yield* tunnel
        wire.send(`GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        assert.strictEqual(good.requests[0]?.line, `GET ${target} HTTP/1.1`)
        held(1)
      }).pipe(Effect.scoped))
  }
})

describe("the authority of CONNECT", () => {
  const refused = [
    `${HOST}`,
    `${HOST}:`,
    `${HOST}:0`,
    `${HOST}:00443`,
    `${HOST}:0443`,
    `${HOST}:65536`,
    `${HOST}:443443`,
    `${HOST}:443:443`,
    `${HOST}:+443`,
    `${HOST}:-443`,
    `${HOST}:0x1bb`,
    `${HOST}:443/`,
    `${HOST}:443?`,
    `${HOST}:443#`,
    `${HOST}:443@${EVIL}`,
    `${EVIL}@${HOST}:443`,
    `${HOST}:443@${EVIL}:443`,
    `user:pass@${HOST}:443`,
    `${HOST}%2e${EVIL}:443`,
    `${HOST}%00${EVIL}:443`,
    `${HOST}%:443`,
    `${HOST}\\@${EVIL}:443`,
    `${HOST}\\:443`,
    `${HOST},${EVIL}:443`,
    `${HOST};${EVIL}:443`,
    `${HOST}..:443`,
    `..${HOST}:443`,
    `.${HOST}:443`,
    "api..example.com:443",
    "-api.example.com:443",
    "api-.example.com:443",
    "a_b.example.com:443",
    "*.example.com:443",
    `${"a".repeat(64)}.example.com:443`,
    `${"a.".repeat(127)}com:443`,
    `${HOST}\xad:443`,
    "\xe0pi.example.com:443",
    "api\xe3\x80\x82example.com:443",
    "\xef\xbd\x81pi.example.com:443",
    "api.example.com\xe2\x84\xaa:443",
    `[${HOST}]:443`,
    "[::1:443",
    "::1:443",
    "[::1%25lo]:443",
    "[:::1]:443",
    "[1:2:3:4:5:6:7:8:9]:443",
    "[v1.a]:443",
    "127.1:443",
    "0x7f.0.0.1:443",
    "0177.0.0.1:443",
    "2130706433:443",
    "127.0.0.1.:443",
    "127.0.0.256:443",
    "1.2.3.4.5:443",
    `https://${HOST}:443`,
    `//${HOST}:443`,
    ":443",
    ":",
    "*",
    "/"
  ]
  it.live("is refused in every spelling that is not one host and one port, without a call or a connection", () =>
    Effect.gen(function*() {
      const { held, proxy } = yield* setUp
      for (const target of refused) {
        const { answer, socket } = yield* promise(() => connectTo(proxy, target))
        assert.strictEqual(answer.status, 400, target)
        socket.destroy()
      }
      held(0)
    }).pipe(Effect.scoped))

  for (const target of [`${HOST.toUpperCase()}:443`, `${HOST}.:443`, `aPi.ExAmPlE.cOm.:443`]) {
    it.live(`${JSON.stringify(target)} is the routed host`, () =>
      Effect.gen(function*() {
        const { held, proxy } = yield* setUp
        const { socket, wire } = yield* promise(() => secureTunnel(proxy, target, { servername: HOST }))
        wire.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
        assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
        held(1)
        socket.destroy()
      }).pipe(Effect.scoped))
  }

  it.live("is authoritative: headers cannot name another host", () =>
    Effect.gen(function*() {
      const { evil, held, proxy } = yield* setUp
      const headers = `Host: ${HOST}:443\r\nX-Forwarded-Host: ${HOST}\r\n${authorization(proxy)}`
      const { socket, wire } = yield* promise(() =>
        secureTunnel(proxy, `${EVIL}:443`, { headers, ca: authority.caPem })
      )
      wire.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
      assert.strictEqual((yield* promise(() => wire.answer())).status, 200)
      assert.lengthOf(evil.requests, 1)
      held(0)
      socket.destroy()
    }).pipe(Effect.scoped))
})

describe("an absolute target", () => {
  const ask = (proxy: { readonly port: number; readonly proxyUrl: string }, target: string, host = HOST) =>
    promise(async () => {
      const wire = new Wire(await dial(proxy.port))
      wire.send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${authorization(proxy)}\r\n`)
      const answer = await wire.answer()
      wire.socket.destroy()
      return answer.status
    })

  const refused = [
    `https://${HOST}@${EVIL}/`,
    `https://${EVIL}@${HOST}/`,
    `https://user:pass@${HOST}/`,
    `https://${HOST}:443@${EVIL}/`,
    `https://${HOST}\\@${EVIL}/`,
    `https://${HOST}\\.${EVIL}/`,
    `https://${HOST}#@${EVIL}/`,
    `https://${HOST}%2e${EVIL}/`,
    `https://${HOST}%2f@${EVIL}/`,
    `https://${HOST}:0443/`,
    `https://${HOST}:/`,
    `https://${HOST}:443:443/`,
    `https://[${HOST}]/`,
    `https:///${HOST}/`,
    `https:/${HOST}/`,
    `https:${HOST}/`,
    `https//${HOST}/`,
    `://${HOST}/`,
    `//${HOST}/`,
    `ftp://${HOST}/`,
    `wss://${HOST}/`,
    `file://${HOST}/etc/passwd`,
    "https://",
    "/x",
    "*"
  ]
  it.live("is refused without a call to the daemon if it does not name one host", () =>
    Effect.gen(function*() {
      const { evil, held, proxy } = yield* setUp
      for (const target of refused) assert.strictEqual(yield* ask(proxy, target), 400, target)
      assert.strictEqual(evil.received(), "")
      held(0)
    }).pipe(Effect.scoped))

  const served = [
    `https://${HOST}`,
    `https://${HOST}/x?y`,
    `HTTPS://${HOST.toUpperCase()}.:443/`,
    `https://${HOST}?x=/@${EVIL}/`
  ]
  for (const target of served) {
    it.live(`${JSON.stringify(target)} goes to its host regardless of the Host header`, () =>
      Effect.gen(function*() {
        const { evil, held, proxy } = yield* setUp
        assert.strictEqual(yield* ask(proxy, target, EVIL), 200)
        assert.strictEqual(evil.received(), "")
        held(1)
      }).pipe(Effect.scoped))
  }

  for (
    const target of [`https://${EVIL}/`, `https://${EVIL}/@${HOST}`, `https://${EVIL}?${HOST}`, `https://${EVIL}:443/`]
  ) {
    it.live(`${JSON.stringify(target)} goes to its own host without a credential although Host names the routed host`, () =>
      Effect.gen(function*() {
        const { evil, held, proxy } = yield* setUp
        assert.strictEqual(yield* ask(proxy, target, HOST), 200)
        assert.deepStrictEqual(evil.requests[0]?.headers.filter(([name]) => name === "host"), [["host", EVIL]])
        held(0)
      }).pipe(Effect.scoped))
  }
})
