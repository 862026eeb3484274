/** Prepares and starts the namespaces of a contained run for the current working directory and user. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Containment } from "../contain/Containment.ts"
import { ContainError, type ContainPlan, type ContainRequest, planOf } from "../contain/ContainPlan.ts"
import { containTools, type Trial, tryNamespaces } from "../contain/ContainSupport.ts"
import { reachable } from "../contain/Reachable.ts"
import { builtins } from "../platform/builtins.ts"
import { BROWSER_DIRECTORY, type Hook } from "./ChildEnvironment.ts"

export interface ContainedRunInput
  extends Pick<ContainRequest, "credsvcHome" | "hide" | "hideIfPresent" | "runDirectory" | "write" | "writeIfPresent">
{
  readonly allowedPorts: ReadonlyArray<number>
  readonly hooks: ReadonlyArray<Hook>
}

/** The home directories of the environment and of the system's list of users, which may differ. */
export const homeDirectories = (): ReadonlyArray<string> => {
  try {
    return [...new Set([builtins.os.homedir(), builtins.os.userInfo().homedir])]
  } catch {
    // The user is in no list, as in some containers.
    return [builtins.os.homedir()]
  }
}

/** What the run may see and write. Throws a `ContainError`. */
const prepared = ({ hooks, ...input }: ContainedRunInput) => {
  const tools = containTools()
  const browser = path.join(input.runDirectory, BROWSER_DIRECTORY)
  if (hooks.includes("chromium")) fs.mkdirSync(browser, { mode: 0o700, recursive: true })
  const plan = planOf({
    ...input,
    directory: process.cwd(),
    homes: homeDirectories(),
    programs: [process.execPath, tools.setpriv],
    writableInRun: hooks.includes("chromium") ? [browser] : [],
    variables: process.env,
    reachable: (files) => reachable(tools, files)
  })
  return { plan, tools }
}

export interface ContainReport {
  /** Why no run can be contained here. */
  readonly problem: string | undefined
  /** Why a run from the working directory cannot be contained, although others can. */
  readonly refusal: string | undefined
  readonly opensLowPorts: boolean
  readonly plan: ContainPlan | undefined
}

/** Tests whether this machine can contain runs, and plans a run from the working directory without starting it. */
export const containReport = (input: Omit<ContainedRunInput, "allowedPorts" | "hooks">): ContainReport => {
  const messageOf = (error: unknown): string => {
    if (error instanceof ContainError) return error.message
    throw error
  }
  let trial: Trial
  try {
    trial = tryNamespaces(containTools())
  } catch (error) {
    return { problem: messageOf(error), refusal: undefined, opensLowPorts: false, plan: undefined }
  }
  const { opensLowPorts, problem } = trial
  try {
    const { plan } = prepared({ ...input, allowedPorts: [], hooks: [] })
    return { problem: problem?.message, refusal: undefined, opensLowPorts, plan }
  } catch (error) {
    return { problem: problem?.message, refusal: messageOf(error), opensLowPorts, plan: undefined }
  }
}

/** Starts the namespaces, which end with the scope. */
export const containedRun = (input: ContainedRunInput) =>
  Effect.try({
    try: () => prepared(input),
    catch: (cause) =>
      cause instanceof ContainError
        ? cause
        : new ContainError({ option: "--contain", message: `cannot be prepared: ${(cause as Error).message}` })
  }).pipe(
    Effect.flatMap(({ plan, tools }) => {
      const { allowedPorts, runDirectory } = input
      return Containment.start(plan, { tools, runDirectory, allowedPorts })
    }),
    // Sockets of other programs come and go.
    Effect.retry({ times: 2, while: ({ isTransient }) => isTransient === true })
  )
