/** How programs display a refusal, each in the environment of a child process, and which clients the proxy admits. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { builtins } from "../../src/platform/builtins.ts"
import { CredentialRefusedError } from "../../src/proxy/routing/CredentialSource.ts"
import * as FakeUpstream from "../support/FakeUpstream.ts"
import { programTimeout } from "../support/ProgramTimeout.ts"
import { bearer, fakeDaemon, route, startProxy, temporaryFile } from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const HOST = "api.example.com"
const LOCKED = "locked.example.com"

interface Ran {
  readonly code: number | string
  readonly output: string
}

const run = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    new Promise<Ran>((resolve) => {
      builtins.childProcess.execFile(command, [...args], { env, timeout: programTimeout }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : error.code ?? "signal", output: stdout + stderr })
      })
    })
  )

const setUp = (peer: "own" | "real" = "own") =>
  Effect.gen(function*() {
    const authority = makeAuthority()
    const upstream = yield* FakeUpstream.make({ certificate: authority.issue([HOST]) })
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const daemon = fakeDaemon(
      [route(HOST, "example"), route(LOCKED, "locked", { connected: false, connection: null })],
      {
        resolve: (request) =>
          request.provider === "locked"
            ? Effect.fail(new CredentialRefusedError({ error: "ConnectionNotFoundError", detail: "", status: 404 }))
            : Effect.succeed(bearer(request))
      }
    )
    const proxy = yield* startProxy({
      daemon,
      peer,
      upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream.port}` } }
    })
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

describe("refused clients", () => {
  const says = "credsvc: no connection for locked; run: credsvc login locked"
  const told: ReadonlyArray<readonly [string, string, ReadonlyArray<string>, string]> = [
    ["curl", "curl", ["-sS", `https://${LOCKED}/`], says],
    ["git", "git", ["ls-remote", `https://${LOCKED}/x.git`], `remote: ${says}`],
    ["node fetch", process.execPath, ["--input-type=module", "-e", fetching(`https://${LOCKED}/`)], `403 ${says}`]
  ]
  for (const [name, command, args, expected] of told) {
    it.live(`${name} shows the command that creates the missing connection`, () =>
      Effect.gen(function*() {
        const { variables } = yield* setUp()
        const { output } = yield* run(command, args, variables)
        assert.include(output, expected)
      }).pipe(Effect.scoped))
  }

  it.live("other users are refused without a credential and with a wrong one", () =>
    Effect.gen(function*() {
      const { upstream, variables } = yield* setUp("real")
      const port = new URL(variables["HTTPS_PROXY"] ?? "").port
      const env = { ...variables, HOME: "/" }
      const curl = (
        proxy: string
      ) => ["-sS", "-o", "/dev/null", "-x", proxy, "--cacert", "/dev/null", `https://${HOST}/`]
      const wrong = yield* run("curl", curl(`http://credsvc:wrong@127.0.0.1:${port}`), env)
      assert.include(wrong.output, "407")
      // The client is admitted: it fails later, because this curl does not trust the certificate.
      const own = yield* run("curl", curl(`http://127.0.0.1:${port}`), env)
      assert.match(own.output, /certificate|CAfile/)
      if (process.getuid?.() === 0 && process.platform === "linux") {
        const as = ["--reuid=65534", "--clear-groups", "curl"]
        const other = yield* run("setpriv", [...as, ...curl(`http://127.0.0.1:${port}`)], env)
        assert.include(other.output, "407")
      }
      assert.lengthOf(upstream.seen, 0)
    }).pipe(Effect.scoped))
})
