import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { openHostileAuthorizationServer, paths } from "../../test/support/HostileAuthorizationServer.ts"
import { startCluster } from "../../test/support/postgres/Cluster.ts"
import { programsDirectory } from "../../test/support/postgres/Installation.ts"
import { writeConfig } from "../../test/support/TestSites.ts"
import { atLeast, informative, inFull, median, ratiosOf, type Row, type Section } from "./lib/Section.ts"

const here = path.dirname(fileURLToPath(import.meta.url))
const workers = path.join(here, "lib", "resolve")
const program = path.join(here, "..", "..", "dist", "credsvc.js")
const host = "api.bench.test"
const connections = 16
const rounds = inFull(5, 1)
/** A daemon enables V8's optimizing compilers after four busy seconds, and is as fast as it gets after twenty. */
const heating = inFull(20_000, 6000)
const pinned = os.availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0

const post = async (url: string, body: object): Promise<string> => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${text}`)
  return text
}

type Server = "sqlite" | "postgres" | "bare"

const run = async (): Promise<ReadonlyArray<Row>> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bench-"))
  const children: Array<ChildProcess> = []
  /**
   * The servers share one core and the generator has the other, so that the benchmark compares the work of one core.
   */
  const start = (core: number, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): ChildProcess => {
    const command = pinned ? ["taskset", "-c", String(core)] : []
    const [file = "", ...rest] = command.concat(process.execPath, args)
    const child = spawn(file, rest, {
      env: { PATH: process.env["PATH"], HOME: directory, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
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
  const cluster = programsDirectory() === undefined ? undefined : await startCluster()

  /** Starts a daemon, logs in, and returns its port, its profile and the response to the request of the benchmark. */
  const startDaemon = async (name: Server, env: NodeJS.ProcessEnv = {}) => {
    const home = path.join(directory, name)
    writeConfig(home, [server])
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
    const child = start(0, [program, "daemon", "serve", "--port", "0"], {
      CREDSVC_HOME: home,
      CREDSVC_MASTER_KEY_MODE: "local_key",
      ...env
    })
    const port = await output(child, /port=(\d+)/)
    const url = `http://127.0.0.1:${port}`
    await post(`${url}/providers`, definition)
    const session = JSON.parse(await post(`${url}/auth/sessions`, { provider: "bench" }))
    const callback = new URL(server.redirect(session.next_action.url))
    await fetch(url + callback.pathname + callback.search)
    const { profile } = await fetch(`${url}/whoami`).then((response) => response.json()) as { readonly profile: string }
    const response = await post(`${url}/credentials/resolve`, { host })
    if (!response.includes("Bearer canary-at-")) throw new Error(`resolve responded with ${response}`)
    return { port, profile, response }
  }

  try {
    const { port, profile, response } = await startDaemon("sqlite")
    const postgres = cluster === undefined ? undefined : await startDaemon("postgres", {
      CREDSVC_DATABASE_URL: `postgres:///postgres?host=${cluster.directory}&user=credsvc&schema=bench`
    })
    const barePort = await output(start(0, [path.join(workers, "bare.ts"), response]), /^(\d+)\n/)

    const servers: ReadonlyArray<readonly [name: Server, at: string, profile: string]> = [
      ["sqlite", port, profile],
      ["bare", barePort, profile],
      ...postgres === undefined ? [] : [["postgres", postgres.port, postgres.profile] as const]
    ]
    const rateOf = async ([name, at, profile]: typeof servers[number], warmUp: number, measured: number) => {
      const load = [
        path.join(workers, "generator.ts"),
        at,
        "/credentials/resolve",
        JSON.stringify({ host }),
        profile,
        String(connections),
        String(warmUp),
        String(measured),
        ...name === "bare" ? [] : [path.join(directory, name)]
      ]
      return Number(await output(start(1, load), /^([\d.]+)\n/))
    }
    const unheated = await rateOf(servers[0]!, inFull(700, 300), inFull(2000, 500))
    for (const server of servers) await rateOf(server, 0, heating)
    const rates: Record<Server, Array<number>> = { sqlite: [], postgres: [], bare: [] }
    for (let round = 0; round < rounds; round++) {
      for (const server of servers) rates[server[0]].push(await rateOf(server, inFull(700, 300), inFull(2000, 500)))
    }
    const detail = (name: Server, other: Server) =>
      `${median(rates[name]).toFixed(0)} to ${median(rates[other]).toFixed(0)} requests/s`
    return [
      atLeast(
        "a valid OAuth token, against a bare node:http server",
        ratiosOf(rates.sqlite, rates.bare),
        0.2,
        detail("sqlite", "bare")
      ),
      informative(
        "the first seconds of load, against a bare node:http server",
        rates.bare.map((rate) => unheated / rate),
        `${unheated.toFixed(0)} to ${median(rates.bare).toFixed(0)} requests/s`
      ),
      postgres === undefined
        ? { what: "a store on PostgreSQL", result: "PostgreSQL is not installed" }
        : informative(
          "the same with a store on PostgreSQL, against SQLite",
          ratiosOf(rates.postgres, rates.sqlite),
          detail("postgres", "sqlite")
        )
    ]
  } finally {
    for (const child of children) child.kill()
    await server.close()
    await cluster?.stop()
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

export const section: Section = {
  title: "Resolving a credential",
  method:
    `POST /credentials/resolve over ${connections} keep-alive connections for a valid token. The bare server parses the same JSON and responds with the ` +
    `same. Medians of ${rounds} interleaved rounds, server and load on one core each.`,
  run
}
