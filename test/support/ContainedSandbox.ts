/** A sandbox whose runs can be contained: a working directory, and a home directory with credential files. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { containTools, tryNamespaces } from "../../src/contain/ContainSupport.ts"
import { entry, giveTo, openSandbox, repository, type RunOptions, type User } from "./Sandbox.ts"

const warnOf = (tests: string, reason: string | undefined): boolean => {
  const line = "#".repeat(80)
  if (reason !== undefined) console.warn(`${line}\nSKIPPED: ${tests}: ${reason}\n${line}`)
  return reason === undefined
}

/** Whether this machine can contain runs. */
export const canContain = warnOf(
  "the tests of contained runs",
  (() => {
    try {
      return tryNamespaces(containTools()).problem?.message
    } catch (error) {
      return (error as Error).message
    }
  })()
)

const isBelowTmp = fs.realpathSync(repository).startsWith("/tmp/")

/** Whether contained runs see the clients and sources of this clone: they have a `/tmp` of their own. */
export const canContainClients = canContain && warnOf(
  "the clients inside contained runs",
  isBelowTmp ? "this clone is below /tmp, which contained runs do not see" : undefined
)

/** A user that is in no list of users, as in some containers. */
const ordinary: User = { uid: 61_234, gid: 61_234 }

/** Where root creates the sandboxes of an ordinary user. */
const PARENT_OF_ORDINARY = "/var/cache"

/** An ordinary user whose runs root can test. Undefined if the tests do not run as root, or the user's runs cannot be contained. */
export const ordinaryUser = (): User | undefined => {
  if (process.getuid?.() !== 0 || !canContain) return undefined
  const { error, stderr, stdout } = spawnSync(process.execPath, [entry, "doctor", "--contain", "--json"], {
    ...ordinary,
    cwd: "/usr/share",
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", CREDSVC_HOME: "/nonexistent/credsvc" }
  })
  const isUsable = /"status": *"ok"/.test(stdout)
  const reason = isUsable ? undefined : error?.message ?? (stdout + stderr)
  return warnOf("the tests of contained runs as an ordinary user", reason) ? ordinary : undefined
}

/** Node and the built program, where contained runs see them: copies if the clone is below `/tmp`, which runs do not see. */
const seenIn = (directory: string) => {
  if (!isBelowTmp) return { node: process.execPath, entry }
  const node = path.join(directory, "node")
  fs.copyFileSync(process.execPath, node)
  fs.cpSync(path.dirname(entry), path.join(directory, "dist"), { recursive: true })
  fs.copyFileSync(path.join(repository, "package.json"), path.join(directory, "package.json"))
  return { node, entry: path.join(directory, "dist", path.basename(entry)) }
}

/** Opens a sandbox. `user`: the user who runs everything, such as `ordinaryUser`. */
export const openContainedSandbox = async (user?: User) => {
  // Not below /tmp: contained runs have another one, in which an escape would leave no trace.
  const parent = user === undefined ? path.join(os.homedir(), ".cache") : PARENT_OF_ORDINARY
  fs.mkdirSync(parent, { recursive: true })
  const sandbox = await openSandbox({ parent, user })
  const work = path.join(sandbox.directory, "work")
  const person = path.join(sandbox.directory, "person")
  const temporary = path.join(sandbox.directory, "temporary")
  for (const directory of [work, person, temporary]) fs.mkdirSync(directory)
  fs.mkdirSync(path.join(person, ".ssh"), { mode: 0o700 })
  fs.writeFileSync(path.join(person, ".ssh", "id_ed25519"), "a private key")
  fs.writeFileSync(path.join(person, ".netrc"), "machine example.com password secret")
  for (const directory of [work, person, temporary]) giveTo(user, directory)
  const env = { ...sandbox.env, HOME: person, TMPDIR: temporary }
  return {
    ...sandbox,
    env,
    /** The working directory of runs. */
    work,
    /** The home directory of the user. */
    person,
    /** Node and the built program, where contained runs see them. */
    seen: seenIn(sandbox.directory),
    /** Runs a shell script, contained. */
    contained: (script: string, flags: ReadonlyArray<string> = [], options: RunOptions = {}) =>
      sandbox.credsvc(["run", "--contain", "--quiet", ...flags, "--", "sh", "-c", script], {
        cwd: work,
        ...options,
        env: { ...env, ...options.env }
      })
  }
}

export type ContainedSandbox = Awaited<ReturnType<typeof openContainedSandbox>>
