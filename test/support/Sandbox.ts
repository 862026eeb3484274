/**
 * The built program in its own home, with a demo API that it can reach.
 *
 * Shares nothing with the machine's own credsvc: another home, a free port, and an environment without variables that
 * would change the test.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { type DemoApi, startDemoApi } from "../../scripts/lib/DemoApi.ts"
import { killDaemon } from "./Processes.ts"
import { programTimeout } from "./ProgramTimeout.ts"

export const repository = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..")
/** The built program. `scripts/checks.ts` runs some tests a second time with the single executable in its place. */
export const entry = process.env["CREDSVC_TEST_ENTRY"] ?? path.join(repository, "dist", "credsvc.js")

export interface Outcome {
  /** The exit code, or 128 plus the signal's number. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly timeout?: number
}

export interface Sandbox {
  readonly directory: string
  readonly home: string
  readonly api: DemoApi
  /** The credential that the API accepts. Anywhere else, it has leaked. */
  readonly key: string
  readonly env: NodeJS.ProcessEnv
  readonly credsvc: (args: ReadonlyArray<string>, options?: RunOptions) => Promise<Outcome>
  readonly spawn: (args: ReadonlyArray<string>, options?: RunOptions) => ChildProcess
  readonly close: () => Promise<void>
}

export const demoHost = "api.demo.test"

export const demoDefinition = {
  name: "demo",
  display_name: "Demo API",
  auth_type: "api_key",
  flow: "api_key",
  api_url: `https://${demoHost}`,
  hosts: [demoHost],
  export: { env: { api_key: "DEMO_API_KEY" } }
}

export const cleanEnvironment = (home: string): NodeJS.ProcessEnv => {
  const kept = ["PATH", "HOME", "LANG", "TMPDIR", "USER"]
  return {
    ...Object.fromEntries(kept.flatMap((name) => process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    CREDSVC_HOME: home,
    CREDSVC_MASTER_KEY_MODE: "local_key",
    NO_COLOR: "1"
  }
}

/** A user that root runs the program as. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** Makes the user the owner of a file, or of a directory and everything in it. */
export const giveTo = (user: User | undefined, file: string): void => {
  if (user === undefined) return
  fs.lchownSync(file, user.uid, user.gid)
  if (!fs.lstatSync(file).isDirectory()) return
  for (const name of fs.readdirSync(file)) giveTo(user, path.join(file, name))
}

/** A process and its output, killed when the time limit expires. */
export const collect = (child: ChildProcess, input?: string, timeout = programTimeout): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    let stdout = ""
    let stderr = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => stdout += text)
    child.stderr?.setEncoding("utf8").on("data", (text: string) => stderr += text)
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`took longer than ${timeout} ms\nstdout: ${stdout}\nstderr: ${stderr}`))
    }, timeout)
    child.on("error", reject)
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      resolve({ code: code ?? 128 + (os.constants.signals[signal ?? "SIGKILL"] ?? 0), stdout, stderr })
    })
    child.stdin?.on("error", () => {})
    child.stdin?.end(input ?? "")
  })

/** The built program in a directory: `must` throws unless the command succeeds. */
export const programIn = (directory: string, env: NodeJS.ProcessEnv, node = process.execPath, user?: User) => {
  const start = (args: ReadonlyArray<string>, run: RunOptions = {}) =>
    spawn(node, [entry, ...args], {
      cwd: run.cwd ?? directory,
      env: { ...env, ...run.env },
      stdio: ["pipe", "pipe", "pipe"],
      ...user
    })
  const credsvc = (args: ReadonlyArray<string>, run: RunOptions = {}) =>
    collect(start(args, run), run.input, run.timeout)
  const must = async (args: ReadonlyArray<string>, run?: RunOptions): Promise<Outcome> => {
    const outcome = await credsvc(args, run)
    if (outcome.code !== 0) throw new Error(`credsvc ${args.join(" ")} ended with ${outcome.code}: ${outcome.stderr}`)
    return outcome
  }
  return { start, credsvc, must }
}

/**
 * `start: false` leaves starting the daemon to the first use, on a port that was found free; `node` is the executable
 * for everything.
 */
export const openSandbox = async (options: {
  readonly node?: string
  readonly start?: boolean
  readonly key?: string
  readonly connect?: boolean
  /** The directory in which the sandbox is created. */
  readonly parent?: string
  readonly user?: User | undefined
} = {}): Promise<Sandbox> => {
  const directory = fs.mkdtempSync(path.join(options.parent ?? os.tmpdir(), "credsvc-test-"))
  const home = path.join(directory, "home")
  const key = options.key ?? `canary_${process.hrtime.bigint().toString(36)}_q7Zr2LmX`
  const api = await startDemoApi(demoHost, key)
  fs.mkdirSync(home, { mode: 0o700 })
  fs.writeFileSync(path.join(directory, "ca.pem"), api.caPem)
  fs.writeFileSync(
    path.join(home, "config.json"),
    JSON.stringify({
      version: 1,
      upstream: {
        extra_ca_certs: [path.join(directory, "ca.pem")],
        resolve: { [`${demoHost}:443`]: `127.0.0.1:${api.port}` }
      }
    }),
    { mode: 0o600 }
  )
  fs.writeFileSync(path.join(directory, "demo.json"), JSON.stringify(demoDefinition))
  const env = cleanEnvironment(home)
  giveTo(options.user, directory)

  const { credsvc, must, start } = programIn(directory, env, options.node, options.user)
  const sandbox: Sandbox = {
    directory,
    home,
    api,
    key,
    env,
    credsvc,
    spawn: start,
    close: async () => {
      await killDaemon(home)
      api.close()
      fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  try {
    if (options.start !== false) {
      await must(["daemon", "start", "--port", "0"])
      await must(["register", "demo.json", "--yes"])
      if (options.connect !== false) await must(["login", "demo", "--stdin"], { input: key })
    }
  } catch (error) {
    await sandbox.close()
    throw error
  }
  return sandbox
}

/** Other tests may delete files in the shared directory during the search. */
const unlessGone = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** Every file below a directory that contains the text, in any of the encodings of a secret. */
export const filesHolding = (directory: string, text: string): ReadonlyArray<string> => {
  const forms = [
    Buffer.from(text),
    Buffer.from(Buffer.from(text).toString("base64").replace(/=+$/, "").slice(0, -2)),
    Buffer.from(Buffer.from(text).toString("hex"))
  ]
  const holds = (file: string): boolean => {
    const content = unlessGone(() => fs.readFileSync(file))
    return content !== undefined && forms.some((form) => content.includes(form))
  }
  const entries = unlessGone(() => fs.readdirSync(directory, { withFileTypes: true })) ?? []
  return entries.flatMap((entry) => {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory()) return filesHolding(file, text)
    return entry.isFile() && holds(file) ? [file] : []
  })
}
