/** An exchange with a client over HTTP/1.1, which may become a WebSocket. */
import type { Duplex } from "node:stream"
import { fieldOf, type HeaderPairs } from "../../http/HeaderFields.ts"
import type { ProtocolViolation, RequestHandler, ServerRequest } from "../../http/http1/ServerRequest.ts"
import type { BodyObserver, RequestBody } from "../../http/RequestBody.ts"
import type { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import { closeForServer, WebSocketFilter } from "../../http/scrub/WebSocketFilter.ts"
import { WebSocketMessages } from "../../http/WebSocketMessages.ts"
import { MAX_FILLED_BODY, withFilledFields } from "../../outbound/BodyInjection.ts"
import { requestTrailers } from "../../outbound/HeaderInjection.ts"
import { responseHeaders, responseTrailers, withoutSecrets } from "../../outbound/ResponseFields.ts"
import {
  reasonPhrase,
  type Refusal,
  refusalBody,
  refusalFields,
  requestRefusal,
  upstreamRefusal
} from "../ErrorResponse.ts"
import type { CredentialUse } from "../routing/CredentialUses.ts"
import type { Origin } from "../routing/Origin.ts"
import { isWebSocket, readHead, type RequestHead } from "../routing/RequestValidation.ts"
import { Exchange } from "./Exchange.ts"
import type { RunContext } from "./RunContext.ts"

/** Characters that a reason phrase must not contain (RFC 9112 section 4). */
const NOT_IN_A_REASON = /[^\t\x20-\x7e\x80-\xff]+/g

/** A link (RFC 8288 section 3). The expression never backtracks, so a hostile header field cannot take quadratic time. */
const LINK = /<[^<>]*>(?:"(?:[^"\\]|\\.?)*(?:"|$)|[^",])*/g

/** The `Link` field of an early hint, the only field of an informational response that is passed on. */
const hintedLinks = (headers: HeaderPairs): HeaderPairs => {
  const links = fieldOf(headers, "link")?.match(LINK) ?? []
  return links.length === 0 ? [] : ["Link", links.map((link) => link.trim()).join(", ")]
}

const SUBPROTOCOL = "sec-websocket-protocol"

/**
 * Selects a subprotocol for the client if the proxy has withheld all that the client offers. Clients fail a handshake that
 * selects none of their subprotocols.
 */
const ownSubprotocol = ({ headers, withheld }: RequestHead, response: HeaderPairs): HeaderPairs => {
  const offered = fieldOf(withheld, SUBPROTOCOL)
  return offered === undefined || [headers, response].some((fields) => fieldOf(fields, SUBPROTOCOL) !== undefined)
    ? []
    : ["Sec-WebSocket-Protocol", offered.split(",")[0]!.trim()]
}

export class Http1Exchange extends Exchange implements RequestHandler {
  readonly protocol = "http/1.1"
  readonly #request: ServerRequest
  #isUpgraded = false

  /** `path`: whether the client has sent the request through a tunnel, or asked the proxy to forward it. */
  constructor(
    context: RunContext,
    request: ServerRequest,
    origin: Origin,
    target: string,
    path: "tunnel" | "forward"
  ) {
    const { headers, method, minorVersion, upgrade } = request
    const version = minorVersion === 0 ? "HTTP/1.0" : "HTTP/1.1"
    const received = {
      version,
      method,
      target,
      headers,
      hasBody: false,
      upgrade,
      insideTunnel: path === "tunnel"
    } as const
    super(context, origin, readHead(received, origin, context.placeholders.exact))
    this.#request = request
    request.handler = this
    // After a rejected handshake the client may send frames instead of requests.
    if (this.head.upgrade !== undefined) request.response.last = true
  }

  get headSent(): boolean {
    return this.#request.response.headSent
  }

  /** Reports the request. If it switched protocols, reports it only when its connection ends. */
  protected override report(sent?: number, received?: number): void {
    if (!this.#isUpgraded || sent !== undefined) super.report(sent, received)
  }

  get trailers(): () => HeaderPairs {
    return () => requestTrailers(this.#request.trailers, this.credential.injection)
  }

  openBody(observer: BodyObserver | undefined): RequestBody {
    return this.#request.openBody(observer)
  }

  sendContinue(): void {
    this.#request.response.writeInformational(100, "Continue", [])
  }

  sendInformation(status: number, headers: HeaderPairs): void {
    const links = status === 103
      ? hintedLinks(this.returned(responseHeaders(headers, "no trailers", this.credential.headSearch)))
      : []
    if (status === 103 && links.length === 0) return
    try {
      this.#request.response.writeInformational(status, status === 103 ? "Early Hints" : "Processing", links)
    } catch {
      // Early hints are optional, so one that cannot be sent is dropped.
    }
  }

  sendHead(status: number, reason: string, headers: HeaderPairs): void {
    const { response } = this.#request
    const { headSearch } = this.credential
    const follows = response.canSendTrailers(status, headers) ? "trailers" : "no trailers"
    try {
      response.writeHead(
        status,
        withoutSecrets(reason, headSearch).replace(NOT_IN_A_REASON, " "),
        this.returned(responseHeaders(headers, follows, headSearch))
      )
    } catch {
      // The upstream sent an invalid status or field.
      this.lost()
    }
  }

  sendData(chunk: Buffer): boolean {
    return this.#request.response.write(chunk)
  }

  sendEnd(trailers: HeaderPairs): void {
    this.#request.response.end(
      trailers.length === 0 ? trailers : responseTrailers(trailers, this.credential.headSearch),
      this.context.exchanges.size > 1
    )
  }

  protected sendRefusal(refusal: Refusal): void {
    const { body, type } = refusalBody(refusal, this.head.userAgent)
    // An unread body or an invalid message would be parsed as the next request.
    if (refusal.status === 400 || this.head.hasBody) this.#request.response.last = true
    const headers = this.returned(["Content-Type", type, ...refusalFields(refusal)])
    this.#request.response.send(refusal.status, reasonPhrase(refusal.message), headers, body)
  }

  /** Resets the connection. A client could mistake a graceful close for the end of the response. */
  abort(): void {
    this.#request.response.abort()
  }

  override upgraded(status: number, headers: HeaderPairs, upstream: Duplex, use: CredentialUse | undefined): void {
    const protocol = this.head.upgrade
    if (protocol === undefined || this.isOver) {
      upstream.destroy()
      return
    }
    const { search } = this.credential
    const extensions = fieldOf(headers, "sec-websocket-extensions") ?? ""
    if (search !== undefined && extensions.trim() !== "") {
      upstream.destroy()
      return this.refuse(upstreamRefusal(
        `${this.origin.authority.host} chose a WebSocket extension that the request did not offer, so the proxy ` +
          "cannot search the messages for the credential"
      ))
    }
    const response = this.#switchingHead(status, headers)
    this.status = status
    this.#isUpgraded = true
    const { head, socket } = this.#request.detach()
    socket.write(response, "latin1")
    const declared = this.credential.injection?.messages
    const messages = declared &&
      new WebSocketMessages({ ...declared, maxBytes: MAX_FILLED_BODY }, (content) => this.#filled(content))
    if (head.length > 0) (messages ?? upstream).write(head)
    const filter = search === undefined
      ? undefined
      : this.#messageFilter(search, isWebSocket(protocol), socket, upstream)
    this.context.webSockets.join(socket, upstream, {
      use,
      messages,
      filter,
      ended: (sent, received) => this.report(head.length + sent, received)
    })
  }

  /** The head of the 101 response for the client. */
  #switchingHead(status: number, headers: HeaderPairs): string {
    let response = `HTTP/1.1 ${status} Switching Protocols\r\n`
    const returned = [
      ...this.returned(headers).map((field) => withoutSecrets(field, this.credential.headSearch)),
      ...ownSubprotocol(this.head, headers)
    ]
    for (let i = 0; i < returned.length; i += 2) response += `${returned[i]}: ${returned[i + 1]}\r\n`
    return response + "\r\n"
  }

  /** Searches what the upstream sends. Ends the connection after a compressed message, or when the run has used up its tokens. */
  #messageFilter(search: SecretSearch, hasFrames: boolean, socket: Duplex, upstream: Duplex): WebSocketFilter {
    let isEnding = false
    const endUpstream = () => {
      if (isEnding) return
      isEnding = true
      socket.unpipe().resume()
      upstream.end(closeForServer())
    }
    const countTokens = () => {
      const read = this.tokenReader()
      return read && ((part: Buffer) => {
        read(part)
        if (this.tokenExcess !== "none") endUpstream()
      })
    }
    return new WebSocketFilter(() => this.credential.search ?? search, hasFrames, endUpstream, countTokens)
  }

  /** Fills the credential into the declared fields of a WebSocket message. Returns undefined to leave the message unchanged. */
  #filled(content: Buffer): Buffer | undefined {
    const { credential } = this
    const { messages, placeholders } = credential.injection!
    const found = withFilledFields("json", content, messages!.fields, placeholders)
    // The handshake has chosen the connection, so a message cannot choose another one.
    return [...found?.connections ?? []].every((name) => credential.isFor(name)) ? found?.content : undefined
  }

  drained(): void {
    this.relay.resume()
  }

  malformed({ message, status }: ProtocolViolation): void {
    this.refuse(requestRefusal(status, message))
  }
}
