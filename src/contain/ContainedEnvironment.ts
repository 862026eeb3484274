/** Removes variables that lead to sockets outside of a contained run. The sockets do not exist inside. */
import { hiddenLists } from "./HiddenPaths.ts"

const TEMPORARY = new Set(["TMPDIR", "TMP", "TEMP"])

/** The environment of the command, which has a `/tmp` of its own. */
export const containedEnvironment = (
  variables: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !hiddenLists().variablesOfSockets.includes(name))
      .map(([name, value]) => [name, TEMPORARY.has(name) ? "/tmp" : value])
  )
