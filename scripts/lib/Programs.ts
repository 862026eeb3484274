/** Runs programs to their end. */
import { spawnSync } from "node:child_process"
import * as os from "node:os"

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

/** Returns what the program has printed. */
export const succeed = (command: string, args: ReadonlyArray<string>, options?: Options): string => {
  const { ok, said, stdout } = run(command, args, options)
  if (!ok) throw new Error(`${command} ${args.join(" ")} failed: ${said}`)
  return stdout
}
