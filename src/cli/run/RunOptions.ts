/** The options of `run`, and of the commands that choose providers and connections as it does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RunDefaults } from "../../config/file/ConfigDocument.ts"
import type { InvalidRequestError, Problem } from "../../domain/Errors.ts"
import { failWith } from "../../domain/FailWith.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { isConnectionName } from "../../domain/wire/Names.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import { providerName } from "../commands/provider/ProviderArgument.ts"
import type { RunInput } from "../tree/CommandInputs.ts"

export const hasRules = ({ allow, deny, maxTokens, readOnly, rules }: RunInput): boolean =>
  allow.length > 0 || deny.length > 0 || readOnly || Option.isSome(rules) || Option.isSome(maxTokens)

export const invalid = (...problems: ReadonlyArray<Problem>) =>
  failWith(({ InvalidRequestError }) => InvalidRequestError.of(problems))

/** Parses `openai=work`, at most once per provider. */
export const parseConnections = Effect.fnUntraced(function*(pairs: ReadonlyArray<string>) {
  const chosen = new Map<ProviderName, ConnectionName>()
  const wrong = (message: string) => invalid({ path: "--connection", message })
  for (const pair of pairs) {
    const [provider = "", name = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]
    if (!pair.includes("=") || provider === "" || !isConnectionName(name)) {
      return yield* wrong(`invalid value "${pair}": expected <provider>=<name>`)
    }
    const named = yield* providerName(provider)
    if (chosen.has(named)) return yield* wrong(`more than one connection given for ${provider}`)
    chosen.set(named, name)
  }
  return chosen
})

/** Rejects options that need the proxy: without a proxy, credsvc can neither block nor route the command's requests. */
export const checkBaseUrl = ({ hooks, noJava, unmatched }: RunInput) => {
  const without = (path: string, message: string) => invalid({ path, message })
  if (unmatched === "deny") {
    return without(
      "--unmatched",
      "deny requires the proxy, which --base-url does not use: the command could reach every host"
    )
  }
  if (hooks.length > 0) return without("--hook", "configures clients for the proxy, which --base-url does not use")
  if (noJava) return without("--no-java", "has no effect with --base-url, which does not set JAVA_TOOL_OPTIONS")
  return Effect.void
}

/** Rejects options of contained runs for a run that is not contained. */
const checkUncontained = ({ allowPorts, hide, write }: RunInput) => {
  const given = [["--write", write], ["--hide", hide], ["--allow-port", allowPorts]] as const
  const unused = given.find(([, values]) => values.length > 0)
  return unused === undefined ? Effect.void : invalid({ path: unused[0], message: "requires --contain" })
}

/** Tells whether the run is contained. Rejects options that contradict the result. */
export const checkContained = Effect.fnUntraced(function*(input: RunInput, defaults: RunDefaults) {
  if (input.contain && input.noContain) {
    return yield* invalid({ path: "--no-contain", message: "cannot be combined with --contain" })
  }
  const contained = input.contain || (defaults.contain && !input.noContain)
  if (!contained) yield* checkUncontained(input)
  return contained
})

const optionOf: Readonly<Record<string, string>> = {
  providers: "--provider",
  connections: "--connection",
  rules: "--policy",
  ask: "--ask"
}

/** In the problems, names the options of a command instead of the fields of its request. */
export const namingOptions = ({ problems }: InvalidRequestError) =>
  invalid(...problems.map(({ message, path }) => ({ path: optionOf[path.split("/")[1] ?? ""] ?? path, message })))
