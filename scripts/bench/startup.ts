import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import {
  atMost,
  informative,
  inFull,
  median,
  notMeasured,
  ratiosOf,
  type Results,
  type Section
} from "./lib/Section.ts"

const program = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "dist", "credsvc.js")
const executable = path.join(path.dirname(program), "..", "build", "credsvc")
const defaultPort = 7998
const single = "credsvc run -- true with the single executable, daemon running"
const rounds = inFull(15, 5)
const coldRounds = inFull(7, 2)

/** What `run` needs of Node itself: its modules, a key, a server, a request and a child process. */
const nodeAlone = `
const [http, crypto, childProcess] = ["http", "crypto", "child_process"].map((name) => process.getBuiltinModule("node:" + name))
crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
const server = http.createServer((_, response) => response.end()).listen(0, "127.0.0.1", () =>
  http.get({ port: server.address().port, agent: false }, (response) =>
    response.resume().on("end", () => childProcess.spawn("true", { stdio: "inherit" }).on("exit", () => process.exit()))))
`

/** Milliseconds from the start of a process to its exit. */
const time = (command: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv, input?: string): number => {
  const started = performance.now()
  const ended = spawnSync(command, args, { env, encoding: "utf8", input: input ?? "", timeout: 60_000 })
  const elapsed = performance.now() - started
  if (ended.status !== 0) {
    throw new Error(`${args.join(" ")} ended with ${ended.status}: ${ended.stderr}${ended.stdout}`)
  }
  return elapsed
}

/** Whether no process listens on the port. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

const run = async (): Promise<Results> => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bench-"))
  const { LANG = "C", PATH = "" } = process.env
  const env = { HOME: home, CREDSVC_HOME: path.join(home, "home"), CREDSVC_MASTER_KEY_MODE: "local_key", LANG, PATH }
  const credsvc = (...args: ReadonlyArray<string>) => time(process.execPath, [program, ...args], env)
  const bare = () => time(process.execPath, ["-e", "0"], env)
  try {
    // First starts the daemon on its own port. The warm measurements run with a populated compile cache.
    credsvc("daemon", "start", "--port", "0")
    time(process.execPath, [program, "login", "openai", "--stdin"], env, "sk-bench-0123456789abcdef0123456789abcdef")
    const measure = {
      bare,
      version: () => credsvc("--version"),
      help: () => credsvc("--help"),
      get: () => credsvc("get", "openai"),
      list: () => credsvc("list"),
      complete: () => credsvc("__complete", "login", "g"),
      alone: () => time(process.execPath, ["-e", nodeAlone], env),
      run: () => credsvc("run", "--", "true"),
      // No connection of this provider exists, so the proxy itself responds.
      curl: () => credsvc("run", "--", "curl", "--silent", "--output", os.devNull, "https://api.anthropic.com/"),
      ...fs.existsSync(executable) ? { executable: () => time(executable, ["run", "--", "true"], env) } : {}
    } satisfies Record<string, () => number>
    const warm: Record<string, Array<number>> = Object.fromEntries(Object.keys(measure).map((name) => [name, []]))
    for (let round = -2; round < rounds; round++) {
      for (const [name, take] of Object.entries(measure)) {
        const taken = take()
        if (round >= 0) warm[name]!.push(taken)
      }
    }
    credsvc("daemon", "stop")

    const cold: { readonly bare: Array<number>; readonly get: Array<number> } = { bare: [], get: [] }
    const free = await isFree(defaultPort)
    for (let round = free ? -1 : coldRounds; round < coldRounds; round++) {
      const taken = { bare: bare(), get: credsvc("get", "openai") }
      credsvc("daemon", "stop")
      if (round >= 0) {
        cold.bare.push(taken.bare)
        cold.get.push(taken.get)
      }
    }

    const base = warm["bare"]!
    const complete = median(warm["complete"]!)
    const took = (name: string): string => `${median(warm[name]!).toFixed(0)} ms`
    const row = (what: string, name: string, bar: number) => atMost(what, ratiosOf(warm[name]!, base), bar, took(name))
    const rows = [
      { what: "node -e 0", result: `1.00x (${took("bare")})` },
      row("credsvc --version", "version", 1.3),
      row("credsvc --help", "help", 3),
      row("credsvc get openai, daemon running", "get", 2.2),
      row("credsvc list, daemon running", "list", 2.5),
      informative(
        "Node alone: a server, a request, a key and a child process",
        ratiosOf(warm["alone"]!, base),
        took("alone")
      ),
      row("credsvc run -- true, daemon running", "run", 4),
      warm["executable"] === undefined
        ? notMeasured(single, "at most 4x", "build/credsvc is missing (npm run executable)")
        : row(single, "executable", 4),
      informative("credsvc run -- curl, with one response", ratiosOf(warm["curl"]!, base), took("curl")),
      {
        what: "completion of a provider name, daemon running",
        result: `${complete.toFixed(0)} ms`,
        bar: "at most 150 ms",
        met: complete <= 150
      },
      free
        ? atMost(
          "credsvc get openai, including the start of the daemon",
          ratiosOf(cold.get, cold.bare),
          7,
          `${median(cold.get).toFixed(0)} ms`
        )
        : notMeasured(
          "credsvc get openai, including the start of the daemon",
          "at most 7x",
          `port ${defaultPort} is in use`
        )
    ]
    const labels: Readonly<Record<string, string>> = {
      bare: "node -e 0",
      version: "--version",
      get: "get",
      list: "list",
      run: "run -- true",
      curl: "run -- curl",
      executable: "run -- true, single executable"
    }
    const bars = Object.entries(labels).flatMap(([name, label]) =>
      warm[name] === undefined ? [] : [{ label, value: median(warm[name]) }]
    )
    return { rows, charts: [{ name: "startup", title: "Time of whole processes", unit: " ms", bars }] }
  } finally {
    spawnSync(process.execPath, [program, "daemon", "stop"], { env, stdio: "ignore", timeout: 30_000 })
    fs.rmSync(home, { recursive: true, force: true })
  }
}

export const section: Section = {
  title: "Startup",
  method: `The time of whole processes, from start to exit, as a multiple of an empty Node program. Medians of ` +
    `${rounds} interleaved rounds (${coldRounds} for the cold start).`,
  run
}
