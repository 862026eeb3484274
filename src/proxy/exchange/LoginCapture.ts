/**
 * Handles a program's requests for a login, refresh or logout, about which the daemon decides, and requests to which an API responds
 * with a token. The program gets only placeholders.
 */
import { maxPath } from "../../domain/wire/ResolveMessages.ts"
import { basicText, fieldOf, type HeaderPairs, valuesOf } from "../../http/HeaderFields.ts"
import { CollectedContent, isPlain, type ResponseContent } from "../../http/scrub/ResponseContent.ts"
import { builtins } from "../../platform/builtins.ts"
import { requestRefusal, upstreamRefusal } from "../ErrorResponse.ts"
import type { LoginDecision, LoginQuery } from "../routing/CredentialSource.ts"
import type { Client } from "./Client.ts"
import type { IssuingResponse } from "./IssuedTokens.ts"
import { isOfOtherSite } from "./OtherSite.ts"
import type { RequestContent } from "./RequestContent.ts"

const MAX_REQUEST = 64 * 1024
const MAX_RESPONSE = 256 * 1024

/** The part of an exchange that the step uses. */
export interface CapturedExchange extends Client {
  readonly content: RequestContent
  readonly readBody: (limit: number, done: (content: Buffer | "too long") => void) => void
}

/**
 * The client ID in each `Authorization` field, form-encoded within HTTP Basic (RFC 6749 section 2.3.1). Empty if servers could
 * read another client ID.
 */
const clientsIn = (headers: HeaderPairs): ReadonlyArray<string> =>
  valuesOf(headers, "authorization").map((value) => {
    const basic = /^basic [A-Za-z0-9+/]+={0,2}$/i.test(value) ? basicText(value) ?? "" : ""
    return new URLSearchParams(`id=${basic.split(":", 1)[0]!.replaceAll("&", "%26")}`).get("id")!
  })

const messageOf = (headers: HeaderPairs, content: Buffer): LoginQuery["request"] => ({
  content_type: fieldOf(headers, "content-type") ?? "",
  content: content.toString("utf8")
})

export class LoginCapture {
  readonly #exchange: CapturedExchange
  readonly #provider: string
  readonly #issuing: IssuingResponse | undefined
  /** The login, once the program has sent it. */
  #query: LoginQuery | undefined

  /** `issuing`: how the API issues tokens, or undefined for a login. */
  constructor(exchange: CapturedExchange, provider: string, issuing: IssuingResponse | undefined) {
    this.#exchange = exchange
    this.#provider = provider
    this.#issuing = issuing
  }

  /** Ends with a response, a refusal, or one call of `send`. `captures`: whether the response is captured. */
  begin(send: (captures: boolean) => void): void {
    if (this.#issuing !== undefined) return send(true)
    const { content, head, origin: { authority: { host, port }, hostHeader } } = this.#exchange
    const refuse = (status: number, message: string): void => this.#exchange.refuse(requestRefusal(status, message))
    if (isOfOtherSite(head, hostHeader)) {
      return refuse(403, "a page of another site must not log in or out for the programs of this run")
    }
    const [client, ...others] = clientsIn(head.headers)
    if (others.length > 0 || client === "") {
      return refuse(400, "send at most one Authorization header field, with Basic and valid Base64 credentials")
    }
    if (head.upgrade !== undefined) return refuse(400, "a login cannot switch protocols: send it without Upgrade")
    if (head.target.length > maxPath) {
      return refuse(
        414,
        `the path and query of a login are longer than ${maxPath} characters: send its fields in the body`
      )
    }
    if (!isPlain(head.headers)) return refuse(415, "a login must not be compressed: send it without Content-Encoding")
    const ask = (body: Buffer | "too long"): void => {
      if (body === "too long") return refuse(413, "the body of a login is longer than 64 KiB")
      const { method, target } = head
      const request = messageOf(head.headers, body)
      const sender = client === undefined ? {} : { client }
      this.#query = { provider: this.#provider, method, host, port, target, ...sender, request }
      this.#decide(this.#query, (decision) => {
        if (decision.content !== undefined) this.#respond(decision, decision.status ?? 200)
        else send(decision.captured === true)
      })
    }
    if (!head.hasBody) ask(Buffer.alloc(0))
    else if (content.whole !== undefined) ask(content.whole)
    else this.#exchange.readBody(MAX_REQUEST, ask)
  }

  /** Asks the daemon. `status`: the status of the upstream's response. If it is an error, a refusal gets it as well. */
  #decide(query: LoginQuery, done: (decision: LoginDecision) => void, status = 200): void {
    const exchange = this.#exchange
    exchange.context.login(query, (decision) => {
      if (exchange.isOver) return
      exchange.contain(() => {
        if (!("error" in decision)) done(decision)
        // Programs and people recognize a temporary failure by the status.
        else exchange.refuse(status < 400 ? decision : { ...decision, status })
      })
    })
  }

  /**
   * Sends a response of the proxy's own. Only its status, its delay and content without the tokens depend on the provider's
   * response.
   */
  #respond(
    { content = "", content_type: contentType = "application/json" }: LoginDecision,
    status: number,
    delay = ""
  ): void {
    const exchange = this.#exchange
    exchange.status = status
    const text = Buffer.from(content).toString("latin1")
    const search = exchange.context.secrets.searchWith(exchange.origin.hostHeader, [])
    const body = Buffer.from(search?.replacedIn(text) ?? text, "latin1")
    const headers = ["Content-Type", contentType, "Content-Length", String(body.length)]
    if (/^\d{1,6}$/.test(delay)) headers.push("Retry-After", delay)
    // Claude Code treats a logout as complete only if the response has a `Request-Id` of this form.
    headers.push("Cache-Control", "no-store", "Request-Id", "req_credsvc")
    exchange.sendHead(status, builtins.http.STATUS_CODES[status] ?? "", headers, "content")
    if (exchange.isOver) return
    exchange.sendData(body)
    exchange.sendEnd([])
  }

  /** Replaces the tokens that an API has issued in a response. */
  #issue(content: Buffer, issuing: IssuingResponse, status: number): void {
    const { context: { issued, secrets }, origin } = this.#exchange
    const replaced = issued.replaced(content.toString("utf8"), issuing)
    if (typeof replaced === "string") {
      const message = `${origin.authority.host} may have issued a token ${replaced}, so the response is not passed on`
      return this.#exchange.refuse(upstreamRefusal(message))
    }
    if (replaced.tokens.length > 0) secrets.addIssued(origin.hostHeader, replaced.tokens)
    this.#respond(replaced, status)
  }

  /** Whether the response is captured. An API issues no token in an error, and none without content. */
  takes(status: number, hasContent: boolean): boolean {
    return this.#issuing === undefined || (hasContent && status >= 200 && status < 300)
  }

  /** Collects the content of the response, for the daemon or for the replacement of its tokens. */
  received(status: number, headers: HeaderPairs): ResponseContent {
    const exchange = this.#exchange
    const issuing = this.#issuing
    return new CollectedContent(MAX_RESPONSE, (content) => {
      const isUnexpected = issuing === undefined && status !== 200 && (status < 400 || status > 599)
      if (content === undefined || isUnexpected) {
        const { host } = exchange.origin.authority
        const message = `${host} sent a token response that is too long, or that has the unexpected status ${status}`
        return exchange.refuse(upstreamRefusal(message))
      }
      if (issuing !== undefined) return this.#issue(content, issuing, status)
      this.#decide({ ...this.#query!, response: messageOf(headers, content) }, (decision) => {
        this.#respond(decision, status, fieldOf(headers, "retry-after"))
      }, status)
    })
  }
}
