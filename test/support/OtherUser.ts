/** Programs of another user of this machine, which need root and `setpriv`. */
import type * as Effect from "effect/Effect"
import { builtins } from "../../src/platform/builtins.ts"
import { type Ran, runProgram } from "./Programs.ts"

export const otherUser = (group = 65534): ReadonlyArray<string> => [
  "--reuid=65534",
  `--regid=${group}`,
  "--clear-groups"
]

export const canBeOthers = process.platform === "linux" && process.getuid?.() === 0 &&
  builtins.childProcess.spawnSync("setpriv", [...otherUser(), "true"]).status === 0

if (!canBeOthers) console.warn("SKIPPED: tests with another user need root and setpriv")

export const runAsOther = (args: ReadonlyArray<string>, group?: number): Effect.Effect<Ran> =>
  runProgram("setpriv", [...otherUser(group), ...args])

/** The command that prints a response, and nothing if there is none. */
export const curl = (...args: ReadonlyArray<string>) => ["curl", "-s", "--noproxy", "*", "--max-time", "20", ...args]
