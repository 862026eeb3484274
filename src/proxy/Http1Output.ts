/**
 * What a connection of the server of HTTP/1.1 writes as text.
 *
 * Answers that end in one turn of the event loop are written one after the other when it is over: who reads them on another
 * core is woken by the first, and waking takes as long as writing.
 */
import type * as Net from "node:net"

/** What of answers waits for the end of the turn. */
const MAX_LATE_LENGTH = 16 * 1024

let waiting: Array<Http1Output> = []

/** What is to be written at the end of this turn is written now, on all connections. */
export const flushAll = (): void => {
  const outputs = waiting
  waiting = []
  for (const output of outputs) output.flush()
}

export class Http1Output {
  readonly #socket: Net.Socket
  #late = ""

  constructor(socket: Net.Socket) {
    this.#socket = socket
  }

  /** In latin1. */
  write(text: string): void {
    this.flush()
    this.#socket.write(text, "latin1")
  }

  /** At the end of this turn of the event loop. In latin1. */
  writeSoon(text: string): void {
    if (text !== "" && waiting.push(this) === 1) setImmediate(flushAll)
    this.#late += text
    if (this.#late.length > MAX_LATE_LENGTH) this.flush()
  }

  /** Before whatever else is done to the connection. */
  flush(): void {
    const text = this.#late
    if (text === "") return
    this.#late = ""
    this.#socket.write(text, "latin1")
  }
}
