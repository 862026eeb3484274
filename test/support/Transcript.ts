/**
 * Transcripts: files of commands with what they print and how they end, run against the built program.
 *
 *     The first line says what the file shows.
 *
 *     $ credsvc whoami --quiet
 *     a line of stdout
 *     ! a line of stderr
 *     ? 3
 *
 * A command is one line for `sh`; its working directory is kept for the whole file and holds `credsvc` on its PATH. Without
 * `?` it must exit 0. `…` in a line stands for any text, on a line of its own for any lines. `@DIR@` is the working
 * directory. With `--json`, stdout must be exactly one JSON document whatever happens.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { beforeAll } from "vitest"
import { commandOf, problemsOf } from "./PrintedDocuments.ts"
import { killPrograms } from "./Processes.ts"
import { collect, entry, keepCompiledCode, type Outcome as ProgramOutcome, reuseCompiledCode } from "./Sandbox.ts"
import { shared } from "./Shared.ts"

export interface Outcome extends Omit<ProgramOutcome, "code"> {
  readonly exitCode: number
}

/** Only the variables that a shell needs: the developer's proxies, certificates and colors are excluded. */
const environment = (directory: string, home: string): Record<string, string> => ({
  PATH: `${path.join(directory, ".bin")}${path.delimiter}${process.env["PATH"] ?? ""}`,
  HOME: directory,
  LANG: "C.UTF-8",
  CREDSVC_HOME: home,
  CREDSVC_MASTER_KEY_MODE: "local_key"
})

/** A home and a working directory. The daemon is started on a free port and stopped at the end. */
export const openWorkplace = async (options: { readonly daemon: boolean } = { daemon: true }) => {
  if (!fs.existsSync(entry)) throw new Error("dist/ is missing: npm run build")
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-")))
  const home = path.join(directory, "home")
  const env = environment(directory, home)
  fs.mkdirSync(path.join(directory, ".bin"))
  fs.writeFileSync(
    path.join(directory, ".bin", "credsvc"),
    `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`,
    { mode: 0o755 }
  )
  fs.symlinkSync(process.execPath, path.join(directory, ".bin", "node"))
  const children = new Set<ChildProcess>()
  let isClosed = false
  /** Kills the process when the workplace closes. */
  const track = (child: ChildProcess): void => {
    if (isClosed) child.kill("SIGKILL")
    children.add(child)
    child.on("close", () => children.delete(child))
  }
  const sh = async (command: string, more: Readonly<Record<string, string>> = {}): Promise<Outcome> => {
    // A command would start a daemon on the default port, which another daemon may be using.
    if (isClosed) throw new Error("the workplace is closed")
    const child = spawn("sh", ["-c", command], {
      cwd: directory,
      env: { ...env, ...more },
      stdio: ["ignore", "pipe", "pipe"]
    })
    track(child)
    const { code, ...texts } = await collect(child)
    return { ...texts, exitCode: code }
  }
  /** Ends everything that was started, also by a test that has exceeded its time. */
  const close = async (): Promise<void> => {
    isClosed = true
    for (const child of children) child.kill("SIGKILL")
    await killPrograms(home)
    keepCompiledCode(home)
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  if (options.daemon) {
    reuseCompiledCode(home)
    const started = await sh("credsvc daemon start --port 0")
    if (started.exitCode !== 0) {
      await close()
      throw new Error(`the daemon did not start: ${started.stderr}`)
    }
  }
  return { directory, home, env, sh, track, close }
}

export type Workplace = Awaited<ReturnType<typeof openWorkplace>>

/** Opens a workplace for all tests of a file, and prepares it before the first one. */
export const useWorkplace = (
  options?: Parameters<typeof openWorkplace>[0],
  prepare?: (workplace: Workplace) => Promise<void>
): Workplace => {
  const workplace = shared(() => openWorkplace(options))
  beforeAll(() => prepare?.(workplace))
  return workplace
}

/** Makes every provider unreachable for a home, so that no test sends anything to a real one. */
export const cutOff = (home: string): void => {
  const file = path.join(home, "config.json")
  const config = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) as object : { version: 1 }
  fs.writeFileSync(file, JSON.stringify({ ...config, upstream: { proxy: "http://127.0.0.1:1" } }), { mode: 0o600 })
}

export interface Step {
  readonly command: string
  readonly stdout: ReadonlyArray<string>
  readonly stderr: ReadonlyArray<string>
  readonly exitCode: number
}

export interface Transcript {
  readonly title: string
  readonly steps: ReadonlyArray<Step>
}

const withoutBlankEnd = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = lines.findLastIndex((line) => line !== "")
  return lines.slice(0, last + 1)
}

export const parseTranscript = (text: string): Transcript => {
  const lines = text.split("\n")
  const title = lines[0] ?? ""
  const starts = lines.flatMap((line, at) => line.startsWith("$ ") ? [at] : [])
  return {
    title,
    steps: starts.map((start, index) => {
      const body = lines.slice(start + 1, starts[index + 1]).filter((line) => !line.startsWith("# "))
      const said = (prefix: string) => body.filter((line) => line.startsWith(prefix)).map((line) => line.slice(2))
      return {
        command: lines[start]!.slice(2),
        stdout: withoutBlankEnd(body.filter((line) => !/^[!?] /.test(line))),
        stderr: said("! "),
        exitCode: Number(said("? ")[0] ?? 0)
      }
    })
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Whether the output matches the expectation, including wildcards. */
export const matches = (expected: ReadonlyArray<string>, printed: string): boolean => {
  const pattern = expected.map((line) =>
    line === "…" ? "(?:.*\\n)*?" : `${escaped(line).replaceAll("…", ".*")}[ \\t]*\\n`
  ).join("")
  return new RegExp(`^${pattern}$`).test(printed === "" || printed.endsWith("\n") ? printed : `${printed}\n`)
}

const isOneDocument = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether the command requests JSON from credsvc itself, and nothing else writes to stdout. */
const wantsJson = (command: string): boolean =>
  /^credsvc [^|<>;&]*--json\b[^|<>;&]*$/.test(command) && !/\brun\b/.test(command)

/** The steps that print a document of `--json` that is described, with their commands. */
export const documentedSteps = (steps: ReadonlyArray<Step>) =>
  steps.flatMap((step) => {
    const command = step.exitCode === 0 && wantsJson(step.command) ? commandOf(step.command) : undefined
    return command === undefined ? [] : [{ step, command }]
  })

const directory = path.join(import.meta.dirname, "..", "transcripts")

/** All transcripts, with their files. */
export const transcripts = () =>
  fs.readdirSync(directory).filter((file) => file.endsWith(".txt")).map((file) => {
    const { steps, title } = parseTranscript(fs.readFileSync(path.join(directory, file), "utf8"))
    return { file, steps, title }
  })

/** Describes every difference from the step's expectations. */
export const check = (step: Step, outcome: Outcome, directory: string): ReadonlyArray<string> => {
  const here = (lines: ReadonlyArray<string>) => lines.map((line) => line.replaceAll("@DIR@", directory))
  const problems: Array<string> = []
  if (outcome.exitCode !== step.exitCode) problems.push(`exit code ${outcome.exitCode}, not ${step.exitCode}`)
  if (!matches(here(step.stdout), outcome.stdout)) problems.push(`another stdout:\n${outcome.stdout}`)
  if (!matches(here(step.stderr), outcome.stderr)) problems.push(`another stderr:\n${outcome.stderr}`)
  if (wantsJson(step.command) && !isOneDocument(outcome.stdout)) {
    problems.push(`stdout is not one JSON document:\n${outcome.stdout}`)
  }
  for (const { command } of problems.length === 0 ? documentedSteps([step]) : []) {
    const problem = problemsOf(command, outcome.stdout)
    if (problem !== null) problems.push(`stdout is not as documented: ${problem}`)
  }
  return problems.length === 0 ? [] : [`$ ${step.command}`, ...problems, `stderr was:\n${outcome.stderr}`]
}
