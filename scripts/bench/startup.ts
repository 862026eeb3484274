import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { dist, environment, program } from "../lib/Daemon.ts"
import { run as runProgram, temporaryDirectory, timeOf } from "../lib/Programs.ts"
import { interleaved } from "./lib/Rounds.ts"
import { atMost, informative, inFull, notMeasured, type Results, type Section, valueAtMost } from "./lib/Section.ts"

const executable = path.join(dist, "..", "build", "credsvc")
const defaultPort = 7998
const single = "credsvc run -- true with the single executable, daemon running"
const rounds = inFull(15, 5)
const coldRounds = inFull(7, 2)

/** Does what `run` needs of Node itself: loads its modules, generates a key pair, starts a server, sends it a request and spawns a child process. */
const nodeAlone = `
const [http, crypto, childProcess] = ["http", "crypto", "child_process"].map((name) => process.getBuiltinModule("node:" + name))
crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
const server = http.createServer((_, response) => response.end()).listen(0, "127.0.0.1", () =>
  http.get({ port: server.address().port, agent: false }, (response) =>
    response.resume().on("end", () => childProcess.spawn("true", { stdio: "inherit" }).on("exit", () => process.exit()))))
`

/** Whether no process listens on the port. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

const run = async (): Promise<Results> => {
  using directory = temporaryDirectory("bench")
  const env = environment(path.join(directory.path, "home"))
  const credsvc = (...args: ReadonlyArray<string>) => timeOf(process.execPath, [program, ...args], { env })
  const bare = () => timeOf(process.execPath, ["-e", "0"], { env })
  try {
    // First starts the daemon on its own port. The warm measurements run with a populated compile cache.
    credsvc("daemon", "start", "--port", "0")
    const input = "sk-bench-0123456789abcdef0123456789abcdef"
    timeOf(process.execPath, [program, "login", "openai", "--stdin"], { env, input })
    const measure = {
      bare,
      version: () => credsvc("--version"),
      help: () => credsvc("--help"),
      get: () => credsvc("get", "openai"),
      list: () => credsvc("list"),
      complete: () => credsvc("__complete", "login", "g"),
      alone: () => timeOf(process.execPath, ["-e", nodeAlone], { env }),
      run: () => credsvc("run", "--", "true"),
      // No connection of this provider exists, so the proxy itself responds.
      curl: () => credsvc("run", "--", "curl", "--silent", "--output", os.devNull, "https://api.anthropic.com/"),
      ...fs.existsSync(executable) ? { executable: () => timeOf(executable, ["run", "--", "true"], { env }) } : {}
    }
    const names = Object.keys(measure) as ReadonlyArray<keyof typeof measure>
    const warm = await interleaved(names, { rounds, warmUp: 2 }, (name) => measure[name]!())
    credsvc("daemon", "stop")

    const free = await isFree(defaultPort)
    const cold = await interleaved(["bare", "get"], { rounds: free ? coldRounds : 0, warmUp: 1 }, (name) => {
      if (name === "bare") return bare()
      const taken = credsvc("get", "openai")
      credsvc("daemon", "stop")
      return taken
    })

    const toBare = (name: keyof typeof measure) => warm.comparison(name, "bare", "ms")
    const row = (what: string, name: keyof typeof measure, bar: number) => atMost(what, toBare(name), bar)
    const rows = [
      { what: "node -e 0", result: `1.00x (${warm.median("bare").toFixed(0)} ms)` },
      row("credsvc --version", "version", 1.3),
      row("credsvc --help", "help", 3),
      row("credsvc get openai, daemon running", "get", 2.2),
      row("credsvc list, daemon running", "list", 2.5),
      informative(
        "Node alone: generates a key pair, starts a server, sends it a request and spawns a child process",
        toBare("alone")
      ),
      row("credsvc run -- true, daemon running", "run", 4),
      measure.executable === undefined
        ? notMeasured(single, "at most 4x", "build/credsvc is missing (npm run executable)")
        : row(single, "executable", 4),
      informative("credsvc run -- curl, with one response", toBare("curl")),
      valueAtMost("completion of a provider name, daemon running", warm.median("complete"), 150, "ms"),
      free
        ? atMost(
          "credsvc get openai, including the start of the daemon",
          cold.comparison("get", "bare", "ms"),
          7
        )
        : notMeasured(
          "credsvc get openai, including the start of the daemon",
          "at most 7x",
          `port ${defaultPort} is in use`
        )
    ]
    const labels = {
      bare: "node -e 0",
      version: "--version",
      get: "get",
      list: "list",
      run: "run -- true",
      curl: "run -- curl",
      executable: "run -- true, single executable"
    }
    const bars = (Object.keys(labels) as ReadonlyArray<keyof typeof labels>)
      .map((name) => ({ label: labels[name], value: warm.median(name) }))
    return { rows, charts: [{ name: "startup", title: "Time of whole processes", unit: " ms", bars }] }
  } finally {
    runProgram(process.execPath, [program, "daemon", "stop"], { env })
  }
}

export const section: Section = {
  title: "Startup",
  method: `The time of whole processes, from start to exit, as a multiple of an empty Node program. Medians of ` +
    `${rounds} interleaved rounds (${coldRounds} for the cold start).`,
  run
}
