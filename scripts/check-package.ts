/**
 * Checks the published package: packs it, installs the tarball as users do, and uses it.
 *
 * Requires a built dist/ and access to the npm registry. `--keep <directory>` keeps the tarball there if every check
 * passes. `--every-node` runs the examples also with the oldest and the newest supported version of Node.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { checkExamples, exampleTools, nodeProgramsIn, otherNodes } from "./lib/ExampleChecks.ts"
import { checkBundles, checkImports, checkTypes, tools } from "./lib/LibraryChecks.ts"
import { run, temporaryDirectory } from "./lib/Programs.ts"

const root = path.join(import.meta.dirname, "..")
const json = (file: string): any => JSON.parse(fs.readFileSync(file, "utf8"))

const manifest = json(path.join(root, "package.json"))
const paths = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [path.normalize(value)] : Object.values(value as object).flatMap(paths)

/** Files that the tarball must have. */
const required: ReadonlyArray<string> = [
  "README.md",
  "LICENSE",
  "dist/NOTICES.txt",
  "dist/providers.json",
  ...paths([manifest.exports, manifest.bin, manifest.man]),
  ...manifest.files.filter((name: string) => /\.\w+$/.test(name) && !name.includes("*")),
  ...["main", "daemon", "serve", "complete", "conformance", "telemetry"].map((name) => `dist/${name}.js`),
  ...["commands", "recipes", "hidden-paths"].map((name) => `dist/assets/${name}.json`),
  ...["pages.css", "pages.js", "inside.cjs", "node-preload.cjs", "bun-preload.cjs"].map((name) =>
    `dist/assets/${name}`
  ),
  ...["run", "flows", "profiles", "security"].map((topic) => `dist/assets/help-${topic}.txt`),
  ...["sitecustomize.py", "sandbox-enter.sh", "runtime-wrapper.sh"].map((name) => `dist/assets/${name}`),
  "docs/demo.svg"
]

/** The other files that the tarball may have: README.md links to those in docs/. */
const allowed =
  /^(?:dist\/(?:httpApiSwagger|(?:lib\/)?[\w-]+-[\w-]{8})\.js|dist\/types\/[\w/-]+\.d\.ts|docs\/(?:decisions\/)?[\w-]+\.md|docs\/performance\/[\w-]+\.svg|docs\/hosting\/[\w./-]+|docs\/examples\/[\w-]+\.(?:ts|mjs|py))$/i

/** Everything that an installation may add to node_modules. `effect` is a peer of the library only. */
const installedPackages = /^(credsvc|@napi-rs\/keyring(-[a-z0-9-]+)?)$/
const mostPackages = 3
const mostBytes = 16_000_000

/** Development packages whose install scripts are known. scripts/setup runs only that of `node`. */
const knownInstallScripts = new Set(["dprint", "node", "protobufjs"])

const lifecycle = ["preinstall", "install", "postinstall", "prepare", "prepack", "prepublish", "prepublishOnly"]

const breaches: Array<string> = []
const expect = (holds: boolean, sentence: string): void => {
  if (!holds) breaches.push(sentence)
}

const npm = (cwd: string, ...args: ReadonlyArray<string>) => {
  // npm needs the user's own settings: the registry, its certificates and the cache.
  return run("npm", args, { cwd, env: { ...process.env, npm_config_update_notifier: "false" } })
}

const checkLock = (): void => {
  expect(
    !lifecycle.some((name) => name in manifest.scripts),
    `package.json has a lifecycle script, which would run on users' machines`
  )
  expect(
    /^ignore-scripts=true$/m.test(fs.readFileSync(path.join(root, ".npmrc"), "utf8")),
    `.npmrc does not set ignore-scripts=true`
  )
  for (const [place, entry] of Object.entries<any>(json(path.join(root, "package-lock.json")).packages)) {
    if (place === "") continue
    expect(typeof entry.integrity === "string", `package-lock.json: ${place} has no integrity hash`)
    expect(
      entry.hasInstallScript !== true || knownInstallScripts.has(place.slice("node_modules/".length)),
      `package-lock.json: ${place} has an install script`
    )
  }
}

const checkTarball = (directory: string): string | undefined => {
  const packed = npm(root, "pack", "--json", "--loglevel=error", "--pack-destination", directory)
  if (!packed.ok) {
    breaches.push(`npm pack failed: ${packed.said}`)
    return undefined
  }
  const [tarball] = Object.values(JSON.parse(packed.stdout) as object) as ReadonlyArray<any>
  const files: ReadonlyArray<string> = tarball.files.map((file: { path: string }) => file.path)
  for (const file of files) {
    expect(required.includes(file) || allowed.test(file), `the tarball has an unexpected file: ${file}`)
    if (/\.(js|ts)$/.test(file)) {
      const text = fs.readFileSync(path.join(root, file), "utf8")
      expect(!/^\/\/# sourceMappingURL=/m.test(text), `${file} refers to a source map`)
    }
  }
  for (const file of required) expect(files.includes(file), `the tarball has no ${file}`)
  console.log(`${files.length} files, ${Math.round(tarball.size / 1024)} KiB packed`)
  return path.join(directory, tarball.filename)
}

const flags = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]

const bytesIn = (directory: string): number =>
  fs.readdirSync(directory, { recursive: true, withFileTypes: true })
    .reduce((sum, entry) => sum + (entry.isFile() ? fs.statSync(path.join(entry.parentPath, entry.name)).size : 0), 0)

const checkInstallation = (directory: string, tarball: string): void => {
  fs.writeFileSync(path.join(directory, "package.json"), "{\"private\":true,\"type\":\"module\"}")
  const installed = npm(directory, "install", tarball, ...flags)
  if (!installed.ok) {
    breaches.push(`the tarball cannot be installed: ${installed.said}`)
    return
  }
  const modules = path.join(directory, "node_modules")
  const packages = Object.entries<any>(json(path.join(modules, ".package-lock.json")).packages)
  const bytes = bytesIn(modules)
  expect(packages.length <= mostPackages, `an installation adds ${packages.length} packages`)
  expect(bytes < mostBytes, `an installation takes ${bytes} bytes`)
  console.log(`${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB installed`)
  for (const [place, entry] of packages) {
    const name = place.replace(/^.*node_modules\//, "")
    expect(installedPackages.test(name), `an installation adds ${name}`)
    expect(entry.hasInstallScript !== true, `an installation adds ${name}, which has an install script`)
  }

  const home = path.join(directory, "home")
  const bin = path.join(modules, ".bin", "credsvc")
  const options = { cwd: directory, env: { CREDSVC_HOME: home, HOME: directory } }
  const printed = run(bin, ["--version"], options)
  expect(printed.stdout === `${manifest.version}\n`, `credsvc --version printed ${printed.said}`)
  const help = run(bin, ["--help"], options)
  expect(help.ok && help.stdout.includes("login"), `credsvc --help failed: ${help.said}`)
}

/** Uses the installed package as a library, with `effect` and the tools of its users. */
const checkLibrary = async (directory: string, everyNode: boolean): Promise<void> => {
  const nodes = everyNode ? otherNodes : []
  const installed = npm(directory, "install", "--no-save", ...tools, ...exampleTools, ...nodes, ...flags)
  if (!installed.ok) {
    breaches.push(`the tools of the checks cannot be installed: ${installed.said}`)
    return
  }
  // A client of the API must not need the store: the import has to work without SQLite.
  fs.writeFileSync(
    path.join(directory, "no-sqlite.mjs"),
    `import { registerHooks } from "node:module"
     const refuse = (name) => { if (/sqlite/.test(name)) throw new Error("node:sqlite was loaded") }
     registerHooks({ resolve(name, context, next) { refuse(name); return next(name, context) } })
     const { getBuiltinModule } = process
     process.getBuiltinModule = (name) => { refuse(name); return getBuiltinModule.call(process, name) }`
  )
  fs.writeFileSync(
    path.join(directory, "use-api.mjs"),
    `import { Api, ConnectionNotFoundError } from "credsvc/api"
     if (Object.keys(Api.groups).length < 5) throw new Error("credsvc/api has no groups")
     const error = ConnectionNotFoundError.of("openai", "default")
     if (error.status !== 404 || error._tag !== "ConnectionNotFoundError") throw new Error("no errors")`
  )
  const api = run(process.execPath, ["--import", "./no-sqlite.mjs", "use-api.mjs"], { cwd: directory })
  expect(api.ok, `credsvc/api cannot be imported without node:sqlite: ${api.said}`)
  breaches.push(...checkImports(directory), ...checkBundles(directory), ...checkTypes(directory))
  const programs = [process.execPath, ...everyNode ? nodeProgramsIn(directory) : []]
  breaches.push(...await checkExamples(directory, path.join(root, "docs", "examples"), programs))
}

const { values: { "every-node": everyNode = false, keep } } = parseArgs({
  options: { keep: { type: "string" }, "every-node": { type: "boolean" } }
})
using temporary = temporaryDirectory("package")
const directory = fs.realpathSync(temporary.path)
checkLock()
const tarball = checkTarball(directory)
if (tarball !== undefined) {
  checkInstallation(directory, tarball)
  if (breaches.length === 0) await checkLibrary(directory, everyNode)
  if (keep !== undefined && breaches.length === 0) fs.copyFileSync(tarball, path.join(keep, path.basename(tarball)))
}
for (const sentence of breaches) console.error(sentence)
if (breaches.length > 0) process.exitCode = 1
