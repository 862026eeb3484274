import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { demoHost, entry, openSandbox } from "../support/Sandbox.ts"
import { shared } from "../support/Shared.ts"

const credsvc = `${process.execPath} ${entry}`

describe("a command in a run that requests the secret from the daemon", () => {
  const sandbox = shared(() => openSandbox())
  let daemon: string
  beforeAll(() => void (daemon = sandbox.daemonUrl()))

  const read = async (target: string): Promise<any> => (await fetch(daemon + target)).json()

  const refusedEvents = async (): Promise<ReadonlyArray<string>> =>
    (await read("/audit?limit=50")).entries
      .filter((entry: { status: string }) => entry.status === "denied")
      .map((entry: { event: string }) => entry.event)

  const inside = (script: string) => sandbox.credsvc(["run", "--", "sh", "-c", script])

  /** Runs the commands in one run, and checks that each of them was denied. Resolves to their output. */
  const denied = async (commands: ReadonlyArray<string>) => {
    const { stdout } = await inside(commands.join("\necho ----\n"))
    const outputs = stdout.replaceAll(" ", "").split("----\n")
    for (const [at, command] of commands.entries()) {
      assert.include(outputs[at], "\"error\":\"OperationNotAllowedError\"", command)
    }
    return stdout
  }

  const post = (path: string, body: unknown) =>
    `curl -sS --noproxy '*' -H 'content-type: application/json' -d '${JSON.stringify(body)}' ${daemon}${path}`

  it("is denied exports, reveals and resolved credentials with curl, and the audit log records each denial", async () => {
    const stdout = await denied([
      post("/credentials/export", { provider: "demo" }),
      post("/credentials/resolve", { host: demoHost }),
      `curl -sS --noproxy '*' '${daemon}/connections/demo/default?reveal=true'`
    ])
    assert.notInclude(stdout, sandbox.key)
    assert.deepStrictEqual((await refusedEvents()).slice(-3), ["export", "resolve", "get"])
  })

  it("is denied exports and reveals through the command line, even with a different environment", async () => {
    const scripts = ["export demo", "get demo --show-secret", "get demo --field api_key --show-secret"].map((args) =>
      `env -i PATH="$PATH" HOME="$HOME" CREDSVC_HOME="$CREDSVC_HOME" ${credsvc} ${args}; echo $?`
    )
    const { stderr, stdout } = await inside(scripts.join("\n"))
    assert.strictEqual(stdout, "4\n4\n4\n", stderr)
    assert.notInclude(stderr, sandbox.key)
  })

  it("is denied sandboxes, which could have more providers than the run", async () => {
    await sandbox.credsvc(["sandbox", "create", "outside", "--provider", "demo"])
    const token = JSON.parse((await sandbox.credsvc(["sandbox", "env", "outside", "--json"])).stdout).token
    const output = await denied([
      post("/sandboxes", { name: "inside", providers: ["demo"], expires_in: 3600 }),
      post("/sandboxes/outside/access", {}),
      post("/sandboxes/outside/rotate", {}),
      `curl -sS --noproxy '*' ${daemon}/proxy/sandboxes`,
      `${credsvc} --json sandbox env outside`,
      `${credsvc} --json proxy --sandbox outside`
    ])
    assert.notInclude(output, token)
    assert.includeMembers((await refusedEvents()).slice(-6), ["sandbox-create", "sandbox-access", "sandbox-rotate"])
    const { stdout } = await sandbox.credsvc(["sandbox", "env", "outside", "--json"])
    assert.strictEqual(JSON.parse(stdout).token, token)
    assert.lengthOf((await read("/sandboxes")).sandboxes, 1)
  })

  it("is denied changes of policies, because later runs could then do more, but may limit a run with a policy", async () => {
    const rule = `GET ${demoHost}/v1/whoami`
    await sandbox.credsvc(["policy", "set", "triage", "--allow", rule])
    const before = await read("/policies/triage")
    await denied([
      post("/policies/triage", { allow: [demoHost], deny: [], readonly: false }),
      post("/policies/other", { allow: [demoHost], deny: [], readonly: false }),
      `curl -sS --noproxy '*' -X DELETE ${daemon}/policies/triage`,
      `env -i PATH="$PATH" HOME="$HOME" CREDSVC_HOME="$CREDSVC_HOME" ${credsvc} --json policy set triage --read-only`,
      `${credsvc} --json policy remove triage --yes`
    ])
    assert.deepStrictEqual((await refusedEvents()).slice(-5), [
      "policy-set",
      "policy-set",
      "policy-remove",
      "policy-set",
      "policy-remove"
    ])
    assert.deepStrictEqual(await read("/policies/triage"), before)
    const ask = (path: string) => `curl -sS -o /dev/null -w '%{http_code} ' https://${demoHost}${path}`
    const nested = await inside(`${credsvc} run --policy triage -- sh -c "${ask("/v1/whoami")}; ${ask("/v1/models")}"`)
    assert.strictEqual(nested.stdout, "200 403 ", nested.stderr)
  })

  it("is denied a backup of the store, and a restore", async () => {
    const file = path.join(sandbox.directory, "from-inside.backup")
    await denied([post("/vault/backup", { file }), `${credsvc} --json admin backup ${file}`])
    assert.isFalse(fs.existsSync(file))
    assert.deepStrictEqual((await refusedEvents()).slice(-2), ["store-backup", "store-backup"])
    assert.include((await inside(`${credsvc} --json admin restore ${file}`)).stdout, "from inside a run")
  })

  it("is denied a rotation of the vault's keys, but may see which keys are in use", async () => {
    await denied([post("/vault/rotate", {}), `${credsvc} --json vault rotate`])
    assert.deepStrictEqual((await refusedEvents()).slice(-2), ["vault-rotate", "vault-rotate"])
    assert.strictEqual(JSON.parse((await inside(`${credsvc} vault status --json`)).stdout).generation, 1)
  })

  it("may still read public data and call the API, even from an inner run", async () => {
    const nested = await inside(`${credsvc} list --json && ${credsvc} run -- curl -sS https://${demoHost}/v1/whoami`)
    assert.include(nested.stdout, "\"hello\":\"Ada\"", nested.stderr)
  })
})
