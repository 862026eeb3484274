/** Runs the clients of the table inside the real `credsvc run`, and reports those that this machine lacks. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { installedPackages } from "../support/InstalledPackages.ts"
import { openSandbox, type Sandbox } from "../support/Sandbox.ts"
import { agentHosts } from "./AgentApi.ts"
import { agentClients } from "./AgentClients.ts"
import { browserClients } from "./BrowserClients.ts"
import { API_HOST, type Client, KEY_VARIABLE } from "./Client.ts"
import { type ClientApi, startClientApi } from "./ClientApi.ts"
import { INTRANET_HOST, startCorporate } from "./Corporate.ts"
import { addressedClients, nodeClients, otherRuntimes } from "./NodeClients.ts"
import { pythonClients } from "./PythonClients.ts"
import type { Job, JobResult } from "./runJobs.ts"
import { packageManagers, systemClients } from "./SystemClients.ts"

const here = path.dirname(fileURLToPath(import.meta.url))

export const clients: ReadonlyArray<Client> = [
  ...systemClients,
  ...pythonClients,
  ...nodeClients,
  ...addressedClients,
  ...otherRuntimes,
  ...packageManagers,
  ...agentClients,
  ...browserClients
]

const packages = JSON.parse(fs.readFileSync(path.join(here, "packages/package.json"), "utf8"))
/** The versions of the packages. */
export const npmVersions: Readonly<Record<string, string>> = {
  ...packages.dependencies,
  ...packages.optionalDependencies
}

/** Where `scripts/setup` installs `packages/`. */
export const installedDirectory = (): string => installedPackages("clients")

/** Programs among the packages, by their command names. */
const programs: Readonly<Record<string, string>> = {
  node18: "node18/bin/node",
  node20: "node20/bin/node",
  node22: "node22/bin/node",
  node26: "node26/bin/node",
  deno: "@deno/linux-x64-glibc/deno",
  bun: "@oven/bun-linux-x64/bin/bun",
  pnpm: ".bin/pnpm",
  yarn: ".bin/yarn",
  claude: "@anthropic-ai/claude-code-linux-x64/claude",
  codex: ".bin/codex",
  copilot: ".bin/copilot",
  gemini: ".bin/gemini",
  opencode: "opencode-linux-x64/bin/opencode",
  qwen: ".bin/qwen"
}

const programFile = (name: string): string => path.join(installedDirectory(), "node_modules", programs[name]!)

/** Makes a directory that has only the programs of the packages, to begin `PATH` with. */
export const linkPrograms = (bin: string): string => {
  fs.mkdirSync(bin, { recursive: true })
  for (const name of Object.keys(programs)) fs.symlinkSync(programFile(name), path.join(bin, name))
  return `${bin}:${process.env["PATH"]}`
}

const succeeds = (argv: ReadonlyArray<string>): boolean =>
  spawnSync(argv[0]!, argv.slice(1), { stdio: "ignore" }).status === 0

const memory = new Map<string, boolean>()
const remembered = (key: string, find: () => boolean): boolean => {
  const known = memory.get(key) ?? find()
  memory.set(key, known)
  return known
}

export const hasCommand = (command: string): boolean =>
  remembered(command, () =>
    programs[command] === undefined
      ? succeeds(["sh", "-c", `command -v ${command}`])
      : fs.existsSync(programFile(command)))

const hasModule = (command: string, module: string): boolean =>
  remembered(
    `${command} ${module}`,
    () => succeeds(command === "perl" ? [command, `-M${module}`, "-e1"] : [command, "-c", `import ${module}`])
  )

/** A requirement of the client that this machine lacks. */
export const missing = (client: Client): string | undefined => {
  if (!hasCommand(client.command)) return client.command
  if (client.module !== undefined && !hasModule(client.command, client.module)) return client.module
  if (client.needs !== undefined && !fs.existsSync(client.needs)) return client.needs
  const { installed } = client
  if (installed === undefined) return undefined
  return fs.existsSync(path.join(installedDirectory(), "node_modules", installed)) ? undefined : installed
}

/** The environment of a client in a contained run, where the home directory is read-only. Programs are still found there. */
const containedHome = (directory: string): Job["env"] => ({
  HOME: directory,
  RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? path.join(os.homedir(), ".rustup")
})

const makeJob = (client: Client, host: string, directory: string, contained: boolean): Job => {
  fs.mkdirSync(directory)
  for (const [name, text] of Object.entries(client.files ?? {})) fs.writeFileSync(path.join(directory, name), text)
  return {
    name: client.name,
    argv: client.script === undefined ? [client.command, ...client.args] : ["sh", "-ec", client.script],
    // Modules are resolved from the working directory.
    cwd: client.installed !== undefined && client.script === undefined ? installedDirectory() : directory,
    url: `https://${host}/${path.basename(directory)}`,
    env: { ...(contained ? containedHome(directory) : {}), ...client.env }
  }
}

interface Suite {
  readonly sandbox: Sandbox
  readonly api: ClientApi
  readonly scratch: string
  readonly secret: string
  /** Runs the clients in one run with these options and additional environment variables. */
  readonly run: (
    name: string,
    chosen: ReadonlyArray<Client>,
    more?: {
      readonly options?: ReadonlyArray<string>
      readonly env?: NodeJS.ProcessEnv
      readonly host?: string
    }
  ) => Promise<ReadonlyArray<JobResult>>
}

/** A daemon with a connection for the API, which it reaches through `upstream.resolve` unless `reachable` is false. */
const withSuite = async <A>(
  reachable: boolean,
  agents: ReadonlySet<NonNullable<Client["agent"]>>,
  use: (suite: Suite) => Promise<A>,
  contained = false
): Promise<A> => {
  const cache = path.join(os.homedir(), ".cache")
  // A contained run has another directory for temporary files.
  const sandbox = await openSandbox({ connect: false, ...contained ? { parent: cache } : {} })
  const canary = `canary_${process.hrtime.bigint().toString(36)}_w8Qp`
  // The keys of the agents' providers have these prefixes.
  const secret = `sk-${canary}`
  const secretOf = (provider: string): string => provider === "anthropic" ? `sk-ant-${canary}` : secret
  const scratch = path.join(sandbox.directory, "clients")
  const PATH = linkPrograms(path.join(scratch, "bin"))
  const api = await startClientApi([secret, secretOf("anthropic")], scratch)
  try {
    const config = path.join(sandbox.home, "config.json")
    const settings = JSON.parse(fs.readFileSync(config, "utf8"))
    const names = [`${API_HOST}:443`, `${API_HOST}:8443`, ...[...agents].map((agent) => `${agentHosts[agent]}:443`)]
    for (const name of reachable ? names : []) settings.upstream.resolve[name] = `127.0.0.1:${api.port}`
    fs.writeFileSync(path.join(sandbox.directory, "clients.pem"), api.caPem)
    settings.upstream.extra_ca_certs.push(path.join(sandbox.directory, "clients.pem"))
    fs.writeFileSync(config, JSON.stringify(settings))
    fs.writeFileSync(
      path.join(sandbox.directory, "clients.json"),
      JSON.stringify({
        name: "clients",
        auth_type: "api_key",
        flow: "api_key",
        api_url: `https://${API_HOST}`,
        hosts: [API_HOST, `${API_HOST}:8443`],
        export: { env: { api_key: KEY_VARIABLE }, base_urls: baseUrls }
      })
    )
    const login = (provider: string) => [["login", provider, "--stdin"], secretOf(provider)] as const
    const commands = [[["register", "clients.json", "--yes"], ""] as const, ...["clients", ...agents].map(login)]
    for (const [args, input] of commands) {
      const { code, stderr } = await sandbox.credsvc(args, { input })
      if (code !== 0) throw new Error(stderr)
    }
    const run: Suite["run"] = async (name, chosen, { env, host = API_HOST, options = [] } = {}) => {
      if (chosen.length === 0) return []
      const [jobs, results] = [path.join(scratch, `${name}.json`), path.join(scratch, `${name}-results.json`)]
      const made = chosen.map((client, index) =>
        makeJob(client, host, path.join(scratch, `${name}-${index}`), contained)
      )
      fs.writeFileSync(jobs, JSON.stringify(made))
      const flags = contained ? ["--contain"] : []
      const outcome = await sandbox.credsvc(
        ["run", ...flags, ...options, "--", process.execPath, path.join(here, "runJobs.ts"), jobs, results],
        {
          cwd: scratch,
          env: { PATH, GIT_TERMINAL_PROMPT: "0", ...env },
          timeout: 900_000
        }
      )
      if (outcome.code !== 0) throw new Error(`the run of clients ended with ${outcome.code}: ${outcome.stderr}`)
      return JSON.parse(fs.readFileSync(results, "utf8"))
    }
    return await use({ sandbox, api, scratch, secret, run })
  } finally {
    api.close()
    await sandbox.close()
  }
}

/**
 * The variable of the fake provider. `runJobs` passes its value to the SDKs, whose variables belong to other providers.
 */
const baseUrls = { CLIENTS_BASE_URL: `https://${API_HOST}` }

const byName = (results: ReadonlyArray<JobResult>): ReadonlyMap<string, JobResult> =>
  new Map(results.map((result) => [result.name, result]))

const hooks = ["python", "bun", "chromium"] as const

export interface SuiteReport {
  readonly results: ReadonlyMap<string, JobResult>
  /** Requests in which a placeholder reached the API. */
  readonly leaked: ReadonlyArray<string>
}

export const runClients = (chosen: ReadonlyArray<Client>): Promise<SuiteReport> =>
  withSuite(true, new Set(chosen.flatMap(({ agent }) => agent ?? [])), async ({ api, run }) => {
    const having = (option: Client["option"]) => chosen.filter((client) => client.option === option)
    const hooked = hooks.flatMap((hook) => having(`--hook ${hook}`))
    const results = await Promise.all([
      // This value covers the provider's host: unless the run corrects it, clients would bypass the proxy.
      run("plain", having(undefined), { env: { NO_PROXY: API_HOST.replace(/^[^.]*/, "") } }),
      run("hooked", hooked, { options: hooks.flatMap((hook) => ["--hook", hook]) }),
      run("addressed", having("--base-url"), { options: ["--base-url"] })
    ])
    return { results: byName(results.flat()), leaked: api.leaked }
  })

/** Runs the clients in contained runs, without hooks. */
export const runContainedClients = (chosen: ReadonlyArray<Client>): Promise<SuiteReport> =>
  withSuite(
    true,
    new Set(chosen.flatMap(({ agent }) => agent ?? [])),
    async ({ api, run }) => {
      const addressed = (client: Client): boolean => client.option === "--base-url"
      const results = await Promise.all([
        run("contained", chosen.filter((client) => !addressed(client))),
        run("addressed", chosen.filter(addressed), { options: ["--base-url"] })
      ])
      return { results: byName(results.flat()), leaked: api.leaked }
    },
    true
  )

/** Runs each agent in a contained run of its own, with no option but its recipe, in a home directory without its directories. */
export const runAgents = (chosen: ReadonlyArray<Client>): Promise<SuiteReport> =>
  withSuite(
    true,
    new Set(chosen.flatMap(({ agent }) => agent ?? [])),
    async ({ api, sandbox, scratch }) => {
      const results: Array<JobResult> = []
      for (const [index, { command: [program, ...args], name }] of chosen.map(recipeClient).entries()) {
        const [cwd, home] = ["work", "home"].map((kind) => path.join(scratch, `recipe-${index}-${kind}`))
        for (const directory of [cwd!, home!]) fs.mkdirSync(directory)
        const began = performance.now()
        const { code, stderr, stdout } = await sandbox.credsvc(["run", "--contain", "--", program!, ...args], {
          cwd: cwd!,
          env: { PATH: `${path.join(scratch, "bin")}:${process.env["PATH"]}`, HOME: home!, SHELL: "/bin/sh" },
          timeout: 180_000
        })
        const output = stdout + stderr
        const worked = code === 0 && stdout.includes("served") && stderr.includes("Recipe ")
        results.push({ name, code, worked, output, milliseconds: performance.now() - began })
      }
      return { results: byName(results), leaked: api.leaked }
    },
    true
  )

/** The command of an agent without what its recipe adds. */
const recipeClient = ({ name, script = "" }: Client) => ({
  name,
  command: script.replace(/^export [^;]*; /, "").replace(" -s danger-full-access", "").split(" ")
})

export interface CorporateReport {
  readonly provider: ReadonlyMap<string, JobResult>
  readonly intranet: ReadonlyMap<string, JobResult>
  /** Whether the secret reached the corporate host, which belongs to no provider. */
  readonly leaked: boolean
}

/** Runs with a corporate proxy and certificate authority in the environment, as its administrators configure them. */
export const runCorporateClients = (chosen: ReadonlyArray<Client>): Promise<CorporateReport> =>
  withSuite(false, new Set(), async ({ api, run, sandbox, secret }) => {
    const corporate = await startCorporate({ [API_HOST]: api.port })
    try {
      const file = path.join(sandbox.directory, "corporate.pem")
      fs.writeFileSync(file, corporate.caPem)
      const env = {
        https_proxy: corporate.proxyUrl,
        HTTPS_PROXY: corporate.proxyUrl,
        ALL_PROXY: "socks5://127.0.0.1:9",
        NO_PROXY: "localhost,.elsewhere.test",
        REQUESTS_CA_BUNDLE: file,
        NODE_EXTRA_CA_CERTS: file,
        CURL_CA_BUNDLE: file
      }
      const provider = await run("provider", chosen, { env })
      const intranet = await run("intranet", chosen, { env, host: INTRANET_HOST })
      return {
        provider: byName(provider),
        intranet: byName(intranet),
        leaked: corporate.received.some((authorization) => authorization.includes(secret))
      }
    } finally {
      corporate.close()
    }
  })
