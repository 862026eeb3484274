/** The requests to which a host responds with tokens, as the daemon describes them to the proxy. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { IssuedTokensSection } from "../definition/IssuedTokenSections.ts"
import type { ProviderDefinition } from "../definition/Provider.ts"
import { hostsOf } from "../definition/ProviderHosts.ts"
import { readingsOf } from "../rules/RequestPath.ts"
import { parseRule, possiblyMatches } from "../rules/Rule.ts"
import type { ProgramLoginRequest } from "../wire/ProgramLogin.ts"
import { named, wire } from "../wire/Wire.ts"
import { pathOf, placeOf } from "./Route.ts"

const CaptureAction = Schema.Literals(["login", "response", "refused"]).pipe(
  named(
    "CaptureAction",
    "`login`: the daemon handles the request and its response. `response`: it replaces the tokens in a successful response. " +
      "`refused`: the request is not sent"
  )
)

export const Capture = wire(
  {
    action: [CaptureAction, "What happens to the requests"],
    requests: [Schema.Array(Schema.String), "The requests to which the API responds with a token, as rules"]
  },
  "Capture",
  "Requests whose responses reach the client without their tokens"
)
export type Capture = typeof Capture.Type

/** The requests of a section, as rules. Those of logins and those that are refused have every method. */
const requestsOf = (
  definition: ProviderDefinition,
  { host, methods, paths, tokens }: IssuedTokensSection,
  baseUrl: string | null
): ReadonlyArray<string> =>
  hostsOf(definition, baseUrl).filter(({ entry }) => entry === host).flatMap((place) =>
    paths.map((path) => `${tokens.length > 0 ? methods.join(",") : "*"} ${placeOf(place)}${path}`)
  )

/**
 * The requests to an entry of `hosts` that are captured, for the tenant of a connection. Those of logins and those that are refused may
 * have a path that ends with the name of a format, because servers accept such requests.
 */
export const capturesAt = (
  definition: ProviderDefinition,
  entry: string | undefined,
  baseUrl: string | null
): ReadonlyArray<Capture> =>
  definition.issuesTokens.filter(({ host }) => host === entry).map((section) => {
    const { login, refused, tokens } = section
    const requests = requestsOf(definition, section, baseUrl)
    const withFormat = tokens.length > 0 ? [] : requests.filter((request) => !request.endsWith("**"))
    return {
      action: login !== undefined ? "login" : refused === true ? "refused" : "response",
      requests: [...requests, ...withFormat.map((request) => `${request}.*`)]
    }
  })

/** Whether programs can log in themselves, so that some hosts have routes without a connection. */
export const declaresLogin = ({ issuesTokens }: ProviderDefinition): boolean =>
  issuesTokens.some(({ login }) => login !== undefined)

/**
 * Whether the servers of the login also serve clients of other programs. Runs then intercept their hosts only for a
 * program that logs in there, or with a connection.
 */
export const sharesLogin = ({ issuesTokens }: ProviderDefinition): boolean =>
  issuesTokens.some(({ login }) => login !== undefined && login.clients.length > 0)

/** The position of the section that declares a request with tokens in its response; -1 without one. A login must be declared exactly. */
export const sectionAt = (
  definition: ProviderDefinition,
  { host, method, port, target }: Pick<ProgramLoginRequest, "host" | "method" | "port" | "target">,
  baseUrl: string | null
): number => {
  const exact = `* ${host}${port === 443 ? "" : `:${port}`}${pathOf(target)}`
  const path = readingsOf(pathOf(target))
  return definition.issuesTokens.findIndex((section) => {
    const requests = requestsOf(definition, section, baseUrl)
    return section.login !== undefined
      ? method === "POST" && requests.includes(exact)
      : section.tokens.length > 0 && path !== undefined &&
        requests.some((text) => possiblyMatches(Result.getOrThrow(parseRule(text)), { method, host, port, path }))
  })
}
