/**
 * HTTP/1.1 towards an upstream for a request whose child waits for `100 Continue` (RFC 9110 section 10.1.1): the upstream
 * decides by the head alone whether it wants the body. undici cannot ask for that, so this is Node's own client, with the
 * same parser, on a connection that serves no other request.
 */
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { Readable } from "node:stream"
import { builtins } from "../platform/builtins.ts"
import { type SentRequest, SILENCE_MILLISECONDS, type UpstreamReceiver, type UpstreamRequest } from "./Upstream.ts"

const MAX_HEAD_BYTES = 64 * 1024

const isFramed = (headers: ReadonlyArray<string>): boolean =>
  headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === "content-length")

export class ExpectingConnection implements SentRequest {
  readonly #request: Http.ClientRequest
  readonly #receiver: UpstreamReceiver
  readonly #body: Readable | null
  readonly #silence: NodeJS.Timeout
  readonly #gone: (connection: ExpectingConnection) => void
  #response: Http.IncomingMessage | undefined
  #over = false

  constructor(
    socket: Net.Socket,
    request: UpstreamRequest,
    receiver: UpstreamReceiver,
    gone: (connection: ExpectingConnection) => void
  ) {
    this.#receiver = receiver
    this.#body = request.body
    this.#gone = gone
    this.#request = builtins.http.request({
      createConnection: () => socket,
      method: request.method,
      path: request.path,
      headers: [
        ...request.headers,
        ...(isFramed(request.headers) ? [] : ["Transfer-Encoding", "chunked"]),
        "Expect",
        "100-continue"
      ],
      maxHeaderSize: MAX_HEAD_BYTES
    })
    this.#silence = setTimeout(() => receiver.continued(), SILENCE_MILLISECONDS)
    this.#request.on("continue", () => this.#proceed())
    this.#request.on("information", ({ rawHeaders, statusCode }) => {
      if (statusCode !== 100 && !this.#over) receiver.informed(statusCode, [...rawHeaders])
    })
    this.#request.on("response", (response) => this.#answer(response))
    this.#request.on("error", (error) => this.#fail(error))
    this.#request.flushHeaders()
    this.#body?.pipe(this.#request)
    this.#body?.on("error", (error) => this.#request.destroy(error))
  }

  pause(): void {
    this.#response?.pause()
  }

  resume(): void {
    this.#response?.resume()
  }

  abort(): void {
    this.#end()
    this.#request.destroy()
  }

  discard(): void {
    this.abort()
  }

  #proceed(): void {
    clearTimeout(this.#silence)
    if (!this.#over) this.#receiver.continued()
  }

  #answer(response: Http.IncomingMessage): void {
    clearTimeout(this.#silence)
    if (this.#over) return
    this.#response = response
    this.#receiver.answered(response.statusCode ?? 0, response.statusMessage ?? "", response.rawHeaders, false)
    response.on("data", (chunk: Buffer) => {
      if (!this.#over) this.#receiver.received(chunk)
    })
    response.on("end", () => {
      if (this.#over) return
      this.#end()
      this.#receiver.finished(response.rawTrailers)
      this.#request.destroy()
    })
    response.on("error", (error) => this.#fail(error))
  }

  #fail(error: Error): void {
    if (this.#over) return
    this.#end()
    this.#request.destroy()
    this.#receiver.failed({ error, retry: "nothing", code: undefined })
  }

  #end(): void {
    this.#over = true
    clearTimeout(this.#silence)
    this.#body?.destroy()
    this.#gone(this)
  }
}
