/**
 * A home directory for Chromium on Linux, which looks there for authorities besides its own, and nowhere else: what the
 * user's home has, but another certificate database, with the run's authority beside those that the user trusts.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as NssDatabase from "./NssDatabase.ts"

const NSS = path.join("pki", "nssdb", "cert9.db")

/** The second place counts where the first is absent. */
const databases = (home: string): ReadonlyArray<string> => [
  path.join(home, `.${NSS}`),
  path.join(home, ".local", "share", NSS)
]

/** Fills `directory`, which must not exist. */
export const make = (directory: string, home: string, authority: Uint8Array): void => {
  const database = path.join(directory, `.${NSS}`)
  fs.mkdirSync(path.dirname(database), { recursive: true, mode: 0o700 })
  const entries = fs.existsSync(home) ? fs.readdirSync(home) : []
  for (const name of entries) {
    if (name !== ".pki") fs.symlinkSync(path.join(home, name), path.join(directory, name))
  }
  const before = databases(home).find((file) => fs.existsSync(file))
  if (before !== undefined) fs.copyFileSync(before, database)
  NssDatabase.addAuthority(database, authority)
}
