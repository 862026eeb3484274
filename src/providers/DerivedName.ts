/** Names for providers that are registered with only a URL. */
import * as Effect from "effect/Effect"
import { variableProblem } from "../domain/injection/VariableName.ts"
import { isProviderName, variablePrefix } from "../domain/wire/Names.ts"

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "")

/** The name must also be usable in the variable of its token. */
const isUsable = (name: string): boolean =>
  isProviderName(name) && variableProblem("credential", `${variablePrefix(name)}_ACCESS_TOKEN`) === undefined

/** An unused name: `linear-mcp` for `https://mcp.linear.app/mcp`, else one with the whole host and a number if necessary. */
export const derivedName = (address: URL, taken: (name: string) => boolean): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { getDomainWithoutSuffix } = await import("tldts")
    const host = plain(address.host.slice(0, 48))
    const company = getDomainWithoutSuffix(address.hostname, { allowPrivateDomains: true })
    const candidates = [...(company === null || company === "" ? [] : [`${plain(company)}-mcp`]), `mcp-${host}`]
    const free = candidates.find((name) => isUsable(name) && !taken(name))
    if (free !== undefined) return free
    for (let number = 2;; number++) {
      const name = `mcp-${host}-${number}`
      if (!taken(name)) return name
    }
  })
