/** How programs display a refusal, each in the environment of a child process, and which clients the proxy admits. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live, promise } from "../../support/Fixture.ts"
import { runProgram } from "../../support/Programs.ts"
import { certificate, HOST, proxyTo, request, serverBehind } from "../../support/ProxiedHost.ts"
import { authorization, bearer, connectTo, fakeDaemon, noCredential, route } from "../../support/ProxyHarness.ts"

const LOCKED = "locked.example.com"

const setUp = (peer: "own" | "real" = "own") =>
  Effect.gen(function*() {
    const upstream = yield* FakeUpstream.make({ certificate })
    const routes = [route(HOST, "example"), route(LOCKED, "locked", { connected: false, connection: null })]
    const daemon = fakeDaemon(routes, {
      resolve: (request) => request.provider === "locked" ? noCredential()() : Effect.succeed(bearer(request))
    })
    const { proxy } = yield* proxyTo(upstream.port, { daemon, peer })
    const { variables } = yield* proxy.environment({
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      GIT_TERMINAL_PROMPT: "0"
    })
    return { upstream, variables }
  })

const fetching = (url: string) =>
  `const r = await fetch("${url}");` +
  `console.log(r.status, r.statusText, await r.text())`

describe("RunAdmission", () => {
  const says = "credsvc: No connection for example. Create it with: credsvc login example"
  const told: ReadonlyArray<readonly [string, string, ReadonlyArray<string>, string]> = [
    ["curl", "curl", ["-sS", `https://${LOCKED}/`], says],
    ["git", "git", ["ls-remote", `https://${LOCKED}/x.git`], `remote: ${says}`],
    ["node fetch", process.execPath, ["--input-type=module", "-e", fetching(`https://${LOCKED}/`)], `403 ${says}`]
  ]
  for (const [name, command, args, expected] of told) {
    live(`shows ${name} the command that creates the missing connection`, function*() {
      const { variables } = yield* setUp()
      const { output } = yield* runProgram(command, args, variables)
      assert.include(output, expected)
    })
  }

  live("refuses other users without a credential", function*() {
    const { upstream, variables } = yield* setUp("real")
    const port = new URL(variables["HTTPS_PROXY"] ?? "").port
    const env = { ...variables, HOME: "/" }
    const curl = [
      "-x",
      `http://127.0.0.1:${port}`,
      "-sS",
      "-o",
      "/dev/null",
      "--cacert",
      "/dev/null",
      `https://${HOST}/`
    ]
    // The client is admitted: it fails later, because this curl does not trust the certificate.
    const own = yield* runProgram("curl", curl, env)
    assert.match(own.output, /certificate|CAfile/)
    if (process.getuid?.() === 0 && process.platform === "linux") {
      const as = ["--reuid=65534", "--clear-groups", "curl"]
      const other = yield* runProgram("setpriv", [...as, ...curl], env)
      assert.include(other.output, "407")
    }
    assert.lengthOf(upstream.seen, 0)
  })

  /** The status of the response to a CONNECT with these header fields. */
  const statusWith = (proxy: Parameters<typeof connectTo>[0], headers: string) =>
    promise(async () => {
      const { response, socket } = await connectTo(proxy, `${HOST}:443`, { headers })
      socket.destroy()
      return response.status
    })

  live("responds to a missing credential with 407, and admits a retry on the same connection", function*() {
    const { connect, daemon, proxy } = yield* serverBehind()
    const wire = yield* connect
    const { headers, status } = yield* wire.exchange(`CONNECT ${HOST}:443 HTTP/1.1\r\n\r\n`)
    assert.strictEqual(status, 407)
    assert.match(headers.get("proxy-authenticate") ?? "", /^Basic /)
    assert.strictEqual(headers.get("connection"), "keep-alive")
    const second = yield* wire.exchange(`CONNECT ${HOST}:443 HTTP/1.1\r\n${authorization(proxy)}\r\n`)
    assert.strictEqual(second.status, 200)
    assert.lengthOf(daemon.resolved, 0)
  })

  live("closes the connection after a 407 if the client waits for 100 (Continue) to send its body", function*() {
    const wire = yield* (yield* serverBehind()).connect
    const { headers, status } = yield* wire.exchange(
      "POST http://x.test/ HTTP/1.1\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
    )
    assert.deepStrictEqual([status, headers.get("connection")], [407, "close"])
    yield* promise(() => wire.closed())
  })

  live("refuses a wrong credential even from the run's user", function*() {
    const { daemon, proxy } = yield* serverBehind({ peer: "own" })
    const wrong = Buffer.from("credsvc:" + "A".repeat(43)).toString("base64")
    const attempts = [
      `Proxy-Authorization: Basic ${wrong}\r\n`,
      "Proxy-Authorization: Basic \r\n",
      "Proxy-Authorization: Bearer x\r\n",
      authorization(proxy).replace("\r\n", "x\r\n")
    ]
    for (const headers of attempts) assert.strictEqual(yield* statusWith(proxy, headers), 407, headers)
    assert.strictEqual(daemon.routeCalls, 1)
  })

  live("admits the run's user without a credential, as Java and Chromium connect", function*() {
    const { proxy } = yield* serverBehind({ peer: "own" })
    assert.strictEqual(yield* statusWith(proxy, ""), 200)
  })

  for (const peer of ["other", "unknown", "unsupported"] as const) {
    live(`refuses a connection without a credential if its user is ${peer}, for either kind of target`, function*() {
      const { connect, proxy, upstream } = yield* serverBehind({ peer })
      assert.strictEqual(yield* statusWith(proxy, ""), 407)
      const refused = yield* (yield* connect).exchange(request(`GET https://${HOST}/`))
      assert.strictEqual(refused.status, 407)
      assert.strictEqual(upstream.connections(), 0)
    })
  }
})
