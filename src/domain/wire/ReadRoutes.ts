/** Reads and writes the routing table without its schema, because every run waits for the table. */
import { PLACEHOLDER, variableFor } from "../injection/Placeholder.ts"
import { variableProblem } from "../injection/VariableName.ts"
import type { ProxyPlaceholder, ProxyRoutes, Route } from "./ProxyRoutes.ts"

type EncodedRoute = typeof Route.Encoded

/** Whether a value has the lists of a table. Of their rows, only variables are checked: the daemon has encoded them. */
const isTable = (value: unknown): value is typeof ProxyRoutes.Encoded => {
  const { base_urls = [], cloud_identities = [], placeholders, routes, version }: Partial<typeof ProxyRoutes.Encoded> =
    Object(value)
  return typeof version === "string" && [base_urls, cloud_identities, placeholders, routes].every(Array.isArray)
}

const fromRow = ({ host, path_prefix, ...others }: EncodedRoute) =>
  ({ host, pathPrefix: path_prefix, ...others }) as Route

/** Whether a definition may set the variable. */
const isSettable = ({ variable }: ProxyPlaceholder): boolean =>
  (["credential", "address"] as const).some((kind) => variableProblem(kind, variable) === undefined)

/**
 * Omits variables that no definition may set, and values with control characters. A daemon on another machine could otherwise make
 * this machine execute commands. The variable of a single connection has its placeholder, and the name of the usual variable with a prefix.
 */
const settable = (rows: ReadonlyArray<ProxyPlaceholder>): ReadonlyArray<ProxyPlaceholder> => {
  const usual = rows.filter(({ own, variable }) =>
    own !== true && variableProblem("credential", variable) === undefined
  )
  const isOwn = ({ connection, own, value, variable }: ProxyPlaceholder) =>
    own === true && connection !== undefined && value.endsWith(`${PLACEHOLDER}--${connection}`) &&
    usual.some((row) => variable === variableFor(row.variable, connection))
  return rows.filter((row) => !/\p{Cc}/u.test(row.value) && (isSettable(row) || isOwn(row)))
}

/**
 * Decodes the table; undefined for other values. Every run waits for its 2,600 rows, and the schema takes four times as
 * long (docs/decisions/0022-start-of-a-run.md).
 */
export const readRoutes = (value: unknown): ProxyRoutes | undefined => {
  if (!isTable(value)) return undefined
  const { base_urls: baseUrls = [], cloud_identities: identities = [], placeholders, routes, version } = value
  return {
    version,
    routes: routes.map(fromRow),
    placeholders: settable(placeholders as ReadonlyArray<ProxyPlaceholder>),
    baseUrls: settable(baseUrls as ReadonlyArray<ProxyPlaceholder>),
    cloudIdentities: identities as ReadonlyArray<ProxyPlaceholder>
  }
}

const toRow = ({ host, pathPrefix, ...others }: Route): EncodedRoute => ({ host, path_prefix: pathPrefix, ...others })

/** Encodes the table as its schema does, in a tenth of the time. */
export const writeRoutes = (
  { baseUrls, cloudIdentities, placeholders, routes, version }: ProxyRoutes
): typeof ProxyRoutes.Encoded => ({
  version,
  routes: routes.map(toRow),
  placeholders,
  base_urls: baseUrls,
  cloud_identities: cloudIdentities
})
