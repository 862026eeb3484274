import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { installedDirectory } from "../clients/ClientSuite.ts"
import { demoHost, filesHolding, openSandbox, repository } from "../support/Sandbox.ts"

const oldest = path.join(installedDirectory(), "node_modules", "node22", "bin", "node")

describe.skipIf(!fs.existsSync(oldest))("the built program on the oldest supported version of Node", () => {
  it("is tested with the version that the package requires", () => {
    const { engines } = JSON.parse(fs.readFileSync(path.join(repository, "package.json"), "utf8"))
    const version = execFileSync(oldest, ["--version"], { encoding: "utf8" })
    assert.isTrue(version.startsWith(`v${engines.node.replace(">=", "")}.`), version)
  })

  it("stores a key and uses it in a run without warnings about Node", async () => {
    const sandbox = await openSandbox({ node: oldest })
    onTestFinished(() => sandbox.close())
    const child = await sandbox.credsvc(["run", "--", "curl", "-sS", `https://${demoHost}/v1/whoami`])
    assert.include(child.stdout, "\"hello\":\"Ada\"", child.stderr)
    assert.strictEqual(child.stderr, "")
    assert.strictEqual(sandbox.api.received.at(-1), `Bearer ${sandbox.key}`)
    for (const args of [["doctor"], ["log", "verify"], ["daemon", "start"], ["daemon", "restart"], ["list"]]) {
      const { stderr } = await sandbox.must(args)
      assert.notMatch(stderr, /Warning|node:/, args.join(" "))
    }
    assert.deepStrictEqual(filesHolding(sandbox.home, "ExperimentalWarning"), [])
  })
})
