/**
 * The current routing table, fetched from the daemon for each tunnel to a host that the table lacks. If the daemon does not
 * respond, the last table stays in effect: requests to routed hosts are refused without a credential, and all other hosts keep
 * working.
 */
import type { ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import { type Authority, formatAuthority } from "../../outbound/Authority.ts"
import type { Origin } from "./Origin.ts"
import { ResolveBatch, type Waiter } from "./ResolveBatch.ts"
import * as RouteTable from "./RouteTable.ts"

const TIMEOUT_MILLISECONDS = 2000

export class RouteWatch {
  #table: RouteTable.RouteTable
  #callCount = 0
  /** The number of the latest call whose response is reflected in the table. */
  #applied = 0
  readonly #batch: ResolveBatch<undefined, RouteTable.RouteTable>

  constructor(
    initial: RouteTable.RouteTable,
    filter: RouteTable.RouteFilter,
    call: (version: string, done: (list: ProxyRoutes | undefined) => void) => void
  ) {
    this.#table = initial
    this.#batch = new ResolveBatch((_request, done) => {
      const number = ++this.#callCount
      const timer = setTimeout(() => done(this.#table), TIMEOUT_MILLISECONDS)
      call(this.#table.version, (list) => {
        clearTimeout(timer)
        if (number > this.#applied) {
          this.#applied = number
          if (list !== undefined) this.#table = RouteTable.make(list.version, list.routes, filter)
        }
        done(this.#table)
      })
    })
  }

  get current(): RouteTable.RouteTable {
    return this.#table
  }

  refreshed(waiter: Waiter<RouteTable.RouteTable>): void {
    this.#batch.ask("", undefined, waiter)
  }
}

/**
 * The origin of requests to a host with routes. Its `routes` are always the current ones. If the host has lost its routes, the
 * first ones remain: the daemon then refuses the requests.
 */
export const routedOrigin = (
  watch: RouteWatch,
  authority: Authority,
  first: RouteTable.HostRoutes,
  more: Pick<Origin, "connection" | "returned" | "sent">
): Origin => {
  let table: RouteTable.RouteTable | undefined
  let routes = first
  return {
    ...more,
    scheme: "https",
    authority,
    hostHeader: formatAuthority(authority, 443),
    get routes() {
      if (table !== watch.current) {
        table = watch.current
        routes = table.host(authority.host, authority.port) ?? first
      }
      return routes
    }
  }
}
