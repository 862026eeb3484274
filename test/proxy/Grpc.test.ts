/** gRPC with its official implementation for Node, each client in the environment of a child process. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { builtins } from "../../src/platform/builtins.ts"
import { CredentialRefusedError } from "../../src/proxy/routing/CredentialSource.ts"
import { openEchoServer } from "../support/EchoServer.ts"
import { programTimeout } from "../support/ProgramTimeout.ts"
import { type FakeDaemon, fakeDaemon, route, SECRET, startProxy, temporaryFile } from "../support/ProxyHarness.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const HOST = "grpc.example.com"
const authority = makeAuthority()
const client = path.join(import.meta.dirname, "..", "support", "echoClient.ts")

const runClient = (env: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      builtins.childProcess.execFile(
        process.execPath,
        [client, `${HOST}:443`],
        { env, timeout: programTimeout },
        (error, stdout, stderr) => error === null ? resolve(JSON.parse(stdout)) : reject(new Error(stderr + stdout))
      )
    })
  )

const setUp = (daemon: FakeDaemon = fakeDaemon([route(HOST, "example")])) =>
  Effect.gen(function*() {
    const { events, port } = yield* Effect.acquireRelease(
      Effect.promise(() => openEchoServer(authority.issue([HOST]), `Bearer ${SECRET}`)),
      ({ close }) => Effect.sync(close)
    )
    const ca = yield* temporaryFile("ca.pem", authority.caPem)
    const proxy = yield* startProxy({
      daemon,
      peer: "own",
      upstream: { extraCaCerts: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${port}` } }
    })
    const { variables } = yield* proxy.environment({ PATH: process.env["PATH"], HOME: "/nonexistent" })
    return { events, daemon, results: yield* runClient(variables) }
  })

describe("gRPC", () => {
  it.live("works for all four kinds of calls, with deadlines, cancellation and errors", () =>
    Effect.gen(function*() {
      const { daemon, events, results } = yield* setUp()
      assert.deepStrictEqual(results, {
        unary: "hello",
        large: 1024 * 1024,
        collect: "abc",
        count: { count: 1000, last: "999", code: 0, details: "OK" },
        chat: { count: 5, last: "message 4", code: 0, details: "OK" },
        fail: { count: 1, last: "before", code: 9, details: "so it was asked: 100 % ✓" },
        deadline: results["deadline"],
        cancel: { code: 1, details: "Cancelled on client" },
        many: true
      })
      assert.propertyVal(results["deadline"], "code", 4)
      assert.strictEqual(events.cancelled, 2)
      assert.isAbove(daemon.resolved.length, 8)
    }).pipe(Effect.scoped))

  it.live("shows a refusal as a gRPC status with the command to run", () =>
    Effect.gen(function*() {
      const { results } = yield* setUp(
        fakeDaemon([route(HOST, "example")], {
          resolve: () =>
            Effect.fail(new CredentialRefusedError({ error: "ConnectionNotFoundError", detail: "", status: 404 }))
        })
      )
      const details = "credsvc: no connection for example; run: credsvc login example"
      assert.deepStrictEqual(results["unary"], { code: 7, details })
      assert.deepStrictEqual(results["chat"], { count: 0, code: 7, details })
    }).pipe(Effect.scoped))
})
