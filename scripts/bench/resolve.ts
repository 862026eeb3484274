import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { openHostileAuthorizationServer, paths } from "../../test/support/HostileAuthorizationServer.ts"
import { writeConfig } from "../../test/support/TestSites.ts"
import { atLeast, inFull, median, ratiosOf, type Row, type Section } from "./lib/Section.ts"

const here = path.dirname(fileURLToPath(import.meta.url))
const workers = path.join(here, "lib", "resolve")
const program = path.join(here, "..", "..", "dist", "credsvc.js")
const host = "api.bench.test"
const connections = 16
const rounds = inFull(5, 1)
const pinned = os.availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0

const post = async (url: string, body: object): Promise<string> => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${text}`)
  return text
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bench-"))
  const home = path.join(directory, "home")
  const env = {
    PATH: process.env["PATH"],
    HOME: directory,
    CREDSVC_HOME: home,
    CREDSVC_MASTER_KEY_MODE: "local_key"
  }
  const children: Array<ChildProcess> = []
  /**
   * The servers share one core and the generator has the other, so that the benchmark compares the work of one core.
   */
  const start = (core: number, args: ReadonlyArray<string>): ChildProcess => {
    const command = pinned ? ["taskset", "-c", String(core)] : []
    const [file = "", ...rest] = command.concat(process.execPath, args)
    const child = spawn(file, rest, { env, stdio: ["ignore", "pipe", "pipe"] })
    children.push(child)
    return child
  }
  const output = (child: ChildProcess, enough: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = ""
      const read = (chunk: Buffer) => {
        text += chunk.toString()
        const found = enough.exec(text)?.[1]
        if (found !== undefined) resolve(found)
      }
      child.stdout?.on("data", read)
      child.stderr?.on("data", read)
      child.once("close", () => reject(new Error(`exited: ${text}`)))
    })
  const server = await openHostileAuthorizationServer({ host: "as.bench.test" })
  try {
    writeConfig(home, [server])
    fs.mkdirSync(path.join(home, "providers"), { mode: 0o700 })
    const definition = {
      name: "bench",
      auth_type: "oauth2",
      flow: "pkce",
      api_url: `https://${host}`,
      oauth: {
        authorization_url: server.issuer + paths.authorize,
        token_url: server.issuer + paths.token,
        client_id: "bench",
        client_authentication: "none"
      }
    }
    fs.writeFileSync(path.join(home, "providers", "bench.json"), JSON.stringify(definition), { mode: 0o600 })
    const port = await output(start(0, [program, "daemon", "serve", "--port", "0"]), /port=(\d+)/)
    const url = `http://127.0.0.1:${port}`
    const session = JSON.parse(await post(`${url}/auth/sessions`, { provider: "bench" }))
    await fetch(server.redirect(session.next_action.url))

    const { profile } = await fetch(`${url}/whoami`).then((response) => response.json()) as { readonly profile: string }
    const body = JSON.stringify({ host })
    const response = await post(`${url}/credentials/resolve`, { host })
    if (!response.includes("Bearer canary-at-1")) throw new Error(`resolve responded with ${response}`)
    const barePort = await output(start(0, [path.join(workers, "bare.ts"), response]), /^(\d+)\n/)

    const rates: Record<"credsvc" | "bare", Array<number>> = { credsvc: [], bare: [] }
    for (let round = 0; round < rounds; round++) {
      for (const [name, at] of [["credsvc", port], ["bare", barePort]] as const) {
        const generator = path.join(workers, "generator.ts")
        const load = [
          generator,
          at,
          "/credentials/resolve",
          body,
          profile,
          String(connections),
          String(inFull(700, 300)),
          String(inFull(2000, 500))
        ]
        rates[name].push(Number(await output(start(1, load), /^([\d.]+)\n/)))
      }
    }
    const [ours, theirs] = [median(rates.credsvc), median(rates.bare)]
    return [
      atLeast(
        "a valid OAuth token, against a bare node:http server",
        ratiosOf(rates.credsvc, rates.bare),
        0.4,
        `${ours.toFixed(0)} to ${theirs.toFixed(0)} requests/s`
      )
    ]
  } finally {
    for (const child of children) child.kill()
    await server.close()
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

export const section: Section = {
  title: "Resolving a credential",
  method:
    `POST /credentials/resolve over ${connections} keep-alive connections, one request at a time on each, for a connection ` +
    "whose token is valid for an hour. The bare server parses the same JSON body and responds with the same JSON. " +
    `The results are medians of ${rounds} interleaved rounds, with the server on one core and the load generator on the other.`,
  run
}
