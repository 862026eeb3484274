/** Names for providers that nobody has named. */
import * as Effect from "effect/Effect"
import { isProviderName } from "../domain/Provider.ts"

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "")

/**
 * A name for the MCP server at this address that no provider has: `linear-mcp` for `https://mcp.linear.app/mcp`, then one of
 * the whole host, then that with a number.
 */
export const derivedName = (address: URL, taken: (name: string) => boolean): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { getDomainWithoutSuffix } = await import("tldts")
    const host = plain(address.host).slice(0, 48)
    const company = getDomainWithoutSuffix(address.hostname, { allowPrivateDomains: true })
    const candidates = [...(company === null || company === "" ? [] : [`${plain(company)}-mcp`]), `mcp-${host}`]
    const free = candidates.find((name) => isProviderName(name) && !taken(name))
    if (free !== undefined) return free
    for (let number = 2;; number++) {
      const name = `mcp-${host}-${number}`
      if (!taken(name)) return name
    }
  })
