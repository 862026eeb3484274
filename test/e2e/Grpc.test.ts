/** Tests an ordinary gRPC client under `credsvc run` as it is installed. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { type EchoServer, openEchoServer } from "../support/EchoServer.ts"
import { demoHost, openSandbox, repository } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const sandbox = shared(() => openSandbox())
let server: EchoServer

beforeAll(async () => {
  const authority = makeAuthority()
  server = await openEchoServer(authority.issue([demoHost]), `Bearer ${sandbox.key}`)
  const ca = path.join(sandbox.directory, "grpc-ca.pem")
  fs.writeFileSync(ca, authority.caPem)
  const upstream = { extra_ca_certs: [ca], resolve: { [`${demoHost}:443`]: `127.0.0.1:${server.port}` } }
  fs.writeFileSync(path.join(sandbox.home, "config.json"), JSON.stringify({ version: 1, upstream }), { mode: 0o600 })
})

afterAll(() => server.close())

describe("credsvc run", () => {
  it("forwards all kinds of gRPC calls to a provider, with the credential that the client lacks", async () => {
    const client = path.join(repository, "test", "support", "echoClient.ts")
    const ran = await sandbox.must(["run", "--", process.execPath, client, `${demoHost}:443`])
    const results = JSON.parse(ran.stdout)
    assert.deepInclude(results, {
      unary: "hello",
      large: 1024 * 1024,
      collect: "abc",
      count: { count: 1000, last: "999", code: 0, details: "OK" },
      chat: { count: 5, last: "message 4", code: 0, details: "OK" },
      fail: { count: 1, last: "before", code: 9, details: "so it was asked: 100 % ✓" },
      many: true
    })
    assert.deepInclude(results.deadline, { code: 4 })
    assert.deepInclude(results.cancel, { code: 1 })
    assert.notInclude(ran.stdout + ran.stderr, sandbox.key)
  })

  it("tells the client what to do if the provider has no connection", async () => {
    await sandbox.must(["logout", "demo"])
    const client = path.join(repository, "test", "support", "echoClient.ts")
    const ran = await sandbox.credsvc(["run", "--", process.execPath, client, `${demoHost}:443`])
    assert.deepInclude(JSON.parse(ran.stdout).unary, { code: 7 })
    assert.include(JSON.parse(ran.stdout).unary.details, "credsvc login demo")
  })
})
