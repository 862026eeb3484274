/** Which callers may request which routes. What has no rule is for the local person only. */
import { Api } from "../../api/Api.ts"
import { type PageRoute, pages } from "./PageTable.ts"

/**
 * `administrator`: the local person only. `profile`: also a remote caller, in the profile of its identity. `anyone`: also
 * an unsigned request.
 */
export type Rule = "administrator" | "profile" | "anyone"

/** The rule of each operation. A test fails for an operation without one. */
export const operationRules: Readonly<Record<string, Rule>> = {
  "system.health": "anyone",
  "system.ready": "anyone",
  "system.whoami": "profile",
  "auth.start": "profile",
  // The pages of a login, whose address has the same secret ID, follow it in a browser.
  "auth.get": "anyone",
  "auth.resume": "profile",
  "auth.cancel": "profile",
  "connections.list": "profile",
  "connections.get": "profile",
  "connections.check": "profile",
  "connections.logout": "profile",
  "connections.revoke": "profile",
  "connections.setDefault": "profile",
  "connections.setContainedOnly": "profile",
  "credentials.export": "profile",
  "credentials.resolve": "profile",
  "credentials.scan": "profile",
  "providers.list": "profile",
  "providers.get": "profile",
  // Definitions are shared by all profiles, and discovery makes the daemon send requests.
  "providers.register": "administrator",
  "providers.check": "administrator",
  "providers.discover": "administrator",
  "providers.remove": "administrator",
  "proxy.routes": "profile",
  "proxy.login": "profile",
  "runs.list": "profile",
  "runs.register": "profile",
  "runs.stop": "profile",
  "runs.report": "profile",
  // The local person answers, so only runs of this machine can ask.
  "runs.questions": "administrator",
  "runs.ask": "administrator",
  "runs.answer": "administrator",
  "sandboxes.list": "profile",
  "sandboxes.create": "profile",
  "sandboxes.access": "profile",
  "sandboxes.rotate": "profile",
  "sandboxes.remove": "profile",
  "sandboxes.served": "profile",
  "policies.list": "profile",
  "policies.get": "profile",
  // They limit runs, so the programs that they limit must not change them.
  "policies.set": "administrator",
  "policies.remove": "administrator",
  "audit.list": "profile",
  "audit.requests": "profile",
  "audit.verify": "administrator",
  "profiles.list": "profile",
  "profiles.create": "administrator",
  "profiles.use": "administrator",
  "vault.keys": "administrator",
  "vault.rotate": "administrator",
  "grants.list": "profile",
  "grants.create": "administrator",
  "grants.withdraw": "administrator",
  "identities.list": "administrator",
  "identities.createCode": "administrator",
  "identities.enroll": "anyone",
  "identities.disable": "administrator",
  "identities.enable": "administrator"
}

export interface Route {
  readonly method: string
  readonly path: string
}

const key = ({ method, path }: Route): string => `${method} ${path}`

const groups = Object.values(Api.groups) as ReadonlyArray<{
  readonly identifier: string
  readonly endpoints: Readonly<Record<string, Route>>
}>

export const operations = groups.flatMap(({ endpoints, identifier }) =>
  Object.entries(endpoints).map(([name, { method, path }]) => ({ id: `${identifier}.${name}`, method, path }))
)

const served: ReadonlyArray<PageRoute> = Object.values(pages)

/** The method and the pattern of every route. */
export const servedPaths: ReadonlyArray<Route> = [...operations, ...served]

const rules = new Map<string, Rule>([
  ...operations.map((operation): [string, Rule] => [key(operation), operationRules[operation.id] ?? "administrator"]),
  ...served.map((page): [string, Rule] => [key(page), page.anyone === true ? "anyone" : "administrator"])
])

/** The rule of a route, by its method and the pattern of its path. */
export const ruleOf = (method: string, path: string): Rule =>
  rules.get(key({ method: method === "HEAD" ? "GET" : method, path })) ?? "administrator"
