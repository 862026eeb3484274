/** Reads and writes the routing table without its schema, because every run waits for the table. */
import type { ProxyPlaceholder, ProxyRoutes, Route } from "./ProxyRoutes.ts"

type EncodedRoute = typeof Route.Encoded

/** Whether a value has the lists of a table. Their rows are not checked: the daemon has encoded them. */
const isTable = (value: unknown): value is typeof ProxyRoutes.Encoded => {
  const { base_urls = [], cloud_identities = [], placeholders, routes, version }: Partial<typeof ProxyRoutes.Encoded> =
    Object(value)
  return typeof version === "string" && [base_urls, cloud_identities, placeholders, routes].every(Array.isArray)
}

const fromRow = ({ host, path_prefix, ...others }: EncodedRoute) =>
  ({ host, pathPrefix: path_prefix, ...others }) as Route

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
