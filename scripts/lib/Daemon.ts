/** A daemon of the built program, for scripts that send it requests. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"

export const dist = path.join(import.meta.dirname, "..", "..", "dist")
export const program = path.join(dist, "credsvc.js")

/** `await using` stops it at the end of the block. */
export interface Daemon extends AsyncDisposable {
  readonly child: ChildProcess
  readonly url: string
}

export const environment = (home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  LANG: process.env["LANG"] ?? "C",
  HOME: path.dirname(home),
  CREDSVC_HOME: home,
  CREDSVC_MASTER_KEY_MODE: "local_key",
  ...more
})

/** Starts a daemon as clients do, and waits until it accepts connections. `prefix` is the beginning of its command line. */
export const startDaemon = async (
  env: NodeJS.ProcessEnv,
  { file = program, nodeOptions = [], prefix = [] }: {
    readonly prefix?: ReadonlyArray<string>
    readonly nodeOptions?: ReadonlyArray<string>
    readonly file?: string
  } = {}
): Promise<Daemon> => {
  const [command = "", ...args] = [...prefix, process.execPath, ...nodeOptions, file]
  fs.mkdirSync(path.dirname(env["CREDSVC_HOME"]!), { recursive: true })
  const child = spawn(command, [...args, "daemon", "serve", "--port", "0"], {
    env,
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  const ended = once(child, "exit")
  const [message] = await Promise.race([once(child, "message"), ended])
  const { ready, url } = Object(message) as { readonly ready?: boolean; readonly url: string }
  if (ready !== true) throw new Error(`the daemon does not start: ${JSON.stringify(message)}`)
  child.disconnect()
  const stop = async () => {
    child.kill()
    await ended
  }
  return { child, url, [Symbol.asyncDispose]: stop }
}
