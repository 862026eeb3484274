/** An SDK or a command line of a provider, and a request that it can send. */
export interface VendorClient {
  /** The bundled provider whose placeholder it gets. */
  readonly provider: string
  /** The packages to install; the first one is the client. */
  readonly packages: readonly [string, ...ReadonlyArray<string>]
  /** Where the packages come from; npm if it is not set. */
  readonly registry?: "npm" | "debian" | "pypi"
  /** A program that sends a request. Its output and its failure do not matter. */
  readonly code?: string
  /** The language of `code`; JavaScript if it is not set. */
  readonly language?: "python" | "ruby"
  /** A program of the packages with its arguments, in place of `code`. */
  readonly argv?: readonly [string, ...ReadonlyArray<string>]
  /** The tenant address of the login. */
  readonly baseUrl?: string
  /** Hosts that the client requests, where the definition has a wildcard. */
  readonly hosts?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Why a client cannot work in a run. */
  readonly fails?: string
}

/** The JavaScript expression of an environment variable. */
export const env = (name: string): string => `process.env[${JSON.stringify(name)}]`

/** A module that starts an MCP server of the packages and calls a tool of it. */
export const toolCall = (
  [program, ...options]: readonly [string, ...ReadonlyArray<string>],
  name: string,
  parameters: Readonly<Record<string, unknown>> = {}
): string =>
  `import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
const server = spawn("node_modules/.bin/${program}", ${JSON.stringify(options)}, { stdio: ["pipe", "pipe", "inherit"] })
const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "credsvc", version: "0" } }
send({ id: 1, method: "initialize", params: client })
setTimeout(() => server.kill(), 40_000).unref()
for await (const line of createInterface({ input: server.stdout })) {
  if (!line.startsWith("{")) continue
  const { id } = JSON.parse(line)
  if (id === 1) {
    send({ method: "notifications/initialized" })
    send({ id: 2, method: "tools/call", params: ${JSON.stringify({ name, arguments: parameters })} })
  }
  if (id === 2) {
    console.error(line)
    server.kill()
  }
}`
