/** A request that waits for a connection to the upstream. */
import type { ClientConnection } from "../../http/http1/ClientConnection.ts"
import type { ClientSession } from "../../http/http2/ClientSession.ts"
import type { OutgoingRequest, PendingRequest, ResponseReceiver } from "../../http/OutgoingRequest.ts"

export class WaitingRequest implements PendingRequest {
  readonly request: OutgoingRequest
  readonly receiver: ResponseReceiver
  aborted = false
  #sent: PendingRequest | undefined

  constructor(request: OutgoingRequest, receiver: ResponseReceiver) {
    this.request = request
    this.receiver = receiver
  }

  sendOn(connection: ClientConnection | ClientSession): void {
    this.#sent = connection.send(this.request, this.receiver)
  }

  fail(error: Error): void {
    if (!this.aborted) this.receiver.failed({ error, retry: "nothing", code: undefined })
  }

  pause(): void {
    this.#sent?.pause()
  }

  resume(): void {
    this.#sent?.resume()
  }

  abort(): void {
    this.aborted = true
    this.#sent?.abort()
  }
}
