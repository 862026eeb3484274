/**
 * One request of the child and its answer: what is decided about it, whatever protocol either side speaks.
 *
 * A child's side extends this class with how its protocol is read and written. One object per exchange receives the
 * upstream's answer, waits for the credential and owns the clean-up; the steps are methods rather than closures, because
 * this is the path that every request takes.
 */
import type { Duplex } from "node:stream"
import { pathOf } from "../domain/Route.ts"
import type { HeaderPairs } from "../http/HeaderFields.ts"
import {
  type PendingRequest,
  type Protocol,
  type RequestFailure,
  type ResponseReceiver,
  UnsendableError
} from "../http/OutgoingRequest.ts"
import type { RequestBody } from "../http/RequestBody.ts"
import * as ScavengeMeter from "../http/ScavengeMeter.ts"
import { DialError } from "../outbound/DialError.ts"
import {
  type Injection,
  loggedPath,
  requestHeaders,
  requestTarget,
  responseHeaders
} from "../outbound/HeaderInjection.ts"
import { ambiguousRefusal, dialRefusal, type Refusal, requestRefusal } from "./ErrorResponse.ts"
import type { EngineOptions, Origin, Resolution } from "./HttpEngine.ts"
import type { RefusalReports } from "./RefusalReports.ts"
import type { Inspection, RequestShape } from "./RequestRules.ts"
import type { ResolveRequest } from "./routing/CredentialSource.ts"
import type { Waiter } from "./routing/ResolveBatch.ts"
import { HeldResponse } from "./upstream/HeldResponse.ts"
import type { UpstreamPool } from "./upstream/UpstreamPool.ts"

/** What every exchange of an engine shares. */
export interface ExchangeHost {
  readonly options: EngineOptions
  readonly upstreams: UpstreamPool
  readonly exchanges: Set<Exchange>
  readonly refusals: RefusalReports
}

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])

/** More than any API has to say before its answer. A child that reads slowly holds nothing back here. */
const MAX_INFORMED = 256

/** Requests with equal keys are equal in every respect that the daemon looks at. */
const keyOf = ({ connection, host, path, port, provider, rejected }: ResolveRequest): string =>
  `${host} ${port} ${provider} ${connection ?? ""} ${path ?? ""} ${rejected ?? ""}`

const nobody: Waiter<Resolution> = { settled: () => {} }
const none: ReadonlyArray<string> = []

export abstract class Exchange implements Waiter<Resolution>, ResponseReceiver {
  readonly host: ExchangeHost
  readonly origin: Origin
  readonly method: string
  readonly target: string
  shape: RequestShape | undefined
  injection: Injection | undefined
  question: ResolveRequest | undefined
  provider: string | undefined
  refusal: Refusal | undefined
  sent: PendingRequest | undefined
  status = 0
  /** The upstream's answer has ended. */
  ended = false
  /** The exchange is over for the child as well. */
  done = false
  /** What its route says of its path. */
  #prefix = ""
  #body: RequestBody | null = null
  #continued = false
  #informed = 0
  #held: HeldResponse | undefined
  #renewed = false
  #retried = false

  constructor(host: ExchangeHost, origin: Origin, method: string, target: string) {
    this.host = host
    this.origin = origin
    this.method = method
    this.target = target
    host.exchanges.add(this)
  }

  /** What the child speaks. Upstreams are asked for the same first. */
  abstract readonly protocol: Protocol
  /** Flat pairs as the child sent them, without pseudo-headers. */
  protected abstract readonly headers: ReadonlyArray<string>
  protected abstract readonly headSent: boolean
  protected abstract openBody(): RequestBody
  /** What followed the body of the request. */
  protected abstract readonly trailers: (() => HeaderPairs) | undefined
  protected abstract sendContinue(): void
  protected abstract sendHead(status: number, reason: string, headers: HeaderPairs, last: boolean): void
  /** False when the child is to be given time: `this.sent` is resumed once it has read. */
  protected abstract sendData(chunk: Buffer): boolean
  protected abstract sendEnd(trailers: HeaderPairs): void
  protected abstract sendRefusal(refusal: Refusal): void
  /** The answer cannot be completed, and the child must see that. `code` is the upstream's in terms of RFC 9113. */
  protected abstract breakOff(code: number | undefined): void
  /** 102 (Processing) or 103 (Early Hints). */
  protected abstract sendInformation(status: number, headers: HeaderPairs): void

  run({ refusal, shape }: Inspection): void {
    const { origin } = this
    this.shape = shape
    if (refusal !== undefined) return this.refuse(refusal)
    const match = origin.routes?.match(this.target)
    // OPTIONS is not injected: it needs no credential, and some servers echo what they get.
    if (match === undefined || match._tag === "Unmatched" || this.method === "OPTIONS") return this.#begin()
    // An unconnected provider is asked for as well: the connection may have been made since the table was.
    const candidates = match._tag === "Matched" ? [match.route] : match.candidates
    const [route] = candidates
    if (match._tag === "Ambiguous" || route === undefined) {
      return this.refuse(ambiguousRefusal(origin.authority.host, candidates.map(({ provider }) => provider)))
    }
    this.provider = route.provider
    this.#prefix = route.pathPrefix ?? ""
    const { host, port } = origin.authority
    const path = origin.routes?.byPath === true ? pathOf(this.target) : undefined
    const connection = route.connection ?? undefined
    this.question = { host, port, path, provider: route.provider, connection }
    this.host.options.credentials.ask(keyOf(this.question), this.question, this)
  }

  settled(outcome: Resolution): void {
    if (this.done) return
    if (this.#held !== undefined) return this.#decided(this.#held, outcome)
    if (outcome._tag === "refused") return this.refuse(outcome.refusal)
    this.injection = outcome.injection
    this.#begin()
  }

  /** Tells the daemon that the API refuses the credential. The waiter gets the credential as it is then. */
  #reject(waiter: Waiter<Resolution>): void {
    const rejected = { ...this.question!, rejected: this.injection!.issuedAt }
    this.host.options.credentials.ask(keyOf(rejected), rejected, waiter)
  }

  /** Once more with another token, if there is one; else the child gets the 401. */
  #decided(held: HeldResponse, outcome: Resolution): void {
    this.#held = undefined
    if (outcome._tag === "resolved" && outcome.injection.issuedAt !== this.injection?.issuedAt) {
      this.injection = outcome.injection
      this.#renewed = true
      this.ended = false
      return this.#begin()
    }
    this.#start(401, held.reason, held.headers, false)
    for (const chunk of held.chunks) this.sendData(chunk)
    this.sendEnd([])
  }

  #begin(): void {
    const { injection, origin } = this
    if (this.shape?.hasBody === true) this.#body ??= this.openBody()
    const body = this.#body
    this.sent = this.host.upstreams.send(
      this.protocol,
      origin,
      {
        method: this.method,
        path: requestTarget(this.target, injection),
        headers: requestHeaders(origin.sent?.(this.headers) ?? this.headers, origin.hostHeader, injection),
        secret: injection?.secret ?? none,
        body,
        expectsContinue: body !== null && this.shape?.expectsContinue === true,
        trailers: body === null ? undefined : this.trailers,
        wantsTrailers: this.wantsTrailers,
        upgrade: this.upgrades
      },
      this,
      this.#retried
    )
  }

  informed(status: number, headers: HeaderPairs): void {
    if (this.done || this.headSent || (status !== 102 && status !== 103)) return
    if (this.#informed++ < MAX_INFORMED) this.sendInformation(status, headers)
  }

  continued(): void {
    if (this.done || this.headSent || this.#continued) return
    this.#continued = true
    this.sendContinue()
  }

  /** Whether the request asks for the connection to be taken over. */
  protected get upgrades(): boolean {
    return false
  }

  /** Whether the child has said `te: trailers`. */
  protected get wantsTrailers(): boolean {
    return false
  }

  responded(status: number, reason: string, headers: HeaderPairs, last: boolean): void {
    if (this.done) return
    if (status === 401 && this.injection?.issuedAt !== undefined && !this.#renewed) {
      const { issuedAt, refreshable } = this.injection
      if (!refreshable) {
        // The child gets the 401 at once: there is no other credential to wait for.
        const { connection = "", provider } = this.question!
        if (this.host.refusals.isDue(`${provider} ${connection} ${issuedAt}`, performance.now())) this.#reject(nobody)
      } else if (!this.upgrades && this.#repeatable) {
        this.#held = new HeldResponse(reason, headers)
        return
      } else {
        // Too late for this request, in time for the next.
        this.#reject(nobody)
      }
    }
    this.#start(status, reason, headers, last)
  }

  get #repeatable(): boolean {
    return this.shape?.hasBody !== true && IDEMPOTENT.has(this.method)
  }

  #start(status: number, reason: string, headers: HeaderPairs, last: boolean): void {
    this.status = status
    this.sendHead(status, reason, headers, last)
  }

  /** The fields of the answer that are for the child. `keepTrailer`: whether trailers can follow. */
  protected returned(raw: HeaderPairs, keepTrailer: boolean): HeaderPairs {
    const headers = responseHeaders(raw, keepTrailer, this.injection?.repeatable)
    return this.origin.returned?.(headers) ?? headers
  }

  received(chunk: Buffer): void {
    if (this.done) return
    if (this.#held !== undefined) {
      if (!this.#held.add(chunk)) this.#release(this.#held)
      return
    }
    ScavengeMeter.count(chunk.length)
    if (!this.sendData(chunk)) this.sent?.pause()
  }

  /** Passes on what was kept back, and everything that follows. */
  #release(held: HeldResponse): void {
    this.#held = undefined
    this.#reject(nobody)
    this.#start(401, held.reason, held.headers, false)
    for (const chunk of held.chunks) this.received(chunk)
  }

  finished(trailers: HeaderPairs): void {
    this.ended = true
    if (this.done) return
    if (this.#held !== undefined) return this.#reject(this)
    this.sendEnd(trailers)
  }

  failed(failure: RequestFailure): void {
    if (this.done) return
    if (this.headSent) return this.breakOff(failure.code)
    if (this.#held !== undefined) {
      // The API has answered, if not to the end: its answer counts, and there is nothing stale to try again.
      this.#held = undefined
      this.#reject(nobody)
    } else if (!this.#retried && this.#mayRetry(failure)) {
      this.#retried = true
      return this.#begin()
    }
    const { error } = failure
    if (error instanceof UnsendableError) return this.refuse(requestRefusal(400, error.message))
    if (error instanceof DialError) return this.refuse(dialRefusal(error))
    this.lost(failure)
  }

  #mayRetry({ retry }: RequestFailure): boolean {
    return retry === "everything" ? this.#body?.isWhole !== false : retry === "idempotent" && this.#repeatable
  }

  /** The upstream has broken off before it answered. */
  protected lost(_failure: RequestFailure): void {
    this.refuse({
      status: 502,
      error: "EndpointUnreachableError",
      message: `${this.origin.authority.host} broke off the exchange`
    })
  }

  upgraded(_status: number, _headers: HeaderPairs, socket: Duplex): void {
    socket.destroy()
  }

  refuse(refusal: Refusal): void {
    if (this.done) return
    this.refusal = refusal
    this.status = refusal.status
    if (this.headSent) return this.breakOff(undefined)
    this.sendRefusal(refusal)
  }

  /** The child has its answer, or will not get one. */
  closed(): void {
    if (this.done) return
    this.done = true
    this.host.exchanges.delete(this)
    if (!this.ended) this.sent?.abort()
    this.#body?.destroy()
    this.host.options.onEvent?.({
      host: this.origin.authority.host,
      method: this.method,
      path: this.injection === undefined ? this.#prefix : loggedPath(this.target, this.injection),
      status: this.status,
      provider: this.provider,
      refusal: this.refusal
    })
  }
}
