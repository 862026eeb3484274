/**
 * Starts this program, or Node, again. In the single executable both are that executable, which sets the options of Node
 * itself.
 */
import * as fs from "node:fs"

/** True in the single executable: scripts/executable.ts defines it there. */
declare const CREDSVC_EXECUTABLE: true | undefined

const isExecutable = typeof CREDSVC_EXECUTABLE !== "undefined"

/** The first argument with which the executable runs a file or, after `-e`, code, as Node does. */
export const nodeArgument = "__node"

/** The file of this program, by its own path, without a search in PATH. */
export const ownFile = (): string => isExecutable ? process.execPath : fs.realpathSync(process.argv[1]!)

/** The arguments of `process.execPath` that start the program in `file` with these arguments. */
export const ownArguments = (
  file: string,
  nodeOptions: ReadonlyArray<string>,
  args: ReadonlyArray<string>
): ReadonlyArray<string> => isExecutable ? args : [...nodeOptions, file, ...args]

/** The arguments of `process.execPath` that run a file or, after `-e`, code. */
export const nodeArguments = (
  nodeOptions: ReadonlyArray<string>,
  args: ReadonlyArray<string>
): ReadonlyArray<string> => isExecutable ? [nodeArgument, ...args] : [...nodeOptions, ...args]
