/** How programs display a refusal, each in the environment of a child process, and which clients the proxy admits. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FakeUpstream from "../../support/FakeUpstream.ts"
import { live } from "../../support/Fixture.ts"
import { runProgram } from "../../support/Programs.ts"
import { certificate, HOST, proxyTo } from "../../support/ProxiedHost.ts"
import { bearer, fakeDaemon, noCredential, route } from "../../support/ProxyHarness.ts"

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

  live("refuses other users without a credential, and every user with a wrong one", function*() {
    const { upstream, variables } = yield* setUp("real")
    const port = new URL(variables["HTTPS_PROXY"] ?? "").port
    const env = { ...variables, HOME: "/" }
    const options = ["-sS", "-o", "/dev/null", "--cacert", "/dev/null", `https://${HOST}/`]
    const curl = (proxy: string) => ["-x", proxy, ...options]
    const wrong = yield* runProgram("curl", curl(`http://credsvc:wrong@127.0.0.1:${port}`), env)
    assert.include(wrong.output, "407")
    // The client is admitted: it fails later, because this curl does not trust the certificate.
    const own = yield* runProgram("curl", curl(`http://127.0.0.1:${port}`), env)
    assert.match(own.output, /certificate|CAfile/)
    if (process.getuid?.() === 0 && process.platform === "linux") {
      const as = ["--reuid=65534", "--clear-groups", "curl"]
      const other = yield* runProgram("setpriv", [...as, ...curl(`http://127.0.0.1:${port}`)], env)
      assert.include(other.output, "407")
    }
    assert.lengthOf(upstream.seen, 0)
  })
})
