/** A sandbox whose runs can be contained: a working directory, and a home directory with credential files. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { containTools, tryNamespaces } from "../../src/contain/ContainSupport.ts"
import { openSandbox, type Outcome, type RunOptions, type Sandbox } from "./Sandbox.ts"

const reason = ((): string | undefined => {
  try {
    return tryNamespaces(containTools()).problem?.message
  } catch (error) {
    return (error as Error).message
  }
})()

/** Whether this machine can contain runs. */
export const canContain = reason === undefined

if (!canContain) {
  const line = "#".repeat(80)
  console.warn(`${line}\nSKIPPED: the tests of contained runs: ${reason}\n${line}`)
}

export interface ContainedSandbox extends Sandbox {
  /** The working directory of runs. */
  readonly work: string
  /** The home directory of the user. */
  readonly person: string
  /** Runs a shell script, contained. */
  readonly contained: (script: string, flags?: ReadonlyArray<string>, options?: RunOptions) => Promise<Outcome>
}

export const openContainedSandbox = async (): Promise<ContainedSandbox> => {
  // Not below /tmp: contained runs have another one, in which an escape would leave no trace.
  const parent = path.join(os.homedir(), ".cache")
  fs.mkdirSync(parent, { recursive: true })
  const before = process.env["TMPDIR"]
  process.env["TMPDIR"] = parent
  const sandbox = await openSandbox().finally(() => {
    if (before === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = before
  })
  const work = path.join(sandbox.directory, "work")
  const person = path.join(sandbox.directory, "person")
  fs.mkdirSync(work)
  fs.mkdirSync(path.join(person, ".ssh"), { recursive: true, mode: 0o700 })
  fs.writeFileSync(path.join(person, ".ssh", "id_ed25519"), "a private key")
  fs.writeFileSync(path.join(person, ".netrc"), "machine example.com password secret")
  const temporary = path.join(sandbox.directory, "temporary")
  fs.mkdirSync(temporary)
  const env = { ...sandbox.env, HOME: person, TMPDIR: temporary }
  return {
    ...sandbox,
    env,
    work,
    person,
    contained: (script, flags = [], options = {}) =>
      sandbox.credsvc(["run", "--contain", "--quiet", ...flags, "--", "sh", "-c", script], {
        cwd: work,
        ...options,
        env: { ...env, ...options.env }
      })
  }
}
