/**
 * Builds dist/: the command line and the daemon as one self-contained bundle in lazily loaded chunks, the two library
 * entries, their declarations, the bundled provider definitions as one file, and the files that pages load.
 *
 * `node scripts/build.ts [--out <directory>] [--no-types]`. The same sources always produce the same JavaScript; in
 * declarations, TypeScript 7 emits the members of unions in any order.
 */
import * as Result from "effect/Result"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createRequire, isBuiltin } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { isDeepStrictEqual, parseArgs, stripVTControlCharacters } from "node:util"
import { brotliCompressSync, constants } from "node:zlib"
import { build as bundle } from "rolldown"
import type { CodeSplittingGroup, InputOptions, OutputChunk, OutputOptions, Plugin, RolldownOutput } from "rolldown"
import { apiDocument } from "../src/api/OpenApiDocument.ts"
import { errorExitCodes, operationGroups } from "../src/api/Operations.ts"
import { operationTargets } from "../src/api/OperationTargets.ts"
import { wholeTree } from "../src/cli/api/WholeTree.ts"
import { completionModel } from "../src/cli/completion/CommandModel.ts"
import { toolSchemas } from "../src/cli/mcp/ToolSchemas.ts"
import { readJsonFiles } from "../src/platform/files/PackageFiles.ts"
import { decodeFiles, packProviders } from "../src/providers/BundledProviders.ts"
import { readRecipeFile } from "../src/run/recipes/RecipeFile.ts"
import { compileCalledFunctions } from "./called-functions.ts"

const root = path.join(import.meta.dirname, "..")
const source = (file: string): string => path.join(root, "src", file)
const effect = path.join(root, "node_modules", "effect", "dist")
const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as { version: string }

export interface BuildOptions {
  readonly out: string
  readonly types: boolean
}

/** An expression whose value is the text, and which is an eighth as long. */
const compressed = (text: string): string => {
  const bytes = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  return `globalThis.process.getBuiltinModule("node:zlib").brotliDecompressSync(Buffer.from("${
    bytes.toString("base64")
  }", "base64")).toString()`
}

/** Compresses the page behind /docs, which is 2 MB of JavaScript in one string. */
const docsAssets = (out: string): Plugin => ({
  name: "docs-assets",
  async resolveId(specifier, importer) {
    const asset = /(?:^|\/)internal\/(httpApi(?:Swagger|Scalar))\.js$/.exec(specifier)
    if (asset === null || importer === undefined) return null
    const name = `${asset[1]}.js`
    const texts: Readonly<Record<string, string>> = await import(
      pathToFileURL(createRequire(importer).resolve(specifier)).href
    )
    const exports = Object.entries(texts).map(([name, text]) => `export const ${name} = ${compressed(text)}\n`)
    fs.mkdirSync(out, { recursive: true })
    fs.writeFileSync(path.join(out, name), exports.join(""))
    return { id: `./${name}`, external: "relative" }
  }
})

/**
 * An ESM import of a builtin reads every one of its exports, including lazy ones: `node:fs` loads the streams,
 * `node:http` loads undici. `process.getBuiltinModule` reads none.
 */
const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  transform: (code) => {
    const pattern =
      /^import[ \t]+(?:\*[ \t]*as[ \t]+([\w$]+)|([\w$]+)|\{([^}]*)\})[ \t]*from[ \t]*["']((?:node:)?[\w/]+)["'];?/gm
    const changed = code.replace(
      pattern,
      (statement, namespace, whole, names: string | undefined, specifier: string) => {
        if (!isBuiltin(specifier)) return statement
        // `globalThis.process`, because an import of the module can shadow `process`.
        const builtin = `/*#__PURE__*/ globalThis.process.getBuiltinModule(${JSON.stringify(specifier)})`
        return names === undefined
          ? `const ${namespace ?? whole} = ${builtin};`
          : `const {${names.replace(/\btype\s+\w+,?/g, "").replace(/(\w+)\s+as\s+(\w+)/g, "$1: $2")}} = ${builtin};`
      }
    )
    return changed === code ? null : changed
  }
}

/**
 * platform-node and the bundler's own runtime load builtins by `createRequire` for a file. No such file exists in `node
 * -e`, in a worker whose code is a string, or after a bundler has converted the library to CommonJS.
 */
const fileless: Plugin = {
  name: "fileless",
  renderChunk: (code) =>
    code.replace(
      /^var __require = .*createRequire\(import\.meta\.url\)\)\(\);$/m,
      `var __require = (name) => {
  const builtin = globalThis.process.getBuiltinModule(name);
  if (builtin === undefined) throw new Error("no module " + name);
  return builtin;
};`
    ),
  transform: (code, id) => {
    if (!/[\\/]@effect[\\/]platform-node[\\/]dist[\\/]internal[\\/]http\.js$/.test(id)) return null
    if (!/=.*createRequire\(.*\);$/m.test(code)) {
      throw new Error("@effect/platform-node no longer loads node:http as this build expects")
    }
    return code.replace(/^import .*createRequire.*$/m, "").replace(
      /=.*createRequire\(.*\);$/m,
      "= (name) => globalThis.process.getBuiltinModule(name);"
    )
  }
}

/** `new Intl.Segmenter` takes a third of Node's startup time, and most commands print nothing that needs it. */
const lazySegmenter: Plugin = {
  name: "lazy-segmenter",
  transform: (code, id) => {
    if (!/[\\/]effect[\\/]dist[\\/]cli[\\/]CliOutput\.js$/.test(id)) return null
    const made = /^const (\w+) = \/\*#__PURE__\*\/new Intl\.Segmenter\((.*?)\);$/ms.exec(code)
    if (made === null) throw new Error("effect/cli/CliOutput no longer makes its segmenter as this build expects")
    const [statement, name, options] = made
    return code.replace(
      statement,
      `let made_${name};
const ${name} = {
  segment: (text) =>
    /^[ -~]*$/.test(text)
      ? Array.from(text, (segment) => ({ segment }))
      : (made_${name} ??= new Intl.Segmenter(${options})).segment(text)
};`
    )
  }
}

/**
 * undici's copy of llhttp is a CommonJS module whose exports are one large buffer. The bundler's conversion would copy
 * every byte of it as a property, which takes 50 ms.
 */
const llhttpAsModule: Plugin = {
  name: "llhttp-as-module",
  transform: (code, id) => {
    if (!/[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp-wasm\.js$/.test(id)) return null
    const bytes = /^const wasmBase64 = ('[\w+/=]+')$/m.exec(code)?.[1]
    if (bytes === undefined) throw new Error("undici no longer ships llhttp as this build expects")
    return `export default Buffer.from(${bytes}, "base64")`
  }
}

/** Replaces each call site of the debug log by its name and line, because taking a stack trace takes half a millisecond. */
const callSites: Plugin = {
  name: "call-sites",
  transform: (code) => {
    const changed = code.replace(
      /\bcallSite\(("\w+)"\)/g,
      (_, name: string, at: number) => `${name}:${code.slice(0, at).split("\n").length}"`
    )
    return changed === code ? null : changed
  }
}

/** V8 takes two bytes per character for text that is not all ASCII. Other characters are only in literals, as escapes. */
const asciiOnly = (code: string): string => {
  const other = /[^\0-\x7f]/g
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error("String.raw with characters outside of ASCII")
  return code.replace(other, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/** Makes the text of all files of a bundle ASCII. */
const asciiFiles: Plugin = {
  name: "ascii-files",
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) if (file.type === "chunk") file.code = asciiOnly(file.code)
  }
}

const moduleValues = new Map<string, object>([
  [source("api/OpenApiDocument.ts"), { apiDocument }],
  [source("api/Operations.ts"), { errorExitCodes, operationGroups }],
  [source("api/OperationTargets.ts"), { operationTargets }],
  [source("cli/mcp/ToolSchemas.ts"), { toolSchemas }]
])

/** Replaces modules whose exports are JSON values with these values, without the code that computes them. */
const evaluatedModules: Plugin = {
  name: "evaluated-modules",
  load: (id) => {
    const exports = moduleValues.get(id)
    if (exports === undefined) return null
    return Object.entries(exports).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`).join("\n")
  }
}

/**
 * Reading a property has no effect in this code. Otherwise `NodeHttpServer` keeps layers that the program does not use, with
 * WebSockets, terminals and child processes, because they read `http.createServer`.
 */
const treeshake = { propertyReadSideEffects: false } as const

export const define = { CREDSVC_VERSION: JSON.stringify(version) }

export const buildStub = async (out: string): Promise<void> => {
  const { output } = await bundle({
    input: source("bin.ts"),
    platform: "node",
    external: /^\.\/main\.js$/,
    transform: { define, target: "es2018" },
    write: false,
    output: { format: "esm", minify: true, codeSplitting: false }
  })
  // With an export, older versions of Node would reject the file before it can report the required version.
  const code = output[0].code.replace(/\bexport\s*\{\s*\};?\s*$/, "")
  if (/^\s*(?:import|export)\b/m.test(code)) throw new Error("dist/credsvc.js must not have a static import or export")
  fs.writeFileSync(path.join(out, "credsvc.js"), code, { mode: 0o755 })
}

/** Modules with a bundle of their own, which the command line and the daemon load by dynamic imports. */
const separateBundles: Readonly<Record<string, string>> = {
  [source("server/Daemon.ts")]: "./daemon.js",
  [source("conformance/ProviderCheck.ts")]: "./conformance.js",
  [source("telemetry/Otlp.ts")]: "./telemetry.js"
}

/** Redirects dynamic imports of these modules to their bundles. */
const separate: Plugin = {
  name: "separate",
  resolveDynamicImport: (specifier, importer) => {
    const id = typeof specifier === "string" && separateBundles[path.resolve(path.dirname(importer ?? ""), specifier)]
    return id ? { id, external: "relative" } : null
  }
}

/** The bundles of the program, with their entries. */
export const programBundles = {
  program: { main: source("cli/main.ts") },
  daemon: {
    daemon: source("server/Daemon.ts"),
    serve: source("serve.ts"),
    conformance: source("conformance/ProviderCheck.ts")
  },
  telemetry: { telemetry: source("telemetry/Otlp.ts") },
  completion: { complete: source("cli/complete.ts") }
} as const

const fileNames = { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" } as const

/** How `dist/` and the single executable bundle the program. */
export const programOptions = (
  input: Readonly<Record<string, string>>,
  groups: Array<CodeSplittingGroup>,
  plugin: Plugin,
  output: OutputOptions
): InputOptions & { readonly output: OutputOptions } => ({
  input,
  platform: "node",
  external: ["@napi-rs/keyring"],
  treeshake,
  plugins: [separate, plugin, callSites, lazyBuiltins, lazySegmenter, llhttpAsModule, evaluatedModules, asciiFiles],
  output: { minify: true, ...fileNames, codeSplitting: { groups }, ...output }
})

/**
 * The command line, the daemon and the exporters share no chunk: a shared module would contain what only the others use of it,
 * and every command would load that. A second copy of Effect is harmless, because Effect identifies its values by string keys.
 */
const buildProgram = (
  out: string,
  input: Readonly<Record<string, string>>,
  groups: Array<CodeSplittingGroup> = []
): Promise<RolldownOutput> =>
  bundle({
    ...programOptions(input, groups, docsAssets(out), { dir: out, format: "esm" }),
    transform: { define, target: "node22" }
  })

/**
 * The modules that `get` loads, and so most of those of all commands that call the daemon. Without this set, `run` would
 * load the command tree.
 */
const directly = new Set(
  ["cli/commands/Get.ts", "cli/daemon/DaemonAccess.ts", "cli/home/Home.ts"].map(source)
)

/** Modules that `run` shares with other commands, which do not load the proxy. */
const sharedByRun = new Set([
  ...["Fiber.js", "Latch.js"].map((file) => path.join(effect, file)),
  ...[
    "config/file/ConfigFile.ts",
    "config/RunMark.ts",
    "domain/text/ExistingConnections.ts",
    "domain/injection/MisplacedPlaceholder.ts",
    "domain/injection/Placeholder.ts",
    "domain/text/KeyText.ts",
    "domain/wire/ReadRoutes.ts",
    "domain/definition/HmacTemplate.ts",
    "domain/rules/RuleSet.ts",
    "domain/injection/Route.ts",
    "platform/process/CoreFiles.ts",
    "platform/process/UserUmask.ts"
  ].map(source)
])

const ofRun = new Set(
  [
    "commands/Run.ts",
    "run/ExposedKeys.ts",
    "run/Registration.ts",
    "run/RunOptions.ts",
    "run/RunProxy.ts"
  ].map((
    file
  ) => source(`cli/${file}`))
)

/**
 * Each file adds to the startup time, so the modules that every command loads become one file, those that every client
 * needs another, and those of `run` two more.
 */
export const togetherAtStart: Array<CodeSplittingGroup> = [
  { name: "start", test: (id) => id === source("cli/main.ts"), priority: 5 },
  { name: "client", test: (id) => directly.has(id), priority: 4 },
  { name: "shared", test: (id) => sharedByRun.has(id), priority: 3 },
  { name: "run", test: (id) => ofRun.has(id), priority: 2 },
  // Of the other files, `run` loads at most this one: for a `config.json` with more settings than a plain one. Every error
  // class needs it, too.
  {
    name: "schema",
    test: (id) => id === path.join(effect, "Schema.js") || id === source("domain/wire/Wire.ts"),
    priority: 2
  },
  { name: "tree", test: (id) => id === source("cli/CommandTree.ts"), priority: 1 }
]

/** Puts the shipped files into the library, because a bundler of the embedding program would lose separate ones. */
const embeddedFiles: Plugin = {
  name: "embedded-files",
  resolveId: (specifier) => specifier === "embedded-providers" ? "\0embedded-providers" : null,
  load: (id) => {
    if (id === "\0embedded-providers") return `export default ${compressed(providers())}`
    if (id !== source("platform/files/EmbeddedFiles.ts")) return null
    const assets = Object.fromEntries(
      assetDirectories().flatMap((directory) =>
        fs.readdirSync(directory).map((name) => [name, fs.readFileSync(path.join(directory, name), "utf8")])
      )
    )
    return `export const embeddedAssets = ${JSON.stringify(assets)}
export const embeddedProviders = () => import("embedded-providers").then((module) => module.default)
export const embeddedKeyring = undefined`
  }
}

const libraryEntries = ["index", "api", "embedded", "testing"]

const buildLibrary = (out: string): Promise<RolldownOutput> =>
  bundle({
    input: Object.fromEntries(libraryEntries.map((name) => [name, source(`${name}.ts`)])),
    platform: "node",
    external: ["@napi-rs/keyring", /^effect(?:\/|$)/],
    treeshake,
    plugins: [embeddedFiles, fileless, lazyBuiltins, llhttpAsModule],
    transform: { define, target: "node22" },
    output: {
      dir: path.join(out, "lib"),
      format: "esm",
      // Without renaming, so that stack traces and profiles of the embedding program stay readable.
      minify: { compress: true, mangle: false, codegen: true },
      ...fileNames
    }
  })

const declarationIn = /(?:from |import\(|import )"(\.[^"]+)\.ts"/g

/** Deletes the declarations that no entry point of the library needs. */
const removeUnneeded = (types: string): void => {
  const needed = new Set<string>()
  const visit = (file: string): void => {
    if (needed.has(file)) return
    needed.add(file)
    for (const [, specifier = ""] of fs.readFileSync(file, "utf8").matchAll(declarationIn)) {
      visit(path.join(path.dirname(file), `${specifier}.d.ts`))
    }
  }
  for (const name of libraryEntries) visit(path.join(types, `${name}.d.ts`))
  for (const name of fs.readdirSync(types, { recursive: true, encoding: "utf8" })) {
    const file = path.join(types, name)
    if (name.endsWith(".d.ts") && !needed.has(file)) fs.rmSync(file)
  }
}

const buildTypes = async (out: string): Promise<void> => {
  const types = path.join(out, "types")
  const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc")
  const args = [tsc, "-p", path.join(root, "tsconfig.build.json"), "--outDir", types]
  const [code] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit")
  if (code !== 0) throw new Error("tsc could not write the declarations")
  removeUnneeded(types)
}

/** All providers as one text. The decoded definitions must be valid JSON. */
const readProviders = (): string => {
  const { definitions, problems } = decodeFiles(readJsonFiles(pathToFileURL(path.join(root, "providers/"))))
  if (problems.length > 0) {
    const sentences = problems.flatMap(({ file, problems }) =>
      problems.map((problem) => `providers/${file}: ${problem.path} ${problem.message}`)
    )
    throw new Error(sentences.join("\n"))
  }
  const sorted = [...definitions.values()].toSorted((a, b) => a.name < b.name ? -1 : 1)
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(sorted)), sorted)) {
    throw new Error("a decoded provider definition is not plain JSON")
  }
  return asciiOnly(packProviders(sorted))
}

let providersText: string | undefined
const providers = (): string => providersText ??= readProviders()

/** All recipes as one text. */
const recipes = (): string => {
  const files = readJsonFiles(pathToFileURL(path.join(root, "recipes/")))
  return JSON.stringify(files.map(({ name, text }) => Result.getOrThrow(readRecipeFile(`recipes/${name}`, text))))
}

/** Files that are served to browsers, copied into the directory of a run, or printed, as they are. */
const assetDirectories = (): ReadonlyArray<string> =>
  ["cli", "contain", "server", "run"].map((room) => source(`${room}/assets`))

const copyAssets = (out: string): void => {
  for (const directory of assetDirectories()) fs.cpSync(directory, path.join(out, "assets"), { recursive: true })
}

/** The command tree as data for shell completion, which has no time to build it. */
const buildCommands = (out: string): void => {
  fs.writeFileSync(path.join(out, "assets", "commands.json"), `${JSON.stringify(completionModel(wholeTree))}\n`)
}

/** Copies the licenses of the bundled packages, which require that. */
const writeNotices = (out: string, bundles: ReadonlyArray<RolldownOutput>): void => {
  const modules = bundles.flatMap(({ output }) => output.flatMap((file) => file.type === "chunk" ? file.moduleIds : []))
  const roots = new Set(
    modules.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1] ?? [])
  )
  const notices = [...roots].map((directory) => {
    const { license, name, version } = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8")) as {
      license: string
      name: string
      version: string
    }
    const file = fs.readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? "" : `\n${fs.readFileSync(path.join(directory, file), "utf8").trim()}\n`
    return `${name} ${version} (${license})\n${text}`
  })
  const head = "This package contains code of the packages below, under their licenses.\n"
  fs.writeFileSync(path.join(out, "NOTICES.txt"), [head, ...notices.toSorted()].join(`\n${"-".repeat(80)}\n\n`))
}

/** A file of a bundle, and the modules from which it was made. */
export interface Chunk extends Pick<OutputChunk, "fileName" | "code" | "moduleIds" | "imports" | "dynamicImports"> {
  /** The modules that it contains in part or in whole. */
  readonly rendered: ReadonlyArray<string>
}

const chunksOf = ({ output }: RolldownOutput): ReadonlyArray<Chunk> =>
  output.flatMap((file) => {
    if (file.type !== "chunk") return []
    const { code, dynamicImports, fileName, imports, moduleIds, modules } = file
    const rendered = Object.entries(modules).flatMap(([id, { renderedLength }]) => renderedLength > 0 ? [id] : [])
    return [{ code, dynamicImports, fileName, imports, moduleIds, rendered }]
  })

/** The files that the command line loads with `file`, by default the one at startup, before any lazy import. */
export const startFiles = (chunks: ReadonlyArray<Chunk>, file = "main.js"): ReadonlyArray<Chunk> => {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const reached = new Set<Chunk>()
  const visit = (name: string): void => {
    const chunk = byName.get(name)
    if (chunk === undefined || reached.has(chunk)) return
    reached.add(chunk)
    for (const next of chunk.imports) visit(next)
  }
  visit(file)
  return [...reached]
}

const kib = (chunks: ReadonlyArray<Chunk>): number =>
  Math.round(chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.code), 0) / 1024)

export type Built = Readonly<Record<"program" | "daemon" | "telemetry" | "library", ReadonlyArray<Chunk>>>

/** The `Built` of the last build of dist/, for tests. */
export const builtFile = path.join(root, "node_modules", ".cache", "credsvc-build.json")

export const build = async ({ out, types }: BuildOptions): Promise<Built> => {
  // Builds beside the target and renames at the end, so that dist/ is never incomplete.
  const fresh = `${out}.${process.pid}`
  fs.rmSync(fresh, { recursive: true, force: true })
  fs.mkdirSync(fresh, { recursive: true })
  try {
    const [, program, daemon, telemetry, completion, demo, library] = await Promise.all([
      buildStub(fresh),
      buildProgram(fresh, programBundles.program, togetherAtStart),
      buildProgram(fresh, programBundles.daemon),
      buildProgram(fresh, programBundles.telemetry),
      buildProgram(fresh, programBundles.completion),
      buildProgram(fresh, { demo: path.join(root, "scripts", "demo.ts") }),
      buildLibrary(fresh),
      types ? buildTypes(fresh) : undefined
    ])
    fs.writeFileSync(path.join(fresh, "providers.json"), `${providers()}\n`)
    copyAssets(fresh)
    fs.writeFileSync(path.join(fresh, "assets", "recipes.json"), `${recipes()}\n`)
    buildCommands(fresh)
    writeNotices(fresh, [program, daemon, telemetry, completion, demo, library])
    await compileCalledFunctions(fresh)
    fs.rmSync(out, { recursive: true, force: true })
    fs.renameSync(fresh, out)

    const built = {
      program: chunksOf(program),
      daemon: chunksOf(daemon),
      telemetry: chunksOf(telemetry),
      library: chunksOf(library)
    }
    const all = [...built.program, ...built.daemon]
    console.log(
      `${path.relative(root, out)}: ${kib(all)} KiB in ${all.length} files, ${
        kib(startFiles(built.program))
      } KiB at start`
    )
    return built
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true })
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values: { out = "dist", "no-types": withoutTypes = false } } = parseArgs({
    options: { out: { type: "string" }, "no-types": { type: "boolean" } }
  })
  try {
    const built = await build({ out: path.resolve(root, out), types: !withoutTypes })
    if (out === "dist") {
      fs.mkdirSync(path.dirname(builtFile), { recursive: true })
      fs.writeFileSync(builtFile, JSON.stringify(built))
    }
  } catch (error) {
    console.error(stripVTControlCharacters((error as Error).message))
    process.exitCode = 1
  }
}
