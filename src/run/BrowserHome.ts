/**
 * Creates a home directory for Chromium on Linux, which reads additional certificate authorities only from there. It links to the
 * content of the user's home, except for the certificate database: that is a copy to which the run's authority is added.
 */
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import * as NssDatabase from "./NssDatabase.ts"

const NSS = path.join("pki", "nssdb", "cert9.db")

/** The possible places of the database, in order of precedence. */
const databases = (home: string): ReadonlyArray<string> => [
  path.join(home, `.${NSS}`),
  path.join(home, ".local", "share", NSS)
]

export class BrowserHomeError extends Schema.TaggedError<BrowserHomeError>()("BrowserHomeError", {
  message: Schema.String
}) {}

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
  const database = path.join(directory, `.${NSS}`)
  fs.mkdirSync(path.dirname(database), { recursive: true, mode: 0o700 })
  const entries = orFail(
    () => fs.existsSync(home) ? fs.readdirSync(home) : [],
    (reason) =>
      `chromium gets a home directory with what is in ${home}, which cannot be listed (${reason}): set HOME to another`
  )
  for (const name of entries) {
    if (name !== ".pki") fs.symlinkSync(path.join(home, name), path.join(directory, name))
  }
  const before = databases(home).find((file) => fs.existsSync(file))
  orFail(
    () => {
      if (before !== undefined) fs.copyFileSync(before, database)
      NssDatabase.addAuthority(database, authority)
    },
    (reason) =>
      `chromium gets the certificate database ${
        before ?? database
      }, which cannot be used (${reason}): set HOME to another`
  )
}
