/** Open streams of commands at one daemon, when another daemon of the same database takes their credentials away. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { killDaemon } from "../support/Processes.ts"
import { cleanEnvironment, demoDefinition, demoHost, programIn } from "../support/Sandbox.ts"
import { openSite, type Site, writeConfig } from "../support/TestSites.ts"
import { databaseUrlOf } from "../support/TestStore.ts"

const key = "sk-demo-streammark0123456789"

describe("A stream of a command at one of two daemons", () => {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-streams-")))
  const homes = ["one", "other"].map((name) => path.join(directory, name))
  const shared = {
    CREDSVC_DATABASE_URL: databaseUrlOf(directory),
    CREDSVC_MASTER_KEY: crypto.randomBytes(32).toString("base64")
  }
  const environments = homes.map((home) => {
    const { CREDSVC_MASTER_KEY_MODE: _, ...environment } = cleanEnvironment(home)
    return { ...environment, ...shared }
  })
  const [one, other] = [programIn(directory, environments[0]!), programIn(directory, environments[1]!)]
  let site: Site
  const running: Array<ChildProcess> = []

  const logIn = (connection: string) =>
    one.must(["login", "demo", "--connection", connection, "--stdin"], { input: key })

  /** A command that reads a stream of events as a profile, and returns how curl has ended once the first event has arrived. */
  const stream = async (profile: string | undefined, connection: string) => {
    const env = profile === undefined ? {} : { CREDSVC_PROFILE: profile }
    const url = `https://${demoHost}/events`
    const child = one.start(["run", "--connection", `demo=${connection}`, "--", "curl", "-sSN", url], { env })
    running.push(child)
    let output = ""
    const ended = new Promise<string>((resolve) => child.once("close", (code) => resolve(`${code} ${output}`)))
    const began = new Promise<void>((resolve) => {
      const look = (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes("data: 1")) resolve()
      }
      child.stdout?.on("data", look)
      child.stderr?.on("data", look)
    })
    const first = await Promise.race([began, ended])
    assert.isUndefined(first, "the command has ended")
    return { ended, isOpen: () => child.exitCode === null }
  }

  beforeAll(async () => {
    site = await openSite([demoHost], (request, response) => {
      if (request.headers.authorization !== `Bearer ${key}`) response.writeHead(401).end()
      else response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n")
    })
    for (const home of homes) writeConfig(home, [site])
    for (const { must } of [one, other]) await must(["daemon", "start", "--port", "0"])
    fs.writeFileSync(path.join(directory, "demo.json"), JSON.stringify(demoDefinition))
    await one.must(["register", "demo.json", "--yes"])
    await one.must(["profile", "create", "team"])
  })

  afterAll(async () => {
    for (const child of running) child.kill("SIGKILL")
    for (const home of homes) await killDaemon(home)
    await site.close()
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })

  it("ends when the owner of its connection withdraws the grant at the other daemon", async () => {
    await logIn("shared")
    await one.must(["admin", "grant", "demo", "--connection", "shared", "--to", "team"])
    const [granted, own] = [await stream("team", "shared"), await stream(undefined, "shared")]
    await other.must(["admin", "withdraw", "demo", "--connection", "shared", "--from", "team"])
    // curl's exit code for a stream of HTTP/2 that was reset.
    assert.match(await granted.ended, /^92 data: 1/)
    assert.isTrue(own.isOpen(), "the stream of the owner continues")
  })

  it("ends when the provider is revoked at the other daemon", async () => {
    await logIn("revoked")
    const { ended } = await stream(undefined, "revoked")
    await other.must(["revoke", "demo", "--yes"])
    assert.match(await ended, /^92 data: 1/)
  })
})
