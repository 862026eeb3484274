/**
 * Requests by which a program logs in, refreshes or logs out itself. The daemon decides about each of them, and about the responses with
 * tokens, which reach the program with placeholders only.
 */
import { maxPath } from "../../domain/wire/ResolveMessages.ts"
import { fieldOf, fieldsThat, type HeaderPairs } from "../../http/HeaderFields.ts"
import { collectedContent, isPlain, type ResponseContent, type ResponseSink } from "../../http/scrub/ResponseContent.ts"
import { basicOf } from "../../outbound/EndToEndFields.ts"
import { requestRefusal, upstreamRefusal } from "../ErrorResponse.ts"
import type { LoginDecision, LoginQuery } from "../routing/CredentialSource.ts"
import type { Client } from "./Client.ts"
import type { RequestContent } from "./RequestContent.ts"

const MAX_REQUEST = 64 * 1024
const MAX_RESPONSE = 256 * 1024

/** The fields that are passed on. All others could carry a token or a session. */
const PASSED: ReadonlySet<string> = new Set(["cache-control", "date", "request-id", "retry-after", "x-request-id"])

/** The part of an exchange that the step uses. */
export interface LoginExchange extends Client {
  readonly content: RequestContent
  readonly readBody: (limit: number, done: (content: Buffer | "too long") => void) => void
}

/** The client in each Authorization field: a form-encoded text in a Basic one (RFC 6749 section 2.3.1). Empty if servers could read another. */
const clientsIn = (headers: HeaderPairs): ReadonlyArray<string | undefined> =>
  headers.filter((_, i) => i % 2 === 1 && headers[i - 1]!.toLowerCase() === "authorization").map((value) => {
    if (/^\s*basic/i.test(value) && !/^basic [A-Za-z0-9+/]+={0,2}$/i.test(value)) return ""
    const encoded = basicOf(value)?.split(":", 1)[0]?.replaceAll("&", "%26")
    return encoded === undefined ? undefined : new URLSearchParams(`id=${encoded}`).get("id")!
  })

const contentFields = ({ content = "", contentType = "" }: LoginDecision): HeaderPairs => [
  ...(contentType === "" ? [] : ["Content-Type", contentType]),
  "Content-Length",
  String(Buffer.byteLength(content))
]

export class ProgramLogin {
  readonly #exchange: LoginExchange
  readonly #provider: string
  #query: LoginQuery | undefined
  #client: string | undefined

  constructor(exchange: LoginExchange, provider: string) {
    this.#exchange = exchange
    this.#provider = provider
  }

  /** Ends with a response, a refusal, or one call of `send`. `captures`: whether the response is for the daemon. */
  begin(send: (captures: boolean) => void): void {
    const { content, head } = this.#exchange
    const [client, ...others] = clientsIn(head.headers)
    if (others.length > 0 || client === "") {
      return this.#exchange.refuse(
        requestRefusal(400, "a login must have one Authorization header, with plain Base64 in Basic")
      )
    }
    this.#client = client
    if (head.target.length > maxPath) {
      const message = `the path and query of a login are longer than ${maxPath} characters: send its fields in the body`
      return this.#exchange.refuse(requestRefusal(414, message))
    }
    if (!isPlain(head.headers)) {
      return this.#exchange.refuse(requestRefusal(415, "a login must not be compressed: send it without a coding"))
    }
    if (!head.hasBody) return this.#ask(Buffer.alloc(0), send)
    if (content.whole !== undefined) return this.#ask(content.whole, send)
    this.#exchange.readBody(MAX_REQUEST, (body) => {
      if (body === "too long") this.#exchange.refuse(requestRefusal(413, "the body of a login is longer than 64 KiB"))
      else this.#ask(body, send)
    })
  }

  #ask(body: Buffer, send: (captures: boolean) => void): void {
    const { context, head, origin } = this.#exchange
    this.#query = {
      provider: this.#provider,
      method: head.method,
      host: origin.authority.host,
      port: origin.authority.port,
      target: head.target,
      ...(this.#client === undefined ? {} : { client: this.#client }),
      request: { content_type: fieldOf(head.headers, "content-type") ?? "", content: body.toString("utf8") }
    }
    context.login(this.#query, (decision) => {
      if (this.#exchange.isOver) return
      this.#exchange.contain(() => {
        if ("error" in decision) this.#exchange.refuse(decision)
        else if (decision.decision === "respond") this.#respond(decision)
        else send(decision.decision === "send")
      })
    })
  }

  #respond(decision: LoginDecision): void {
    const exchange = this.#exchange
    const { content = "", status = 200 } = decision
    exchange.status = status
    // Claude Code takes a logout as done only if the response has this field, in this form.
    const headers = [...contentFields(decision), "Cache-Control", "no-store", "Request-Id", "req_credsvc"]
    exchange.sendHead(status, status === 200 ? "OK" : "Refused", headers, false)
    exchange.sendData(Buffer.from(content))
    exchange.sendEnd([])
  }

  /** The content of a response to the request, on its way to the daemon. */
  received(headers: HeaderPairs, sink: Pick<ResponseSink, "data" | "end" | "head">): ResponseContent {
    const exchange = this.#exchange
    return collectedContent(MAX_RESPONSE, (content) => {
      if (content === undefined || !isPlain(headers) || exchange.status === 206) {
        const { host } = exchange.origin.authority
        const message = `${host} sent a response to a login that is too long, compressed or only a part`
        return exchange.refuse(upstreamRefusal(message))
      }
      const response = { content_type: fieldOf(headers, "content-type") ?? "", content: content.toString("utf8") }
      exchange.context.login({ ...this.#query!, response }, (decision) => {
        if (exchange.isOver) return
        exchange.contain(() => {
          // Programs and people tell a passing fault by the status.
          if ("error" in decision) {
            return exchange.refuse(exchange.status < 400 ? decision : { ...decision, status: exchange.status })
          }
          sink.head([...loginFields(headers), ...contentFields(decision)])
          sink.data(Buffer.from(decision.content ?? ""))
          sink.end()
        })
      })
    })
  }
}

/** The header fields of a response to a login that reach the program. */
export const loginFields = (headers: HeaderPairs): HeaderPairs => fieldsThat(headers, (name) => PASSED.has(name))
