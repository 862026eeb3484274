import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { demoHost, openSandbox, type Sandbox } from "../support/Sandbox.ts"

describe("run --record", () => {
  let sandbox: Sandbox
  let file: string
  beforeAll(async () => {
    sandbox = await openSandbox()
    file = path.join(sandbox.directory, "rules.json")
  })
  afterAll(() => sandbox.close())

  const curl = (target: string, ...options: ReadonlyArray<string>) =>
    `curl -sS -o /dev/null -w '%{http_code} ' ${options.join(" ")} 'https://${demoHost}${target}'`

  const run = (options: ReadonlyArray<string>, script: string) =>
    sandbox.credsvc(["run", ...options, "--", "sh", "-c", script])

  const written = () => JSON.parse(fs.readFileSync(file, "utf8"))
  const leftOver = () => fs.readdirSync(sandbox.directory).filter((name) => name.endsWith(".tmp"))

  it("writes rules that allow the same requests and no others, without queries and secrets", async () => {
    const script = `${curl("/v1/whoami?token=of-a-query")}; ${curl("/v1/files/42", "-X", "DELETE")}`
    const first = await run(["--record", file], script)
    assert.include(first.stderr, `Wrote 2 rules to ${file}`)
    assert.deepStrictEqual(written(), {
      allow: [`DELETE ${demoHost}/v1/files/*`, `GET ${demoHost}/v1/whoami`]
    })
    const text = fs.readFileSync(file, "utf8")
    for (const secret of [sandbox.key, "of-a-query"]) assert.notInclude(text, secret)
    assert.strictEqual(fs.statSync(file).mode & 0o111, 0)
    assert.strictEqual((await run(["--rules", file], script)).stdout, first.stdout)
    const others = `${curl("/v1/whoami", "-X", "POST")}; ${curl("/v1/files/42")}; ${curl("/v1/files")}`
    assert.strictEqual((await run(["--rules", file], others)).stdout, "403 403 403 ")
    assert.deepStrictEqual(leftOver(), [])
  })

  it("adds to an existing file, and to what the file was before a command has changed it", async () => {
    fs.writeFileSync(file, JSON.stringify({ allow: [`GET ${demoHost}/v1/**`], deny: [`${demoHost}/admin`] }))
    const same = await run(["--record", file], curl("/v1/whoami"))
    assert.include(same.stderr, "The run needed no other rules")
    const change = `echo '{"allow":["${demoHost}"]}' > ${file}`
    assert.strictEqual((await run(["--record", file], `${curl("/v1/x", "-X", "POST")}; ${change}`)).code, 0)
    assert.deepStrictEqual(written(), {
      allow: [`GET ${demoHost}/v1/**`, `POST ${demoHost}/v1/x`],
      deny: [`${demoHost}/admin`]
    })
  })

  it("refuses a file of another kind and a missing directory, before the command starts", async () => {
    const other = path.join(sandbox.directory, "other.json")
    fs.writeFileSync(other, "{\"name\": \"package\"}")
    for (const target of [other, path.join(sandbox.directory, "missing", "rules.json")]) {
      const { code, stderr, stdout } = await run(["--record", target], "echo started")
      assert.strictEqual(code, 2, stderr)
      assert.include(stderr, "--record")
      assert.strictEqual(stdout, "")
    }
    assert.strictEqual(fs.readFileSync(other, "utf8"), "{\"name\": \"package\"}")
  })

  it("writes nothing if the run needed no credential, because a file without rules would allow everything", async () => {
    const target = path.join(sandbox.directory, "none.json")
    const { stderr } = await run(["--record", target], "true")
    assert.include(stderr, "Nothing was written")
    assert.isFalse(fs.existsSync(target))
  })

  it("writes the rules after a signal, too", async () => {
    const target = path.join(sandbox.directory, "signal.json")
    const child = sandbox.spawn([
      "run",
      "--record",
      target,
      "--",
      "sh",
      "-c",
      `${curl("/v1/whoami")}; echo ready; exec sleep 600`
    ])
    const ended = new Promise((resolve) => child.on("close", resolve))
    await new Promise<void>((resolve) =>
      child.stdout!.on("data", (chunk) => String(chunk).includes("ready") ? resolve() : undefined)
    )
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 143)
    assert.deepStrictEqual(JSON.parse(fs.readFileSync(target, "utf8")), { allow: [`GET ${demoHost}/v1/whoami`] })
  })
})
