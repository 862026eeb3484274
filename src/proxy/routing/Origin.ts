/** The only authority that a request may address: it is matched, dialed, verified and sent as `Host`. */
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { HeaderPairs } from "../../http/HeaderFields.ts"
import type { Authority } from "../../outbound/Authority.ts"
import type { HostRoutes } from "./RouteTable.ts"

export interface Origin {
  readonly scheme: "http" | "https"
  readonly authority: Authority
  /** `Host` as sent upstream, without the default port. */
  readonly hostHeader: string
  /** The routes of the host, or undefined if requests to it get no credential. */
  readonly routes: HostRoutes | undefined
  /** The connection that the base URL names. */
  readonly connection?: ConnectionName | undefined
  /** Removes the header fields of a request that would disclose the run's base URL. */
  readonly sent?: ((headers: ReadonlyArray<string>) => ReadonlyArray<string>) | undefined
  /** Rewrites the header fields of a response for a client that reaches the host through the run's base URL. */
  readonly returned?: ((headers: HeaderPairs) => HeaderPairs) | undefined
}
