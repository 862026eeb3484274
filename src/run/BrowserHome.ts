/**
 * Creates a home directory for Chromium on Linux, which reads additional certificate authorities only from there. It links to the
 * content of the user's home, except for the certificate database: that is a copy to which the run's authority is added.
 */
import * as Data from "effect/Data"
import * as fs from "node:fs"
import * as path from "node:path"
import * as NssDatabase from "./NssDatabase.ts"

/** The possible directories of the database in a home directory, in order of precedence. */
export const CERTIFICATE_DIRECTORIES: ReadonlyArray<string> = [".pki/nssdb", ".local/share/pki/nssdb"]

const DATABASE = "cert9.db"

export class BrowserHomeError extends Data.TaggedError("BrowserHomeError")<{ readonly message: string }> {}

const orFail = <A>(read: () => A, sentence: (reason: string) => string): A => {
  try {
    return read()
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new BrowserHomeError({
      message: sentence(code === undefined || code === "ERR_SQLITE_ERROR" ? message : code)
    })
  }
}

export const make = (directory: string, home: string, authority: Uint8Array): void => {
  const [place = ""] = CERTIFICATE_DIRECTORIES
  const database = path.join(directory, place, DATABASE)
  fs.mkdirSync(path.dirname(database), { recursive: true, mode: 0o700 })
  const entries = orFail(
    () => fs.existsSync(home) ? fs.readdirSync(home) : [],
    (reason) =>
      `cannot list the files in ${home} (${reason}), which chromium needs in its separate home directory: set HOME to another directory`
  )
  for (const name of entries) {
    if (name !== ".pki") fs.symlinkSync(path.join(home, name), path.join(directory, name))
  }
  const before = CERTIFICATE_DIRECTORIES.map((name) => path.join(home, name, DATABASE)).find((file) =>
    fs.existsSync(file)
  )
  orFail(
    () => {
      if (before !== undefined) fs.copyFileSync(before, database)
      NssDatabase.addAuthority(database, authority)
    },
    (reason) => {
      const file = before ?? database
      return `cannot use ${file}, the certificate database of chromium (${reason}): set HOME to another directory`
    }
  )
}
