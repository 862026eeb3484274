/** A daemon of dist/ for a section that sends it requests. */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { onCore } from "./Processes.ts"

export const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "dist")
export const program = path.join(dist, "credsvc.js")

export interface Daemon {
  readonly child: ChildProcess
  readonly url: string
  readonly stop: () => Promise<void>
}

export const environment = (home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  LANG: process.env["LANG"] ?? "C",
  HOME: path.dirname(home),
  CREDSVC_HOME: home,
  CREDSVC_MASTER_KEY_MODE: "local_key",
  ...more
})

/** Starts a daemon with this home, and waits until it listens. */
export const startDaemon = async (
  home: string,
  { core, env = {}, file = program }: {
    readonly core?: number
    readonly env?: NodeJS.ProcessEnv
    readonly file?: string
  } = {}
): Promise<Daemon> => {
  const [command = "", ...args] = [...core === undefined ? [] : onCore(core), process.execPath, file]
  fs.mkdirSync(path.dirname(home), { recursive: true })
  const child = spawn(command, [...args, "daemon", "serve", "--port", "0"], { env: environment(home, env) })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let output = ""
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
      if (address !== undefined) resolve(address)
    }
    child.stdout?.on("data", read)
    child.stderr?.on("data", read)
    void ended.then(() => reject(new Error(`the daemon exited: ${output}`)))
  })
  return { child, url, stop: () => (child.kill(), ended) }
}
