import * as path from "node:path"
import { openHostileAuthorizationServer, paths } from "../../test/support/HostileAuthorizationServer.ts"
import { startCluster } from "../../test/support/postgres/Cluster.ts"
import { programsDirectory } from "../../test/support/postgres/Installation.ts"
import { writeConfig } from "../../test/support/TestSites.ts"
import { environment, startDaemon } from "../lib/Daemon.ts"
import { temporaryDirectory } from "../lib/Programs.ts"
import { firstLine, onCore, OTHER_CORE, Processes, PROXY_CORE, result } from "./lib/Processes.ts"
import { Rounds } from "./lib/Rounds.ts"
import { atLeast, informative, inFull, type Row, type Section } from "./lib/Section.ts"

const workers = path.join(import.meta.dirname, "lib", "resolve")
const host = "api.bench.test"
const connections = 16
const rounds = inFull(5, 1)
/** A daemon enables V8's optimizing compilers after four busy seconds, and reaches its full speed after twenty. */
const heating = inFull(20_000, 6000)

const post = async (url: string, body: object): Promise<string> => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${text}`)
  return text
}

type Server = "sqlite" | "postgres" | "bare"

const run = async (): Promise<ReadonlyArray<Row>> => {
  await using stack = new AsyncDisposableStack()
  const directory = stack.use(temporaryDirectory("bench")).path
  const cluster = programsDirectory() === undefined ? undefined : await startCluster()
  stack.defer(async () => cluster?.stop())
  const server = stack.adopt(
    await openHostileAuthorizationServer({ host: "as.bench.test" }),
    (server) => server.close()
  )
  const processes = stack.use(new Processes())

  /** Starts a daemon, logs in, and returns its port, its profile and the response to the request of the benchmark. */
  const loggedIn = async (name: Server, env: NodeJS.ProcessEnv = {}) => {
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
    const { url } = stack.use(await startDaemon(environment(home, env), { prefix: onCore(PROXY_CORE) }))
    await post(`${url}/providers`, definition)
    const session = JSON.parse(await post(`${url}/auth/sessions`, { provider: "bench" }))
    const callback = new URL(server.redirect(session.next_action.url))
    await fetch(url + callback.pathname + callback.search)
    const { profile } = await fetch(`${url}/whoami`).then((response) => response.json()) as { readonly profile: string }
    const response = await post(`${url}/credentials/resolve`, { host })
    if (!response.includes("Bearer canary-at-")) throw new Error(`resolve responded with ${response}`)
    return { port: new URL(url).port, profile, response }
  }

  const { port, profile, response } = await loggedIn("sqlite")
  const postgres = cluster === undefined ? undefined : await loggedIn("postgres", {
    CREDSVC_DATABASE_URL: `postgres:///postgres?host=${cluster.directory}&user=credsvc&schema=bench`
  })
  const barePort = await firstLine(processes.node(PROXY_CORE, path.join(workers, "bare.ts"), [response]))

  const servers: ReadonlyArray<readonly [name: Server, at: string, profile: string]> = [
    ["sqlite", port, profile],
    ["bare", barePort, profile],
    ...postgres === undefined ? [] : [["postgres", postgres.port, postgres.profile] as const]
  ]
  const rateOf = async ([name, at, profile]: typeof servers[number], warmUp: number, measured: number) => {
    const load = processes.node(OTHER_CORE, path.join(workers, "generator.ts"), [
      at,
      "/credentials/resolve",
      JSON.stringify({ host }),
      profile,
      String(connections),
      String(warmUp),
      String(measured),
      ...name === "bare" ? [] : [path.join(directory, name)]
    ])
    return result<number>(load)
  }
  const unheated = await rateOf(servers[0]!, inFull(700, 300), inFull(2000, 500))
  for (const server of servers) await rateOf(server, 0, heating)
  const rates = new Rounds<Server>()
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) {
      await rates.take(server[0], () => rateOf(server, inFull(700, 300), inFull(2000, 500)))
    }
  }
  const bare = rates.median("bare")
  return [
    atLeast(
      "a valid OAuth token, against a bare node:http server",
      rates.comparison("sqlite", "bare", "requests/s"),
      0.2
    ),
    informative("the first seconds of load, against a bare node:http server", {
      ratios: [unheated / bare],
      detail: `${unheated.toFixed(0)} to ${bare.toFixed(0)} requests/s`
    }),
    postgres === undefined
      ? { what: "a store on PostgreSQL", result: "PostgreSQL is not installed" }
      : informative(
        "a valid OAuth token, store on PostgreSQL against store on SQLite",
        rates.comparison("postgres", "sqlite", "requests/s")
      )
  ]
}

export const section: Section = {
  title: "Resolving a credential",
  method:
    `POST /credentials/resolve over ${connections} keep-alive connections for a valid token. The bare server parses the same JSON and responds with the ` +
    `same. Medians of ${rounds} interleaved rounds, server and load on one core each.`,
  run
}
