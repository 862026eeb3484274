/**
 * What a server connection of HTTP/1.1 writes as text.
 *
 * Responses that end in the same turn of the event loop are written one after the other at its end: the first write wakes a reader on
 * another core, and waking takes as long as writing.
 */
import type * as Net from "node:net"

/** How much text waits for the end of the turn. */
const MAX_QUEUED_LENGTH = 16 * 1024

let waiting: Array<WriteQueue> = []

/** Writes what is queued on all connections. */
export const flushAll = (): void => {
  const queues = waiting
  waiting = []
  for (const queue of queues) queue.flush()
}

/** Text in latin1 for one socket. */
export class WriteQueue {
  readonly #socket: Net.Socket
  #queued = ""

  constructor(socket: Net.Socket) {
    this.#socket = socket
  }

  write(text: string): void {
    this.flush()
    this.#socket.write(text, "latin1")
  }

  /** Writes at the end of this turn of the event loop. */
  writeSoon(text: string): void {
    if (text !== "" && waiting.push(this) === 1) setImmediate(flushAll)
    this.#queued += text
    if (this.#queued.length > MAX_QUEUED_LENGTH) this.flush()
  }

  /** Must be called before anything else is written to the socket. */
  flush(): void {
    const text = this.#queued
    if (text === "") return
    this.#queued = ""
    this.#socket.write(text, "latin1")
  }
}
