/** The native library for keyrings, which may be installed beside this program, in a directory of a project. */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { embeddedKeyring } from "../files/EmbeddedFiles.ts"
import { namesIn, realPathOf } from "../files/ReadOrEmpty.ts"

const NAME = "@napi-rs/keyring"

/** Returns the path of the library. Throws if the library is missing. */
export const keyringLibrary = (): string => createRequire(import.meta.url).resolve(NAME)

/**
 * The directories that decide which library is loaded: directories that contain it, and directories that are searched
 * earlier and may be missing. pnpm installs each package in a separate directory, with links to the others.
 */
export const keyringDirectories = (): ReadonlyArray<string> => {
  const found = new Set<string>()
  const add = (scope: string): void => {
    if (found.has(scope)) return
    found.add(scope)
    for (const name of namesIn(scope)) add(path.dirname(realPathOf(path.join(scope, name)) ?? path.join(scope, name)))
  }
  const searched = embeddedKeyring === undefined ? createRequire(import.meta.url).resolve.paths(NAME) ?? [] : []
  for (const modules of searched) {
    add(fs.existsSync(modules) ? path.join(modules, path.dirname(NAME)) : modules)
    if (fs.existsSync(path.join(modules, NAME))) break
  }
  return [...found]
}
