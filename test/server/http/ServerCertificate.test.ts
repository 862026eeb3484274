/** A daemon that serves TLS itself. test/cli/commands/JobToken.test.ts uses one with the command line. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import type * as Https from "node:https"
import * as os from "node:os"
import * as path from "node:path"
import type * as Tls from "node:tls"
import { vi } from "vitest"
import { DaemonUnavailableError } from "../../../src/domain/Errors.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { listen } from "../../../src/server/http/HttpListener.ts"
import { openServerCertificate } from "../../../src/server/http/ServerCertificate.ts"
import { live } from "../../support/Fixture.ts"
import { createCode, enrolled, makeKey, publicHost, type SignedRequest } from "../../support/RemoteCaller.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { makeAuthority, type TestCertificate } from "../../support/TestCertificates.ts"
import { startTestDaemon, type TestDaemonOptions, type TestDaemonShape } from "../../support/TestDaemon.ts"
import { connected, LARGE, readSlowly, sendLarge } from "../../support/TestServer.ts"

const authority = makeAuthority()
const hour = 3_600_000

const files = Effect.map(temporaryDirectory, (directory) => {
  const cert = path.join(directory, "cert.pem")
  const key = path.join(directory, "key.pem")
  const write = (pair: TestCertificate) => {
    fs.writeFileSync(cert, pair.cert)
    fs.writeFileSync(key, pair.key)
  }
  return { cert, key, write }
})

type Files = Effect.Success<typeof files>

const start = ({ cert, key }: Files, { settings, ...more }: TestDaemonOptions = {}) =>
  startTestDaemon({
    ...more,
    settings: {
      serverBaseUrl: Option.some(new URL(`https://${publicHost}`)),
      tlsCertFile: Option.some(cert),
      tlsKeyFile: Option.some(key),
      ...settings
    }
  })

const startWith = (pair: TestCertificate, options: TestDaemonOptions = {}) =>
  Effect.gen(function*() {
    const own = yield* files
    own.write(pair)
    return { ...own, daemon: yield* start(own, options) }
  })

interface TlsAnswer {
  readonly status: number
  readonly body: string
  readonly serial: string
}

const overTls = (
  { port }: TestDaemonShape,
  { body, headers, method, target }: Partial<SignedRequest> & { readonly target: string },
  options: Https.RequestOptions = {}
): Effect.Effect<TlsAnswer, NodeJS.ErrnoException> =>
  Effect.callback((resume) => {
    const request = builtins.https.request({
      host: "127.0.0.1",
      servername: publicHost,
      port,
      method: method ?? "GET",
      path: target,
      headers: { host: publicHost, ...headers },
      ca: authority.caPem,
      agent: false,
      ...options
    }, (response) => {
      const serial = (response.socket as Tls.TLSSocket).getPeerCertificate().serialNumber
      let text = ""
      response.setEncoding("utf8").on("data", (chunk) => text += chunk)
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, body: text, serial })))
    })
    request.on("error", (error) => resume(Effect.fail(error))).end(body)
    return Effect.sync(() => request.destroy())
  })

const serialOf = ({ cert }: TestCertificate) => new builtins.crypto.X509Certificate(cert).serialNumber

const failure = <R>(effect: Effect.Effect<unknown, unknown, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, DaemonUnavailableError)
    return error.detail
  })

describe("A daemon that serves TLS", () => {
  live("accepts signed requests over TLS, and refuses all other requests, even from a local program", function*() {
    const { daemon } = yield* startWith(authority.issue([publicHost]))
    const caller = yield* enrolled(daemon, "team")
    assert.strictEqual((yield* overTls(daemon, caller.sign("/connections"))).status, 200)
    assert.strictEqual((yield* overTls(daemon, { target: "/connections" })).status, 401)
    const loopback = { host: `127.0.0.1:${daemon.port}` }
    assert.strictEqual((yield* overTls(daemon, { target: "/connections", headers: loopback })).status, 401)
    assert.strictEqual((yield* overTls(daemon, { target: "/health" })).status, 200)
    const code = yield* createCode(daemon, "team")
    const key = makeKey()
    const enroll = key.sign("/identities", { method: "POST", body: { code, public_key: key.publicKey } })
    assert.strictEqual((yield* overTls(daemon, enroll)).status, 201)
  })

  live("still accepts unencrypted requests of local programs, and treats them as the administrator's", function*() {
    const { daemon } = yield* startWith(authority.issue([publicHost]), { host: "0.0.0.0" })
    assert.strictEqual((yield* daemon.request("/identities")).status, 200)
    assert.match(yield* daemon.raw("GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"), /^HTTP\/1\.1 400 /)
  })

  const elsewhere = Object.values(os.networkInterfaces()).flat().find((found) =>
    found?.family === "IPv4" && !found.internal
  )?.address
  live.skipIf(elsewhere === undefined)("refuses plain requests that did not come over loopback", function*() {
    const { daemon } = yield* startWith(authority.issue([publicHost]), { host: "0.0.0.0" })
    const answer = yield* Effect.callback<string>((resume) => {
      const socket = builtins.net.connect(daemon.port, elsewhere!)
      let text = ""
      socket.on("data", (chunk) => text += String(chunk)).on("close", () => resume(Effect.succeed(text)))
      socket.write(`GET /health HTTP/1.1\r\nHost: ${publicHost}\r\n\r\n`)
    })
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.include(answer, "Use https.")
    assert.notInclude(answer, "api_version")
  })

  live("offers HTTP/1.1 only, and no protocol before TLS 1.2", function*() {
    const { daemon } = yield* startWith(authority.issue([publicHost]))
    const { code } = yield* Effect.flip(
      overTls(daemon, { target: "/health" }, { maxVersion: "TLSv1.1", minVersion: "TLSv1" })
    )
    assert.isDefined(code)
    const protocol = yield* Effect.callback<string | false | null>((resume) => {
      const socket = builtins.tls.connect({
        host: "127.0.0.1",
        port: daemon.port,
        servername: publicHost,
        ca: authority.caPem,
        ALPNProtocols: ["h2", "http/1.1"]
      }, () => {
        resume(Effect.succeed(socket.alpnProtocol))
        socket.destroy()
      })
    })
    assert.strictEqual(protocol, "http/1.1")
  })

  live(
    "uses replaced files for the next connections, and the previous files until both are replaced",
    () =>
      Effect.gen(function*() {
        const [first, second] = [authority.issue([publicHost]), authority.issue([publicHost])]
        const { cert, daemon, key } = yield* startWith(first)
        const served = Effect.map(overTls(daemon, { target: "/health" }), ({ serial }) => serial)
        const warnings = Effect.map(daemon.request("/ready"), ({ json }) => json.warnings.join("\n") as string)
        const later = Effect.sync(() => {
          const { now } = Date
          const at = now()
          vi.spyOn(Date, "now").mockImplementation(() => at + 2000)
        })
        assert.strictEqual(yield* served, serialOf(first))
        fs.writeFileSync(cert, second.cert)
        yield* later
        assert.strictEqual(yield* served, serialOf(first))
        assert.include(
          yield* warnings,
          "still uses the previous certificate, because the key in the file of CREDSVC_TLS_KEY_FILE"
        )
        vi.restoreAllMocks()
        fs.writeFileSync(key, second.key)
        // The clock is set back.
        vi.spyOn(Date, "now").mockReturnValue(Date.now() - 4000)
        assert.strictEqual(yield* served, serialOf(second))
        assert.notInclude(yield* warnings, "previous certificate")
      }).pipe(Effect.ensuring(Effect.sync(() => vi.restoreAllMocks())))
  )

  live("warns before the certificate expires, and if it is for another host", function*() {
    const soon = yield* startWith(authority.issue([publicHost]))
    assert.match(
      (yield* soon.daemon.request("/ready")).json.warnings.join("\n"),
      /The certificate of CREDSVC_TLS_CERT_FILE expires on \d{4}-\d\d-\d\d\. Replace the files/
    )
    const other = yield* startWith(authority.issue(["other.example"], { notAfter: Date.now() + 30 * 24 * hour }))
    const { warnings } = (yield* other.daemon.request("/ready")).json
    assert.include(
      warnings.join("\n"),
      `The certificate of CREDSVC_TLS_CERT_FILE is not valid for ${publicHost}, the host of CREDSVC_SERVER_BASE_URL. Use a certificate for this host.`
    )
    assert.notInclude(warnings.join("\n"), "expires on")
  })

  const listening = (unreadMilliseconds: number) =>
    Effect.gen(function*() {
      const { cert, key, write } = yield* files
      write(authority.issue([publicHost]))
      const certificate = yield* openServerCertificate({ cert, key }, publicHost)
      return yield* listen("127.0.0.1", 0, { certificate, unreadMilliseconds })
    })
  const requestTo = (port: number) =>
    Effect.acquireRelease(
      Effect.callback<Tls.TLSSocket>((resume) => {
        const options = { host: "127.0.0.1", port, servername: publicHost, ca: authority.caPem }
        const socket = builtins.tls.connect(options, () => resume(Effect.succeed(socket)))
        socket.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )

  live("closes a connection whose client does not read, and not one whose client reads slowly", function*() {
    const listener = yield* listening(1500)
    listener.serve({ request: (_, response) => sendLarge(response) })
    const unread = yield* requestTo(listener.port)
    unread.pause()
    const slow = yield* requestTo(listener.port)
    assert.isAbove(yield* readSlowly(slow), LARGE)
    let rest = 0
    unread.on("data", (chunk: Buffer) => rest += chunk.length).resume()
    yield* Effect.callback<void>((resume) => void unread.once("close", () => resume(Effect.void)))
    assert.isBelow(rest, LARGE)
  })

  live("closes without delay while a handshake is incomplete", function*() {
    const listener = yield* listening(1500)
    const closed: Array<Promise<void>> = []
    for (const start of ["", "\x16\x03\x01\x02"]) {
      const socket = (yield* connected(listener.port)).on("data", () => {})
      closed.push(new Promise((resolve) => void socket.once("close", () => resolve())))
      yield* Effect.promise(() =>
        new Promise<void>((resolve) => void socket.write(`${start}\n`.trim(), () => resolve()))
      )
    }
    yield* Effect.sleep("100 millis")
    yield* listener.close
    yield* Effect.promise(() => Promise.all(closed))
  })

  live("names the setting that prevents it from starting", function*() {
    const own = yield* files
    const pair = authority.issue([publicHost])
    own.write(pair)
    const none = Option.none()
    const withSettings = (settings: TestDaemonOptions["settings"]) =>
      failure(start(own, settings === undefined ? {} : { settings }))
    assert.include(
      yield* withSettings({ tlsKeyFile: none }),
      "CREDSVC_TLS_CERT_FILE is set, but CREDSVC_TLS_KEY_FILE, the private key, is not set."
    )
    assert.include(
      yield* withSettings({ tlsCertFile: none }),
      "CREDSVC_TLS_KEY_FILE is set, but CREDSVC_TLS_CERT_FILE, the certificate, is not set."
    )
    for (const serverBaseUrl of [none, Option.some(new URL("http://creds.example"))]) {
      assert.include(
        yield* withSettings({ serverBaseUrl }),
        "CREDSVC_TLS_CERT_FILE is set, but CREDSVC_SERVER_BASE_URL, the https URL that clients use, is not set."
      )
    }
    assert.match(
      yield* withSettings({ tlsCertFile: Option.some("/nowhere/cert.pem") }),
      /\/nowhere\/cert\.pem, the file of CREDSVC_TLS_CERT_FILE, does not exist/
    )
    own.write({ ...pair, key: authority.issue([publicHost]).key })
    assert.include(
      yield* withSettings({}),
      "the key in the file of CREDSVC_TLS_KEY_FILE does not belong to the first certificate in the file of CREDSVC_TLS_CERT_FILE"
    )
    own.write({ ...pair, cert: "no certificate" })
    assert.match(yield* withSettings({}), /the file of CREDSVC_TLS_CERT_FILE, has no certificate in PEM format/)
    own.write({ ...pair, key: "no key" })
    assert.match(
      yield* withSettings({}),
      /the file of CREDSVC_TLS_KEY_FILE, has no unencrypted private key in PEM format/
    )
    own.write(authority.issue([publicHost], { notBefore: Date.now() - 2 * hour, notAfter: Date.now() - hour }))
    assert.match(yield* withSettings({}), /the certificate in the file of CREDSVC_TLS_CERT_FILE expired on \d{4}-/)
    own.write(authority.issue([publicHost], { notBefore: Date.now() + 2 * hour }))
    assert.match(
      yield* withSettings({}),
      /the certificate in the file of CREDSVC_TLS_CERT_FILE is not valid before \d{4}-/
    )
  })
})
