/** Finds the real keys in the environment of a command. */
import * as Effect from "effect/Effect"
import { mayBeKey } from "../../domain/text/KeyText.ts"
import { call } from "../api/OperationCall.ts"

/**
 * The names of provider variables that contain a real key. `replaced`: the variables with a placeholder. Fails if the daemon does
 * not list the variables: otherwise, a contained command would get the keys.
 */
export const exposedKeys = Effect.fnUntraced(
  function*(
    variables: Readonly<Record<string, string>>,
    replaced: ReadonlyArray<{ readonly variable: string }>,
    inherited: Readonly<Record<string, string | undefined>> = process.env
  ) {
    // Skips the variables that the run sets. They have no key of the user, but addresses of the proxy have a password.
    const names = Object.keys(variables).filter((name) =>
      variables[name] === inherited[name] && mayBeKey(name, variables[name]!) &&
      !replaced.some(({ variable }) => variable === name)
    )
    if (names.length === 0) return []
    const { providers } = yield* call("providers.list")
    const known = new Set(providers.flatMap(({ variables }) => variables))
    return names.filter((name) => known.has(name))
  }
)
