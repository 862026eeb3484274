/** Finds a program by its path, or in the absolute directories of `PATH`. */
import * as fs from "node:fs"
import * as path from "node:path"

export const isExecutable = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/**
 * The absolute paths at which the program may be. On Windows, `op` may be `op.com` or `op.exe`: a file with another extension of
 * `PATHEXT` cannot be started without a shell.
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

/** The absolute path of a program. `first`: directories that are searched before `PATH`. */
export const findProgram = (program: string, first: ReadonlyArray<string> = []): string | undefined =>
  programFiles(program, [...first, process.env["PATH"] ?? ""].join(path.delimiter), process.platform).find(isExecutable)
