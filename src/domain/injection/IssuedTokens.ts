/** The tokens that the hosts of one connection issue, as the daemon describes them to the proxy. */
import * as Schema from "effect/Schema"
import type { ProviderDefinition } from "../definition/Provider.ts"
import { hostsOf } from "../definition/ProviderHosts.ts"
import { wire } from "../wire/Wire.ts"
import { placeOf } from "./Route.ts"

export const IssuedTokens = wire(
  {
    requests: [Schema.Array(Schema.String), "The requests to which the API responds with a token, as rules"],
    tokens: [Schema.Array(Schema.String), "JSON pointers to the tokens in the response"],
    tokenHeaders: [Schema.Array(Schema.String), "Header fields of the response that carry a token"],
    uses: [Schema.Array(Schema.String), "The requests that may carry a token, as rules"],
    useHeaders: [Schema.Array(Schema.String), "The header fields in which a request may carry it"],
    placeholder: [Schema.String, "What the placeholder of a token begins with"]
  },
  "IssuedTokens",
  "Tokens in responses, in whose place the client gets placeholders"
)
export type IssuedTokens = typeof IssuedTokens.Type

/** The tokens that an entry of `hosts` issues, for the tenant of a connection. */
export const issuedTokensAt = (
  definition: ProviderDefinition,
  entry: string | undefined,
  baseUrl: string | null
): ReadonlyArray<IssuedTokens> =>
  definition.issuesTokens.filter(({ host }) => host === entry).map((section) => {
    const { host, methods, paths, placeholder, tokenHeaders, tokens, useHeaders, useHosts } = section
    const hosts = hostsOf(definition, baseUrl)
    const placesOf = (accepts: (entry: string) => boolean) => hosts.filter(({ entry }) => accepts(entry)).map(placeOf)
    return {
      requests: placesOf((each) => each === host).flatMap((place) =>
        paths.map((path) => `${methods.join(",")} ${place}${path}`)
      ),
      tokens,
      tokenHeaders,
      uses: placesOf((each) => useHosts.length === 0 || useHosts.includes(each)).map((place) => `${place}/**`),
      useHeaders,
      placeholder
    }
  })
