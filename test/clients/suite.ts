/** Runs clients of the table inside the real `credsvc run`, and says which of them this machine lacks. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { openSandbox } from "../support/Sandbox.ts"
import { API_HOST, type Client, KEY_VARIABLE } from "./Client.ts"
import { startClientApi } from "./ClientApi.ts"
import { nodeClients, otherRuntimes } from "./node.ts"
import { pythonClients } from "./python.ts"
import type { Job, JobResult } from "./run-clients.ts"
import { packageManagers, systemClients } from "./system.ts"

const here = path.dirname(fileURLToPath(import.meta.url))

export const clients: ReadonlyArray<Client> = [
  ...systemClients,
  ...pythonClients,
  ...nodeClients,
  ...otherRuntimes,
  ...packageManagers
]

/** Where `scripts/setup` puts the packages of `packages/`: outside of the tree, so that a fresh clone finds them. */
export const installedDirectory = (): string => {
  const lock = createHash("sha256").update(fs.readFileSync(path.join(here, "packages", "package-lock.json"))).digest(
    "hex"
  )
  const cache = process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache")
  return path.join(cache, `credsvc-test-clients-${lock.slice(0, 12)}`)
}

/** Programs among the packages, by what they are called on the command line. */
const programs: Readonly<Record<string, string>> = {
  node18: "node18/bin/node",
  node20: "node20/bin/node",
  node22: "node22/bin/node",
  deno: "@deno/linux-x64-glibc/deno",
  bun: "@oven/bun-linux-x64/bin/bun",
  pnpm: ".bin/pnpm",
  yarn: ".bin/yarn"
}

const programFile = (name: string): string => path.join(installedDirectory(), "node_modules", programs[name]!)

const succeeds = (argv: ReadonlyArray<string>): boolean =>
  spawnSync(argv[0]!, argv.slice(1), { stdio: "ignore" }).status === 0

/** Another system on this machine, whose root is a directory that has our `/tmp`. */
export type Root = string | undefined

const within = (root: Root, argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  root === undefined ? argv : ["chroot", root, ...argv]

const memory = new Map<string, boolean>()
const remembered = (key: string, find: () => boolean): boolean => {
  const known = memory.get(key) ?? find()
  memory.set(key, known)
  return known
}

const hasCommand = (command: string, root: Root): boolean =>
  remembered(`${root} ${command}`, () =>
    programs[command] !== undefined && root === undefined
      ? fs.existsSync(programFile(command))
      : succeeds(within(root, ["sh", "-c", `command -v ${command}`])))

const hasModule = (command: string, module: string, root: Root): boolean =>
  remembered(
    `${root} ${command} ${module}`,
    () =>
      succeeds(within(root, command === "perl" ? [command, `-M${module}`, "-e1"] : [command, "-c", `import ${module}`]))
  )

/** What the client needs and this machine does not have. */
export const missing = (client: Client, root?: Root): string | undefined => {
  if (!hasCommand(client.command, root)) return client.command
  if (client.module !== undefined && !hasModule(client.command, client.module, root)) return client.module
  const { installed } = client
  if (installed === undefined) return undefined
  return fs.existsSync(path.join(installedDirectory(), "node_modules", installed)) ? undefined : installed
}

const makeJob = (client: Client, index: number, scratch: string, root: Root): Job => {
  const own = path.join(scratch, `job-${index}`)
  fs.mkdirSync(own)
  for (const [name, text] of Object.entries(client.files ?? {})) fs.writeFileSync(path.join(own, name), text)
  const argv = client.script === undefined ? [client.command, ...client.args] : ["sh", "-ec", client.script]
  // A module is looked for from the working directory on.
  const cwd = client.installed !== undefined && client.script === undefined ? installedDirectory() : own
  return {
    name: client.name,
    argv: root === undefined ? argv : within(root, ["env", "-C", cwd, ...argv]),
    cwd,
    env: {
      CLIENT_BASE: `https://${API_HOST}`,
      CLIENT_URL: `https://${API_HOST}/job-${index}`,
      ...(root === undefined ? {} : { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root" }),
      ...client.env
    }
  }
}

export interface SuiteReport {
  readonly results: ReadonlyMap<string, JobResult & { readonly worked: boolean }>
  /** Requests in which a placeholder reached the API. */
  readonly leaked: ReadonlyArray<string>
}

export const runClients = async (chosen: ReadonlyArray<Client>, root?: Root): Promise<SuiteReport> => {
  const sandbox = await openSandbox({ connect: false })
  const secret = `canary_${process.hrtime.bigint().toString(36)}_w8Qp`
  const scratch = path.join(sandbox.directory, "clients")
  const bin = path.join(scratch, "bin")
  fs.mkdirSync(bin, { recursive: true })
  for (const name of Object.keys(programs)) fs.symlinkSync(programFile(name), path.join(bin, name))
  const api = await startClientApi(secret, scratch)
  try {
    const config = path.join(sandbox.home, "config.json")
    const settings = JSON.parse(fs.readFileSync(config, "utf8"))
    settings.upstream.resolve[`${API_HOST}:443`] = `127.0.0.1:${api.port}`
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
        export: { env: { api_key: KEY_VARIABLE } }
      })
    )
    for (const args of [["register", "clients.json", "--yes"], ["login", "clients", "--stdin"]]) {
      const { code, stderr } = await sandbox.credsvc(args, { input: secret })
      if (code !== 0) throw new Error(stderr)
    }

    const jobs = chosen.map((client, index) => ({ client, job: makeJob(client, index, scratch, root) }))
    const inRun = async (name: string, options: ReadonlyArray<string>, picked: ReadonlyArray<Job>) => {
      const [jobsFile, resultsFile] = [path.join(scratch, `${name}.json`), path.join(scratch, `${name}-results.json`)]
      fs.writeFileSync(jobsFile, JSON.stringify(picked))
      const outcome = await sandbox.credsvc(
        ["run", ...options, "--", process.execPath, path.join(here, "run-clients.ts"), jobsFile, resultsFile],
        { env: { PATH: `${bin}:${process.env["PATH"]}`, GIT_TERMINAL_PROMPT: "0" }, timeout: 900_000 }
      )
      if (outcome.code !== 0) throw new Error(`the run of clients ended with ${outcome.code}: ${outcome.stderr}`)
      return JSON.parse(fs.readFileSync(resultsFile, "utf8")) as ReadonlyArray<JobResult>
    }
    const [plain, hooked] = await Promise.all([
      inRun("plain", [], jobs.filter(({ client }) => client.option === undefined).map(({ job }) => job)),
      inRun(
        "hooked",
        ["--hook", "python", "--hook", "bun"],
        jobs.filter(({ client }) => client.option !== undefined).map(({ job }) => job)
      )
    ])
    const isWorking = ({ code, output }: JobResult) => code === 0 && output.includes("served")
    return {
      results: new Map([...plain, ...hooked].map((result) => [result.name, { ...result, worked: isWorking(result) }])),
      leaked: api.leaked
    }
  } finally {
    api.close()
    await sandbox.close()
  }
}
