import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { live } from "../support/Fixture.ts"
import { programTimeout } from "../support/ProgramTimeout.ts"
import { temporaryFile } from "../support/ProxyHarness.ts"
import { listen } from "../support/TestServer.ts"

const HOST = "api.example.com"
const SUFFIX = "example.org"
const authority = CertificateAuthority.createTemporary([HOST, SUFFIX])

const x509 = (pem: string) => new builtins.crypto.X509Certificate(pem)

const runs = (command: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  Effect.promise(() =>
    new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
      builtins.childProcess.execFile(command, [...args], {
        env: { PATH: process.env["PATH"], HOME: "/nonexistent", ...env },
        timeout: programTimeout
      }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1) || 1, output: stdout + stderr })
      })
    })
  )

/** An HTTPS server with this certificate, to which clients may connect by any name. */
const serve = (leaf: CertificateAuthority.Leaf) =>
  listen(
    builtins.https.createServer({ cert: leaf.certPem, key: leaf.keyPem }, (_request, response) => {
      response.end("hello")
    })
  )

const python = `
import ssl, socket, sys
host, port, ca = sys.argv[1], int(sys.argv[2]), sys.argv[3]
context = ssl.create_default_context(cafile=ca)
context.verify_flags |= ssl.VERIFY_X509_STRICT
with socket.create_connection(("127.0.0.1", port)) as raw:
    with context.wrap_socket(raw, server_hostname=host) as secured:
        print(secured.version())
`

/** Whether each client accepts the server for the host if it trusts only the authority's certificate. */
const clients: Readonly<
  Record<string, (host: string, port: number, ca: string) => Effect.Effect<{ code: number; output: string }>>
> = {
  curl: (host, port, ca) =>
    runs("curl", ["-sS", "--cacert", ca, "--resolve", `${host}:${port}:127.0.0.1`, `https://${host}:${port}/`]),
  python3: (host, port, ca) => runs("python3", ["-c", python, host, String(port), ca]),
  git: (host, port, ca) =>
    runs("git", [
      "-c",
      `http.curloptResolve=${host}:${port}:127.0.0.1`,
      "-c",
      `http.sslCAInfo=${ca}`,
      "ls-remote",
      `https://${host}:${port}/x.git`
    ], { GIT_TERMINAL_PROMPT: "0" }).pipe(
      // The server has no repository, so only TLS failures count.
      Effect.map(({ output }) => ({ code: /certificate|SSL|TLS/i.test(output) ? 1 : 0, output }))
    ),
  node: (host, port, ca) =>
    runs(process.execPath, [
      "-e",
      `require("tls").connect({host:"127.0.0.1",port:${port},servername:"${host}",ca:require("fs").readFileSync("${ca}")})` +
      `.on("secureConnect",()=>process.exit(0)).on("error",(e)=>{console.error(e.code);process.exit(1)})`
    ])
}

describe("CertificateAuthority", () => {
  it("creates a root that can only sign server certificates for its hosts", () => {
    const root = x509(authority.rootPem)
    assert.isTrue(root.ca)
    assert.isTrue(root.verify(root.publicKey))
    assert.strictEqual(root.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1")
    assert.notInclude(JSON.stringify(authority), "PRIVATE KEY")
  })

  it("issues certificates for one host, for less than a day, with a serial number of 128 random bits", () => {
    const serials = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const leaf = x509(authority.issue(HOST).certPem)
      serials.add(leaf.serialNumber)
      assert.strictEqual(leaf.serialNumber.length, 32)
      assert.strictEqual(leaf.subjectAltName, `DNS:${HOST}`)
      assert.notInclude(leaf.subject, "CN=")
      assert.deepStrictEqual(leaf.keyUsage, ["1.3.6.1.5.5.7.3.1"])
      assert.isFalse(leaf.ca)
      assert.isAtMost(leaf.validToDate.getTime() - Date.now(), 24 * 3_600_000)
    }
    assert.strictEqual(serials.size, 20)
  })

  it("opens a stored authority in another process, with the same root and the same hosts, until it expires", () => {
    const now = Date.now()
    const stored = CertificateAuthority.createStored([HOST, SUFFIX], { created: now, expires: now + 3_600_000 })
    const opened = CertificateAuthority.openStored(
      JSON.parse(JSON.stringify(stored)) as CertificateAuthority.StoredAuthority
    )
    const root = x509(opened.rootPem)
    assert.strictEqual(opened.rootPem, stored.rootPem)
    assert.closeTo(root.validToDate.getTime(), now + 3_600_000, 1000)
    const leaf = x509(opened.issue(HOST).certPem)
    assert.isTrue(leaf.checkIssued(root))
    assert.isTrue(leaf.verify(root.publicKey))
    assert.isTrue(opened.permits(HOST) && opened.permits(`a.${SUFFIX}`))
    assert.isFalse(opened.permits("evil.test"))
  })

  it("permits only hosts within its name constraints", () => {
    assert.isTrue(authority.permits(HOST))
    assert.isTrue(authority.permits(`any.${SUFFIX}`))
    assert.isTrue(authority.permits(`any.other.${SUFFIX}`))
    assert.isFalse(authority.permits("other.example.net"))
    assert.isFalse(authority.permits("notexample.org"))
    assert.isFalse(CertificateAuthority.createTemporary([]).permits("example.com"))
  })

  it("creates a valid root for thousands of hosts", () => {
    const hosts = Array.from({ length: 4000 }, (_, index) => `host-${index}.example.com`)
    const many = CertificateAuthority.createTemporary(hosts)
    const root = x509(many.rootPem)
    assert.isTrue(root.verify(root.publicKey))
    assert.isTrue(x509(many.issue(hosts[3999]!).certPem).checkIssued(root))
  })

  live("passes openssl verify -x509_strict for its hosts, and fails that check for every other host", function*() {
    const ca = yield* temporaryFile("ca.pem", authority.rootPem)
    for (const [host, accepted] of [[HOST, true], [`tenant.${SUFFIX}`, true], ["evil.test", false]] as const) {
      const leaf = yield* temporaryFile("leaf.pem", authority.issue(host).certPem)
      const { code, output } = yield* runs("openssl", ["verify", "-x509_strict", "-CAfile", ca, leaf])
      assert.strictEqual(code === 0, accepted, output)
      if (!accepted) assert.include(output, "permitted subtree violation")
    }
    const none = CertificateAuthority.createTemporary([])
    const leaf = yield* temporaryFile("leaf.pem", none.issue(HOST).certPem)
    const { code } = yield* runs("openssl", ["verify", "-CAfile", yield* temporaryFile("ca.pem", none.rootPem), leaf])
    assert.notStrictEqual(code, 0)
  })

  live("is accepted by clients whose clock is some days slow", function*() {
    const ca = yield* temporaryFile("ca.pem", authority.rootPem)
    const leaf = yield* temporaryFile("leaf.pem", authority.issue(HOST).certPem)
    for (const [days, accepted] of [[6, true], [8, false]] as const) {
      const time = String(Math.trunc(Date.now() / 1000) - days * 86_400)
      const { code, output } = yield* runs("openssl", ["verify", "-attime", time, "-CAfile", ca, leaf])
      assert.strictEqual(code === 0, accepted, output)
    }
  })

  live("writes the extensions that strict clients require, critical where needed", function*() {
    const ca = yield* temporaryFile("ca.pem", authority.rootPem)
    const root = (yield* runs("openssl", ["x509", "-in", ca, "-noout", "-text"])).output
    assert.match(root, /Basic Constraints: critical\s+CA:TRUE, pathlen:0/)
    assert.match(root, /Key Usage: critical\s+Certificate Sign\s/)
    assert.match(
      root,
      /Name Constraints: critical\s+Permitted:\s+DNS:api\.example\.com\s+DNS:example\.org\s+Excluded:\s+IP:0\.0\.0\.0\/0\.0\.0\.0\s+IP:0:0:0:0:0:0:0:0\/0:0:0:0:0:0:0:0/
    )
    assert.include(root, "Subject Key Identifier")
    const file = yield* temporaryFile("leaf.pem", authority.issue(HOST).certPem)
    const leaf = (yield* runs("openssl", ["x509", "-in", file, "-noout", "-text"])).output
    assert.match(leaf, /Key Usage: critical\s+Digital Signature\s/)
    assert.include(leaf, "Subject Key Identifier")
    assert.include(leaf, "Authority Key Identifier")
  })

  for (const [name, connect] of Object.entries(clients)) {
    live(`is accepted by ${name} for a routed host and rejected for another`, function*() {
      const ca = yield* temporaryFile("ca.pem", authority.rootPem)
      const good = yield* serve(authority.issue(HOST))
      const accepted = yield* connect(HOST, good.port, ca)
      assert.strictEqual(accepted.code, 0, accepted.output)
      const evil = yield* serve(authority.issue("evil.example.net"))
      const rejected = yield* connect("evil.example.net", evil.port, ca)
      assert.notStrictEqual(rejected.code, 0, rejected.output)
    })
  }

  it("shares no key between runs", () => {
    const other = CertificateAuthority.createTemporary([HOST])
    assert.notStrictEqual(x509(other.rootPem).fingerprint256, x509(authority.rootPem).fingerprint256)
    assert.notStrictEqual(other.issue(HOST).keyPem, authority.issue(HOST).keyPem)
  })
})
