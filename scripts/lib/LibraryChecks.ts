/**
 * Checks the library of an installed package: its imports, its declarations, and what bundlers make of it.
 *
 * Each check returns a sentence for each problem. The directory is that of a program that has installed the package and
 * `tools`.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { type Ended, run as runProgram, temporaryDirectory } from "./Programs.ts"

/** What programs that embed the package use beside it, at exact versions. */
export const tools: ReadonlyArray<string> = [
  "effect@4.1.0",
  "@types/node@24.19.2",
  "esbuild@0.28.2",
  "rolldown@1.2.19",
  "typescript@5.9.3",
  "typescript-6@npm:typescript@6.0.3",
  "typescript-7@npm:typescript@7.0.2"
]

const run = (directory: string, args: ReadonlyArray<string>): Ended =>
  runProgram(process.execPath, args, {
    cwd: directory,
    env: { HOME: directory, CREDSVC_HOME: path.join(directory, "home") }
  })

const entries = ["credsvc", "credsvc/api", "credsvc/proxy", "credsvc/testing"]

/** What an import must not change in its process. */
const snapshot = `() => JSON.stringify({
  argv: process.argv, cwd: process.cwd(), env: Object.keys(process.env).sort(), umask: process.umask(),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  globals: Object.getOwnPropertyNames(globalThis).sort(),
  resources: process.getActiveResourcesInfo().filter((name) => !/^(FSReqPromise|CloseReq|PipeWrap|Immediate)$/.test(name))
})`

/** Imports each entry point from a file, from `node -e` and in a worker whose code is a string. */
export const checkImports = (directory: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const entry of entries) {
    const code = `const state = ${snapshot}
      const before = state()
      import("${entry}").then(() => {
        const after = state()
        if (after !== before) throw new Error("the import changes its process: " + before + " " + after)
        console.log("imported")
      })`
    const file = path.join(directory, "import.cjs")
    fs.writeFileSync(file, code)
    const ways: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["from a file", [file]],
      ["in node -e", ["-e", code]],
      [
        "in a worker",
        ["-e", `new (require("node:worker_threads").Worker)(${JSON.stringify(code)}, { eval: true })`]
      ]
    ]
    for (const [way, args] of ways) {
      const ended = run(directory, args)
      if (!ended.ok || ended.stdout !== "imported\n") found.push(`${entry} cannot be imported ${way}: ${ended.said}`)
    }
  }
  return found
}

/** Starts a daemon and reads from it what the package ships as files. */
const program = `
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Daemon, Paths, PeerOwner, Settings } from "credsvc"

const home = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bundled-"))
const masterKey = Option.some(Redacted.make(Buffer.alloc(32, 7).toString("base64")))
const settings = Settings.layerOf({ home, masterKey })
const main = Effect.gen(function*() {
  const { url } = yield* Daemon.start({ host: "127.0.0.1", port: 0, echo: false })
  const get = (target: string) => Effect.promise(() => fetch(url + target).then((response) => response.text()))
  const { status } = JSON.parse(yield* get("/ready"))
  const { providers } = JSON.parse(yield* get("/providers"))
  const page = yield* get("/ui/connections")
  const assets = [...page.matchAll(/"(\\/ui\\/assets\\/[^"]+)"/g)].map((match) => match[1]!)
  const texts = yield* Effect.all(assets.map(get))
  const docs = yield* get("/docs")
  console.log(JSON.stringify([status, providers.length > 100, texts.map((text) => text.length > 1000), docs.length > 1e6]))
}).pipe(
  Effect.scoped,
  Effect.provide(Paths.layerNoDeps.pipe(Layer.provideMerge(settings), Layer.merge(PeerOwner.layer)))
)
Effect.runPromise(main).finally(() => fs.rmSync(home, { recursive: true }))
`

const bundlers: ReadonlyArray<readonly [name: string, args: ReadonlyArray<string>, output: string]> = [
  ["esbuild", ["--bundle", "--platform=node", "--format=esm", "--outfile=bundled/esbuild.mjs"], "esbuild.mjs"],
  ["esbuild", ["--bundle", "--platform=node", "--format=cjs", "--outfile=bundled/esbuild.cjs"], "esbuild.cjs"],
  ["rolldown", ["--platform=node", "--format=esm", "--dir=bundled/rolldown"], "rolldown/bundled-program.js"]
]

/** Bundles a program with a daemon, and runs the result where no package is installed. */
export const checkBundles = (directory: string): ReadonlyArray<string> => {
  fs.writeFileSync(path.join(directory, "bundled-program.ts"), program)
  const found: Array<string> = []
  using temporary = temporaryDirectory("elsewhere")
  const elsewhere = temporary.path
  fs.mkdirSync(path.join(elsewhere, "rolldown"))
  fs.writeFileSync(path.join(elsewhere, "rolldown", "package.json"), "{\"type\":\"module\"}")
  for (const [name, args, output] of bundlers) {
    const bin = path.join("node_modules", ".bin", name)
    const bundled = run(directory, [bin, "bundled-program.ts", ...args])
    if (!bundled.ok) {
      found.push(`${name} cannot bundle the library: ${bundled.said}`)
      continue
    }
    fs.cpSync(path.join(directory, "bundled"), elsewhere, { recursive: true })
    const ended = run(elsewhere, [path.join(elsewhere, output)])
    if (ended.stdout !== "[\"ok\",true,[true,true],true]\n") {
      found.push(`the daemon does not work after ${name} ${args.join(" ")}: ${ended.said}`)
    }
  }
  return found
}

/** Prints a program that exports every layer of every entry point. */
const listing = `
const entries = ${JSON.stringify(entries)}
const lines = []
for (const [at, entry] of entries.entries()) {
  lines.push(\`import * as entry\${at} from "\${entry}"\`)
  const exported = await import(entry)
  const holders = [["", exported], ...Object.entries(exported)]
  for (const [name, value] of holders) {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) continue
    for (const member of Object.getOwnPropertyNames(value).filter((key) => /^layer/.test(key))) {
      lines.push(\`export const layer\${at}_\${name}_\${member} = entry\${at}.\${name === "" ? "" : name + "."}\${member}\`)
    }
  }
}
console.log(lines.join("\\n"))
`

/** Compiles with the strictest options, which also check the declarations of packages. */
export const checkTypes = (directory: string): ReadonlyArray<string> => {
  fs.writeFileSync(path.join(directory, "listing.mjs"), listing)
  const listed = run(directory, ["listing.mjs"])
  if (!listed.ok) return [`the layers cannot be listed: ${listed.said}`]
  fs.writeFileSync(path.join(directory, "every-layer.ts"), listed.stdout)
  const options = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--declaration", "--types"]
  const target = ["--module", "nodenext", "--target", "es2024", "--outDir", "declared"]
  return ["typescript", "typescript-6", "typescript-7"].flatMap((name) => {
    const tsc = path.join("node_modules", name, "bin", "tsc")
    const ended = run(directory, [tsc, ...options, "node", ...target, "every-layer.ts"])
    return ended.ok ? [] : [`${name} cannot compile the declarations: ${ended.said}`]
  })
}
