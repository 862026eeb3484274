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
import { startDemoApi } from "../../scripts/lib/DemoApi.ts"
import { killDaemon } from "./Processes.ts"
import { programTimeout } from "./ProgramTimeout.ts"
import { type ReachableSite, writeConfig } from "./TestSites.ts"

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

/** What earlier homes have compiled of the built program. Each new home would otherwise compile it again. */
const compiledCode = path.join(repository, "node_modules", ".cache", "credsvc-programs")
const compiledCodeOf = (home: string): string => path.join(home, "client", "cache", "compile")

/** Copies the compiled code of earlier homes into a new one. */
export const reuseCompiledCode = (home: string): void => {
  fs.mkdirSync(compiledCodeOf(home), { recursive: true, mode: 0o700 })
  if (fs.existsSync(compiledCode)) fs.cpSync(compiledCode, compiledCodeOf(home), { recursive: true })
  for (const name of fs.readdirSync(compiledCodeOf(home))) fs.chmodSync(path.join(compiledCodeOf(home), name), 0o700)
}

/** Keeps the compiled code of a home for later ones. Its programs may still rename files there. */
export const keepCompiledCode = (home: string): void =>
  void unlessGone(() => fs.cpSync(compiledCodeOf(home), compiledCode, { recursive: true }))

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

/** Arguments that run a shell script in a run. */
export const inShell = (
  script: string,
  ...flags: ReadonlyArray<string>
): ReadonlyArray<string> => ["run", ...flags, "--", "sh", "-c", script]

/** What a process reads, or a function that finds it in what the process has printed so far. */
type Input = string | ((stdout: string) => string | undefined)

/** A process and its output, killed when the time limit expires. */
export const collect = (child: ChildProcess, input: Input = "", timeout = programTimeout): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    let stdout = ""
    let stderr = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      const found = typeof input === "string" ? undefined : input(stdout)
      if (found !== undefined) child.stdin?.end(found)
    })
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
    if (typeof input === "string") child.stdin?.end(input)
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

export interface ProgramOptions {
  /** The executable of Node that runs the program. */
  readonly node?: string | undefined
  /** The parent of the directory of the program. */
  readonly parent?: string | undefined
  readonly user?: User | undefined
}

/** The built program with a working directory and a home of its own, in which it reaches the sites. */
export const openProgram = (
  sites: ReadonlyArray<ReachableSite>,
  { node, parent = os.tmpdir(), user }: ProgramOptions = {}
) => {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(parent, "credsvc-test-")))
  const home = path.join(directory, "home")
  writeConfig(home, sites)
  reuseCompiledCode(home)
  giveTo(user, directory)
  const env = cleanEnvironment(home)
  const program = programIn(directory, env, node, user)
  return {
    directory,
    home,
    env,
    ...program,
    /** Writes a definition into the working directory. Returns its file. */
    define: (definition: { readonly name: string }): string => {
      const file = path.join(directory, `${definition.name}.json`)
      fs.writeFileSync(file, JSON.stringify(definition))
      giveTo(user, file)
      return file
    },
    /** The base URL of the running daemon. */
    daemonUrl: (): string => {
      const { host, port } = JSON.parse(fs.readFileSync(path.join(home, "server", "daemon.json"), "utf8"))
      return `http://${host}:${port}`
    },
    close: async (): Promise<void> => {
      await killDaemon(home)
      keepCompiledCode(home)
      fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

/** `start: false` leaves starting the daemon to the first use, on a port that was found free. */
export const openSandbox = async (
  { connect, key = `canary_${process.hrtime.bigint().toString(36)}_q7Zr2LmX`, start, ...options }: ProgramOptions & {
    readonly start?: boolean
    readonly key?: string
    readonly connect?: boolean
  } = {}
) => {
  const api = await startDemoApi([demoHost], key)
  const program = openProgram([{ hosts: [demoHost], port: api.port, caPem: api.caPem }], options)
  const definition = program.define(demoDefinition)
  const close = async (): Promise<void> => {
    await program.close()
    api.close()
  }
  try {
    if (start !== false) {
      await program.must(["daemon", "start", "--port", "0"])
      await program.must(["register", definition, "--yes"])
      if (connect !== false) await program.must(["login", "demo", "--stdin"], { input: key })
    }
  } catch (error) {
    await close()
    throw error
  }
  // The API accepts the key. Anywhere else, it has leaked.
  return { ...program, spawn: program.start, api, key, close }
}

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>

/** Other tests may delete files in the shared directory during the search. */
const unlessGone = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** Every file below a directory that contains one of the texts, in any of the encodings of a secret. */
export const filesHolding = (directory: string, ...texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const forms = texts.flatMap((text) => [
    Buffer.from(text),
    Buffer.from(Buffer.from(text).toString("base64").replace(/=+$/, "").slice(0, -2)),
    Buffer.from(Buffer.from(text).toString("hex"))
  ])
  const holds = (file: string): boolean => {
    const content = unlessGone(() => fs.readFileSync(file))
    return content !== undefined && forms.some((form) => content.includes(form))
  }
  const entries = unlessGone(() => fs.readdirSync(directory, { withFileTypes: true })) ?? []
  return entries.flatMap((entry) => {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory()) return filesHolding(file, ...texts)
    return entry.isFile() && holds(file) ? [file] : []
  })
}
