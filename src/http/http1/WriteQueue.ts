/**
 * Delays responses until the end of the event-loop turn and then writes them one after the other. Only the first write wakes a reader
 * on another core, which takes as long as a write.
 */
import type * as Net from "node:net"

const MAX_QUEUED_LENGTH = 16 * 1024

let waiting: Array<WriteQueue> = []

export const flushAll = (): void => {
  const queues = waiting
  waiting = []
  for (const queue of queues) queue.flush()
}

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

  /** Writes what is queued. Must be called before anything else is written to the socket. */
  flush(): void {
    const text = this.#queued
    if (text === "") return
    this.#queued = ""
    this.#socket.write(text, "latin1")
  }
}
