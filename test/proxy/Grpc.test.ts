/** gRPC with its official implementation for Node, each client in the environment of a child process. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { openEchoServer } from "../support/EchoServer.ts"
import { live } from "../support/Fixture.ts"
import { runProgram } from "../support/Programs.ts"
import { authority, proxyTo } from "../support/ProxiedHost.ts"
import { fakeDaemon, noCredential, route, SECRET } from "../support/ProxyHarness.ts"

const HOST = "grpc.example.com"
const client = path.join(import.meta.dirname, "..", "support", "echoClient.ts")

const setUp = (daemon = fakeDaemon([route(HOST, "example")])) =>
  Effect.gen(function*() {
    const { events, port } = yield* Effect.acquireRelease(
      Effect.promise(() => openEchoServer(authority.issue([HOST]), `Bearer ${SECRET}`)),
      ({ close }) => Effect.sync(close)
    )
    const { proxy } = yield* proxyTo({ [HOST]: port }, { daemon, peer: "own" })
    const { variables } = yield* proxy.environment({ PATH: process.env["PATH"], HOME: "/nonexistent" })
    const ran = yield* runProgram(process.execPath, [client, `${HOST}:443`], variables)
    assert.strictEqual(ran.code, 0, ran.output)
    return { events, daemon, results: JSON.parse(ran.stdout) as Record<string, unknown> }
  })

describe("gRPC", () => {
  live("works for all four kinds of calls, with deadlines, cancellation and errors", function*() {
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
  })

  live("shows a refusal as a gRPC status with the command to run", function*() {
    const { results } = yield* setUp(fakeDaemon([route(HOST, "example")], { resolve: noCredential() }))
    const details = "credsvc: no connection for example; run: credsvc login example"
    assert.deepStrictEqual(results["unary"], { code: 7, details })
    assert.deepStrictEqual(results["chat"], { count: 0, code: 7, details })
  })
})
