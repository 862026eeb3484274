/** The commands of docs/postgresql.md that make and restore a backup. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { programsDirectory } from "../support/postgres/Installation.ts"
import { cleanEnvironment, entry, programIn, repository } from "../support/Sandbox.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"

const commandsOf = (mark: string): string => {
  const text = fs.readFileSync(path.join(repository, "docs", "postgresql.md"), "utf8")
  const [, commands] = new RegExp(`<!-- test: ${mark} -->\n\`\`\`sh\n([\\s\\S]*?)\`\`\``).exec(text) ?? []
  return commands ?? assert.fail(`docs/postgresql.md has no commands for ${mark}`)
}

describe("A backup of PostgreSQL", () => {
  const directory = suiteDirectory()
  const home = path.join(directory, "home")
  const bin = path.join(directory, "bin")
  const database = `backup_${process.pid}`
  const connection = `host=${process.env["CREDSVC_TEST_POSTGRES_SOCKET"]}&user=credsvc`
  const env = {
    ...cleanEnvironment(home),
    PATH: `${bin}:${programsDirectory()}:${process.env["PATH"]}`,
    CREDSVC_DATABASE_URL: `postgres:///${database}?${connection}`
  }
  const { credsvc, must } = programIn(directory, env)

  const psql = (statement: string) => {
    const { status, stderr } = spawnSync("psql", [`postgres:///postgres?${connection}`, "-c", statement], {
      env,
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
  }

  const run = (mark: string) => {
    const { status, stderr, stdout } = spawnSync("sh", ["-eu", "-c", commandsOf(mark)], {
      cwd: directory,
      env,
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stdout + stderr)
  }

  const logIn = (name: string) =>
    must(["login", "openai", "--connection", name, "--stdin"], { input: `sk-proj-${name}0123456789abcdefghij` })

  beforeAll(async () => {
    fs.mkdirSync(home, { mode: 0o700 })
    fs.mkdirSync(bin)
    // The tests use no fixed port.
    fs.writeFileSync(
      path.join(bin, "credsvc"),
      `#!/bin/sh\n[ "$*" != "daemon start" ] || set -- daemon start --port 0\nexec "${process.execPath}" "${entry}" "$@"\n`,
      { mode: 0o755 }
    )
    psql(`CREATE DATABASE ${database}`)
    await must(["daemon", "start", "--port", "0"])
  })
  afterAll(async () => {
    await credsvc(["daemon", "stop"])
    psql(`DROP DATABASE ${database} WITH (FORCE)`)
  })

  it("belongs to one vault: a daemon with another key reports the wrong key as the only problem", async () => {
    const other = programIn(directory, { ...env, CREDSVC_HOME: path.join(directory, "other") })
    await other.must(["daemon", "start", "--port", "0"])
    const { stderr, stdout } = await other.credsvc(["doctor"])
    await other.must(["daemon", "stop"])
    assert.match(stdout, /^providers +failed +Same cause as identity\.$/m)
    assert.notInclude(stderr, "delete the file")
  })

  it("is restored over a newer state with the documented commands", async () => {
    await logIn("before")
    run("backup")
    await logIn("after")
    run("restore")
    const doctor = JSON.parse((await credsvc(["doctor", "--json"])).stdout)
    assert.notInclude(JSON.stringify(doctor), "differs from the store")
    const { stdout } = await must(["list", "--json"])
    assert.include(stdout, "before")
    assert.notInclude(stdout, "after")
    assert.strictEqual((await must(["log", "verify"])).code, 0)
    await logIn("later")
  })
})
