/**
 * Checks the programs of `docs/examples` with an installed package: compiles each strictly, runs it, and compares its
 * output with the line `Prints:` of its comment.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { environment, startDaemon } from "./Daemon.ts"
import { run as runProgram, succeed } from "./Programs.ts"

/** What the examples use beside the package, at exact versions. The generators need TypeScript 5, too. */
export const exampleTools: ReadonlyArray<string> = [
  "hono@4.13.19",
  "@hono/node-server@2.1.8",
  "openapi-fetch@0.17.0",
  "openapi-typescript@7.13.0",
  "@hey-api/openapi-ts@0.95.0"
]

const binaries = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`

const lowest = "22.19.0"

/** The oldest supported version of Node, as a package with a binary. */
export const lowestNode = `${binaries}@${lowest}`

/** The oldest and the newest supported version of Node, as packages with a binary. */
export const otherNodes: ReadonlyArray<string> = [lowest, "26"].map((version) =>
  `node-${version.split(".")[0]}@npm:${binaries}@${version}`
)

/** The programs of `otherNodes` in a directory where they are installed. */
export const nodeProgramsIn = (directory: string): ReadonlyArray<string> =>
  otherNodes.map((name) => path.join(directory, "node_modules", name.slice(0, name.indexOf("@")), "bin", "node"))

const examples: ReadonlyArray<string> = [
  "own-key-resolver.ts",
  "in-memory-test.ts",
  "beside-other-apps.ts",
  "typed-client.ts",
  "custom-flow.ts",
  "proxy-around-a-child.ts",
  "resolve-from-node.mjs",
  "resolve_with_urllib.py",
  "openapi-fetch.ts",
  "hey-api.ts"
]

const exampleKey = "sk-ant-example-0123456789abc"

const document = "node_modules/credsvc/docs/openapi.json"

/** The clients that the last two examples tell the reader to generate. */
const generators: ReadonlyArray<readonly [script: string, args: ReadonlyArray<string>]> = [
  ["node_modules/openapi-typescript/bin/cli.js", [document, "-o", "openapi-types.ts"]],
  ["node_modules/@hey-api/openapi-ts/bin/run.js", ["-f", "openapi-ts.config.mjs"]]
]

const heyApi = `export default {
  input: "${document}",
  output: { path: "hey-api-client", module: { extension: ".ts" }, importFileExtension: ".ts" },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"]
}`

const compilation = [
  "--noEmit",
  "--strict",
  "--skipLibCheck",
  "false",
  "--module",
  "nodenext",
  "--target",
  "es2024",
  "--types",
  "node",
  "--allowImportingTsExtensions",
  "--erasableSyntaxOnly",
  "--verbatimModuleSyntax"
]

const expectedOutput = (file: string): string => {
  const printed = /^[ *]*Prints: (.*)$/m.exec(fs.readFileSync(file, "utf8"))
  if (printed === null) throw new Error(`${file} does not say what it prints`)
  return `${printed[1]}\n`
}

/** Runs the examples with each of these Node programs, but Python examples once, with the installed Python. */
export const checkExamples = async (
  directory: string,
  source: string,
  nodes: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const env = environment(path.join(directory, "example-home"))
  const run = (command: string, args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
    runProgram(command, args, { cwd: directory, env: { ...env, ...more } })
  for (const name of fs.readdirSync(source)) fs.copyFileSync(path.join(source, name), path.join(directory, name))
  fs.writeFileSync(path.join(directory, "openapi-ts.config.mjs"), heyApi)
  for (const [script, args] of generators) {
    const generated = run(process.execPath, [script, ...args])
    if (!generated.ok) return [`${script} failed: ${generated.said}`]
  }
  const tsc = path.join("node_modules", "typescript-7", "bin", "tsc")
  const compiled = run(process.execPath, [tsc, ...compilation, ...examples.filter((name) => name.endsWith(".ts"))])
  if (!compiled.ok) found.push(`the examples do not compile: ${compiled.said}`)

  const file = path.join(directory, "node_modules", "credsvc", "dist", "credsvc.js")
  await using daemon = await startDaemon(env, { file })
  succeed(process.execPath, [file, "login", "anthropic", "--stdin", "--no-check"], { env, input: exampleKey })
  for (const [at, node] of nodes.entries()) {
    for (const name of examples) {
      const python = name.endsWith(".py")
      if (python && at > 0) continue
      // The typed client finds the daemon by the file in its home.
      const more = {
        EXAMPLE_HOME: path.join(directory, `home-of-${name}-${at}`),
        ...(name === "typed-client.ts" ? {} : { CREDSVC_DAEMON_URL: daemon.url })
      }
      const ended = run(python ? "python3" : node, [name], more)
      const expected = expectedOutput(path.join(directory, name))
      if (ended.stdout !== expected) {
        found.push(`docs/examples/${name} printed ${JSON.stringify(ended.stdout)} with ${node}: ${ended.said}`)
      }
    }
  }
  return found
}
