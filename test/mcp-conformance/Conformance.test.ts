import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { builtins } from "../../src/platform/builtins.ts"
import { cleanEnvironment, collect, entry, type Outcome, repository } from "../support/Sandbox.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"
import { writeConfig } from "../support/TestSites.ts"
import { openTlsFront, type TlsFront } from "./TlsFront.ts"

const suite = path.join(repository, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")

const applicable = [
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported"
]

const sdk = "tests an MCP client, and credsvc is a server only"
const notApplicable: Readonly<Record<string, string>> = {
  "initialize": sdk,
  "tools_call": sdk,
  "elicitation-sep1034-client-defaults": sdk,
  "sse-retry": sdk,
  "auth/2025-03-26-oauth-endpoint-fallback":
    "guesses endpoints where a server has no metadata; the specification of 2026-07-28 has dropped that",
  "auth/client-credentials-jwt": "tests a client that is its own user; every login of credsvc is a person's",
  "auth/client-credentials-basic": "tests a client that is its own user; every login of credsvc is a person's",
  "auth/cross-app-access-complete-flow": "tests the exchange of an enterprise's ID token, which credsvc does not offer"
}

interface Check {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO"
  readonly description: string
}

const directory = suiteDirectory()
let front: TlsFront
let env: NodeJS.ProcessEnv
const control = builtins.http.createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { scenario, serverUrl } = JSON.parse(Buffer.concat(chunks).toString())
    const { caPem, hosts, port } = front
    response.end(JSON.stringify({ site: { caPem, hosts, port }, url: front.expose(scenario, serverUrl) }))
  })
})

const credsvc = (args: ReadonlyArray<string>): Promise<Outcome> =>
  collect(spawn(process.execPath, [entry, ...args], { env, cwd: directory }))

const conformance = (args: ReadonlyArray<string>): Promise<Outcome> =>
  collect(spawn(process.execPath, [suite, ...args], { env, cwd: directory }), "", 300_000)

/** Results lie in directories named after the scenario, its slash included, and the time. */
const resultOf = (scenario: string, file: string): string => {
  const parent = path.join(directory, "results", path.dirname(scenario))
  const name = fs.readdirSync(parent).find((entry) => new RegExp(`^${path.basename(scenario)}-\\d{4}-`).test(entry))
  return fs.readFileSync(path.join(parent, name ?? "", file), "utf8")
}

beforeAll(async () => {
  const home = path.join(directory, "home")
  front = await openTlsFront(applicable)
  writeConfig(home, [front])
  await new Promise<void>((resolve) => control.listen(0, "127.0.0.1", resolve))
  env = {
    ...cleanEnvironment(home),
    // What the suite starts: itself, and the client under test from its sources.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    CREDSVC_CONFORMANCE_CONTROL: `http://127.0.0.1:${(control.address() as AddressInfo).port}/`
  }
  const started = await credsvc(["daemon", "start", "--port", "0"])
  assert.strictEqual(started.code, 0, started.stderr)
  const client = `${process.execPath} ${path.join(import.meta.dirname, "client.ts")}`
  for (const name of ["auth", "backcompat", "draft"]) {
    await conformance(["client", "--command", client, "--suite", name, "-o", "results", "--timeout", "120000"])
  }
}, 600_000)

afterAll(async () => {
  await credsvc(["daemon", "stop"])
  await front.close()
  control.close()
})

describe("The MCP client conformance suite", () => {
  it("has only scenarios that are listed here as applicable or not applicable", async () => {
    const { stdout } = await conformance(["list"])
    const listed = stdout.slice(stdout.indexOf("Client scenarios")).matchAll(/^ +- (\S+) \[/gm)
    assert.sameMembers([...listed].map(([, name]) => name), [...applicable, ...Object.keys(notApplicable)])
  })

  for (const scenario of applicable) {
    it(`passes ${scenario}`, () => {
      const checks: ReadonlyArray<Check> = JSON.parse(resultOf(scenario, "checks.json"))
      const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
      assert.deepStrictEqual(bad, [], resultOf(scenario, "stderr.txt"))
      assert.isTrue(checks.some(({ status }) => status === "SUCCESS"))
    })
  }
})
