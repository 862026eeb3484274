import { afterAll, assert, beforeAll, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import type * as Https from "node:https"
import type { AddressInfo } from "node:net"
import * as tls from "node:tls"
import { vi } from "vitest"
import { DaemonClient } from "../../src/client/DaemonClient.ts"
import { readResponse } from "../../src/client/Responses.ts"
import { parseHeaderFields } from "../../src/config/daemon/DaemonHeaderFields.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings, withoutOwnSecrets } from "../../src/config/Settings.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { effect, testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

describe("HeaderFields", () => {
  effect("are lines of names and values, and values keep their spaces and colons", function*() {
    assert.deepStrictEqual(
      parseHeaderFields("Authorization: Basic dXNlcjpwYXNz==\r\n\n  X-Id:a: b \n"),
      Result.succeed({ authorization: "Basic dXNlcjpwYXNz==", "x-id": "a: b" })
    )
  })

  const cases = [
    ["", "no header field"],
    ["secret-value", "line 1 is not of the form"],
    ["A: b\nB secret-value: c", "line 2 is not of the form"],
    ["A:", "line 1 is not of the form"],
    ["A: secret-value\u0000", "line 1 is not of the form"],
    ["A: secret-valü\u00e9", "line 1 is not of the form"],
    ["Host: secret-value", "the field \"Host\""],
    ["Credsvc-Profile: secret-value", "the field \"Credsvc-Profile\""],
    ["Content-Length: secret-value", "the field \"Content-Length\""],
    ["a: secret-value\nA: secret-value", "the field \"A\" twice"]
  ] as const
  for (const [text, problem] of cases) {
    effect(`are invalid as ${JSON.stringify(text)}, with a reason that contains no value`, function*() {
      const failure = Option.getOrThrow(Result.getFailure(parseHeaderFields(text)))
      assert.include(failure, problem)
      assert.notInclude(failure, "secret-val")
    })
  }

  const settings = (env: Record<string, string>) => Effect.provide(Settings, Settings.layerEnv(() => env))

  effect("require an https address, and are redacted in the settings", function*() {
    const read = yield* settings({
      CREDSVC_DAEMON_URL: "https://creds.example",
      CREDSVC_DAEMON_HEADERS: "A: secret-value",
      CREDSVC_DAEMON_HEADERS_COMMAND: "/usr/bin/printer secret-value"
    })
    assert.notInclude(
      JSON.stringify(read) + String(read.daemonHeaders) + String(read.daemonHeadersCommand),
      "secret-value"
    )
    for (
      const [name, value] of [["CREDSVC_DAEMON_HEADERS", "A: b"], [
        "CREDSVC_DAEMON_HEADERS_COMMAND",
        "/bin/true"
      ]] as const
    ) {
      for (const address of [{}, { CREDSVC_DAEMON_URL: "http://127.0.0.1:7998" }]) {
        const error = yield* Effect.flip(settings({ ...address, [name]: value }))
        assert.strictEqual(error.variable, name)
        assert.include(error.message, "CREDSVC_DAEMON_URL is not an https URL")
      }
    }
    const relative = yield* Effect.flip(settings({
      CREDSVC_DAEMON_URL: "https://creds.example",
      CREDSVC_DAEMON_HEADERS_COMMAND: "printer secret-value"
    }))
    assert.include(relative.message, "expected the absolute path of a program")
    assert.notInclude(relative.message, "secret-value")
  })

  effect("are not passed to programs that credsvc starts", function*() {
    const passed = withoutOwnSecrets({ CREDSVC_DAEMON_HEADERS: "A: b", CREDSVC_DAEMON_HEADERS_COMMAND: "/x", A: "b" })
    assert.deepStrictEqual(passed, { A: "b" })
  })
})

describe("DaemonHeaders", () => {
  const authority = makeAuthority()
  const trusted = tls.getCACertificates()
  let server: Https.Server
  let accepted = "first"
  const answered: Array<number> = []
  beforeAll(async () => {
    tls.setDefaultCACertificates([...trusted, authority.caPem])
    server = builtins.https.createServer(authority.issue(["localhost"]), ({ headers }, response) => {
      const status = headers["x-token"] === accepted ? 200 : 401
      answered.push(status)
      response.writeHead(status, { "content-type": "text/plain" }).end("[]")
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  })
  afterAll(() => {
    tls.setDefaultCACertificates(trusted)
    server.close()
    vi.useRealTimers()
  })

  testsWith(temporaryDirectory).live(
    "are requested from their program once more when the server in front of the daemon refuses them",
    function*(home) {
      const file = `${home}/printer`
      const token = `${home}/token`
      fs.writeFileSync(file, `#!/bin/sh\necho >> ${home}/runs\nread -r token < ${token}\necho "X-Token: $token"\n`, {
        mode: 0o755
      })
      fs.writeFileSync(token, "first\n")
      const settings = Settings.layerOf({
        home,
        daemonUrl: Option.some(new URL(`https://localhost:${(server.address() as AddressInfo).port}`)),
        daemonHeadersCommand: Option.some(Redacted.make([file] as const))
      })
      const client = yield* DaemonClient.pipe(
        Effect.provide(DaemonClient.layerNoDeps()),
        Effect.provide(Layer.mergeAll(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(settings)))
      )
      const send = client.send({ method: "GET", path: "/connections", headers: {}, body: undefined })
      const request = Effect.flatMap(send, readResponse)
      yield* request
      yield* request
      fs.writeFileSync(token, "second\n")
      accepted = "second"
      const soon = yield* Effect.flip(request)
      assert.include(soon.message, "Correct the header fields in CREDSVC_DAEMON_HEADERS")
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 })
      yield* request
      accepted = "third"
      vi.setSystemTime(Date.now() + 60_000)
      yield* Effect.flip(request)
      assert.deepStrictEqual(answered, [200, 200, 401, 401, 200, 401, 401])
      assert.lengthOf(fs.readFileSync(`${home}/runs`, "utf8"), 3)
    }
  )
})
