/** The requests to which a host responds with tokens, as the daemon describes them to the proxy. */
import * as Schema from "effect/Schema"
import type { IssuedTokensSection, LoginSection } from "../definition/IssuedTokenSections.ts"
import type { ProviderDefinition } from "../definition/Provider.ts"
import { hostsOf } from "../definition/ProviderHosts.ts"
import type { ProgramLoginRequest } from "../wire/ProgramLogin.ts"
import { wire } from "../wire/Wire.ts"
import { hostAndPrefix, pathOf } from "./Route.ts"

const IssuedTokens = wire("IssuedTokens", "Tokens that the API issues to clients", {
  kind: [Schema.String, "Identifies the tokens: by their section of the definition, the connection and its login"],
  pointers: [Schema.Array(Schema.String), "JSON pointers to the tokens in the response"],
  placeholder: [Schema.String, "The beginning of the placeholder of a token"]
})
export type IssuedTokens = typeof IssuedTokens.Type

export const Capture = wire(
  "Capture",
  "Requests for tokens. With `tokens`, the proxy replaces the tokens in the response; with `refused`, it refuses the request. All " +
    "others are logins: the daemon handles the request and its response",
  {
    requests: [Schema.Array(Schema.String), "The requests to which the API responds with a token, as rules"],
    tokens: [Schema.optionalKey(IssuedTokens), "The tokens that the proxy replaces in a successful response"],
    refused: [Schema.optionalKey(Schema.Literal(true)), "Present if the proxy refuses the requests"]
  }
)
export type Capture = typeof Capture.Type

/** The requests of a section, as rules. Requests of logins, and requests that are refused, may have any method. */
const requestsOf = (
  definition: ProviderDefinition,
  { host, methods, paths, tokens }: IssuedTokensSection,
  baseUrl: string | null
): ReadonlyArray<string> =>
  hostsOf(definition, baseUrl).filter(({ entry }) => entry === host).flatMap((place) =>
    paths.map((path) => `${tokens.length > 0 ? methods.join(",") : "*"} ${hostAndPrefix(place)}${path}`)
  )

/**
 * The requests to an entry of `hosts` that are captured, for the base URL of a connection. Requests of logins and refused
 * requests may have a path that ends with a format such as `.json`, which servers accept. `holder` identifies the
 * connection and its login; without it, responses with tokens are not captured.
 */
export const capturesAt = (
  definition: ProviderDefinition,
  entry: string | undefined,
  baseUrl: string | null,
  holder?: string
): ReadonlyArray<Capture> =>
  definition.issuesTokens.flatMap((section, index): ReadonlyArray<Capture> => {
    const { host, placeholder, refused, tokens: pointers } = section
    if (host !== entry || (pointers.length > 0 && holder === undefined)) return []
    const requests = requestsOf(definition, section, baseUrl)
    if (pointers.length > 0) {
      return [{ requests, tokens: { kind: `${holder} ${index}`, pointers, placeholder } }]
    }
    const withFormat = requests.filter((request) => !request.endsWith("**")).map((request) => `${request}.*`)
    return [{ requests: [...requests, ...withFormat], ...(refused === undefined ? {} : { refused }) }]
  })

/** The header fields with which requests to an entry of `hosts` carry issued tokens, by the kind of these tokens. */
export const acceptedAt = ({ issuesTokens }: ProviderDefinition, entry: string | undefined, holder: string) =>
  Object.fromEntries(
    issuesTokens.flatMap(({ useHeaders, useHosts }, index) =>
      useHosts.length === 0 || useHosts.includes(entry ?? "") ? [[`${holder} ${index}`, useHeaders] as const] : []
    )
  )

/** Whether programs can log in themselves, so that some hosts have routes without a connection. */
export const declaresLogin = ({ issuesTokens }: ProviderDefinition): boolean =>
  issuesTokens.some(({ login }) => login !== undefined)

/**
 * Whether the servers of the login also serve clients of other programs. Without a connection, runs then intercept the
 * hosts of these servers only if their program logs in there, or if `--provider` names the provider.
 */
export const sharesLogin = ({ issuesTokens }: ProviderDefinition): boolean =>
  issuesTokens.some(({ login }) => login !== undefined && login.clients.length > 0)

/** The section of the login or logout that declares exactly this request, if any. */
export const loginAt = (
  definition: ProviderDefinition,
  { host, method, port, target }: Pick<ProgramLoginRequest, "host" | "method" | "port" | "target">
): LoginSection | undefined => {
  const exact = `* ${host}${port === 443 ? "" : `:${port}`}${pathOf(target)}`
  const isExact = (section: IssuedTokensSection) => requestsOf(definition, section, null).includes(exact)
  return method === "POST"
    ? definition.issuesTokens.find((section) => section.login !== undefined && isExact(section))?.login
    : undefined
}
