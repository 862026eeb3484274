/**
 * The files of a sandbox for the programs in it: certificates, settings of clients, and a script that reaches the proxy without a
 * network. They contain no secret. They correspond to the directory of a run, but exist as long as the sandbox.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { runMark } from "../config/RunMark.ts"
import type { SandboxName } from "../domain/wire/Sandbox.ts"
import { requireAsset } from "../platform/files/PackageFiles.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import * as ProxyEnvironment from "./ProxyEnvironment.ts"

/** The path at which containers see the files. */
export const MOUNTED_AT = "/credsvc"

/** The port that clients in a sandbox without a network connect to, and the default port of `credsvc proxy`. */
export const SANDBOX_PORT = 7999

/** Stands for the URL of the proxy, which is not written to files because it contains the token. */
const PROXY = "http://proxy.credsvc.invalid"

const EXPIRY_FILE = "expires"

/**
 * The directories of a sandbox: `local` for programs that see the files of this machine; `mount` for containers, at `MOUNTED_AT`,
 * with the socket of `credsvc proxy --sandbox`.
 */
export const directoryOf = (sandboxes: string, name: SandboxName) => {
  const mount = path.join(sandboxes, name, "mount")
  return { local: path.join(sandboxes, name, "local"), mount, socket: path.join(mount, "proxy.sock") }
}

export interface SandboxFilesInput
  extends Pick<ProxyEnvironment.ProxyEnvironmentInput, "extraCaCerts" | "patterns" | "placeholders" | "ports">
{
  readonly name: string
  /** The root certificate of the sandbox. */
  readonly certificate: string
}

/** The variables for programs in a sandbox. */
export interface SandboxVariables {
  readonly fixed: Readonly<Record<string, string>>
  /** The names of the variables whose value is the URL of the proxy. */
  readonly proxy: ReadonlyArray<string>
}

/** Writes the files, for programs that see them at `mountedAt`, and returns the variables that name them. */
export const writeFiles = (directory: string, mountedAt: string, input: SandboxFilesInput): SandboxVariables => {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { variables } = ProxyEnvironment.make({
    parent: {},
    proxyUrl: PROXY,
    // Only for Java, whose options cannot contain a token.
    port: SANDBOX_PORT,
    java: false,
    caPem: input.certificate,
    runDirectory: directory,
    mountedAt,
    gitProxyKeys: [],
    placeholders: input.placeholders,
    patterns: input.patterns,
    ports: input.ports,
    extraCaCerts: input.extraCaCerts
  })
  const entries = Object.entries(variables).filter(([name]) => name !== runMark)
  const fixed = entries.filter(([, value]) => value !== PROXY)
  const proxy = entries.filter(([, value]) => value === PROXY).map(([name]) => name)
  const write = (name: string, content: string) =>
    fs.writeFileSync(path.join(directory, name), content, { mode: 0o600 })
  write("name", `${input.name}\n`)
  write("env", fixed.map(([name, value]) => `${name}=${value}\n`).join(""))
  write("proxy-variables", proxy.map((name) => `${name}\n`).join(""))
  write("enter", requireAsset("sandbox-enter.sh", import.meta.url))
  return { fixed: Object.fromEntries(fixed), proxy }
}

/** All variables, with `url` as the URL of the proxy. */
export const withProxy = ({ fixed, proxy }: SandboxVariables, url: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(proxy.map((name) => [name, url])),
  ...fixed
})

/** Creates the directory of a sandbox, and removes the directories of expired ones. */
export const prepareDirectory = Effect.fnUntraced(function*(sandboxes: string, name: SandboxName, expires: string) {
  yield* SecureFiles.ensurePrivateDirectory(sandboxes)
  sweepDirectories(sandboxes, Date.now())
  yield* SecureFiles.ensurePrivateDirectory(path.join(sandboxes, name))
  yield* SecureFiles.replaceFile(path.join(sandboxes, name, EXPIRY_FILE), `${expires}\n`)
})

export const removeDirectory = (sandboxes: string, name: string): void =>
  fs.rmSync(path.join(sandboxes, name), { recursive: true, force: true })

/** Removes the files of expired sandboxes. */
export const sweepDirectories = (sandboxes: string, now: number): void => {
  for (const name of fs.existsSync(sandboxes) ? fs.readdirSync(sandboxes) : []) {
    const file = path.join(sandboxes, name, EXPIRY_FILE)
    const expires = fs.existsSync(file) ? Date.parse(fs.readFileSync(file, "utf8").trim()) : Number.NaN
    if (expires <= now) removeDirectory(sandboxes, name)
  }
}
