/** Gives the OpenAPI description to linters and to generators of clients, whose clients then call a daemon. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { daemonTests } from "../support/DaemonTests.ts"
import { installedPackages } from "../support/InstalledPackages.ts"
import { runProgram } from "../support/Programs.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { testDirectory } from "../support/TestDirectories.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const description = path.join(repository, "docs", "openapi.json")

const packages = path.join(installedPackages("openapi"), "node_modules")

const isInstalled = fs.existsSync(packages)
if (!isInstalled) {
  const line = "#".repeat(80)
  console.warn(
    `${line}\nSKIPPED: linters and generators of OpenAPI are missing; run scripts/setup --part=package\n${line}`
  )
}

const environment = { PATH: process.env["PATH"] ?? "", HOME: os.tmpdir(), REDOCLY_TELEMETRY: "off" }

const node = (file: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  runProgram(process.execPath, [file, ...args], { ...environment, ...env })

/** Runs a program of a package, by the path of its file. */
const tool = (file: string, ...args: ReadonlyArray<string>) => node(path.join(packages, file), args)

interface Generator {
  /** Writes a client into the directory. */
  readonly generate: (directory: string) => ReturnType<typeof tool>
  /** A program that calls `profiles.create`, `providers.get` and `connections.get` of the daemon at `DAEMON`. */
  readonly caller: string
}

/** The end of each program. The discriminators of the definition and of the failure decide which fields exist. */
const report = `
const report = (handle: string, detail: Detail, failure: Failure) => console.log(JSON.stringify({
  handle,
  section: detail.auth_type === "oauth2" ? typeof detail.oauth.scopes : typeof detail.api_key,
  failure: failure.error === "ConnectionNotFoundError" ? failure.connection : failure.error,
  detail: typeof failure.detail
}))
void main()
`

const generators: Readonly<Record<string, Generator>> = {
  "openapi-fetch": {
    generate: (directory) =>
      tool("openapi-typescript/bin/cli.js", description, "-o", path.join(directory, "schema.ts")),
    caller: `
import createClient from "openapi-fetch"
import type { components, paths } from "./schema"
type Detail = components["schemas"]["ProviderDetail"]
type Failure = components["schemas"]["ConnectionNotFoundError"] | components["schemas"]["ProviderNotFoundError"]
const client = createClient<paths>({ baseUrl: process.env["DAEMON"]! })
const main = async () => {
  const created = await client.POST("/profiles", { body: { handle: "work" } })
  const provider = await client.GET("/providers/{provider}", { params: { path: { provider: "github" } } })
  const none = await client.GET("/connections/{provider}/{connection}", {
    params: { path: { provider: "github", connection: "other" } }
  })
  report(created.data!.handle, provider.data!, none.error as Failure)
}`
  },
  "@hey-api/openapi-ts": {
    generate: (directory) =>
      tool(
        "@hey-api/openapi-ts/bin/run.js",
        "-i",
        description,
        "-o",
        path.join(directory, "client"),
        "-c",
        "@hey-api/client-fetch",
        "--no-log-file"
      ),
    caller: `
import { connectionsGet, type ConnectionNotFoundError, profilesCreate, type ProviderDetail, type ProviderNotFoundError,
  providersGet } from "./client"
import { client } from "./client/client.gen"
type Detail = ProviderDetail
type Failure = ConnectionNotFoundError | ProviderNotFoundError
client.setConfig({ baseUrl: process.env["DAEMON"]! })
const main = async () => {
  const created = await profilesCreate({ body: { handle: "work" } })
  const provider = await providersGet({ path: { provider: "github" } })
  const none = await connectionsGet({ path: { provider: "github", connection: "other" } })
  report(created.data!.handle, provider.data!, none.error as Failure)
}`
  },
  oazapfts: {
    generate: (directory) => tool("oazapfts/dist/cli.js", description, path.join(directory, "client.ts")),
    caller: `
import * as api from "./client"
type Detail = api.ProviderDetail
type Failure = api.ConnectionNotFoundError | api.ProviderNotFoundError
api.defaults.baseUrl = process.env["DAEMON"]!
const main = async () => {
  const created = await api.profilesCreate({ handle: "work" })
  const provider = await api.providersGet("github", {})
  const none = await api.connectionsGet("github", "other", {})
  if (created.status !== 201 || provider.status !== 200 || none.status !== 404) throw new Error("unexpected status")
  report(created.data.handle, provider.data, none.data)
}`
  },
  orval: {
    generate: (directory) =>
      tool(
        "orval/dist/bin/orval.mjs",
        "--input",
        description,
        "--output",
        path.join(directory, "client.ts"),
        "--client",
        "fetch"
      ),
    caller: `
import { connectionsGet, type ConnectionNotFoundError, profilesCreate, type ProviderDetail, type ProviderNotFoundError,
  providersGet } from "./client"
type Detail = ProviderDetail
type Failure = ConnectionNotFoundError | ProviderNotFoundError
const plain = fetch
globalThis.fetch = (target, options) => plain(process.env["DAEMON"] + String(target), options)
const main = async () => {
  const created = await profilesCreate({ handle: "work" })
  const provider = await providersGet("github")
  const none = await connectionsGet("github", "other")
  if (created.status !== 201 || provider.status !== 200 || none.status !== 404) throw new Error("unexpected status")
  report(created.data.handle, provider.data, none.data)
}`
  }
}

const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  module: "commonjs",
  moduleResolution: "bundler",
  esModuleInterop: true,
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  types: ["node"],
  typeRoots: [path.join(repository, "node_modules", "@types")],
  rootDir: ".",
  outDir: "out"
}

const live = daemonTests()

describe.skipIf(!isInstalled)("the OpenAPI description", () => {
  it("causes no finding of redocly", async () => {
    // Two pages of a login respond with a redirect to the next page, and never with a 2xx.
    const options = ["--extends", "recommended", "--skip-rule", "operation-2xx-response"]
    const { code, output } = await Effect.runPromise(tool("@redocly/cli/bin/cli.js", "lint", ...options, description))
    assert.strictEqual(code, 0, output)
    assert.include(output, "Your API description is valid")
    assert.notMatch(output, /warning/i)
  })

  it("causes no finding of spectral", async () => {
    const directory = testDirectory()
    const rules = path.join(directory, "spectral.json")
    fs.writeFileSync(rules, JSON.stringify({ extends: ["spectral:oas"] }))
    const lint = tool("@stoplight/spectral-cli/dist/index.js", "lint", "-r", rules, "-F", "hint", description)
    const { code, output } = await Effect.runPromise(lint)
    assert.strictEqual(code, 0, output)
    assert.include(output, "No results with a severity of 'hint' or higher found!")
  })

  live("yields clients of four generators that compile strictly and call a daemon", function*(daemon) {
    const directory = yield* temporaryDirectory
    fs.symlinkSync(packages, path.join(directory, "node_modules"))
    fs.writeFileSync(
      path.join(directory, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["**/call.ts"], exclude: ["node_modules"] })
    )
    const names = Object.keys(generators)
    const folderOf = (name: string) => name.replace(/\W/g, "_")
    yield* Effect.forEach(names, (name) =>
      Effect.gen(function*() {
        const own = path.join(directory, folderOf(name))
        fs.mkdirSync(own)
        const { code, output } = yield* generators[name]!.generate(own)
        assert.strictEqual(code, 0, `${name}: ${output}`)
        fs.writeFileSync(path.join(own, "call.ts"), generators[name]!.caller + report)
      }), { concurrency: 2 })
    const compiler = path.join(repository, "node_modules", "typescript", "bin", "tsc")
    const compiled = yield* node(compiler, ["-p", directory])
    assert.strictEqual(compiled.output, "")
    for (const name of names) {
      const program = path.join(directory, "out", folderOf(name), "call.js")
      const { output } = yield* node(program, [], { DAEMON: daemon.url })
      assert.deepStrictEqual(JSON.parse(output), {
        handle: "work",
        section: "object",
        failure: "other",
        detail: "string"
      }, name)
      const identity = path.join(daemon.home, "identities", "work.json")
      assert.isTrue(fs.existsSync(identity), name)
      fs.rmSync(identity)
    }
  })
})
