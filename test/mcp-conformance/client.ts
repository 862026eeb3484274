/**
 * credsvc as the client under test of the MCP conformance suite: `node client.ts <server-url>` logs in to the server and
 * sends it the requests of a session through `credsvc run`. A person's part is done here: to agree on a page, and to log
 * in again, once, when a request needs further scopes. Everything else is credsvc's.
 *
 * The suite gives the scenario in `MCP_CONFORMANCE_SCENARIO`, `Conformance.test.ts` the rest of the environment.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { collect, entry, type Outcome } from "../support/Sandbox.ts"
import type { Site } from "../support/TestSites.ts"
import { makeUserAgent, visit } from "../support/UserAgent.ts"

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""
const context = process.env["MCP_CONFORMANCE_CONTEXT"]

const exposed = await fetch(process.env["CREDSVC_CONFORMANCE_CONTROL"] ?? "", {
  method: "POST",
  body: JSON.stringify({ scenario, serverUrl: process.argv[2] })
})
const { site, url } = await exposed.json() as { readonly site: Site; readonly url: string }
const user = makeUserAgent([site])

const start = (args: ReadonlyArray<string>) =>
  spawn(process.execPath, [entry, ...args], { stdio: ["pipe", "pipe", "pipe"] })

const must = async (ended: Promise<Outcome>): Promise<Outcome> => {
  const outcome = await ended
  if (outcome.code !== 0) throw new Error(`ended with ${outcome.code}: ${outcome.stderr}`)
  return outcome
}

/** A client that exists already goes into a definition; without one, the address is all that a login needs. */
const cimd = scenario === "auth/basic-cimd" ? "https://conformance-test.local/client-metadata.json" : undefined
const register = async (): Promise<string> => {
  const name = new URL(url).hostname.replace(/\.test$/, "")
  const definition = {
    name,
    auth_type: "oauth2",
    flow: "dcr_pkce",
    api_url: new URL(url).origin,
    oauth: {
      resource: url,
      ...(cimd === undefined ? {} : { client_id: cimd }),
      ...(context === undefined ? {} : { client_authentication: "client_secret_basic" })
    }
  }
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-conformance-")), `${name}.json`)
  fs.writeFileSync(file, JSON.stringify(definition))
  try {
    await must(collect(start(["register", file, "--yes"])))
  } finally {
    fs.rmSync(path.dirname(file), { recursive: true })
  }
  return name
}

const login = async (provider: string, options: ReadonlyArray<string> = []): Promise<void> => {
  const client = context === undefined ? undefined : JSON.parse(context) as Readonly<Record<string, string>>
  const entered = client === undefined ? [] : ["--stdin"]
  const child = start(["login", provider, "--no-browser", ...entered, ...options])
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => {
    const before = said
    said += chunk.toString()
    const page = /https:\S+[?&]response_type=\S+(?=\s)/
    const address = page.exec(said)?.[0]
    if (address !== undefined && !page.test(before)) user.walk(address).then(visit).catch(() => child.kill())
  })
  const { client_id, client_secret } = client ?? {}
  await must(collect(child, client === undefined ? "" : JSON.stringify({ client_id, client_secret })))
}

const messages = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "credsvc", version: "1" } }
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list", params: {} },
  { id: 3, method: "tools/call", params: { name: "test-tool", arguments: {} } }
]

/** The heads of the answers to one session, one request after the other. */
const session = async (): Promise<string> => {
  const headers = ["content-type: application/json", "accept: application/json, text/event-stream"]
  const options = ["-sS", "-o", "/dev/null", "-D", "-", ...headers.flatMap((header) => ["-H", header])]
  const args = messages.flatMap((message, index) =>
    (index === 0 ? options : ["--next"].concat(options)).concat([
      "--data",
      JSON.stringify({ jsonrpc: "2.0", ...message }),
      url
    ])
  )
  return (await must(collect(start(["run", "--", "curl", ...args])))).stdout
}

const provider = cimd === undefined && context === undefined ? url : await register()
const confirmed = provider === url ? ["--yes"] : []
await login(provider, confirmed)
const scopes = /^www-authenticate:.*\bscope="([^"]+)"/im.exec(await session())?.[1]
if (scopes !== undefined) {
  await login(provider, [...confirmed, "--force", "--scopes", scopes.replaceAll(" ", ",")])
  const again = await session()
  if (/^HTTP\/\S+ 403/m.test(again)) throw new Error("the further scopes were of no use")
}
