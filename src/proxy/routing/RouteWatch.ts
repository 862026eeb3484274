/**
 * The route table as the daemon has it, asked for again at each new tunnel.
 *
 * Questions of the same moment share one call. When the daemon does not answer, the last table holds: hosts it routes
 * stay closed to requests without a credential, and all others keep working. An answer that comes later than the one
 * to a later question is dropped.
 */
import type { RouteList } from "./CredentialSource.ts"
import { ResolveBatch, type Waiter } from "./ResolveBatch.ts"
import * as RouteTable from "./RouteTable.ts"

const PATIENCE_MILLISECONDS = 2000

export class RouteWatch {
  #table: RouteTable.RouteTable
  #asked = 0
  /** The question that the table answers, or one since which it has not changed. */
  #answered = 0
  readonly #batch: ResolveBatch<undefined, RouteTable.RouteTable>

  constructor(
    initial: RouteTable.RouteTable,
    filter: RouteTable.RouteFilter,
    call: (version: string, done: (list: RouteList | undefined) => void) => void
  ) {
    this.#table = initial
    this.#batch = new ResolveBatch((_request, done) => {
      const question = ++this.#asked
      const timer = setTimeout(() => done(this.#table), PATIENCE_MILLISECONDS)
      call(this.#table.version, (list) => {
        clearTimeout(timer)
        if (question > this.#answered) {
          this.#answered = question
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
