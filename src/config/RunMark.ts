/** Recognizes runs and their processes. */
import * as path from "node:path"
import { RunName } from "../domain/Run.ts"
import { builtins } from "../platform/builtins.ts"
import * as Lineage from "../platform/Lineage.ts"

/** The environment variable that marks the processes of a run. Its value is the name of the run. */
export const runMark = "CREDSVC_RUN"

/** The mark of a run that is not registered with a daemon, as of a program that embeds the proxy. */
export const unregisteredRun = "unregistered"

/** The environment variable that marks the processes of a contained run, in which there is no daemon. */
export const containMark = "CREDSVC_CONTAINED"

/** Whether a command line is that of `credsvc run`. */
const isRun = ([program = "", ...args]: ReadonlyArray<string>): boolean => {
  const script = args.findIndex((arg) => !arg.startsWith("-"))
  const options = args.slice(script + 1, args.includes("--") ? args.indexOf("--") : undefined)
  return path.basename(program).startsWith("node") && /^credsvc(?:\.js)?$/.test(path.basename(args[script] ?? "")) &&
    options.includes("run")
}

/** The lineage of a process, with the marks of runs and the runs among its ancestors. */
export const lineageOf = (pid: number): Lineage.Lineage | undefined =>
  Lineage.lineageOf(pid, { variable: runMark, isMarker: isRun })

/** Whether this process is inside a run. */
export const isInsideRun = (): boolean => {
  const { markers, marks } = lineageOf(process.pid) ?? { markers: new Set(), marks: new Set() }
  return process.env[runMark] !== undefined || markers.size > 0 || marks.size > 0
}

/**
 * The name of the run with this id. The id authenticates the run's proxy and stays between it and the daemon; the name
 * is public and does not reveal the id.
 */
export const runNameOf = (id: string): RunName =>
  RunName.make(builtins.crypto.createHash("sha256").update(`credsvc/run/v1\n${id}`).digest("hex").slice(0, 10))
