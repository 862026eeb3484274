import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryDirectory, timeOf } from "../lib/Programs.ts"
import { interleaved } from "./lib/Rounds.ts"
import { atMost, informative, inFull, quick, type Row, type Section } from "./lib/Section.ts"

const root = path.join(import.meta.dirname, "..", "..")
const library = path.join(root, "dist", "lib")
const rounds = inFull(15, 1)

/** The modules of Effect that an entry point imports before any lazy import, directly or through its chunks. */
const effectModules = (entry: string): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const text = fs.readFileSync(path.join(library, file), "utf8")
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|(?:^|;)import)\s*["']([^"']+)["']/g)) {
      if (specifier.startsWith("effect/")) found.add(specifier)
      else if (specifier.startsWith("./")) visit(specifier.slice(2))
    }
  }
  visit(entry)
  return [...found].toSorted()
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  // The directory is in the repository, so that `credsvc` is this package.
  using directory = fs.mkdtempDisposableSync(path.join(root, "dist", "bench-"))
  using cache = temporaryDirectory("bench")
  const file = (name: string, specifiers: ReadonlyArray<string>): string => {
    const target = path.join(directory.path, `${name}.mjs`)
    fs.writeFileSync(target, specifiers.map((specifier) => `import ${JSON.stringify(specifier)}\n`).join(""))
    return target
  }
  const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
    bare: ["-e", "0"],
    effect: [file("effect", ["effect/Effect"])],
    schema: [file("schema", ["effect/Schema"])],
    httpApi: [file("http-api", ["effect/http-api/HttpApi"])],
    api: [file("api", ["credsvc/api"])],
    apiEffect: [file("api-effect", effectModules("api.js"))],
    library: [file("library", ["credsvc"])],
    libraryEffect: [file("library-effect", effectModules("index.js"))]
  }
  const names = [...Object.keys(programs), ...quick ? [] : ["api cached", "library cached"]]
  const taken = await interleaved(names, { rounds, warmUp: inFull(2, 1) }, (name) => {
    const [program = "", cached] = name.split(" ")
    const env = { HOME: directory.path, ...(cached === undefined ? {} : { NODE_COMPILE_CACHE: cache.path }) }
    return timeOf(process.execPath, programs[program]!, { env })
  })
  const toNode = (what: string, name: string): Row => informative(what, taken.comparison(name, "bare", "ms"))
  return [
    toNode("node -e 0", "bare"),
    toNode("import of effect/Effect alone", "effect"),
    toNode("import of effect/Schema alone", "schema"),
    toNode("import of effect/http-api/HttpApi alone", "httpApi"),
    toNode("import of credsvc/api", "api"),
    ...quick ? [] : [toNode("import of credsvc/api, with a compile cache", "api cached")],
    toNode("import of credsvc", "library"),
    ...quick ? [] : [toNode("import of credsvc, with a compile cache", "library cached")],
    atMost("credsvc/api, of the modules of effect that it imports", taken.comparison("api", "apiEffect", "ms"), 1.5),
    atMost("credsvc, of the modules of effect that it imports", taken.comparison("library", "libraryEffect", "ms"), 1.5)
  ]
}

export const section: Section = {
  title: "Importing the library",
  method:
    "The time of a process that only imports an entry point, relative to `node -e 0`. A program that embeds credsvc imports Effect anyway, so the bars are " +
    "relative to the same modules of Effect. The compile cache is `module.enableCompileCache()`.",
  run
}
