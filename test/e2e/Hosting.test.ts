/** The files and the commands of docs/hosting.md. test/e2e/Nginx.test.ts runs its configuration of nginx. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { entry, openSandbox, repository, type Sandbox } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const read = (...names: ReadonlyArray<string>): string =>
  fs.readFileSync(path.join(repository, "docs", ...names), "utf8")

/** The commands after a mark of the document. */
const commandsOf = (mark: string): string => {
  const [, commands] = new RegExp(`<!-- test: ${mark} -->\n\`\`\`sh\n([\\s\\S]*?)\`\`\``).exec(read("hosting.md")) ?? []
  return commands ?? assert.fail(`docs/hosting.md has no commands for ${mark}`)
}

const canAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0
if (!canAnalyze) console.warn("SKIPPED: the check of the unit needs systemd-analyze")

describe("The hosting guide", () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await openSandbox()
  })
  afterAll(() => sandbox.close())

  const port = (): number => JSON.parse(fs.readFileSync(path.join(sandbox.home, "server", "daemon.json"), "utf8")).port

  /** Runs commands of the document on the home of this test, whose daemon `systemctl` stops and starts. */
  const run = (mark: string) => {
    const bin = path.join(sandbox.directory, "bin")
    fs.mkdirSync(bin, { recursive: true })
    const credsvc = `"${process.execPath}" "${entry}" daemon`
    fs.writeFileSync(
      path.join(bin, "systemctl"),
      `#!/bin/sh\ncase "$*" in\nstop\\ credsvc) ${credsvc} stop --quiet ;;\nstart\\ credsvc) ${credsvc} start --port 0 --quiet ;;\n*) exit 1 ;;\nesac\n`,
      { mode: 0o755 }
    )
    const commands = commandsOf(mark).replaceAll("/var/lib/credsvc", sandbox.home).replaceAll("7998", String(port()))
    return spawnSync("sh", ["-eu", "-c", commands], {
      cwd: sandbox.directory,
      encoding: "utf8",
      env: { ...sandbox.env, PATH: `${bin}:${process.env["PATH"]}` }
    })
  }

  it("makes a backup, and restores it over a home that has changed", async () => {
    const backup = run("backup")
    assert.strictEqual(backup.status, 0, backup.stderr)
    const { code } = await sandbox.credsvc(["logout", "demo"])
    assert.strictEqual(code, 0)
    const restore = run("restore")
    assert.strictEqual(restore.status, 0, restore.stderr)
    const exported = await sandbox.credsvc(["export", "demo"])
    assert.include(exported.stdout, sandbox.key, exported.stderr)
    assert.strictEqual((await sandbox.credsvc(["log", "--verify"])).code, 0)
  })

  it("monitors the daemon", () => {
    const monitoring = run("monitoring")
    assert.strictEqual(monitoring.status, 0, monitoring.stderr)
    assert.include(monitoring.stdout, "\"status\":\"ok\"")
    assert.include(monitoring.stdout, "credsvc_build_info")
  })

  it("starts the daemon with valid options, in the unit and in the container", async () => {
    const [, ofUnit = ""] = /^ExecStart=\/usr\/bin\/credsvc (.*)$/m.exec(read("hosting", "credsvc.service")) ?? []
    const [, ofContainer = "[]"] = /^CMD (\[.*\])$/m.exec(read("hosting", "Containerfile")) ?? []
    for (const args of [ofUnit.split(" "), JSON.parse(ofContainer) as ReadonlyArray<string>]) {
      assert.includeMembers([...args], ["daemon", "serve", "--front-socket"])
      const home = path.join(sandbox.directory, "other-home")
      const { code, stderr } = await sandbox.credsvc([...args, "--port", "0"], { env: { CREDSVC_HOME: home } })
      assert.strictEqual(code, 9, stderr)
      assert.include(stderr, "CREDSVC_SERVER_BASE_URL, the address of the server in front of it, is not set")
    }
    const [, health = "[]"] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read("hosting", "Containerfile")) ?? []
    const [program, ...check] = JSON.parse(health) as ReadonlyArray<string>
    assert.strictEqual(program, "credsvc")
    assert.strictEqual((await sandbox.credsvc(check)).code, 0)
    const stopped = await sandbox.credsvc(check, { env: { CREDSVC_HOME: path.join(sandbox.directory, "other-home") } })
    assert.strictEqual(stopped.code, 9)
  })

  it("gives kubectl files that exist, and commands that the daemon accepts", async () => {
    const bin = path.join(sandbox.directory, "bin")
    fs.mkdirSync(bin, { recursive: true })
    fs.writeFileSync(
      path.join(bin, "kubectl"),
      `#!/bin/sh
for word in "$@"; do
  case "$word" in --from-file=*|--cert=*|--key=*) test -s "\${word#*=}" ;; *.yaml) test -s "$word" ;; esac || exit 1
done
[ "$1" != exec ] || { shift 4; exec "${process.execPath}" "${entry}" "$@"; }
`,
      { mode: 0o755 }
    )
    const { cert, key } = makeAuthority().issue(["credsvc.example.com"])
    const manifests = read("hosting", "kubernetes.yaml")
    const given = {
      "fullchain.pem": cert,
      "privkey.pem": key,
      "database-url": "postgres:///x",
      "kubernetes.yaml": manifests
    }
    for (const [name, text] of Object.entries(given)) fs.writeFileSync(path.join(sandbox.directory, name), text)
    assert.strictEqual((await sandbox.credsvc(["profile", "create", "team"])).code, 0)
    const { status, stderr, stdout } = run("kubernetes")
    assert.strictEqual(status, 0, stderr)
    assert.match(stdout, /^[0-9a-z]+(?:-[0-9a-z]+){3}$/m)
  })

  it.skipIf(!canAnalyze)("has a unit that systemd accepts and finds well protected", () => {
    const file = path.join(sandbox.directory, "credsvc.service")
    fs.writeFileSync(file, read("hosting", "credsvc.service").replaceAll("/usr/bin/credsvc", "/bin/true"))
    for (
      const args of [["verify", "--man=no", file], ["security", "--offline=true", "--threshold=30", "--no-pager", file]]
    ) {
      const { status, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" })
      assert.strictEqual(status, 0, stderr)
    }
  })
})
