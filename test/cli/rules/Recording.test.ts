import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { collect, demoHost, entry, inShell, openSandbox } from "../../support/Sandbox.ts"
import { shared } from "../../support/Shared.ts"
import { until } from "../../support/Until.ts"

const sandbox = shared(() => openSandbox())

describe("run --record", () => {
  let file: string
  beforeAll(() => void (file = path.join(sandbox.directory, "rules.json")))

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

  it("adds to an existing file as it was when the run began, even if the command has changed it", async () => {
    fs.writeFileSync(file, JSON.stringify({ allow: [`GET ${demoHost}/v1/**`], deny: [`${demoHost}/admin`] }))
    const same = await run(["--record", file], curl("/v1/whoami"))
    assert.include(same.stderr, "already cover all requests of the run")
    const change = `echo '{"allow":["${demoHost}"]}' > ${file}`
    assert.strictEqual((await run(["--record", file], `${curl("/v1/x", "-X", "POST")}; ${change}`)).code, 0)
    assert.deepStrictEqual(written(), {
      allow: [`GET ${demoHost}/v1/**`, `POST ${demoHost}/v1/x`],
      deny: [`${demoHost}/admin`]
    })
  })

  it("refuses files without rules and paths that it cannot write, and names them, before the command starts", async () => {
    const circle = path.join(sandbox.directory, "circle")
    fs.symlinkSync("circle", circle)
    const other = path.join(sandbox.directory, "other.json")
    fs.writeFileSync(other, "{\"name\": \"package\"}")
    const { mode } = fs.statSync(file)
    const missing = path.join(sandbox.directory, "missing", "rules.json")
    const targets = [other, missing, circle, path.join(file, "below"), sandbox.directory, "/proc/rules.json"]
    for (const target of targets) {
      const { code, stderr, stdout } = await run(["--record", target], "echo started")
      assert.deepStrictEqual([code, stdout], [2, ""], `${target}: ${stderr}`)
      assert.match(stderr, /^error: --record: /m)
      assert.include(stderr, target)
    }
    assert.strictEqual(fs.readFileSync(other, "utf8"), "{\"name\": \"package\"}")
    assert.strictEqual(fs.statSync(file).mode, mode)
    assert.deepStrictEqual(leftOver(), [])
  })

  it("keeps a file that the command has created at the path, and writes the rules to a file beside this one", async () => {
    const target = path.join(sandbox.directory, "made.json")
    const script = `${curl("/v1/whoami")}; echo made >${target}`
    for (const written of [`${target}.2`, `${target}.3`]) {
      fs.rmSync(target, { force: true })
      const { stderr } = await run(["--record", target], script)
      assert.include(stderr, `${target} was created during the run and is not replaced`)
      assert.include(stderr, `Wrote 1 rule to ${written}.`)
      assert.strictEqual(fs.readFileSync(target, "utf8"), "made\n")
      assert.deepStrictEqual(JSON.parse(fs.readFileSync(written, "utf8")), { allow: [`GET ${demoHost}/v1/whoami`] })
    }
    assert.deepStrictEqual(leftOver(), [])
  })

  it("writes nothing if the run needed no credential, because a file without rules would allow everything", async () => {
    const target = path.join(sandbox.directory, "none.json")
    const { stderr } = await run(["--record", target], "true")
    assert.include(stderr, "Nothing was written")
    assert.isFalse(fs.existsSync(target))
  })

  it("writes the rules even after a signal", async () => {
    const target = path.join(sandbox.directory, "signal.json")
    const child = sandbox.spawn(inShell(
      `${curl("/v1/whoami")}; echo ready; exec sleep 600`,
      "--record",
      target
    ))
    const ended = new Promise((resolve) => child.on("close", resolve))
    await new Promise<void>((resolve) =>
      child.stdout!.on("data", (chunk) => String(chunk).includes("ready") ? resolve() : undefined)
    )
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 143)
    assert.deepStrictEqual(JSON.parse(fs.readFileSync(target, "utf8")), { allow: [`GET ${demoHost}/v1/whoami`] })
  })
})

describe("run --rules", () => {
  const request = `curl -sS -o /dev/null -w '%{http_code}' https://${demoHost}/v1/whoami`
  const credsvc = `${process.execPath} ${entry}`
  const rules = JSON.stringify({ allow: [`POST ${demoHost}/v1/whoami`] })

  it("reads files of up to 256 KiB, even in a run inside another run", async () => {
    const file = path.join(sandbox.directory, "many.json")
    const many = Array.from({ length: 255 }, (_, at) => `GET ${demoHost}/${at}/${"x".repeat(980)}`)
    fs.writeFileSync(file, JSON.stringify({ allow: [...many, `GET ${demoHost}/v1/whoami`] }))
    assert.isAbove(fs.statSync(file).size, 240 * 1024)
    const inner = ["run", "--rules", file, "--", "sh", "-c", request]
    const script = `${credsvc} ${inner.slice(0, -1).join(" ")} "${request}"; ${request}`
    assert.strictEqual((await sandbox.credsvc(inner)).stdout, "200")
    const nested = await sandbox.credsvc(["run", "--rules", file, "--", "sh", "-c", script])
    assert.strictEqual(nested.stdout, "200200", nested.stderr)
  })

  it("reads pipes and stdin, up to 256 KiB", async () => {
    const shell = (script: string) =>
      collect(
        spawn("bash", ["-c", script], { cwd: sandbox.directory, env: sandbox.env, stdio: ["pipe", "pipe", "pipe"] })
      )
    const limited = `-- sh -c "${request}"`
    const scripts = [
      `${credsvc} run --rules <(sleep 0.2; echo '${rules}') ${limited}`,
      `echo '${rules}' | ${credsvc} run --rules /dev/stdin ${limited}`,
      `mkfifo fifo; (sleep 0.2; echo '${rules}' >fifo) & ${credsvc} run --rules fifo ${limited}; rm fifo`
    ]
    for (const script of scripts) assert.strictEqual((await shell(script)).stdout, "403", script)
    const endless = await shell(`${credsvc} run --rules <(yes) ${limited}`)
    assert.deepStrictEqual([endless.code, endless.stdout], [2, ""])
    assert.match(endless.stderr, /--rules: \/dev\/fd\/\d+ is larger than 256 KiB/)
    const socket = await sandbox.credsvc(["run", "--rules", "/dev/stdin", "--", "sh", "-c", request], { input: rules })
    assert.strictEqual(socket.stdout, "403", socket.stderr)
    const login = await shell(
      `${credsvc} login demo --connection piped --no-check --stdin < <(printf canary_of_a_pipe) && ` +
        `${credsvc} get demo --connection piped --field api_key --show-secret`
    )
    assert.strictEqual(login.stdout, "canary_of_a_pipe\n", login.stderr)
    const empty = await shell(`${credsvc} run --rules <(true) ${limited}`)
    assert.deepStrictEqual([empty.code, empty.stdout], [2, ""])
  })

  it.runIf(process.platform === "linux")("ends at a signal while a pipe has no writer", async () => {
    const pipe = path.join(sandbox.directory, "silent")
    execFileSync("mkfifo", [pipe])
    const child = sandbox.spawn(["run", "--rules", pipe, "--", "true"])
    const ended = new Promise((resolve) => child.on("close", resolve))
    const fds = `/proc/${child.pid}/fd`
    const links = () => execFileSync("sh", ["-c", `readlink ${fds}/*; true`], { encoding: "utf8" }).split("\n")
    await until(() => links().includes(pipe))
    child.kill("SIGINT")
    assert.strictEqual(await ended, 130)
  })
})
