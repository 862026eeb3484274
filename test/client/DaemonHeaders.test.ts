import { afterAll, assert, beforeAll, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import type * as Https from "node:https"
import type { AddressInfo } from "node:net"
import * as tls from "node:tls"
import { vi } from "vitest"
import { DaemonClient } from "../../src/client/DaemonClient.ts"
import { readResponse } from "../../src/client/Responses.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

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
      fs.writeFileSync(
        file,
        `#!/bin/sh\necho >> ${home}/runs\nsleep 0.2\nread -r token < ${token}\necho "X-Token: $token"\n`,
        {
          mode: 0o755
        }
      )
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
      yield* Effect.all([request, request], { concurrency: "unbounded" })
      accepted = "third"
      vi.setSystemTime(Date.now() + 60_000)
      yield* Effect.flip(request)
      assert.deepStrictEqual(answered, [200, 200, 401, 401, 401, 200, 200, 401, 401])
      assert.lengthOf(fs.readFileSync(`${home}/runs`, "utf8"), 3)
    }
  )
})
