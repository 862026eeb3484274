/**
 * Removes variables that name sockets which do not exist in a contained run, and variables with which the command could obtain
 * credentials in the name of its CI job.
 */
import { hiddenLists } from "./HiddenPaths.ts"

const TEMPORARY = new Set(["TMPDIR", "TMP", "TEMP"])

/** The environment of the command. Temporary files go to `/tmp`, of which the run has its own. */
export const containedEnvironment = (variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !hiddenLists().withheldVariables.includes(name))
      .map(([name, value]) => [name, TEMPORARY.has(name) ? "/tmp" : value])
  )
