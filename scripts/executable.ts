/**
 * Builds the single executable of this platform, `build/credsvc`: Node with the bundles, their compiled code and
 * the shipped files as a blob (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html).
 *
 * `node scripts/executable.ts`, after a build. The base is the Node that runs this script. The code is compiled by V8
 * while an executable without compiled code does what users do most often.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import * as vm from "node:vm"
import { build, type CodeSplittingGroup, type OutputChunk, type Plugin } from "rolldown"
import { define, programBundles, programOptions, togetherAtStart } from "./build.ts"
import { commonCommands, environmentIn, exampleKey, firstLogin } from "./called-functions.ts"
import { succeed, temporaryDirectory } from "./lib/Programs.ts"

const root = path.join(import.meta.dirname, "..")
const dist = path.join(root, "dist")
const source = (file: string): string => path.join(root, "src", file)

/** Defined by Node (`node_sea.h`). */
const sentinel = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"
const blobName = "NODE_SEA_BLOB"

const docsModule = "httpApiSwagger"
const docsPattern = new RegExp(`(?:^|/)internal/${docsModule}\\.js$`)

const docsBundle = {
  [docsModule]: path.join(root, "node_modules", "effect", "dist", "http-api", "internal", `${docsModule}.js`)
}

/** Replaces the shipped files by those of the executable. */
const executableFiles: Plugin = {
  name: "executable-files",
  resolveId: (specifier, importer) => {
    if (importer === undefined) return null
    if (specifier.endsWith("/EmbeddedFiles.ts")) return source("platform/files/ExecutableFiles.ts")
    return docsPattern.test(specifier) ? { id: `./${docsModule}.js`, external: "relative" } : null
  }
}

/** The files of a bundle. `import()` evaluates a file on demand. */
const bundle = async (
  input: Readonly<Record<string, string>>,
  groups: Array<CodeSplittingGroup> = []
): Promise<ReadonlyArray<OutputChunk>> => {
  const { output } = await build({
    ...programOptions(input, groups, executableFiles, { format: "cjs", dynamicImportInCjs: false }),
    write: false,
    transform: {
      define: {
        ...define,
        "import.meta.env": "undefined",
        CREDSVC_EXECUTABLE: "true",
        CREDSVC_ASSETS: JSON.stringify(fs.readdirSync(path.join(dist, "assets")))
      },
      target: "node24"
    }
  })
  return output.filter((file) => file.type === "chunk")
}

/** The native library of the keyring for this platform. */
const keyringLibrary = (): string => {
  const require = createRequire(createRequire(import.meta.url).resolve("@napi-rs/keyring"))
  const libc = process.platform !== "linux" ? "" : "-gnu"
  const name = `${process.platform}-${process.arch}${process.platform === "win32" ? "-msvc" : libc}`
  return require.resolve(`@napi-rs/keyring-${name}/keyring.${name}.node`)
}

interface Parts {
  readonly directory: string
  readonly assets: Readonly<Record<string, string>>
}

const prepare = async (directory: string): Promise<Parts> => {
  const write = (name: string, text: string): string => {
    const file = path.join(directory, name)
    fs.writeFileSync(file, text)
    return file
  }
  const assets: Record<string, string> = {
    "providers.json": path.join(dist, "providers.json"),
    "keyring.node": keyringLibrary()
  }
  for (const name of fs.readdirSync(path.join(dist, "assets"))) assets[name] = path.join(dist, "assets", name)
  const { program, ...others } = programBundles
  const files = await Promise.all([
    bundle(program, togetherAtStart),
    ...[...Object.values(others), docsBundle].map((input) => bundle(input))
  ])
  for (const { code, fileName } of files.flat()) {
    const cache = fileName.replace(/\.js$/, ".cache")
    assets[fileName] = write(fileName, `(function (exports, require, module, __filename) { ${code}\n})`)
    assets[cache] = write(cache, "")
  }
  const [start] = await bundle({ executable: source("executable.ts") })
  write("executable.js", start!.code)
  return { directory, assets }
}

const assemble = ({ assets, directory }: Parts, main: string, target: string): void => {
  const blob = path.join(directory, "blob")
  const config = path.join(directory, "sea.json")
  fs.writeFileSync(
    config,
    JSON.stringify({
      main: path.join(directory, main),
      output: blob,
      disableExperimentalSEAWarning: true,
      execArgv: ["--report-exclude-env"],
      assets
    })
  )
  succeed(process.execPath, ["--experimental-sea-config", config])
  const fresh = `${target}.${process.pid}`
  fs.copyFileSync(process.execPath, fresh)
  fs.chmodSync(fresh, 0o755)
  if (process.platform === "darwin") succeed("codesign", ["--remove-signature", fresh])
  succeed(process.execPath, [
    path.join(root, "node_modules", "postject", "dist", "cli.js"),
    fresh,
    blobName,
    blob,
    "--sentinel-fuse",
    sentinel,
    ...(process.platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [])
  ])
  if (process.platform === "darwin") succeed("codesign", ["--sign", "-", fresh])
  fs.renameSync(fresh, target)
}

/** Code for the start of the executable that adds what a process has compiled to the files of compiled code. */
const recorder = (directory: string): string =>
  `{
  const fs = process.getBuiltinModule("node:fs"), path = process.getBuiltinModule("node:path")
  const vm = process.getBuiltinModule("node:vm"), { Script } = vm
  // A process that runs for long sets flags, under which V8 rejects what it has compiled before.
  process.getBuiltinModule("node:v8").setFlagsFromString = () => {}
  process.getBuiltinModule("node:module").syncBuiltinESMExports()
  vm.Script = class extends Script {
    constructor(code, options) {
      const name = /^credsvc:(.+)\\.js$/.exec(options?.filename)?.[1]
      if (name === undefined) return new Script(code, options)
      const file = path.join(${JSON.stringify(directory)}, name + ".cache")
      const cachedData = fs.readFileSync(file)
      super(code, { ...options, cachedData: cachedData.length === 0 ? undefined : cachedData })
      process.on("exit", () => fs.writeFileSync(file, this.createCachedData()))
    }
  }
}
`

/** Makes V8 compile what users need most often. */
const compile = (parts: Parts): void => {
  const { assets, directory } = parts
  const recording = "recording.js"
  fs.writeFileSync(
    path.join(directory, recording),
    recorder(directory) + fs.readFileSync(path.join(directory, "executable.js"), "utf8")
  )
  const program = path.join(directory, "recording")
  assemble(parts, recording, program)
  using home = temporaryDirectory("executable")
  const env = environmentIn(home.path)
  succeed(program, ["daemon", "start", "--port", "0"], { env })
  try {
    succeed(program, firstLogin, { env, input: exampleKey })
    for (const args of commonCommands) succeed(program, args, { env })
  } finally {
    succeed(program, ["daemon", "stop"], { env })
  }
  for (const [cache, file] of Object.entries(assets).filter(([name]) => name.endsWith(".cache"))) {
    const cachedData = fs.readFileSync(file)
    if (cachedData.length === 0) continue
    const code = fs.readFileSync(assets[cache.replace(/cache$/, "js")]!, "utf8")
    if (new vm.Script(code, { cachedData }).cachedDataRejected === true) {
      throw new Error(`V8 rejects the compiled code in ${cache}; build it with the Node that runs this script`)
    }
  }
}

const target = path.join(root, "build", process.platform === "win32" ? "credsvc.exe" : "credsvc")
using directory = temporaryDirectory("executable")
const parts = await prepare(directory.path)
compile(parts)
fs.mkdirSync(path.dirname(target), { recursive: true })
assemble(parts, "executable.js", target)
console.log(`${path.relative(root, target)}: ${Math.round(fs.statSync(target).size / 1024 / 1024)} MiB`)
