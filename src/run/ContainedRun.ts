/** Prepares and starts the namespaces of a contained run for the current working directory and user. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Containment } from "../contain/Containment.ts"
import { ContainError, type ContainRequest, planOf } from "../contain/ContainPlan.ts"
import { containTools, tryNamespaces } from "../contain/ContainSupport.ts"
import { reachable } from "../contain/ReachableFiles.ts"
import { isConnectedUnixSocket } from "../contain/UnixSockets.ts"
import * as TrustStore from "../outbound/TrustStore.ts"
import { account, homeDirectory } from "../platform/process/Account.ts"
import { keyringDirectories } from "../platform/process/KeyringLibrary.ts"
import { ownProgram } from "../platform/process/OwnProgram.ts"
import { CERTIFICATE_DIRECTORIES } from "./BrowserHome.ts"
import { BROWSER_DIRECTORY, BUNDLE_FILE } from "./ProxyEnvironment.ts"
import { WRAPPERS } from "./RuntimeWrappers.ts"

export interface ContainedRunInput extends
  Pick<
    ContainRequest,
    "credsvcHome" | "hide" | "hideIfPresent" | "logins" | "own" | "rules" | "runDirectory" | "write" | "writeIfPresent"
  >
{
  readonly allowedPorts: ReadonlyArray<number>
  /** Whether programs must trust the certificate authority of the run. */
  readonly hasAuthority: boolean
}

/** The home directories of the environment and of the system's list of users, which may differ. */
export const homeDirectories = (): ReadonlyArray<string> => {
  const { homedir } = account()
  // The root directory is not a home directory.
  return [...new Set([homeDirectory(), ...homedir === "/" ? [] : [homedir]])]
}

/**
 * Replaces the certificates of the system and of browsers with those of the run, for programs that no variable configures. The files
 * are written later, but must exist to be mounted.
 */
const trustedFiles = (runDirectory: string): ContainRequest["replaced"] => {
  const bundle = path.join(runDirectory, BUNDLE_FILE)
  fs.writeFileSync(bundle, "", { mode: 0o600 })
  const [databases = ""] = CERTIFICATE_DIRECTORIES
  const browser = path.join(runDirectory, BROWSER_DIRECTORY, databases)
  fs.mkdirSync(browser, { mode: 0o700, recursive: true })
  return [
    ...TrustStore.SYSTEM_BUNDLES.map((target) => ({ kind: "read-only", target, source: bundle }) as const),
    ...homeDirectories().flatMap((home) =>
      CERTIFICATE_DIRECTORIES.map((name) =>
        ({ kind: "writable", target: path.join(home, name), source: browser }) as const
      )
    )
  ]
}

const STREAMS = ["input", "output", "error"]

/** Why the command of a contained run must not get this file as a standard stream, or undefined if it may. */
const streamProblem = (stat: fs.Stats): string | undefined => {
  if (stat.isDirectory()) return "is a directory, from which the command could open any file of this machine"
  return stat.isSocket() && !isConnectedUnixSocket(stat.ino)
    ? "is a network socket, with which the command could connect to services of this machine; use a pipe, as in: " +
      "cat | credsvc run --contain … | cat"
    : undefined
}

/** Plans what the run may see and write. Throws a `ContainError`. */
const prepare = ({ hasAuthority, ...input }: ContainedRunInput) => {
  const tools = containTools()
  for (const [descriptor, name] of STREAMS.entries()) {
    const problem = streamProblem(fs.fstatSync(descriptor))
    if (problem !== undefined) {
      throw new ContainError({ option: "--contain", message: `the standard ${name} ${problem}` })
    }
  }
  const plan = planOf({
    ...input,
    directory: process.cwd(),
    homes: homeDirectories(),
    program: ownProgram(),
    programs: [process.execPath, tools.setpriv],
    libraries: [
      ...keyringDirectories(),
      // The wrappers are first in PATH of the next run.
      ...homeDirectories().map((home) => path.join(home, WRAPPERS)),
      // Node executes the compiled code in this directory without comparing it with the source.
      ...process.env["NODE_COMPILE_CACHE"] ? [process.env["NODE_COMPILE_CACHE"]] : []
    ],
    replaced: hasAuthority ? trustedFiles(input.runDirectory) : [],
    // Browsers write to their database of certificates.
    writableInRun: hasAuthority ? [path.join(input.runDirectory, BROWSER_DIRECTORY)] : [],
    variables: process.env,
    reachable: (files) => reachable(tools, files)
  })
  return { plan, tools }
}

const attempt = <A>(run: () => A): { readonly value?: A; readonly problem?: string } => {
  try {
    return { value: run() }
  } catch (error) {
    if (error instanceof ContainError) return { problem: error.message }
    throw error
  }
}

/**
 * Tests whether this machine can contain runs, and plans a run from the working directory without starting it. `problem`: why no run
 * can be contained here. `refusal`: why a run from the working directory cannot be contained, although others can.
 */
export const containReport = (input: Omit<ContainedRunInput, "allowedPorts" | "hasAuthority">) => {
  const { problem, value: trial } = attempt(() => tryNamespaces(containTools()))
  if (trial === undefined) return { problem, refusal: undefined, opensLowPorts: false, plan: undefined }
  const planned = attempt(() => prepare({ ...input, allowedPorts: [], hasAuthority: false }).plan)
  const { opensLowPorts } = trial
  return { problem: trial.problem?.message, refusal: planned.problem, opensLowPorts, plan: planned.value }
}
export type ContainReport = ReturnType<typeof containReport>

/** Starts the namespaces, which end with the scope. */
export const containedRun = (input: ContainedRunInput) =>
  Effect.try({ try: () => prepare(input), catch: ContainError.of }).pipe(
    Effect.flatMap(({ plan, tools }) => {
      const { allowedPorts, runDirectory } = input
      return Containment.start(plan, { tools, runDirectory, allowedPorts })
    }),
    // Other programs may have removed a socket, or created one.
    Effect.retry({ times: 2, while: ({ isTransient }) => isTransient === true })
  )
