import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import type * as Net from "node:net"
import { clientHeader, clientHello, endsOfClient, proofHeader } from "../../../src/config/daemon/AccessKey.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { ruleOf, servedPaths } from "../../../src/server/http/CallerRules.ts"
import { live, promise, testsWith } from "../../support/Fixture.ts"
import { provedAgent } from "../../support/ProvedConnections.ts"
import { enrolled, publicHost, send, startExposedDaemon } from "../../support/RemoteCaller.ts"
import { logIn, startTestDaemon, type TestDaemonOptions, type TestDaemonShape } from "../../support/TestDaemon.ts"
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

describe("an exposed daemon, for remote clients,", () => {
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
      "Connection: Upgrade\r\nUpgrade: credsvc-resolve\r\n\r\n"
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
