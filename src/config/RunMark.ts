/** Recognizes runs and their processes. */
import * as path from "node:path"
import type { RunName } from "../domain/wire/Run.ts"
import { sha256 } from "../platform/Digest.ts"
import * as Lineage from "../platform/process/Lineage.ts"

/** The environment variable that marks the processes of a run. Its value is the name of the run. */
export const runMark = "CREDSVC_RUN"

/** The mark of a run that no daemon has registered, such as a run of a program that embeds the proxy. */
export const unregisteredRun = "unregistered"

/** The environment variable that marks the processes of a contained run, which cannot reach a daemon. */
export const containMark = "CREDSVC_CONTAINED"

/** The arguments of this program in a command line, which begins with Node or the single executable. */
const ownArgumentsOf = ([program = "", ...args]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const name = path.basename(program)
  if (name.startsWith("credsvc")) return args
  const script = args.findIndex((arg) => !arg.startsWith("-"))
  return name.startsWith("node") && /^credsvc(?:\.js)?$/.test(path.basename(args[script] ?? ""))
    ? args.slice(script + 1)
    : []
}

/** Tells whether a command line runs `credsvc run`: `run` is its first word besides global flags and their values. */
export const isRun = (commandLine: ReadonlyArray<string>): boolean => {
  const args = ownArgumentsOf(commandLine)
  const isWord = (at: number) => !args[at]!.startsWith("-") && args[at - 1] !== "--log-file"
  return args.find((_, at) => isWord(at)) === "run"
}

/** The marks of runs, and the runs, in the lineage of a process. Undefined whenever `Lineage.lineageOf` is. */
export const lineageOf = (pid: number): Lineage.Lineage | undefined =>
  Lineage.lineageOf(pid, { variable: runMark, isMarker: isRun })

/** Whether this process is inside a run. */
export const isInsideRun = (): boolean => {
  const { markers, marks } = lineageOf(process.pid) ?? { markers: new Set(), marks: new Set() }
  return process.env[runMark] !== undefined || markers.size > 0 || marks.size > 0
}

/**
 * The name of the run with this ID. The ID authenticates the run's proxy and stays between it and the daemon; the name
 * is public and does not reveal the ID.
 */
export const runNameOf = (id: string): RunName => sha256(`credsvc/run/v1\n${id}`).slice(0, 10) as RunName
