/** HTTP/1.1 towards an upstream: undici's client, so the framing is llhttp's. One request at a time on a connection. */
import type * as Net from "node:net"
import type { Duplex } from "node:stream"
import type { Client as UndiciClient, Dispatcher } from "undici"
import type { HeaderPairs } from "./HeaderInjection.ts"
import { type SentRequest, UnsendableError, type UpstreamReceiver, type UpstreamRequest } from "./Upstream.ts"

type Controller = Dispatcher.DispatchController & {
  readonly rawHeaders?: ReadonlyArray<Buffer> | null
  readonly rawTrailers?: ReadonlyArray<Buffer> | null
}

const IDLE_MILLISECONDS = 15_000
const MAX_HEAD_BYTES = 64 * 1024

const CONNECTION_LOST: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

let Client: typeof UndiciClient | undefined

/** undici is loaded on first use, or earlier by this call. */
export const load = async (): Promise<void> => {
  Client ??= (await import("undici/lib/dispatcher/client.js")).default as typeof UndiciClient
}

const latin1Pairs = (raw: ReadonlyArray<Buffer> | null | undefined): HeaderPairs => {
  const out: HeaderPairs = []
  if (raw === null || raw === undefined) return out
  for (const item of raw) out.push(item.toString("latin1"))
  return out
}

export interface Http1ConnectionOptions {
  /** `https://host:port` */
  readonly origin: string
  readonly socket: Net.Socket
  /** Another socket to the same place. */
  readonly dial: () => Promise<Net.Socket>
  /** Those of this origin that wait for their next request. */
  readonly idle: Array<Http1Connection>
  readonly gone: (connection: Http1Connection) => void
}

export class Http1Connection {
  /** Requests that it answered completely. */
  served = 0
  #usable = true
  readonly #client: UndiciClient
  readonly #idle: Array<Http1Connection>
  readonly #gone: (connection: Http1Connection) => void

  /** After `load`. */
  constructor(options: Http1ConnectionOptions) {
    this.#idle = options.idle
    this.#gone = options.gone
    let made: Promise<Net.Socket> | undefined = Promise.resolve(options.socket)
    this.#client = new Client!(options.origin, {
      connect: (_options, callback) => {
        // With a request on it that was not written yet, undici connects again by itself: it must be let.
        const socket = made ?? options.dial()
        made = undefined
        // Not at once: undici does not notice a connection that is there before this call returns.
        socket.then((connected) => callback(null, connected), (error: Error) => callback(error, null))
      },
      pipelining: 1,
      keepAliveTimeout: IDLE_MILLISECONDS,
      keepAliveMaxTimeout: 4 * IDLE_MILLISECONDS,
      // A model may think for minutes before its first byte, and an event stream may be silent for hours.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
      allowH2: false
    })
    this.#client.on("disconnect", () => {
      this.#usable = false
      if (this.#idle.includes(this)) this.discard()
    })
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): SentRequest {
    const sent = new Http1Request(this, receiver, request.upgrade)
    if (request.expectsContinue) receiver.continued()
    try {
      this.#client.dispatch({
        path: request.path,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers,
        body: request.body,
        ...(request.upgrade ? { upgrade: "websocket" } : {})
      }, sent as Dispatcher.DispatchHandler)
    } catch {
      // undici's message may quote a header.
      sent.onResponseError(null, new UnsendableError("the request cannot be sent as HTTP/1.1"))
    }
    return sent
  }

  /** The exchange on it was complete: the next one may use it. The newest idle one is used first, so others run out. */
  release(): void {
    this.served++
    if (this.#usable) this.#idle.push(this)
    else this.discard()
  }

  /** After an error, or when its socket was taken over: nothing else may use it. */
  discard(): void {
    this.#usable = false
    const at = this.#idle.indexOf(this)
    if (at !== -1) this.#idle.splice(at, 1)
    this.#gone(this)
    // Not within undici's own callback.
    setImmediate(() => void this.#client.destroy().catch(() => undefined))
  }
}

class Http1Request implements SentRequest {
  readonly #connection: Http1Connection
  readonly #receiver: UpstreamReceiver
  readonly #reused: boolean
  readonly #upgrade: boolean
  #controller: Controller | undefined
  #aborted = false

  constructor(connection: Http1Connection, receiver: UpstreamReceiver, upgrade: boolean) {
    this.#connection = connection
    this.#receiver = receiver
    this.#upgrade = upgrade
    this.#reused = connection.served > 0
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    this.#controller?.resume()
  }

  abort(): void {
    this.#aborted = true
    this.#controller?.abort(new Error("the client broke off"))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#aborted) this.abort()
  }

  onResponseStart(controller: Controller, status: number, _headers: unknown, reason?: string): void {
    if (this.#aborted) return
    const raw = latin1Pairs(controller.rawHeaders)
    if (status < 200) this.#receiver.informed(status, raw)
    else this.#receiver.answered(status, reason ?? "", raw, false)
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (!this.#aborted) this.#receiver.received(chunk)
  }

  onResponseEnd(controller: Controller): void {
    if (this.#upgrade) this.#connection.discard()
    else this.#connection.release()
    if (!this.#aborted) this.#receiver.finished(latin1Pairs(controller.rawTrailers))
  }

  onRequestUpgrade(controller: Controller, status: number, _headers: unknown, socket: Duplex): void {
    this.#connection.discard()
    if (this.#aborted) socket.destroy()
    else this.#receiver.upgraded(status, latin1Pairs(controller.rawHeaders), socket)
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    this.#connection.discard()
    if (this.#aborted) return
    const { code } = error as { readonly code?: unknown }
    const stale = this.#reused && typeof code === "string" && CONNECTION_LOST.has(code)
    this.#receiver.failed({ error, retry: stale ? "idempotent" : "nothing", code: undefined })
  }
}
