/** Reads and writes the routing table without its schema, because every run waits for the table. */
import { isConnectionName, isProviderName } from "./Names.ts"
import type { ProxyPlaceholder, ProxyRoutes, Route } from "./ProxyRoutes.ts"

type EncodedRoute = typeof Route.Encoded
type EncodedPlaceholder = typeof ProxyPlaceholder.Encoded

const isRoute = (row: EncodedRoute): boolean =>
  typeof row === "object" && row !== null && typeof row.host === "string" &&
  (row.path_prefix === null || typeof row.path_prefix === "string") &&
  typeof row.provider === "string" && isProviderName(row.provider) &&
  (row.connection === null || (typeof row.connection === "string" && isConnectionName(row.connection))) &&
  typeof row.connected === "boolean" &&
  [row.asked, row.login, row.open].every((flag) => flag === undefined || flag === true) &&
  (row.signing === undefined || row.signing === "aws_sigv4") &&
  (row.precedence === undefined || row.precedence === "custom" || row.precedence === "confirmed")

const isPlaceholder = (row: EncodedPlaceholder): boolean =>
  typeof row === "object" && row !== null && typeof row.provider === "string" && isProviderName(row.provider) &&
  (row.connection === undefined || (typeof row.connection === "string" && isConnectionName(row.connection))) &&
  (row.own === undefined || row.own === true) &&
  typeof row.variable === "string" && typeof row.value === "string"

const isTable = (value: unknown): value is typeof ProxyRoutes.Encoded => {
  if (typeof value !== "object" || value === null) return false
  const { base_urls: baseUrls = [], cloud_identities: identities = [], placeholders, routes, version } =
    value as Partial<
      typeof ProxyRoutes.Encoded
    >
  return typeof version === "string" && Array.isArray(routes) && routes.every(isRoute) &&
    [placeholders, baseUrls, identities].every((rows) => Array.isArray(rows) && rows.every(isPlaceholder))
}

/** The daemon writes no other fields than those that `isRoute` has checked. */
const fromRow = ({ host, path_prefix, ...others }: EncodedRoute) =>
  ({ host, pathPrefix: path_prefix, ...others }) as Route

/**
 * Decodes the table as its schema does; undefined if the schema rejects the value. Every run needs the 1,100 rows before its
 * command starts, and the schema takes four times as long (docs/decisions/0022-start-of-a-run.md).
 */
export const readRoutes = (value: unknown): ProxyRoutes | undefined => {
  if (!isTable(value)) return undefined
  const { base_urls: baseUrls = [], cloud_identities: identities = [], placeholders, routes, version } = value
  return {
    version,
    routes: routes.map(fromRow),
    placeholders: placeholders as ReadonlyArray<ProxyPlaceholder>,
    baseUrls: baseUrls as ReadonlyArray<ProxyPlaceholder>,
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
