/**
 * Installs the official SDKs and command lines of `test/clients/vendors` into a temporary directory, runs each of them in
 * `credsvc run` against a fake API, and prints a table.
 *
 *     npm run vendors                        all of them
 *     npm run vendors -- --only <text>       those whose package, provider or registry contains the text
 *     npm run vendors -- --directory <dir>   keeps the packages there, for the next time
 *     npm run vendors -- --write             also writes the result of all into docs/clients.md
 *
 * A client works if the API gets a request with the credential where the definition says, and without a placeholder.
 * Packages of Debian must be installed; without them, their clients are left out.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import type * as Http2 from "node:http2"
import type * as Net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import * as CertificateAuthority from "../src/certificates/CertificateAuthority.ts"
import { type ApiCredential, objections } from "../src/conformance/FakeProviderApi.ts"
import { sampleOf } from "../src/conformance/SampleText.ts"
import { credentialFields, mainField, type ProviderDefinition } from "../src/domain/definition/Provider.ts"
import { hostFor, hostsOf } from "../src/domain/definition/ProviderHosts.ts"
import { pathOf } from "../src/domain/Route.ts"
import { builtins } from "../src/platform/builtins.ts"
import { readJsonFiles } from "../src/platform/PackageFiles.ts"
import { decodeFiles } from "../src/providers/BundledProviders.ts"
import type { VendorClient } from "../test/clients/vendors/VendorClient.ts"
import { vendorClients } from "../test/clients/vendors/VendorClients.ts"
import { openSandbox } from "../test/support/Sandbox.ts"

const { values } = parseArgs({
  options: { only: { type: "string" }, directory: { type: "string" }, write: { type: "boolean" } }
})

if (values.write === true && values.only !== undefined) {
  console.error("--write needs the result of all clients: leave out --only")
  process.exit(2)
}

const debianVersion = (name: string): string | undefined => {
  const { status, stdout } = spawnSync("dpkg-query", ["-W", "-f=${db:Status-Abbrev}${Version}", name])
  const text = String(stdout)
  return status === 0 && text.startsWith("ii ") ? text.slice(3) : undefined
}

const chosen = Object.values(vendorClients).flat().filter(({ packages, provider, registry = "npm" }) =>
  `${provider} ${packages[0]} ${registry}`.includes(values.only ?? "")
  && (registry !== "debian" || debianVersion(packages[0]) !== undefined)
)
const { definitions } = decodeFiles(readJsonFiles(new URL("../providers/", import.meta.url)))
const definitionOf = ({ provider }: VendorClient): ProviderDefinition => {
  const definition = definitions.get(provider)
  if (definition === undefined) throw new Error(`no bundled provider is named ${provider}`)
  return definition
}

const directory = path.resolve(values.directory ?? fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-vendors-")))

/** The name of a package without the version that a client may require. */
const nameOf = ({ packages }: VendorClient): string => packages[0].replace(/(?<=.)@[^/]*$/, "")

/** Each client has a directory of its own, because some need conflicting versions of the same package. */
const ownDirectory = (client: VendorClient): string => {
  const { registry = "npm" } = client
  return path.join(directory, registry === "npm" ? nameOf(client).replace(/\W/g, "_") : `${registry}-${nameOf(client)}`)
}

const install = (client: VendorClient): string => {
  const own = ownDirectory(client)
  if (versionOf(client) !== undefined && fs.existsSync(own)) return own
  fs.mkdirSync(own, { recursive: true })
  if (client.registry === undefined) {
    fs.writeFileSync(path.join(own, "package.json"), "{}")
    const options = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--prefix", own]
    spawnSync("npm", [...options, ...client.packages], { cwd: own, stdio: ["ignore", "ignore", "inherit"] })
  }
  if (client.registry === "pypi") {
    spawnSync("python3", ["-m", "venv", own], { stdio: ["ignore", "ignore", "inherit"] })
    const pip = path.join(own, "bin", "pip")
    spawnSync(pip, ["install", "--quiet", ...client.packages], { stdio: ["ignore", "ignore", "inherit"] })
  }
  return own
}

const versionOf = (client: VendorClient): string | undefined => {
  const name = nameOf(client)
  if (client.registry === "debian") return debianVersion(name)
  if (client.registry === "pypi") {
    const { stdout } = spawnSync(path.join(ownDirectory(client), "bin", "pip"), ["show", name])
    return /^Version: (.+)$/m.exec(String(stdout ?? ""))?.[1]
  }
  try {
    const file = path.join(ownDirectory(client), "node_modules", name, "package.json")
    return JSON.parse(fs.readFileSync(file, "utf8")).version
  } catch {
    return undefined
  }
}

/** The program of a client with its arguments. */
const programOf = (client: VendorClient, own: string): ReadonlyArray<string> => {
  const { argv, code = "", language, registry } = client
  if (argv !== undefined) {
    const [name, ...rest] = argv
    return registry === "debian"
      ? argv
      : [path.join(own, registry === "pypi" ? "bin" : "node_modules/.bin", name), ...rest]
  }
  if (language === "ruby") return ["ruby", "-e", code]
  if (language === "python") {
    return [registry === "pypi" ? path.join(own, "bin", "python") : "/usr/bin/python3", "-c", code]
  }
  return [process.execPath, "--input-type=module", "--eval", code]
}

const sampleValue = (name: string, pattern: string | undefined): string =>
  (pattern === undefined ? undefined : sampleOf(pattern)) ?? `${name.replaceAll("_", "-")}-4f9a1c7e2b8d`

const credentialOf = (definition: ProviderDefinition): ApiCredential => ({
  values: Object.fromEntries(
    credentialFields(definition).map(({ name, pattern }) => [name, sampleValue(name, pattern)])
  ),
  main: mainField(definition)
})

const authoritiesOf = (client: VendorClient): ReadonlyArray<string> =>
  [...hostsOf(definitionOf(client), client.baseUrl).map(({ host }) => host), ...client.hosts ?? []]
    .filter((host) => !host.startsWith("*"))
    .map((host) => /:\d+$/.test(host) ? host : `${host}:443`)

interface Arrival {
  readonly provider: string
  readonly request: string
  readonly objection: string | undefined
}

const arrivals: Array<Arrival> = []
let current: VendorClient | undefined

/** A client may set default headers itself, and use another path than the one that may contain an identifier. */
const judged = (definition: ProviderDefinition): ProviderDefinition =>
  definition.authType === "api_key" && definition.apiKey.basic !== undefined
    ? { ...definition, extraHeaders: {}, apiKey: { ...definition.apiKey, pathTemplates: [] } }
    : { ...definition, extraHeaders: {} }

const judge = (request: Http2.Http2ServerRequest, body: string): Arrival | undefined => {
  if (current === undefined) return undefined
  const definition = definitionOf(current)
  const authority = String(request.headers[":authority"] ?? request.headers.host ?? "")
  const [host = "", port = "443"] = authority.toLowerCase().split(":")
  const target = request.url ?? "/"
  const place = hostFor(definition, current.baseUrl, { host, port: Number(port), path: pathOf(target) })
  const line = `${request.method} ${authority}${pathOf(target)}`
  if (place === undefined) return { provider: current.provider, request: line, objection: "not a host of the provider" }
  const raw = request.rawHeaders
  const headers = raw.flatMap((name, at) => at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : [])
  const [objection] = objections(judged(definition), place.entry, credentialOf(definition), {
    method: request.method,
    url: new URL(target, `https://${authority}`),
    headers,
    body
  })
  return { provider: current.provider, request: line, objection }
}

const names = [...new Set(chosen.flatMap(authoritiesOf).map((authority) => authority.replace(/:\d+$/, "")))]
const authority = CertificateAuthority.make(names)
const certificates = names.map((name) => {
  const { certPem, keyPem } = authority.issue(name)
  return [name, { cert: certPem, key: keyPem }] as const
})
const server = builtins.http2.createSecureServer({ ...certificates[0]![1], allowHTTP1: true }, (request, response) => {
  const parts: Array<Buffer> = []
  request.on("data", (part: Buffer) => parts.push(part)).once("end", () => {
    const arrival = judge(request, Buffer.concat(parts).toString("latin1"))
    if (arrival !== undefined) arrivals.push(arrival)
    response.writeHead(arrival?.objection === undefined ? 200 : 401, { "content-type": "application/json" })
    response.end("{}")
  })
})
for (const [name, context] of certificates) server.addContext(name, context)
server.on("secureConnection", (socket: Net.Socket) => socket.on("error", () => {}))
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

const sandbox = await openSandbox({ connect: false })
const config = path.join(sandbox.home, "config.json")
const settings = JSON.parse(fs.readFileSync(config, "utf8"))
const port = (server.address() as Net.AddressInfo).port
for (const host of chosen.flatMap(authoritiesOf)) settings.upstream.resolve[host] = `127.0.0.1:${port}`
fs.writeFileSync(path.join(sandbox.directory, "vendors.pem"), authority.rootPem)
settings.upstream.extra_ca_certs.push(path.join(sandbox.directory, "vendors.pem"))
fs.writeFileSync(config, JSON.stringify(settings))

/** The first line that begins with an error name, or else the last line. */
const tellingLine = (text: string): string => {
  const lines = text.trim().split("\n").map((line) => line.trim())
  return (lines.find((line) => /^\S*error\b/i.test(line)) ?? lines.at(-1) ?? "").slice(0, 120)
}

const run = async (client: VendorClient): Promise<{ readonly worked: boolean; readonly remark: string }> => {
  const definition = definitionOf(client)
  const own = install(client)
  const login = [
    "login",
    client.provider,
    "--stdin",
    ...client.baseUrl === undefined ? [] : ["--base-url", client.baseUrl]
  ]
  const input = JSON.stringify(credentialOf(definition).values)
  const { code, stderr } = await sandbox.credsvc(login, { input })
  if (code !== 0 && !/already/.test(stderr)) return { worked: false, remark: tellingLine(stderr) }
  const home = fs.mkdtempSync(path.join(sandbox.directory, "home-"))
  current = client
  const before = arrivals.length
  const argv = ["run", "--provider", client.provider, "--unmatched", "deny", "--", ...programOf(client, own)]
  const env = {
    HOME: home,
    NODE: process.execPath,
    PATH: process.env["PATH"],
    CI: "1",
    NO_UPDATE_NOTIFIER: "1",
    ...client.env
  }
  const outcome = await sandbox.credsvc(argv, { cwd: own, env, timeout: 90_000 })
    .catch((error: Error) => ({ code: -1, stdout: "", stderr: error.message }))
  current = undefined
  const came = arrivals.slice(before)
  const bad = came.find(({ objection }) => objection !== undefined)
  if (bad !== undefined) return { worked: false, remark: `${bad.request}: ${bad.objection}` }
  if (came.length > 0) return { worked: true, remark: came[0]!.request }
  return { worked: false, remark: tellingLine(`${outcome.stdout}\n${outcome.stderr}`) }
}

interface Result {
  readonly client: VendorClient
  readonly version: string
  readonly worked: boolean
}

/** The lists of docs/clients.md: one row for each kind, and one for each client that does not work. */
const listsOf = (results: ReadonlyArray<Result>): string => {
  const names = (kind: string) =>
    results.filter(({ client, worked }) => worked && vendorClients[kind]!.includes(client))
      .map(({ client, version }) => `${nameOf(client)} ${version}`)
  const rows = Object.keys(vendorClients).map((kind) => [kind, [...new Set(names(kind))].toSorted()] as const)
    .filter(([, packages]) => packages.length > 0)
  const failed = results.filter(({ worked }) => !worked)
    .map(({ client, version }) =>
      `| ${nameOf(client)} ${version} | \`${client.provider}\` | ${client.fails ?? "unknown"} |`
    )
  return [
    `${results.length - failed.length} of ${results.length} clients sent it:`,
    "",
    "| Kind | Packages that work |",
    "|---|---|",
    ...rows.map(([kind, packages]) => `| ${kind} | ${packages.join(", ")} |`),
    "",
    "| Package that does not | Provider | Why |",
    "|---|---|---|",
    ...failed
  ].join("\n")
}

const results: Array<Result> = []
let failures = 0
console.log("| package | version | provider | works | |\n|---|---|---|---|---|")
for (const client of chosen) {
  const { remark, worked } = await run(client)
  const version = versionOf(client) ?? "not installed"
  results.push({ client, version, worked })
  if (worked !== (client.fails === undefined)) failures++
  console.log(
    `| ${nameOf(client)} | ${version} | \`${client.provider}\` | ${worked ? "yes" : "**no**"} | ${
      client.fails ?? remark
    } |`
  )
}
if (values.write) {
  const document = new URL("../docs/clients.md", import.meta.url)
  const [before = "", rest = ""] = fs.readFileSync(document, "utf8").split(/(?<=<!-- vendors: .* -->\n)/)
  const after = rest.slice(rest.indexOf("<!-- /vendors -->"))
  fs.writeFileSync(document, `${before}${listsOf(results)}\n${after}`)
}
await sandbox.close()
server.close()
if (values.directory === undefined) fs.rmSync(directory, { recursive: true, force: true })
process.exit(failures > 0 ? 1 : 0)
