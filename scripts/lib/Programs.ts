/** Runs programs to their end, and creates directories for them. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** A new directory, which `using` removes at the end of the block. */
export const temporaryDirectory = (name: string): fs.DisposableTempDir =>
  fs.mkdtempDisposableSync(path.join(os.tmpdir(), `credsvc-${name}-`))

export interface Ended {
  readonly ok: boolean
  readonly stdout: string
  /** Everything that the program has printed, or why it could not run. */
  readonly said: string
}

interface Options {
  readonly cwd?: string
  /** The environment, besides `PATH` and `TMPDIR`. */
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
}

export const run = (command: string, args: ReadonlyArray<string>, { env, ...options }: Options = {}): Ended => {
  const { PATH = "", TMPDIR = os.tmpdir() } = process.env
  const ended = spawnSync(command, args, {
    input: "",
    ...options,
    encoding: "utf8",
    env: { PATH, TMPDIR, ...env },
    timeout: 300_000,
    maxBuffer: 64 << 20
  })
  const { error, signal, status, stderr, stdout } = ended
  const said = `${stderr ?? ""}${stdout ?? ""}`.trim() || String(error ?? signal ?? "no output")
  return { ok: status === 0, stdout: stdout ?? "", said }
}

/** Runs the program and returns its milliseconds. */
export const timeOf = (...program: Parameters<typeof succeed>): number => {
  const started = performance.now()
  succeed(...program)
  return performance.now() - started
}

/** Returns what the program has printed. */
export const succeed = (command: string, args: ReadonlyArray<string>, options?: Options): string => {
  const { ok, said, stdout } = run(command, args, options)
  if (!ok) throw new Error(`${command} ${args.join(" ")} failed: ${said}`)
  return stdout
}
