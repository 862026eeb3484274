import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { demoDefinition, entry, openSandbox } from "../../../support/Sandbox.ts"
import { shared } from "../../../support/Shared.ts"
import { onTerminal } from "../../../support/Terminal.ts"

const sandbox = shared(() => openSandbox({ connect: false }))
beforeAll(async () => {
  fs.writeFileSync(
    path.join(sandbox.directory, "demo.json"),
    JSON.stringify({ ...demoDefinition, test_request: { path: "/me" } })
  )
  await sandbox.must(["register", "demo.json", "--yes", "--force"])
})

const login = async (key: string, ...args: ReadonlyArray<string>) =>
  sandbox.credsvc(["login", "demo", "--force", "--stdin", ...args], { input: key })

const record = async () => JSON.parse((await sandbox.credsvc(["get", "demo", "--json"])).stdout)

describe("login --check", () => {
  it("exits 5 when the provider rejects the new key, keeps the login, and says how to restore the old key", async () => {
    const { code, stderr, stdout } = await login("another-key", "--check", "--json")
    assert.strictEqual(code, 5)
    assert.match(stderr, /warning: Demo API refused the credential \(401\)[^]*To use an earlier credential, log in/)
    assert.deepInclude(JSON.parse(stdout), { provider: "demo", status: "invalid" })
  })

  it("replaces a refused credential on a terminal without confirmation", async () => {
    const command = `${process.execPath} ${entry} login demo --no-browser`
    const terminal = onTerminal({
      directory: sandbox.directory,
      env: sandbox.env as Record<string, string>,
      track: () => {}
    }, command)
    await terminal.reply(/: $/, `${sandbox.key}\r`)
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    assert.notInclude(shown, "Replace it?")
    assert.strictEqual((await record()).status, "connected")
  })

  it("reports that the provider accepts the new key", async () => {
    const { code, stderr } = await login(sandbox.key, "--check")
    assert.strictEqual(code, 0)
    assert.include(stderr, "Demo API accepts the credential.")
    assert.strictEqual((await record()).status, "connected")
  })
})

describe("login without --check", () => {
  it("sends no test request without a terminal", async () => {
    const before = sandbox.api.received.length
    assert.strictEqual((await login("another-key")).code, 0)
    assert.lengthOf(sandbox.api.received, before)
    await sandbox.credsvc(["logout", "demo"])
  })
})

describe("doctor --probe", () => {
  it("reports that there is nothing to check", async () => {
    const { stderr, stdout } = await sandbox.must(["doctor", "--probe"])
    assert.include(stderr, "No connections to check.")
    assert.match(stdout, /integrity +ok +Integrity verified: \d+ audit entr/)
  })

  it("compares the whole audit log with its copy", async () => {
    const copy = path.join(sandbox.home, "server", "logs", "credsvc.log")
    const before = fs.readFileSync(copy, "utf8")
    fs.writeFileSync(copy, before.replace("\"status\":\"ok\"", "\"status\":\"no\""))
    const { code, stdout } = await sandbox.credsvc(["doctor", "--json"])
    fs.writeFileSync(copy, before)
    assert.strictEqual(code, 0)
    const { checks, status } = JSON.parse(stdout)
    assert.strictEqual(status, "degraded")
    assert.strictEqual(checks.integrity.status, "warning")
    assert.match(checks.integrity.message, /The copy of the audit log, .* differs from the store: line 1 /)
  })

  it("reports a key that works, and exits 0", async () => {
    await login(sandbox.key)
    const before = sandbox.api.received.length
    const { stdout } = await sandbox.must(["doctor", "--probe"])
    assert.match(stdout, /^demo\/default +works +Demo API accepts the credential\.$/m)
    assert.deepStrictEqual(sandbox.api.received.slice(before), [`Bearer ${sandbox.key}`])
  })

  it("reports a key that the provider rejects, marks it, and exits 1", async () => {
    await login("another-key")
    const { code, stdout } = await sandbox.credsvc(["doctor", "--probe", "--json"])
    assert.strictEqual(code, 1)
    const { checks, probes, status } = JSON.parse(stdout)
    assert.strictEqual(status, "degraded")
    assert.strictEqual(checks.connections.status, "warning")
    const { checked_at: checkedAt, message, ...probe } = probes[0]
    assert.match(checkedAt, /^\d{4}-/)
    assert.lengthOf(probes, 1)
    assert.deepStrictEqual(probe, {
      provider: "demo",
      connection: "default",
      outcome: "refused",
      http_status: 401
    })
    assert.include(message, "credsvc login demo --force")
    const marked = await record()
    assert.strictEqual(marked.status, "invalid")
    assert.include(marked.last_refresh_error, `401 to this credential at ${marked.refused_at}`)
    const listed = (await sandbox.credsvc(["list"])).stdout
    assert.match(listed, /^PROVIDER +CONNECTION +STATUS +REFUSED +FLOW/m)
    assert.match(listed, /^demo +default \* +invalid +\d{4}-\d\d-\d\dT/m)
    assert.notInclude(stdout, "another-key")
  })

  it("cannot be combined with --trust", async () => {
    const { code, stderr } = await sandbox.credsvc(["doctor", "--probe", "--trust"])
    assert.strictEqual(code, 2)
    assert.include(stderr, "--probe: cannot be combined with --trust")
  })
})
