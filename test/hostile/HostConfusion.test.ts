/** No spelling of a host is read differently by the proxy and others, and no secret reaches another host. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { live, promise } from "../support/Fixture.ts"
import { certificate, EVIL, HOST, proxyTo } from "../support/ProxiedHost.ts"
import { authorization, connectTo, fakeDaemon, route, SECRET, secureTunnel } from "../support/ProxyHarness.ts"
import * as StrictRecorder from "../support/StrictRecorder.ts"
import { authority } from "../support/TestCertificates.ts"

/** The routed host, and one without a provider. */
const setUp = Effect.gen(function*() {
  const good = yield* StrictRecorder.make(certificate)
  const evil = yield* StrictRecorder.make(certificate)
  const parts = yield* proxyTo({ [HOST]: good.port, [EVIL]: evil.port, [`${EVIL}:80`]: evil.port })
  /** Checks after every case that the secret reached only its host, and that every request there named that host. */
  const held = (served: number) => {
    assert.deepStrictEqual([...good.violations, ...evil.violations], [])
    assert.notInclude(evil.received(), SECRET)
    assert.lengthOf(good.requests, served)
    for (const { headers, line } of good.requests) {
      const named = headers.filter(([name]) => name === "host" || name === "authorization")
      assert.sameDeepMembers(named, [["host", HOST], ["authorization", `Bearer ${SECRET}`]])
      assert.match(line, / \//)
    }
    assert.isAtLeast(parts.daemon.resolved.length, served)
    if (served === 0) assert.lengthOf(parts.daemon.resolved, 0)
  }
  return { ...parts, evil, good, held }
})

/** Sends each head in its own tunnel, and checks the status of the response and what reached the hosts. */
const sends = (heads: ReadonlyArray<string>, status: number) =>
  Effect.gen(function*() {
    const { good, held, open } = yield* setUp
    for (const [at, head] of heads.entries()) {
      const { wire } = yield* open()
      assert.strictEqual((yield* wire.exchange(head)).status, status, head)
      held(status === 200 ? at + 1 : 0)
    }
    return good.requests
  })

/** Sends a request with each list of header fields. */
const sendsFields = (fields: ReadonlyArray<string>, status: number) =>
  sends(fields.map((lines) => `GET /x HTTP/1.1\r\n${lines}\r\n`), status)

describe("the Host header inside a tunnel", () => {
  const same = [HOST, `${HOST}:443`, HOST.toUpperCase(), `${HOST}.`, `${HOST}.:443`, `\t${HOST} `]
  const suffixes = [":80", ":8443", ":", ":0443", ":443:443", ":443x", ": 443", "..", "/", "/../", "\xad"]
  const joints = [".", ",", " ", "@", "#", "?", "\\", ";", "%00.", "%2e"]
  const labels = ["x.api", "user@api", "user:pass@api", "xn--pi-bia", "\xe0pi", "\xef\xbd\x81pi"]
  const literals = [`[${HOST}]`, "[::1]", "127.0.0.1", "0x7f.1", "*", "-", ""]
  const others = [
    EVIL,
    `.${HOST}`,
    HOST.replace(".", "%2e"),
    HOST.replace(".", "\xb7"),
    ...suffixes.map((suffix) => `${HOST}${suffix}`),
    ...joints.map((joint) => `${HOST}${joint}${EVIL}`),
    ...labels.map((label) => `${label}.example.com`),
    ...literals
  ]
  it.live("is accepted in each spelling of the tunnel's host", () =>
    sendsFields(same.map((host) => `Host: ${host}\r\n`), 200))

  it.live("is refused in any other form, without resolving a credential", () =>
    sendsFields(others.map((host) => `Host: ${host}\r\n`), 421))

  it.live("is refused if it is absent, repeated, folded or malformed", () =>
    sendsFields([
      "",
      `Host: ${HOST}\r\nHost: ${HOST}\r\n`,
      `Host: ${HOST}\r\nHost: ${EVIL}\r\n`,
      `host: ${EVIL}\r\nHOST: ${HOST}\r\n`,
      `Host : ${HOST}\r\n`,
      `Host: ${HOST}\r\n .${EVIL}\r\n`,
      `Host: ${HOST}\0.${EVIL}\r\n`,
      `X: x\nHost: ${EVIL}\r\nHost: ${HOST}\r\n`
    ], 400))

  it.live("is the only field that names the host: the headers of gateways are ordinary fields", () => {
    const names = ["X-Forwarded-Host", "X-Host", "Forwarded", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Host-Override"]
    return sendsFields([`Host: ${HOST}\r\n${names.map((name) => `${name}: ${EVIL}\r\n`).join("")}`], 200)
  })
})

describe("the server name of the TLS handshake", () => {
  live("may be absent, and the Host header must still name the tunnel's host", function*() {
    const { held, open } = yield* setUp
    const { wire } = yield* open({ servername: "", rejectUnauthorized: false })
    for (const [host, status] of [[EVIL, 421], [`${HOST}:8443`, 421], [HOST, 200]] as const) {
      assert.strictEqual((yield* wire.exchange(`GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, status)
      held(status === 200 ? 1 : 0)
    }
  })

  live("ends the handshake with an alert if it names another host", function*() {
    const { held, proxy } = yield* setUp
    const error = yield* Effect.flip(Effect.tryPromise({
      try: () => secureTunnel(proxy, `${HOST}:443`, { servername: EVIL, rejectUnauthorized: false }),
      catch: (cause) => cause as Error
    }))
    assert.match(error.message, /unrecognized name/)
    held(0)
  })
})

describe("a target inside a tunnel", () => {
  const absolute = [`https://${HOST}/x`, `https://${EVIL}/x`, `http://${HOST}/x`]
  const authorities = [`${HOST}:443`, `${EVIL}:443`, `@${EVIL}/`, `\\\\${EVIL}/`]
  const notPaths = ["*", "x", "?x", "#", "/x#", `/x#@${EVIL}/`, `//${EVIL}/x#`]
  const refused = [...absolute, ...authorities, ...notPaths].map((target) => `GET ${target}`)
  it.live("is refused if it is not a path, without resolving a credential", () =>
    sends([...refused, `CONNECT ${EVIL}:443`].map((line) => `${line} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`), 400))

  const paths = [`//${EVIL}/x`, `/@${EVIL}`, `/\\${EVIL}`, `/https://${EVIL}/`, "/%2f%2fx", "/x?y=z?//", "/..//../x"]
  live("is forwarded unchanged to the tunnel's host if it is a path", function*() {
    const lines = paths.map((path) => `GET ${path} HTTP/1.1`)
    const requests = yield* sends(lines.map((line) => `${line}\r\nHost: ${HOST}\r\n\r\n`), 200)
    assert.deepStrictEqual(requests.map(({ line }) => line), lines)
  })
})

describe("the authority of CONNECT", () => {
  const ports = [
    "",
    ":",
    ":0",
    ":00443",
    ":0443",
    ":65536",
    ":99999",
    ":443443",
    ":443:443",
    ":+443",
    ":-443",
    ":0x1bb"
  ]
  const afterPort = ["/", "/path", "?", "#", `@${EVIL}`, `@${EVIL}:443`]
  const joints = ["%2e", "%00", "\\@", ",", ";"]
  const suffixes = ["%", "\\", "..", "\xad", "\xe2\x84\xaa"]
  const prefixes = [`${EVIL}@`, "user:pass@", "user@", "..", ".", "https://", "//"]
  const labels = ["api.", "-api", "api-", "*", "a".repeat(64), "\xe0pi", "\xef\xbd\x81pi"]
  const names = [`${"a.".repeat(127)}com`, "api\xe3\x80\x82example.com", "", `[${HOST}]`]
  const addresses6 = ["[::1", "::1", "[::1%25lo]", "[:::1]", "[1:2:3:4:5:6:7:8:9]", "[v1.a]"]
  const addresses4 = [
    "127.1",
    "0x7f.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "127.0.0.1.",
    "127.0.0.256",
    "1.2.3.4.5"
  ]
  const refused = [
    ...ports.map((port) => `${HOST}${port}`),
    ...afterPort.map((rest) => `${HOST}:443${rest}`),
    ...joints.map((joint) => `${HOST}${joint}${EVIL}:443`),
    ...suffixes.map((suffix) => `${HOST}${suffix}:443`),
    ...prefixes.map((prefix) => `${prefix}${HOST}:443`),
    ...labels.map((label) => `${label}.example.com:443`),
    ...[...names, ...addresses6, ...addresses4].map((host) => `${host}:443`),
    ":",
    "*",
    "/"
  ]
  live("is refused in every spelling that is not one host and one port, without a call or a connection", function*() {
    const { daemon, held, proxy } = yield* setUp
    for (const target of refused) {
      const { response, socket } = yield* promise(() => connectTo(proxy, target))
      assert.strictEqual(response.status, 400, target)
      socket.destroy()
    }
    assert.strictEqual(daemon.routeCalls, 1)
    held(0)
  })

  live("is the routed host in upper case and with a final dot", function*() {
    const { held, open } = yield* setUp
    for (const [at, target] of [`${HOST.toUpperCase()}:443`, `${HOST}.:443`, `aPi.ExAmPlE.cOm.:443`].entries()) {
      const { exchange } = yield* open({ servername: HOST }, target)
      assert.strictEqual((yield* exchange("GET /x")).status, 200, target)
      held(at + 1)
    }
  })

  live("gets a tunnel without a credential if its name has an underscore, also below a routed suffix", function*() {
    const name = "a_b.example.com"
    const server = yield* StrictRecorder.make(authority.issue([name]))
    const { daemon, open } = yield* proxyTo({ [name]: server.port }, {
      daemon: fakeDaemon([route("*.example.com", "example")])
    })
    const { wire } = yield* open({ ca: authority.caPem, servername: name }, `${name}:443`)
    assert.strictEqual((yield* wire.exchange(`GET /x HTTP/1.1\r\nHost: ${name}\r\n\r\n`)).status, 200)
    assert.lengthOf(daemon.resolved, 0)
    assert.notInclude(server.received(), SECRET)
  })

  live("is authoritative: headers cannot name another host", function*() {
    const { evil, held, open, proxy } = yield* setUp
    const headers = `Host: ${HOST}:443\r\nX-Forwarded-Host: ${HOST}\r\n${authorization(proxy)}`
    const { exchange } = yield* open({ headers, ca: authority.caPem }, `${EVIL}:443`)
    assert.strictEqual((yield* exchange("GET /x")).status, 200)
    assert.lengthOf(evil.requests, 1)
    held(0)
  })
})

describe("an absolute target", () => {
  const userinfo = [`${HOST}@${EVIL}`, `${EVIL}@${HOST}`, `user:pass@${HOST}`, `${HOST}:443@${EVIL}`]
  const joints = ["\\@", "\\.", "#@", "%2e", "%2f@"].map((joint) => `${HOST}${joint}${EVIL}`)
  const spellings = [`${HOST}:0443`, `${HOST}:`, `${HOST}:443:443`, `[${HOST}]`, `/${HOST}`]
  const schemes = ["https:/", "https:", "https//", "://", "//", "ftp://", "wss://", "file://"]
  const refused = [
    ...[...userinfo, ...joints, ...spellings].map((host) => `https://${host}/`),
    ...schemes.map((scheme) => `${scheme}${HOST}/`),
    "https://",
    "/x",
    "*"
  ]
  live("is refused without a call to the daemon if it does not name one host", function*() {
    const { evil, forward, held } = yield* setUp
    for (const target of refused) {
      assert.strictEqual((yield* forward(`GET ${target}`)).status, 400, target)
    }
    assert.strictEqual(evil.received(), "")
    held(0)
  })

  const served = [
    `https://${HOST}`,
    `https://${HOST}/x?y`,
    `HTTPS://${HOST.toUpperCase()}.:443/`,
    `https://${HOST}?x=/@${EVIL}/`
  ]
  live("goes to its host regardless of the Host header", function*() {
    const { evil, forward, held } = yield* setUp
    for (const [at, target] of served.entries()) {
      assert.strictEqual((yield* forward(`GET ${target}`, `Host: ${EVIL}\r\n`)).status, 200, target)
      assert.strictEqual(evil.received(), "")
      held(at + 1)
    }
  })

  live("goes to its own host without a credential for the host in the Host header", function*() {
    const { evil, forward, held } = yield* setUp
    for (const rest of ["/", `/@${HOST}`, `?${HOST}`, ":443/"]) {
      assert.strictEqual((yield* forward(`GET https://${EVIL}${rest}`)).status, 200, rest)
      assert.deepStrictEqual(evil.requests.at(-1)?.headers.filter(([name]) => name === "host"), [["host", EVIL]])
      held(0)
    }
  })
})
