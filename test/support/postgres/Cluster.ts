/** Starts a PostgreSQL cluster for the tests of one run, in a temporary directory, and stops it at the end. */
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { programsDirectory } from "./Installation.ts"

/** The user as which the server runs: it refuses to run as root. */
const serverUser = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const fields = fs.readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":"))
  const [, , uid, gid] = fields.find(([name]) => name === "postgres") ?? fields.find(([name]) => name === "nobody") ??
    []
  return { uid: Number(uid), gid: Number(gid) }
}

const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

export const startCluster = async () => {
  const programs = programsDirectory()
  if (programs === undefined) throw new Error("PostgreSQL is not installed; run: scripts/setup --part=postgres")
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-pg-"))
  const user = serverUser()
  if (user !== undefined) fs.chownSync(directory, user.uid, user.gid)
  const options = { ...user, cwd: directory, env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" } }
  const data = path.join(directory, "data")
  execFileSync(
    path.join(programs, "initdb"),
    ["-D", data, "-U", "credsvc", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...options, stdio: ["ignore", "ignore", "inherit"] }
  )
  const launch = () => {
    const log = fs.openSync(path.join(directory, "log"), "a")
    const server = spawn(path.join(programs, "postgres"), [
      "-D",
      data,
      ...[
        "listen_addresses=",
        `unix_socket_directories=${directory}`,
        "fsync=off",
        "max_connections=400",
        "shared_buffers=32MB"
      ]
        .flatMap((setting) => ["-c", setting])
    ], { ...options, stdio: ["ignore", log, log] })
    fs.closeSync(log)
    return { server, exited: new Promise<void>((resolve) => server.once("exit", () => resolve())) }
  }
  let { exited, server } = launch()
  // Interrupted tests do not call `stop`.
  const abandon = () => server.kill("SIGQUIT")
  process.once("exit", abandon)
  const isReady = () => {
    try {
      execFileSync(path.join(programs, "psql"), ["-h", directory, "-U", "credsvc", "-qc", "", "postgres"], {
        stdio: "ignore"
      })
      return true
    } catch {
      return false
    }
  }
  const ready = async () => {
    while (!isReady()) {
      if (server.exitCode !== null) throw new Error(fs.readFileSync(path.join(directory, "log"), "utf8"))
      await delay(50)
    }
  }
  await ready()
  return {
    /** The directory of the server's socket. */
    directory,
    /** Ends the server as `pg_ctl stop` does in these modes, and starts it again, after `whileStopped`. */
    restart: async (mode: "fast" | "immediate", whileStopped?: () => Promise<void>) => {
      server.kill(mode === "fast" ? "SIGINT" : "SIGQUIT")
      await exited
      await whileStopped?.()
      const started = launch()
      server = started.server
      exited = started.exited
      await ready()
    },
    /** Sends a signal such as SIGSTOP to the server and all of its processes. */
    signal: (signal: NodeJS.Signals) => {
      const children = fs.readdirSync("/proc").filter((pid) => {
        try {
          return /^\d+$/.test(pid) &&
            / \S (\d+) /.exec(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] === `${server.pid}`
        } catch {
          return false
        }
      })
      for (const pid of [server.pid!, ...children.map(Number)]) process.kill(pid, signal)
    },
    stop: async () => {
      process.off("exit", abandon)
      server.kill("SIGINT")
      await exited
      fs.rmSync(directory, { recursive: true, force: true })
    }
  }
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>
