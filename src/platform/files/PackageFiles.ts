/** Reads files that are shipped with the program. Their ownership is not checked. */
import * as fs from "node:fs"
import { embeddedAssets } from "./EmbeddedFiles.ts"

export const readFirst = (files: ReadonlyArray<URL>): string | undefined => {
  for (const file of files) {
    if (fs.existsSync(file)) return fs.readFileSync(file, "utf8")
  }
  return undefined
}

/** Reads a file in `assets/` beside a source file or the bundle, or in the library itself. Returns undefined if it is missing. */
export const readAsset = (name: string, from: string): string | undefined =>
  embeddedAssets?.[name] ?? readFirst([new URL(`./assets/${name}`, from), new URL(`../assets/${name}`, from)])

/** Reads a file in `assets/` that every installation has. */
export const requireAsset = (name: string, from: string): string => {
  const text = readAsset(name, from)
  if (text === undefined) throw new Error(`the installation lacks assets/${name}; install credsvc again`)
  return text
}

/** Reads every JSON file directly in a directory, sorted by name. Empty if the directory does not exist. */
export const readJsonFiles = (directory: URL): ReadonlyArray<{ readonly name: string; readonly text: string }> => {
  if (!fs.existsSync(directory)) return []
  return fs.readdirSync(directory).filter((name) => name.endsWith(".json")).toSorted().map((name) => ({
    name,
    text: fs.readFileSync(new URL(name, directory), "utf8")
  }))
}
