/** Verification of an exported log without the daemon and the vault. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { demoHost, openSandbox, type Sandbox } from "../support/Sandbox.ts"

describe("log --verify --file", () => {
  let sandbox: Sandbox
  let file: string
  beforeAll(async () => {
    sandbox = await openSandbox()
    file = path.join(sandbox.directory, "log.jsonl")
  })
  afterAll(() => sandbox.close())

  const verify = (...args: ReadonlyArray<string>) =>
    sandbox.credsvc(["log", "--verify", ...args], { env: { CREDSVC_HOME: path.join(sandbox.directory, "elsewhere") } })

  it("verifies an export by the public key in every form, and starts no daemon", async () => {
    await sandbox.credsvc(["run", "--", "curl", "-sS", `https://${demoHost}/v1/whoami`])
    const { code, stdout } = await sandbox.credsvc(["log", "--export-chain"])
    assert.strictEqual(code, 0)
    fs.writeFileSync(file, stdout)
    const [first] = stdout.split("\n", 1)
    const { public_key: publicKey } = JSON.parse(first!).keys[0]
    const jwk = { kty: "OKP", crv: "Ed25519", x: publicKey }
    const pem = crypto.createPublicKey({ key: jwk, format: "jwk" }).export({ format: "pem", type: "spki" })
    fs.writeFileSync(path.join(sandbox.directory, "key.jwk"), JSON.stringify(jwk))
    fs.writeFileSync(path.join(sandbox.directory, "key.pem"), pem)
    for (const key of [publicKey, path.join(sandbox.directory, "key.jwk"), path.join(sandbox.directory, "key.pem")]) {
      const result = await verify("--file", file, "--public-key", key)
      assert.strictEqual(result.code, 0, result.stderr)
      assert.match(
        result.stdout,
        /^The chain of \d+ entries is intact; .* The chain of 1 batch of requests is intact\.\n$/
      )
    }
    const json = await verify("--file", file, "--public-key", publicKey, "--json")
    assert.deepInclude(JSON.parse(json.stdout), { ok: true, request_batches: 1, problem: null })
    assert.isFalse(fs.existsSync(path.join(sandbox.directory, "elsewhere", "server")))
  })

  it("fails on an altered export, and on options that do not belong together", async () => {
    const text = fs.readFileSync(file, "utf8")
    const { public_key: publicKey } = JSON.parse(text.split("\n", 1)[0]!).keys[0]
    fs.writeFileSync(file, text.replace("\"status\":\"ok\"", "\"status\":\"denied\""))
    const altered = await verify("--file", file, "--public-key", publicKey)
    assert.strictEqual(altered.code, 1)
    assert.match(altered.stdout, /^Line \d+: entry \d+ of the audit log/)
    for (
      const args of [
        ["--file", file],
        ["--public-key", publicKey],
        ["--file", file, "--public-key", file],
        ["--file", `${file}.missing`, "--public-key", publicKey],
        ["--export-chain"]
      ]
    ) {
      const { code, stderr } = await verify(...args)
      assert.strictEqual(code, 2, args.join(" "))
      assert.match(stderr, /--(?:file|public-key|verify)/)
    }
  })
})
