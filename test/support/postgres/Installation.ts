import * as fs from "node:fs"
import * as path from "node:path"

const debian = "/usr/lib/postgresql"

/** The directory of `initdb` and `postgres`. Undefined if PostgreSQL is not installed. */
export const programsDirectory = (): string | undefined => {
  const versions = fs.existsSync(debian) ? fs.readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const directories = [...versions.map((version) => path.join(debian, version, "bin")), "/usr/local/bin", "/usr/bin"]
  return directories.find((directory) =>
    ["initdb", "postgres", "psql"].every((name) => fs.existsSync(path.join(directory, name)))
  )
}
