/** Finds a program by its path, or by its name in the absolute directories of `PATH`. */
import * as fs from "node:fs"
import * as path from "node:path"
import { readOr } from "./ReadOrEmpty.ts"

/** Directories with programs of the system. `PATH` may have others that the command of a contained run can write to. */
export const systemDirectories = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"]

/** Whether the path is a file that this user may execute. */
export const isExecutable = (file: string): boolean =>
  readOr(() => {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  }, false)

/**
 * Lists the absolute paths at which the program may be. On Windows, `op` may be `op.com` or `op.exe`: files with other
 * extensions of `PATHEXT` cannot be started without a shell.
 */
export const programFiles = (
  program: string,
  directories: string,
  platform: NodeJS.Platform
): ReadonlyArray<string> => {
  const isWindows = platform === "win32"
  const { delimiter, isAbsolute, join, resolve } = isWindows ? path.win32 : path.posix
  const files = (isWindows ? /[\\/]/ : /\//).test(program)
    ? [resolve(program)]
    : directories.split(delimiter).filter(isAbsolute).map((directory) => join(directory, program))
  return isWindows && !/\.(?:com|exe)$/i.test(program) ? files.flatMap((file) => [`${file}.com`, `${file}.exe`]) : files
}

/**
 * Returns the absolute path of a program, or undefined if it is not found. The directories in `first` are searched before `PATH`.
 */
export const findProgram = (program: string, first: ReadonlyArray<string> = []): string | undefined =>
  programFiles(program, [...first, process.env["PATH"] ?? ""].join(path.delimiter), process.platform).find(isExecutable)
