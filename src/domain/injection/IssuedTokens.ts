/** The tokens that the hosts of one connection issue, as the daemon describes them to the proxy. */
import * as Schema from "effect/Schema"
import type { IssuedTokensSection, LoginSection } from "../definition/IssuedTokenSections.ts"
import type { ProviderDefinition } from "../definition/Provider.ts"
import { hostsOf } from "../definition/ProviderHosts.ts"
import { named, wire } from "../wire/Wire.ts"
import { pathOf, placeOf } from "./Route.ts"

const IssuingAction = Schema.Literals(["login", "refused"]).pipe(
  named("IssuingAction", "`login`: the daemon handles the request and its response. `refused`: the request is not sent")
)

export const IssuedTokens = wire(
  {
    action: [
      Schema.optionalKey(IssuingAction),
      "What happens to the requests; absent if the proxy sends them and replaces the tokens in their responses"
    ],
    requests: [Schema.Array(Schema.String), "The requests to which the API responds with a token, as rules"],
    tokens: [Schema.Array(Schema.String), "JSON pointers to the tokens in the response"],
    tokenHeaders: [Schema.Array(Schema.String), "Header fields of the response that carry a token"],
    uses: [Schema.Array(Schema.String), "The requests that may carry a token, as rules"],
    useHeaders: [Schema.Array(Schema.String), "The header fields in which a request may carry a token"],
    placeholder: [Schema.String, "What the placeholder of a token begins with"]
  },
  "IssuedTokens",
  "Tokens in responses that the client gets as placeholders"
)
export type IssuedTokens = typeof IssuedTokens.Type

/** The paths of a section with their hosts. */
const placesOf = (
  definition: ProviderDefinition,
  { host, paths }: IssuedTokensSection,
  baseUrl: string | null
): ReadonlyArray<string> =>
  hostsOf(definition, baseUrl).filter(({ entry }) => entry === host).flatMap((place) =>
    paths.map((path) => `${placeOf(place)}${path}`)
  )

/**
 * The requests of a section, as rules. Those of logins have every method, and also paths that end with the name of a format,
 * because servers accept such requests.
 */
const requestsOf = (
  definition: ProviderDefinition,
  section: IssuedTokensSection,
  baseUrl: string | null
): ReadonlyArray<string> => {
  const { login, methods, refused } = section
  const isExact = login === undefined && refused === undefined
  const places = placesOf(definition, section, baseUrl)
  const withFormat = isExact ? [] : places.filter((place) => !place.endsWith("**")).map((place) => `${place}.*`)
  return [...places, ...withFormat].map((place) => `${isExact ? methods.join(",") : "*"} ${place}`)
}

/** The tokens that an entry of `hosts` issues, for the tenant of a connection. */
export const issuedTokensAt = (
  definition: ProviderDefinition,
  entry: string | undefined,
  baseUrl: string | null
): ReadonlyArray<IssuedTokens> =>
  definition.issuesTokens.filter(({ host }) => host === entry).map((section) => issuedBy(definition, section, baseUrl))

const issuedBy = (
  definition: ProviderDefinition,
  section: IssuedTokensSection,
  baseUrl: string | null
): IssuedTokens => {
  const { login, placeholder, refused, tokenHeaders, tokens, useHeaders, useHosts } = section
  const uses = hostsOf(definition, baseUrl).filter(({ entry }) => useHosts.length === 0 || useHosts.includes(entry))
  const action = login !== undefined ? "login" as const : refused === true ? "refused" as const : undefined
  const issued = {
    requests: requestsOf(definition, section, baseUrl),
    tokens,
    tokenHeaders,
    uses: uses.map((place) => `${placeOf(place)}/**`),
    useHeaders,
    placeholder
  }
  return action === undefined ? issued : { action, ...issued }
}

/** Whether programs can log in themselves, so that some hosts have routes without a connection. */
export const declaresLogin = ({ issuesTokens }: ProviderDefinition): boolean =>
  issuesTokens.some(({ login }) => login !== undefined)

/**
 * Whether the servers of the login also serve clients of other programs. Runs then leave their hosts alone, unless they run a program
 * that logs in there, or there is a connection.
 */
export const sharesLogin = ({ issuesTokens }: ProviderDefinition): boolean =>
  issuesTokens.some(({ login }) => login !== undefined && login.clients.length > 0)

/** What a definition declares about the login to which a request belongs. Undefined unless the definition declares exactly this request. */
export const loginSectionAt = (
  definition: ProviderDefinition,
  { host, method, port, target }: {
    readonly host: string
    readonly method: string
    readonly port: number
    readonly target: string
  }
): LoginSection | undefined => {
  const place = `${host}${port === 443 ? "" : `:${port}`}${pathOf(target)}`
  return definition.issuesTokens.find((section) =>
    section.login !== undefined && method === "POST" && placesOf(definition, section, null).includes(place)
  )?.login
}
