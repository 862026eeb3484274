import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as Net from "node:net"
import { vi } from "vitest"
import { Identities } from "../../../src/callers/Identities.ts"
import { replayWindow, UsedNonces } from "../../../src/callers/UsedNonces.ts"
import { clientHeader, clientHello, endsOfClient, proofHeader } from "../../../src/config/daemon/AccessKey.ts"
import { Settings } from "../../../src/config/Settings.ts"
import { contentDigest } from "../../../src/http/signatures/ContentDigest.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { PeerOwner } from "../../../src/platform/sockets/PeerOwner.ts"
import { LeaseOwner } from "../../../src/platform/store/LeaseOwner.ts"
import { CallerAdmission, isRefusal } from "../../../src/server/http/CallerAdmission.ts"
import { ruleOf, servedPaths } from "../../../src/server/http/CallerRules.ts"
import { Instance } from "../../../src/server/http/Instance.ts"
import { PageSessions } from "../../../src/server/http/PageSessions.ts"
import { PeerAdmission } from "../../../src/server/http/PeerAdmission.ts"
import { burst } from "../../../src/server/http/RateLimit.ts"
import { effect, live, promise, testsWith } from "../../support/Fixture.ts"
import { provedAgent } from "../../support/ProvedConnections.ts"
import {
  enrolled,
  makeKey,
  post,
  publicHost,
  registration,
  type RemoteIdentity,
  type RemoteKey,
  send,
  type SignedRequest,
  startExposedDaemon
} from "../../support/RemoteCaller.ts"
import { logIn, startTestDaemon, type TestDaemonOptions, type TestDaemonShape } from "../../support/TestDaemon.ts"
import { testInstance } from "../../support/TestInstance.ts"
import { freePort, listen, type TestServer } from "../../support/TestServer.ts"

const exposed = testsWith(startExposedDaemon)

/** Forwards bytes to the daemon as this user, as `socat`, `ssh -R` and load balancers in TCP mode do. */
const forwarder = ({ port }: TestDaemonShape) =>
  listen(builtins.net.createServer((near) => {
    const far = builtins.net.connect(port, "127.0.0.1").on("error", () => {})
    near.on("close", () => far.destroy()).pipe(far).pipe(near)
  }))

/** Sends requests on to the daemon like nginx 1.29.7: HTTP/1.1, reused connections, the upstream's `Host`, and no field of its own. */
const reverseProxy = ({ port }: TestDaemonShape) =>
  Effect.gen(function*() {
    const agent = new builtins.http.Agent({ keepAlive: true, maxSockets: 1 })
    yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
    const server = builtins.http.createServer((incoming, response) => {
      const headers = { ...incoming.headers, host: `127.0.0.1:${port}` }
      const { method, url: path } = incoming
      const outgoing = builtins.http.request({ agent, port, host: "127.0.0.1", method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      })
      incoming.pipe(outgoing)
    })
    return yield* listen(server)
  })

/** What a stranger sends through a proxy at `port`, naming the loopback address of the daemon. */
const stranger = (daemon: TestDaemonShape, { port }: TestServer) => (target: string, method = "GET") =>
  Effect.callback<{ readonly status: number; readonly body: string }>((resume) => {
    const headers = { host: `127.0.0.1:${daemon.port}` }
    const request = builtins.http.request({ host: "127.0.0.1", port, path: target, method, headers, agent: false })
    request.on("response", (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (chunk: string) => body += chunk)
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, body })))
    }).end()
  })

const secret = "sk-canary-0123456789abcdef0123456789abcdef"

const withConnection = testsWith(Effect.tap(startExposedDaemon, (daemon) => logIn(daemon, secret)))

const exampleOf = (path: string): string => path.replace(/:\w+/g, "openai")

const notForAnyone = servedPaths.filter(({ method, path }) => ruleOf(method, path) !== "anyone")

const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Net.Socket) => ({
  localAddress,
  localPort,
  remoteAddress,
  remotePort
})

const url = (text: string) => Option.some(new URL(text))

const nonce = "0".repeat(64)

const provedAgentOf = ({ paths, port }: TestDaemonShape) =>
  provedAgent(port, () => fs.readFileSync(paths.accessKey), {})

describe("CallerAdmission, for remote clients of an exposed daemon", () => {
  withConnection.live(
    "reveals nothing through a proxy of its own user that forwards bytes from other machines",
    function*(daemon) {
      const request = stranger(daemon, yield* forwarder(daemon))
      const reveal = "/connections/openai/default?reveal=true"
      const refused = yield* request(reveal)
      assert.strictEqual(refused.status, 401, refused.body)
      assert.notInclude(refused.body, secret)
      assert.include(refused.body, "credsvc ui")
      assert.isAbove(notForAnyone.length, 60)
      for (const { method, path } of notForAnyone) {
        const { body, status } = yield* request(exampleOf(path), method)
        assert.strictEqual(status, 401, `${method} ${path}: ${body}`)
      }
      assert.include((yield* daemon.request(reveal)).body, secret, "a connection that has proved the access key")
    }
  )

  exposed.live("opens no resolve channel for a client that has not proved the access key", function*(daemon) {
    const host = `Host: 127.0.0.1:${daemon.port}\r\n`
    const upgrade = "GET /credentials/resolve HTTP/1.1\r\n" + host +
      "Connection: Upgrade\r\nUpgrade: credsvc-resolve-2\r\n\r\n"
    assert.match(yield* daemon.raw(upgrade), /^HTTP\/1.1 405 /)
    const first = yield* daemon.raw(`GET /health HTTP/1.1\r\n${host}\r\n${upgrade}`)
    assert.match(first, /^HTTP\/1.1 200 /)
    assert.notInclude(first, "101 Switching")
  })

  exposed.live(
    "accepts no proof of the access key through a proxy, because its connection also serves other clients",
    function*(daemon) {
      for (const proxy of [forwarder, reverseProxy]) {
        const server = yield* proxy(daemon)
        // A command that believes that the proxy is the daemon, at the address that the proxy would need for a relay.
        const key = fs.readFileSync(daemon.paths.accessKey)
        const proved = yield* Effect.callback<string>((resume) => {
          const socket = builtins.net.connect(server.port, "127.0.0.1", () => {
            const ends = endsOfClient({ ...endsOf(socket), remotePort: daemon.port })
            const hello = clientHello(key, nonce, ends, Date.now())
            socket.write(
              `GET /health?nonce=${nonce} HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nConnection: close\r\n` +
                `${clientHeader}: ${hello}\r\n\r\n`
            )
          })
          let received = ""
          socket.on("data", (chunk) => received += String(chunk))
          socket.once("end", () => resume(Effect.succeed(received)))
        })
        assert.match(proved, /^HTTP\/1.1 200 /)
        assert.notInclude(proved.toLowerCase(), proofHeader)
        assert.strictEqual((yield* stranger(daemon, server)("/connections")).status, 401)
      }
    }
  )

  exposed.live("refuses clients of a reverse proxy that does not identify itself", function*(daemon) {
    const request = stranger(daemon, yield* reverseProxy(daemon))
    assert.strictEqual((yield* request("/health")).status, 200)
    for (const target of ["/connections", "/ui/", "/runs", "/whoami"]) {
      assert.strictEqual((yield* request(target)).status, 401, target)
    }
    const caller = yield* enrolled(daemon, "alice")
    assert.strictEqual((yield* send(daemon, caller.sign("/whoami"))).json.profile, "alice", "a signed request")
  })

  const waysIn: ReadonlyArray<readonly [way: string, options: TestDaemonOptions]> = [
    ["a public base URL", { settings: { serverBaseUrl: url(`https://${publicHost}`) } }],
    ["a base URL over TLS on its own address", { settings: { serverBaseUrl: url("https://localhost") } }],
    ["a base URL with a path", { settings: { serverBaseUrl: url("http://127.0.0.1:9000/team") } }],
    ["a base URL with another port", { settings: { serverBaseUrl: url("http://localhost:9000") } }],
    ["an address of another interface", { host: "0.0.0.0" }],
    ["a base URL, where peers are not checked", {
      settings: { allowAnyPeer: true, serverBaseUrl: url(`https://${publicHost}`) }
    }]
  ]
  for (const [way, options] of waysIn) {
    live(`tells remote clients from local ones by the missing proof if it has ${way}`, function*() {
      const daemon = yield* startTestDaemon(options)
      const request = stranger(daemon, yield* forwarder(daemon))
      assert.strictEqual((yield* request("/connections")).status, 401)
      assert.strictEqual((yield* daemon.request("/connections", { agent: provedAgentOf(daemon) })).status, 200)
    })
  }

  live("requires no proof on an address that only its user can reach", function*() {
    const port = yield* promise(freePort)
    for (const settings of [{}, { serverBaseUrl: url(`http://localhost:${port}`) }]) {
      yield* Effect.scoped(Effect.gen(function*() {
        const daemon = yield* startTestDaemon({ port, settings })
        const plain = new builtins.http.Agent()
        assert.strictEqual((yield* daemon.request("/connections", { agent: plain })).status, 200)
        const browser = { host: `localhost:${port}`, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }
        const { status } = yield* daemon.request("/ui/", { agent: plain, headers: browser })
        assert.strictEqual(status, "serverBaseUrl" in settings ? 200 : 307)
      }))
    }
  })
})

const now = () => Math.floor(Date.now() / 1000)
const login = { provider: "openai", connection: "one" }
const loginTarget = "/auth/sessions?a=b"

/** A request that covers every kind of component. */
const signLogin = (caller: RemoteIdentity, more: Parameters<RemoteIdentity["sign"]>[1] = {}) =>
  caller.sign("/connections/openai/default/check?", {
    method: "POST",
    body: {},
    headers: { "credsvc-profile": caller.profile },
    ...more
  })

const withHeaders = (request: SignedRequest, headers: Readonly<Record<string, string>>): SignedRequest => ({
  ...request,
  headers: { ...request.headers, ...headers }
})

const withoutHeader = (request: SignedRequest, name: string): SignedRequest => ({
  ...request,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([each]) => each !== name))
})

type Attempt = (caller: RemoteIdentity, other: RemoteIdentity) => SignedRequest

const unauthorized: Readonly<Record<string, Attempt>> = {
  "without a signature": (caller) => withoutHeader(withoutHeader(signLogin(caller), "signature"), "signature-input"),
  "with a stolen signature, of another request": (caller) => {
    const { signature = "", "signature-input": input = "" } = signLogin(caller).headers
    return withHeaders(caller.sign("/connections"), { signature, "signature-input": input })
  },
  "with another method": (caller) => ({ ...signLogin(caller), method: "DELETE" }),
  "with another path": (caller) => ({ ...signLogin(caller), target: "/connections/openai/work/check?" }),
  "with another query": (caller) => ({ ...signLogin(caller), target: `${signLogin(caller).target}a=b` }),
  "with a query added": (caller) => ({ ...caller.sign("/connections"), target: "/connections?provider=openai" }),
  "with other content": (caller) => ({ ...signLogin(caller), body: "{ }" }),
  "without its content": (caller) => ({ ...signLogin(caller), body: undefined }),
  "with content added": (caller) => ({ ...signLogin(caller), body: "{}{}" }),
  "with another digest and its content": (caller) => ({
    ...withHeaders(signLogin(caller), { "content-digest": contentDigest("[]") }),
    body: "[]"
  }),
  "with another profile in its field": (caller, { profile }) =>
    withHeaders(signLogin(caller), { "credsvc-profile": profile }),
  "without a field that was signed": (caller) => withoutHeader(signLogin(caller), "credsvc-profile"),
  "with a field that was not signed": (caller) =>
    withHeaders(signLogin(caller), { "credsvc-run": "a-run-0123456789abcdef" }),
  ...Object.fromEntries(
    ["@method", "@authority", "@path", "@query", "content-digest", "credsvc-profile"].map((
      without
    ): [string, Attempt] => [
      `whose signature does not cover ${without}`,
      (caller) => signLogin(caller, { without })
    ])
  ),
  "with the key of another identity": (caller, { keyId }) => signLogin(caller, { parameters: { keyid: keyId } }),
  "with a key that is not enrolled": () => makeKey().sign("/connections"),
  "signed for another purpose": (caller) => signLogin(caller, { parameters: { tag: "another" } }),
  "signed with a short nonce": (caller) => signLogin(caller, { parameters: { nonce: "short" } }),
  "signed with another algorithm": (caller) => signLogin(caller, { parameters: { alg: "hmac-sha256" } }),
  "signed too long ago": (caller) => signLogin(caller, { parameters: { created: now() - replayWindow - 2 } }),
  "signed in the future": (caller) => signLogin(caller, { parameters: { created: now() + replayWindow + 2 } })
}

const forbidden: Readonly<Record<string, Attempt>> = {
  "for another profile than that of the identity": (caller, { profile }) =>
    signLogin(caller, { headers: { "credsvc-profile": profile } }),
  "for an operation of the administrator": (caller) => caller.sign("/identities"),
  "for a page of the dashboard": (caller) => caller.sign("/ui/connections")
}

const publicInstance = testInstance({
  baseUrl: `https://${publicHost}`,
  authorities: new Map([[publicHost, `https://${publicHost}`]]),
  exposed: true
})

const identityOf = ({ keyId, publicKey }: RemoteKey) => ({
  publicKey,
  identity: {
    name: keyId,
    profile: "alice",
    keyId,
    createdAt: DateTime.nowUnsafe(),
    disabledAt: null,
    job: null
  } as never,
  tokenHash: null
})

/** The admission of an exposed daemon, to which these keys are enrolled. */
const admission = (known: ReadonlyArray<RemoteKey>) => {
  const unused = Effect.die("not used")
  return CallerAdmission.pipe(
    Effect.provide(
      Layer.provide(CallerAdmission.layerNoDeps, Layer.provide(PageSessions.layerNoDeps, PeerOwner.layer))
    ),
    Effect.provideService(Identities, {
      find: (keyId) => Effect.succeed(known.filter((key) => key.keyId === keyId).map(identityOf)[0]),
      list: unused,
      createCode: () => unused,
      requireCode: () => unused,
      enroll: () => unused,
      enable: () => unused,
      disable: () => unused
    }),
    Effect.provideService(LeaseOwner, LeaseOwner.ofProcess()),
    Effect.provideService(UsedNonces, { areKept: false, use: () => Effect.succeed("fresh") }),
    Effect.provideService(PeerAdmission, {
      isAdmitted: () => true,
      hasProved: () => false,
      admit: () => Effect.succeed(true)
    }),
    Effect.provideService(Instance, publicInstance),
    Effect.provide(Settings.layerOf({ home: "/h" }))
  )
}

/** A request as it arrived, for `admit`. */
const received = ({ headers, method, target }: SignedRequest, content: Effect.Effect<string> = Effect.succeed("")) => ({
  socket: new Net.Socket(),
  head: { method, target, httpVersion: "1.1", rawHeaders: Object.entries(headers).flat() },
  route: "/connections",
  content
})

/** Sends a request, and reads the lines of its response until the scope closes. */
const linesOf = ({ port }: TestDaemonShape, { body, headers, method, target }: SignedRequest) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        let text = ""
        const request = builtins.http.request({ port, method, path: target, headers, agent: false }, (response) => {
          response.setEncoding("utf8").on("data", (chunk: string) => text += chunk).on("error", () => {})
        })
        request.on("error", () => {}).end(body)
        return { request, text: () => text }
      }),
      ({ request }) => Effect.sync(() => request.destroy())
    ),
    ({ text }) => () => text().split("\n").slice(0, -1).map((line) => JSON.parse(line))
  )

describe("CallerAdmission, for signed requests", () => {
  exposed.live("refuses requests from other machines that are not signed correctly", function*(daemon) {
    const [caller, other] = [yield* enrolled(daemon, "alice"), yield* enrolled(daemon, "bob")]
    const valid = yield* send(daemon, signLogin(caller))
    assert.strictEqual(valid.status, 404, "the same request with a valid signature reaches the operation")
    const used = signLogin(caller)
    yield* send(daemon, used)
    for (const [title, attempt] of Object.entries<Attempt>({ ...unauthorized, "with a used signature": () => used })) {
      const refused = yield* send(daemon, attempt(caller, other))
      assert.strictEqual(refused.status, 401, `${title}: ${refused.body}`)
      assert.include(refused.headers["www-authenticate"], "Signature", title)
    }
    for (const [title, attempt] of Object.entries(forbidden)) {
      assert.strictEqual((yield* send(daemon, attempt(caller, other))).status, 403, title)
    }
    const early = yield* send(daemon, signLogin(caller, { parameters: { created: now() - 45 } }))
    assert.strictEqual(early.status, 503, "another replica may have accepted this before the daemon started")
    assert.include(early.body, "check the clocks of both machines")
  })

  exposed.live("accepts signed requests of an identity, except while it is disabled", function*(daemon) {
    const caller = yield* enrolled(daemon, "alice")
    assert.strictEqual((yield* caller.request("/whoami")).json.profile, "alice")
    const change = (what: string) => daemon.request(`/identities/${caller.name}/${what}`, { method: "POST" })
    assert.isNotNull((yield* change("disable")).json.disabled_at)
    assert.strictEqual((yield* caller.request("/whoami")).status, 403)
    assert.isNull((yield* change("enable")).json.disabled_at)
    assert.strictEqual((yield* caller.request("/whoami")).status, 200)
    const { json } = yield* daemon.request("/audit")
    assert.includeMembers(json.entries.map(({ connection, event }: any) => `${event} ${connection}`), [
      "enrollment-code-create alice",
      "identity-enroll alice",
      "identity-disable alice",
      "identity-enable alice"
    ])
  })

  exposed.live("notifies the runs of a disabled identity, so that their open streams end", function*(daemon) {
    const caller = yield* enrolled(daemon, "alice")
    const signed = caller.sign("/runs", post(registration, { "credsvc-run": "r".repeat(43) }))
    const lines = yield* linesOf(daemon, signed)
    while (lines().length < 1) yield* Effect.sleep(5)
    yield* daemon.request(`/identities/${caller.name}/disable`, { method: "POST" })
    while (lines().length < 2) yield* Effect.sleep(5)
    assert.deepStrictEqual(lines()[1], { notice: "changed" })
  })

  exposed.live("responds to unsigned requests only with its health", function*(daemon) {
    const headers = { host: publicHost }
    const health = yield* daemon.request(`/health?nonce=${"0".repeat(64)}`, { headers })
    assert.strictEqual(health.status, 200)
    assert.isUndefined(health.headers["credsvc-proof"])
    assert.strictEqual(health.json.master_key_description, "")
    const ready = yield* daemon.request("/ready", { headers })
    assert.strictEqual(ready.status, 200)
    const local = yield* daemon.request("/ready")
    const { identity } = local.json.checks
    assert.notStrictEqual(identity.message, "")
    assert.notInclude(ready.body, identity.message)
    assert.notInclude(ready.body, daemon.home)
    for (const target of ["/metrics", "/docs", "/openapi.json", "/ui/", "/nothing", "/providers"]) {
      assert.strictEqual((yield* daemon.request(target, { headers })).status, 401, target)
    }
  })

  exposed.live("shows the pages of a login, and its state, to the browser of the caller", function*(daemon) {
    const caller = yield* enrolled(daemon, "alice")
    const { json } = yield* caller.request("/auth/sessions", { method: "POST", body: login })
    const page = new URL(json.next_action.url)
    const shown = yield* daemon.request(page.pathname, { headers: { host: publicHost } })
    assert.strictEqual(shown.status, 200)
    assert.include(shown.body, "OpenAI")
    const read = (headers: Record<string, string>) =>
      daemon.request(page.pathname.replace(/\/input$/, ""), { headers: { host: publicHost, ...headers } })
    assert.strictEqual((yield* read({})).json.status, "waiting_for_user")
    for (const profile of ["alice", "unknown"]) {
      assert.strictEqual((yield* read({ "credsvc-profile": profile })).status, 200)
    }
    assert.strictEqual(
      (yield* daemon.post(loginTarget, login, { host: publicHost })).status,
      401
    )
  })

  exposed.live("registers no credential command for another machine", function*(daemon) {
    const caller = yield* enrolled(daemon, "alice")
    const command = { argv: ["/bin/echo", "sk-secret"], output: "text", values: {} }
    const { json, status } = yield* caller.request("/auth/sessions", { method: "POST", body: { ...login, command } })
    assert.strictEqual(status, 403)
    assert.include(json.detail, "Only the administrator can register a credential command")
  })

  effect("limits the requests of each identity", function*() {
    const [key, other] = [makeKey(), makeKey()]
    const callers = yield* admission([key, other])
    const admit = (caller: RemoteKey) => callers.admit(received(caller.sign("/connections")))
    const time = Date.now()
    const clock = vi.spyOn(Date, "now").mockReturnValue(time)
    yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
    const results = yield* Effect.forEach(Array.from({ length: burst + 1 }), () => admit(key))
    const limited = results.filter(isRefusal)
    assert.deepStrictEqual(limited.map(({ headers, status }) => [status, headers?.["retry-after"]]), [[429, "1"]])
    assert.isTrue(isRefusal(results[burst]!))
    assert.isFalse(isRefusal(yield* admit(other)))
  })

  exposed.live("accepts one of several requests with the same signature that arrive at once", function*(daemon) {
    const signed = (yield* enrolled(daemon, "alice")).sign("/whoami")
    const answers = yield* Effect.all(Array.from({ length: 8 }, () => send(daemon, signed)), { concurrency: 8 })
    assert.lengthOf(answers.filter(({ status }) => status === 200), 1)
  })

  effect("does not read the content of a request with a stale signature", function*() {
    const key = makeKey()
    const callers = yield* admission([key])
    const signed = key.sign("/connections", { parameters: { created: now() - replayWindow - 2 } })
    assert.isTrue(isRefusal(yield* callers.admit(received(signed, Effect.die("read")))))
  })
})
