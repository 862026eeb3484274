/**
 * Starts this program, or Node, again. In the single executable both are that executable, which sets the Node options
 * itself.
 */
import * as fs from "node:fs"
import * as path from "node:path"

/** Defined as true by scripts/executable.ts, in the single executable. */
declare const CREDSVC_EXECUTABLE: true | undefined

const isExecutable = typeof CREDSVC_EXECUTABLE !== "undefined"

/** As the first argument, makes the executable behave like `node`: it runs a file, or code after `-e`. */
export const nodeArgument = "__node"

/** The path of this program's file, without a search in PATH. */
export const ownFile = (): string => isExecutable ? process.execPath : fs.realpathSync(process.argv[1]!)

/** The directory of this program's files, or the single executable. */
export const ownProgram = (): string => isExecutable ? ownFile() : path.dirname(ownFile())

/** The arguments with which `process.execPath` starts the program in `file` with these arguments. */
export const ownArguments = (
  file: string,
  nodeOptions: ReadonlyArray<string>,
  args: ReadonlyArray<string>
): ReadonlyArray<string> => isExecutable ? args : [...nodeOptions, file, ...args]

/** The arguments with which `process.execPath` runs a file or, after `-e`, code. */
export const nodeArguments = (
  nodeOptions: ReadonlyArray<string>,
  args: ReadonlyArray<string>
): ReadonlyArray<string> => isExecutable ? [nodeArgument, ...args] : [...nodeOptions, ...args]
