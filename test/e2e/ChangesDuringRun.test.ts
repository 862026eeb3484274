import { assert, describe, it } from "@effect/vitest"
import { demoHost, entry, inShell, openSandbox } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"

const url = `https://${demoHost}/v1/whoami`
const credsvc = `${process.execPath} ${entry}`

describe("changes during a run", () => {
  const sandbox = shared(() => openSandbox())

  it("have no effect on the profile that the run uses", async () => {
    const child = await sandbox.credsvc(inShell(
      `curl -sS ${url} && ${credsvc} profile create other-profile-1 && ${credsvc} profile use other-profile-1 && ` +
        `echo another-key | ${credsvc} login demo --stdin && curl -sS ${url} && ${credsvc} whoami --json`
    ))
    assert.strictEqual(child.code, 0, child.stderr)
    assert.include(child.stdout, "\"profile\": \"other-profile-1\"")
    assert.deepStrictEqual(sandbox.api.received, [`Bearer ${sandbox.key}`, `Bearer ${sandbox.key}`])
  })
})
