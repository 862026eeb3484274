/**
 * One attempt to send a request and to receive its response. Ends with the response, a refusal, or another attempt: on a new
 * connection if the first one was stale, or with a newer token after a 401. Holds a 401 response back until the daemon has
 * responded.
 */
import { type Duplex, Readable } from "node:stream"
import { fieldOf, type HeaderPairs } from "../../http/HeaderFields.ts"
import { hold } from "../../http/HeldParts.ts"
import {
  type Following,
  type OutgoingRequest,
  type PendingRequest,
  type Protocol,
  type RequestFailure,
  type ResponseReceiver,
  UnsendableError
} from "../../http/OutgoingRequest.ts"
import { decodableOffers } from "../../http/scrub/DecodableOffers.ts"
import { DialError } from "../../outbound/DialError.ts"
import { withoutOwnFields } from "../../outbound/EndToEndFields.ts"
import { requestHeaders } from "../../outbound/HeaderInjection.ts"
import { type HmacCredential, signWithHmac } from "../../outbound/HmacSignature.ts"
import type { ClientSignature } from "../../outbound/sigv4/ClientSignature.ts"
import { MAX_UNDECLARED_BODY, signRequest, withContent } from "../../outbound/sigv4/RequestSigner.ts"
import { requestTarget } from "../../outbound/TargetInjection.ts"
import { dialRefusal, requestRefusal } from "../ErrorResponse.ts"
import type { CredentialUse } from "../routing/CredentialUses.ts"
import type { Resolution } from "../routing/Resolution.ts"
import type { Waiter } from "../routing/ResolveBatch.ts"
import type { PermittedRequest } from "../rules/RulesGate.ts"
import type { ConnectionUse } from "../upstream/Http1Pool.ts"
import type { Client } from "./Client.ts"
import { type CredentialStep, signatureRefusal } from "./CredentialStep.ts"
import { filledBody } from "./DeclaredFields.ts"
import type { RequestContent } from "./RequestContent.ts"
import type { ResponseRelay } from "./ResponseRelay.ts"

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
/** The maximum length of a 401 response that is held back. Error documents are shorter. */
const MAX_HELD = 64 * 1024
const NO_SECRETS: ReadonlyArray<string> = []

/** Tells the client that there is a new token, if its request was not repeated. */
const RENEWED: HeaderPairs = ["X-Credsvc-Hint", "the token was refreshed after this response: repeat the request"]

/** Whether a 401 refuses the token, and nothing else, so that the request has had no effect (RFC 6750 section 3.1). */
const isRefusedToken = (headers: HeaderPairs): boolean => {
  const [, error] = /\berror\s*=\s*"?([\w-]+)/i.exec(fieldOf(headers, "www-authenticate") ?? "") ?? []
  return error === undefined || error === "invalid_token"
}

/** A 401 response that is held back while the daemon is asked for a newer token. */
interface HeldResponse {
  readonly reason: string
  readonly headers: HeaderPairs
  readonly chunks: Array<Buffer>
}

/** Whether an attempt sends the first token or, after a 401, another one. */
export type TokenUse = "first" | "renewed"

/** The part of an exchange that an attempt uses. */
export interface SentExchange extends Client {
  readonly protocol: Protocol
  readonly trailers: (() => HeaderPairs) | undefined
  readonly permission: PermittedRequest | undefined
  readonly credential: CredentialStep
  readonly content: RequestContent
  readonly relay: ResponseRelay
  readonly use: CredentialUse | undefined
  /** Makes another attempt. */
  readonly attempt: (connection: ConnectionUse, token: TokenUse) => void
  readonly upgraded: (status: number, headers: HeaderPairs, socket: Duplex, use: CredentialUse | undefined) => void
  readonly abort: (code: number | undefined) => void
  /** Called when the upstream has sent no valid response. */
  readonly lost: (code: number | undefined, error?: Error) => void
}

export class UpstreamAttempt implements ResponseReceiver, Waiter<Resolution> {
  readonly #exchange: SentExchange
  readonly #connection: ConnectionUse
  readonly #token: TokenUse
  #pending: PendingRequest | undefined
  #held: HeldResponse | undefined
  #heldBytes = 0
  /** Whether the response is complete. */
  ended = false

  constructor(exchange: SentExchange, connection: ConnectionUse, token: TokenUse) {
    this.#exchange = exchange
    this.#connection = connection
    this.#token = token
  }

  get isSent(): boolean {
    return this.#pending !== undefined
  }

  begin(): void {
    const { context, credential, head, origin, permission, protocol } = this.#exchange
    const content = head.hasBody ? this.#exchange.content : undefined
    const { injection, search } = credential
    if (content !== undefined && this.#token === "first" && credential.isRenewable) content.keep()
    const withFields = injection?.body === undefined ? undefined : filledBody(this.#exchange, injection)
    const body = withFields === undefined ? content?.stream() ?? null : Readable.from([withFields.content])
    // Reading the body may have ended the exchange: the rules can refuse a body from its first bytes.
    if (this.#exchange.isOver) return
    const headers = requestHeaders(withFields?.headers ?? head.headers, origin.hostHeader, injection)
    const isPlain = credential.capture !== undefined ||
      (search !== undefined && context.secrets.wantsIdentity(origin.hostHeader))
    const request = this.#signed({
      method: head.method,
      path: requestTarget(head.target, injection),
      headers: search === undefined && !isPlain ? headers : decodableOffers(headers, isPlain),
      secret: injection?.secret ?? NO_SECRETS,
      body,
      expectsContinue: head.expectsContinue && content !== undefined && content.whole === undefined,
      // Rules cannot check the trailer section.
      trailers: body === null || (permission !== undefined && context.rules !== undefined)
        ? undefined
        : this.#exchange.trailers,
      wantsTrailers: head.wantsTrailers,
      upgrade: head.upgrade
    })
    if (request === undefined) return
    if (this.#connection === "any" && this.#token === "first") permission?.record()
    content?.sentAs(request.body)
    this.#pending = context.upstreams.send(protocol, origin, request, this, this.#connection)
  }

  pause(): void {
    this.#pending?.pause()
  }

  resume(): void {
    this.#pending?.resume()
  }

  abort(): void {
    if (!this.ended) this.#pending?.abort()
  }

  /** The request with its signature; undefined if it was refused, or if its body has to be read first. */
  #signed(request: OutgoingRequest): OutgoingRequest | undefined {
    const { resolved, signature } = this.#exchange.credential
    if (signature !== undefined) return this.#sign(request, signature)
    return resolved?.hmac === undefined ? request : this.#signWithHmac(request, resolved.hmac)
  }

  #signWithHmac(request: OutgoingRequest, hmac: HmacCredential): OutgoingRequest | undefined {
    const content = this.#exchange.head.hasBody ? this.#exchange.content.whole : undefined
    if (content === undefined && request.body !== null && hmac.needsBody) {
      return this.#readFirst("and cannot be signed")
    }
    const signed = {
      ...request,
      headers: signWithHmac(request, hmac, content ?? Buffer.alloc(0), Date.now()),
      secret: [...request.secret, ...hmac.headers.map(([name]) => name.toLowerCase())]
    }
    return content === undefined ? signed : withContent(signed, content)
  }

  #sign(request: OutgoingRequest, signature: ClientSignature): OutgoingRequest | undefined {
    const { content, context, credential, head } = this.#exchange
    const signing = credential.resolved?.signing
    if (signing === undefined) return request
    try {
      return signRequest(request, signature, signing, {
        budget: context.budget,
        content: head.hasBody ? content.whole : undefined,
        now: Date.now(),
        rejected: (error) => this.#exchange.refuse(signatureRefusal(error))
      }) ?? this.#readFirst("and cannot be signed without its hash: send X-Amz-Content-Sha256")
    } catch (error) {
      this.#exchange.refuse(signatureRefusal(error))
      return undefined
    }
  }

  #readFirst(problem: string): undefined {
    this.#exchange.content.read(MAX_UNDECLARED_BODY, (content) => {
      if (content !== "too long") return this.#exchange.contain(() => this.begin())
      this.#exchange.refuse(
        requestRefusal(413, `the body is longer than ${MAX_UNDECLARED_BODY / 1024 / 1024} MiB ${problem}`)
      )
    })
  }

  continued(): void {
    this.#exchange.relay.continued()
  }

  informed(status: number, headers: HeaderPairs): void {
    this.#exchange.relay.informed(status, headers)
  }

  responded(status: number, reason: string, received: HeaderPairs, follows: Following): void {
    const exchange = this.#exchange
    if (exchange.isOver) return
    const headers = withoutOwnFields(received)
    if (status === 401 && this.#token === "first" && exchange.credential.isSent) {
      const isRefused = this.#isIdempotent || isRefusedToken(headers)
      if (exchange.credential.isRenewable && exchange.head.upgrade === undefined && isRefused) {
        this.#held = { reason, headers, chunks: [] }
        return
      }
      // There is no other credential, or this request cannot be repeated and the next request gets the new credential.
      exchange.credential.reject()
    }
    const fields = status === 403 ? exchange.credential.withStepUp(headers) : headers
    exchange.contain(() => this.#start(status, reason, fields, follows))
  }

  #start(status: number, reason: string, headers: HeaderPairs, follows: Following): void {
    const exchange = this.#exchange
    exchange.status = status
    if (exchange.head.hasBody) exchange.content.release()
    exchange.relay.start(status, reason, headers, follows)
  }

  received(chunk: Buffer): void {
    if (this.#exchange.isOver) return
    const held = this.#held
    if (held === undefined) {
      return this.#exchange.contain(() => {
        if (!this.#exchange.relay.pass(chunk)) this.pause()
      })
    }
    hold(held.chunks, chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes <= MAX_HELD) return
    this.#exchange.credential.reject()
    this.#passHeld(held)
  }

  finished(trailers: HeaderPairs): void {
    this.ended = true
    if (this.#exchange.isOver) return
    if (this.#held === undefined) this.#exchange.contain(() => this.#exchange.relay.finish(trailers))
    else this.#exchange.credential.reject(this)
  }

  /** Called with the daemon's response about a rejected token, which may contain another token. */
  settled(outcome: Resolution): void {
    this.#exchange.contain(() => this.#settle(outcome))
  }

  #settle(outcome: Resolution): void {
    const exchange = this.#exchange
    if (exchange.isOver || this.#held === undefined) return
    if (!exchange.credential.isOther(outcome)) return this.#endHeld([])
    const repeat = () => {
      if (exchange.isOver) return
      const isWhole = !exchange.head.hasBody || exchange.content.whole !== undefined
      if (!isWhole) this.#endHeld(RENEWED)
      else if (exchange.credential.apply(outcome)) exchange.attempt(this.#connection, "renewed")
    }
    if (!exchange.head.hasBody) return repeat()
    // A client that waits for 100 (Continue) has not sent the body yet.
    if (!exchange.content.onceWhole(() => exchange.contain(repeat))) this.#endHeld(RENEWED)
    else if (exchange.head.expectsContinue) exchange.relay.continued()
  }

  #endHeld(more: HeaderPairs): void {
    const { chunks, headers, reason } = this.#held!
    this.#passHeld({ chunks, headers: [...headers, ...more], reason })
    this.#exchange.relay.finish([])
  }

  #passHeld({ chunks, headers, reason }: HeldResponse): void {
    this.#held = undefined
    this.#start(401, reason, headers, "content")
    for (const chunk of chunks) this.received(chunk)
  }

  failed(failure: RequestFailure): void {
    const exchange = this.#exchange
    if (exchange.isOver) return
    const { code, error } = failure
    if (exchange.headSent) return exchange.abort(code)
    if (this.#held !== undefined) {
      // A response has begun, so the connection was not stale: repeating the request would be wrong.
      exchange.credential.reject()
    } else if (this.#connection === "any" && this.#mayRepeat(failure)) {
      return exchange.attempt("new", this.#token)
    }
    if (error instanceof UnsendableError) return exchange.refuse(requestRefusal(400, error.message))
    if (error instanceof DialError) return exchange.refuse(dialRefusal(error))
    exchange.lost(code, error)
  }

  upgraded(status: number, headers: HeaderPairs, socket: Duplex): void {
    const { use } = this.#exchange
    this.ended = true
    this.#exchange.upgraded(status, headers, socket, use)
  }

  get #isIdempotent(): boolean {
    const { hasBody, method } = this.#exchange.head
    return !hasBody && IDEMPOTENT.has(method)
  }

  #mayRepeat({ retry }: RequestFailure): boolean {
    if (retry === "idempotent") return this.#isIdempotent
    return retry === "everything" && (!this.#exchange.head.hasBody || this.#exchange.content.isRepeatable)
  }
}
