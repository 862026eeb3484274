/**
 * The open exchanges of a proxy.
 *
 * They are in an array, because a `Set` that changes with each request keeps old members. It replaces its table every few
 * changes, and each table refers to the next one. Once a table is in the old generation, collections of the young generation keep
 * all later ones (docs/decisions/0039-steps-of-a-request.md).
 */
export interface Member {
  /** The index of the exchange among the open ones. Only for `OpenExchanges`. */
  position: number
}

export class OpenExchanges<Exchange extends Member> {
  readonly #all: Array<Exchange> = []

  get size(): number {
    return this.#all.length
  }

  /** The exchanges that are open now. Exchanges that end meanwhile remain in the copy. */
  get all(): ReadonlyArray<Exchange> {
    return [...this.#all]
  }

  add(exchange: Exchange): void {
    exchange.position = this.#all.push(exchange) - 1
  }

  /** Removes an exchange, which must be open. */
  delete(exchange: Exchange): void {
    const last = this.#all.pop()!
    if (last === exchange) return
    this.#all[exchange.position] = last
    last.position = exchange.position
  }
}
