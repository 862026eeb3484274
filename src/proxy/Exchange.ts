/**
 * One request of a client and its response, independent of the protocols on either side. Subclasses read requests and write
 * responses in the client's protocol. Its steps are methods rather than closures, because every request takes this path.
 */
import * as DateTime from "effect/DateTime"
import { type Duplex, Readable } from "node:stream"
import { pathOf } from "../domain/injection/Route.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { HeaderPairs } from "../http/HeaderFields.ts"
import {
  type OutgoingRequest,
  type PendingRequest,
  type Protocol,
  type RequestFailure,
  type ResponseReceiver,
  UnsendableError
} from "../http/OutgoingRequest.ts"
import type { BodyObserver, RequestBody } from "../http/RequestBody.ts"
import * as ScavengeMeter from "../http/ScavengeMeter.ts"
import { decodableOffers } from "../http/scrub/DecodableOffers.ts"
import type { ResponseContent } from "../http/scrub/ResponseContent.ts"
import { scrubbedContent } from "../http/scrub/ScrubbedContent.ts"
import type { SecretSearch } from "../http/scrub/SecretSearch.ts"
import { formatAuthority } from "../outbound/Authority.ts"
import { DialError } from "../outbound/DialError.ts"
import { namedConnections } from "../outbound/EndToEndFields.ts"
import {
  type Injection,
  loggedPath,
  type Replacement,
  requestHeaders,
  requestTarget,
  responseHeaders
} from "../outbound/HeaderInjection.ts"
import { type HmacCredential, signWithHmac } from "../outbound/HmacSignature.ts"
import { type ClientSignature, clientSignature, UnsupportedSignatureError } from "../outbound/sigv4/ClientSignature.ts"
import { type HeldBudget, HeldBytes, TooManyHeldError } from "../outbound/sigv4/HeldBytes.ts"
import { readWhole } from "../outbound/sigv4/SignedBody.ts"
import { MAX_UNDECLARED_BODY, signRequest, withContent } from "../outbound/sigv4/SignedRequest.ts"
import { UrlSecret } from "../outbound/UrlSecret.ts"
import { chosenConnection } from "./ConnectionChoice.ts"
import { ambiguousRefusal, dialRefusal, type Refusal, requestRefusal } from "./ErrorResponse.ts"
import type { ReadHead, RequestHead } from "./exchange/RequestHead.ts"
import { formRefusal, type GatedExchange, type PermittedRequest, RulesGate } from "./exchange/RulesGate.ts"
import type { EngineOptions, Origin, Resolution } from "./HttpEngine.ts"
import { type IssuedToken, type IssuedTokens, type Issuing, issuingOf, tokenInjection } from "./issued/IssuedTokens.ts"
import { IssuingContent, tokensInHeaders, UnreadableTokenError } from "./issued/IssuingContent.ts"
import type { Member, OpenExchanges } from "./OpenExchanges.ts"
import type { SearchedRequest } from "./placeholders/PlaceholderWatch.ts"
import type { RefusalReports } from "./RefusalReports.ts"
import type { CredentialRequest } from "./routing/CredentialSource.ts"
import { type CredentialUse, keyOf } from "./routing/CredentialUses.ts"
import type { Waiter } from "./routing/ResolveBatch.ts"
import { decideRoute } from "./routing/RouteTable.ts"
import type { SentSecrets } from "./scrub/SentSecrets.ts"
import { HeldResponse } from "./upstream/HeldResponse.ts"
import type { UpstreamPool } from "./upstream/UpstreamPool.ts"

export interface ExchangeHost {
  readonly options: EngineOptions
  readonly upstreams: UpstreamPool
  readonly exchanges: OpenExchanges<Exchange>
  readonly refusals: RefusalReports
  readonly secrets: SentSecrets
  readonly issued: IssuedTokens
  /** The memory for bodies that are read before they are sent. */
  readonly budget: HeldBudget
}

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])

/** Errors for a connection that does not exist. */
const ABSENT: ReadonlySet<string> = new Set(["ConnectionNotFoundError", "CredentialMissingError"])

/** Limits the informational responses of one exchange: they are written without regard to backpressure. */
const MAX_INFORMATIONAL = 256

/** The session token in a presigned URL is a secret that the response may repeat. */
const signedOutcome = (
  outcome: Extract<Resolution, { readonly _tag: "resolved" }>,
  { form }: ClientSignature
): Extract<Resolution, { readonly _tag: "resolved" }> => {
  const token = outcome.signing?.sessionToken
  return form === "header" || token === undefined
    ? outcome
    : { ...outcome, injection: { ...outcome.injection, repeatable: [new UrlSecret(token)] } }
}

/** Distinguishes requests that must not share the response of the daemon. */
let asked = 0

const ignoreOutcome: Waiter<Resolution> = { settled: () => {} }
const NO_SECRETS: ReadonlyArray<string> = []
const NO_REPLACEMENTS: ReadonlyArray<Replacement> = []

export abstract class Exchange implements Waiter<Resolution>, ResponseReceiver, Member, GatedExchange {
  readonly host: ExchangeHost
  position = 0
  readonly origin: Origin
  /** The head that is sent. */
  head: RequestHead
  readonly #invalid: Refusal | undefined
  #resolved: Extract<Resolution, { readonly _tag: "resolved" }> | undefined
  #scrubbed: ResponseContent | undefined
  /** The token that the request carries in place of the credential. */
  #token: IssuedToken | undefined
  /** Where the response has tokens. */
  #issuing: Issuing | undefined
  #trailers: HeaderPairs = []
  credentialRequest: CredentialRequest | undefined
  /** The connection that the route names. Undefined if the request chose one. */
  #routed: ConnectionName | null | undefined = null
  #bytesOut = 0
  provider: string | undefined
  refusal: Refusal | undefined
  sent: PendingRequest | undefined
  status = 0
  /** The rule of the run that allows the request. */
  rule: string | null = null
  /** Whether the upstream's response is complete. */
  ended = false
  /** Whether the exchange is over for the client as well. */
  done = false
  readonly #startedAt = performance.now()
  #prefix = ""
  #body: RequestBody | null = null
  #continued = false
  #informationalCount = 0
  #held: HeldResponse | undefined
  #renewed = false
  #retried = false
  #signature: ClientSignature | undefined
  /** The body, if it had to be read before the request could be checked or signed. */
  #content: Buffer | undefined
  #memory: HeldBytes | undefined
  #sentBody: Readable | null = null
  #gate: RulesGate | undefined
  #permitted: PermittedRequest | undefined
  /** Whether the request belongs to no provider. */
  #isPlain = false
  #authorityText: string | undefined

  constructor(host: ExchangeHost, origin: Origin, { head, refusal }: ReadHead) {
    this.host = host
    this.origin = origin
    this.head = head
    this.#invalid = refusal
    host.exchanges.add(this)
    host.options.onBegin?.()
  }

  /** The client's protocol, which is also the preferred one for the upstream. */
  abstract readonly protocol: Protocol
  protected abstract readonly headSent: boolean
  protected abstract openBody(observer: BodyObserver | undefined): RequestBody
  protected abstract readonly trailers: (() => HeaderPairs) | undefined
  protected abstract sendContinue(): void
  protected abstract sendHead(status: number, reason: string, headers: HeaderPairs, last: boolean): void
  /** Returns false to apply backpressure; the subclass calls `resume` once the client has read. */
  protected abstract sendData(chunk: Buffer): boolean
  protected abstract sendEnd(trailers: HeaderPairs): void
  protected abstract sendRefusal(refusal: Refusal): void
  /** Ends an incomplete response so that the client notices. `code` is the upstream's HTTP/2 error code, if it sent one. */
  protected abstract abort(code: number | undefined): void
  protected abstract sendInformation(status: number, headers: HeaderPairs): void

  run(): void {
    const { options } = this.host
    const { routes } = this.origin
    if (this.#invalid !== undefined) return this.refuse(this.#invalid)
    // Requests to other hosts get no credential, and most of them cannot be read.
    if ((options.rules === undefined && options.recorder === undefined) || routes === undefined) return this.#route()
    this.#gate = new RulesGate(this, options, this.head)
    this.#gate.begin(routes)
  }

  permitted(permitted: PermittedRequest): void {
    this.#permitted = permitted
    this.head = permitted.head
    this.#content = permitted.content
    this.rule = permitted.rule
    this.#route()
  }

  #route(): void {
    const { head: { method, target, withheld }, origin } = this
    const decision = decideRoute(origin.routes, method, target)
    if (decision._tag === "Plain") return this.#beginPlain()
    if (decision._tag === "Ambiguous") return this.refuse(ambiguousRefusal(origin.authority.host, decision.providers))
    const { route } = decision
    this.provider = route.provider
    const token = this.host.issued.namedIn(withheld)
    if (token !== undefined && "status" in token) return this.refuse(token)
    this.#token = token
    const chosen = origin.routes?.isFixed(route.provider) === true
      ? undefined
      : token?.connection ?? chosenConnection(withheld, target, origin.connection)
    if (typeof chosen === "object") return this.#refuseConnection(chosen)
    const connection = chosen ?? route.connection
    this.#routed = chosen === undefined ? route.connection : undefined
    this.#prefix = route.pathPrefix ?? ""
    if (route.signing !== undefined && !this.#isSigned()) return
    const { host, port } = origin.authority
    this.credentialRequest = {
      host,
      port,
      provider: route.provider,
      ...(origin.routes?.byPath === true ? { path: pathOf(target) } : {}),
      ...(connection === null ? {} : { connection }),
      ...(this.#signature === undefined ? {} : { scope: this.#signature.scope })
    }
    const key = keyOf(this.credentialRequest)
    this.host.options.credentials.ask(
      this.host.options.counted === true ? `${key} ${++asked}` : key,
      this.credentialRequest,
      this
    )
  }

  /** Begins a request that gets no credential. */
  #beginPlain(): void {
    this.#isPlain = true
    // OPTIONS gets no credential from any provider.
    if (this.head.method !== "OPTIONS") this.#searchHead()
    this.#begin()
  }

  #searchHead(): void {
    this.host.options.placeholders?.searchHead(this.#searched, this.#allFields, this.head.target)
  }

  get #allFields(): HeaderPairs {
    return [...this.head.withheld, ...this.head.headers]
  }

  /** The request, for a search for misplaced placeholders. */
  get #searched(): SearchedRequest {
    const { head: { method }, origin, provider } = this
    return { kind: this.#isPlain ? "unmatched" : "provider", host: origin.authority.host, method, provider }
  }

  #refuseConnection(refusal: Refusal): void {
    const { placeholders } = this.host.options
    const isNamed = placeholders !== undefined && namedConnections(this.head.withheld, this.head.target).length > 0
    if (isNamed) placeholders.report({ ...this.#searched, kind: "connection", place: "header" })
    this.refuse(refusal)
  }

  /** Whether the client has signed with placeholders. Other requests are sent as they are, or refused. */
  #isSigned(): boolean {
    try {
      this.#signature = clientSignature(this.#allFields, this.head.target)
    } catch (error) {
      this.#refuseSignature(error)
      return false
    }
    if (this.#signature !== undefined) return true
    this.#searchHead()
    this.#begin()
    return false
  }

  #refuseSignature(error: unknown): void {
    if (!(error instanceof UnsupportedSignatureError)) throw error
    this.refuse(requestRefusal(error instanceof TooManyHeldError ? 503 : 400, error.message))
  }

  /** The credential as it is applied; undefined if the request gets none. */
  get injection(): Injection | undefined {
    return this.#resolved?.injection
  }

  /** The use of the credential; undefined if there is none, or if the upstream has received and sent everything. */
  get use(): CredentialUse | undefined {
    const { credentialRequest: request, head: { target }, origin } = this
    if (this.isOver || this.ended || request === undefined || this.#resolved === undefined) return undefined
    return { origin, target, request, routed: this.#routed, resolved: this.#resolved }
  }

  settled(outcome: Resolution): void {
    if (this.isOver) return
    if (this.#held !== undefined && !this.#isRenewed(this.#held, outcome)) return
    if (outcome._tag === "refused") {
      const { refusal } = outcome
      return ABSENT.has(refusal.error) ? this.#refuseConnection(refusal) : this.refuse(refusal)
    }
    const { placeholders } = this.host.options
    placeholders?.searchOutside(this.#searched, this.head.target, outcome.injection)
    if (placeholders?.refusal !== undefined) return this.refuse(placeholders.refusal)
    const applied = this.#applied(this.#signature === undefined ? outcome : signedOutcome(outcome, this.#signature))
    if (applied === undefined) return
    this.#resolved = applied
    this.#begin()
  }

  /** The credential or the issued token for the request; undefined if the request was refused. */
  #applied(outcome: Extract<Resolution, { readonly _tag: "resolved" }>): typeof outcome | undefined {
    const { head, provider = "" } = this
    const { connection, injection, issuing } = outcome
    this.#issuing = undefined
    if (issuing !== undefined) {
      const found = issuingOf(issuing, head)
      if (found !== undefined && "status" in found) return this.#refused(found)
      this.#issuing = found
    }
    if (this.#token === undefined) return outcome
    const replaced = tokenInjection(this.#token, { ...head, headers: head.withheld, provider, connection }, injection)
    return "status" in replaced ? this.#refused(replaced) : { ...outcome, injection: replaced }
  }

  #refused(refusal: Refusal): undefined {
    this.refuse(refusal)
  }

  /** The text of the origin's authority. It is made once, because the search is needed several times for each request. */
  get #authority(): string {
    return this.#authorityText ??= formatAuthority(this.origin.authority)
  }

  /** The search for the secrets of this request and of earlier ones to the host; undefined without secrets. */
  protected get search(): SecretSearch | undefined {
    // A signature cannot be used again, and covers what the request offers.
    if (this.#signature !== undefined) return undefined
    return this.host.secrets.searchWith(this.#authority, this.injection?.values ?? NO_SECRETS)
  }

  /** Replaces the secrets of the request in the head and the trailer section of the response. */
  protected get repeatable(): ReadonlyArray<Replacement> {
    const inUrl = this.injection?.repeatable ?? NO_REPLACEMENTS
    const { search } = this
    return search === undefined ? inUrl : [...inUrl, search]
  }

  /** Reports to the daemon that the upstream rejected the credential. The waiter receives the current one. */
  #reject(waiter: Waiter<Resolution>): void {
    const rejected = { ...this.credentialRequest!, rejected: this.#resolved!.issuedAt }
    this.host.options.credentials.ask(keyOf(rejected), rejected, waiter)
  }

  /** Whether the daemon has a newer token, with which the request is repeated. Otherwise passes on the held 401 response. */
  #isRenewed(held: HeldResponse, outcome: Resolution): boolean {
    this.#held = undefined
    if (outcome._tag === "resolved" && !DateTime.Equivalence(outcome.issuedAt, this.#resolved!.issuedAt)) {
      this.#renewed = true
      this.ended = false
      return true
    }
    this.#start(401, held.reason, held.headers, false)
    for (const chunk of held.chunks) this.received(chunk)
    this.#finish([])
    return false
  }

  #begin(): void {
    // From here on, other responses of the host are searched for the secrets of this request, too.
    const { head, injection, origin, search } = this
    const body = !this.head.hasBody
      ? null
      : this.#content === undefined
      ? this.#openedBody()
      : Readable.from([this.#content])
    if (this.isOver) return
    this.#permitted?.record()
    const headers = requestHeaders(head.headers, origin.hostHeader, injection)
    const isPlain = this.#issuing !== undefined || this.host.secrets.wantsIdentity(this.#authority)
    const request: OutgoingRequest = {
      method: head.method,
      path: requestTarget(head.target, injection),
      headers: search === undefined && !isPlain ? headers : decodableOffers(headers, isPlain),
      secret: injection?.secret ?? NO_SECRETS,
      body,
      expectsContinue: body !== null && this.#content === undefined && this.head.expectsContinue,
      // The rules have not seen them.
      trailers: body === null || this.#isLimited ? undefined : this.trailers,
      wantsTrailers: head.wantsTrailers,
      upgrade: head.isUpgrade
    }
    const signed = this.#signed(request)
    if (signed !== undefined) {
      this.#sentBody = signed.body
      this.sent = this.host.upstreams.send(this.protocol, origin, signed, this, this.#retried)
    }
  }

  #signed(request: OutgoingRequest): OutgoingRequest | undefined {
    if (this.#signature !== undefined) return this.#sign(request, this.#signature)
    const hmac = this.#resolved?.hmac
    return hmac === undefined ? request : this.#signWithHmac(request, hmac)
  }

  #signWithHmac(request: OutgoingRequest, hmac: HmacCredential): OutgoingRequest | undefined {
    const content = this.#content
    if (content === undefined && request.body !== null && hmac.needsBody) {
      this.#readForSignature(request, "and cannot be signed")
      return undefined
    }
    const signed = {
      ...request,
      headers: signWithHmac(request, hmac, content ?? Buffer.alloc(0), Date.now()),
      secret: [...request.secret, ...hmac.headers.map(([name]) => name.toLowerCase())]
    }
    return content === undefined ? signed : withContent(signed, content)
  }

  /** The request with our signature; undefined if it was refused, or if its body has to be read first. */
  #sign(request: OutgoingRequest, signature: ClientSignature): OutgoingRequest | undefined {
    const signing = this.#resolved?.signing
    if (signing === undefined) return request
    try {
      const signed = signRequest(request, signature, signing, {
        budget: this.host.budget,
        content: this.#content,
        now: Date.now(),
        rejected: (error) => this.#refuseSignature(error)
      })
      if (signed === undefined) {
        this.#readForSignature(request, "and cannot be signed without its hash: send X-Amz-Content-Sha256")
      }
      return signed
    } catch (error) {
      this.#refuseSignature(error)
      return undefined
    }
  }

  get #isLimited(): boolean {
    return this.#permitted !== undefined && this.host.options.rules !== undefined
  }

  #openedBody(): RequestBody {
    if (this.#body !== null) return this.#body
    const check = this.#permitted?.check
    return this.#body = this.openBody(
      check && { part: (part) => this.#checked(() => check.write(part)), end: () => this.#checked(() => check.end()) }
    )
  }

  /** Refuses a request whose body is not what rules can allow, before the upstream has the whole body. */
  #checked(check: () => void): void {
    const refusal = this.isOver ? undefined : formRefusal(this, check)
    if (refusal !== undefined) this.refuse(refusal)
  }

  readBody(limit: number, done: (content: Buffer | "too long") => void): void {
    this.#hold(this.#openedBody(), this.head.expectsContinue, limit, done)
  }

  /** Reads the whole body, which is then sent from memory. */
  #hold(
    body: Readable,
    expectsContinue: boolean,
    limit: number,
    done: (content: Buffer | "too long") => void
  ): void {
    if (expectsContinue) this.continued()
    this.#memory = new HeldBytes(this.host.budget)
    readWhole(body, limit, this.#memory, (content) => {
      if (this.isOver) return
      if (content instanceof TooManyHeldError) return this.#refuseSignature(content)
      if (content !== "too long") this.#content = content
      done(content)
    })
  }

  #readForSignature({ body, expectsContinue }: OutgoingRequest, problem: string): void {
    this.#hold(body!, expectsContinue, MAX_UNDECLARED_BODY, (content) => {
      if (content === "too long") {
        return this.refuse(
          requestRefusal(413, `the body is longer than ${MAX_UNDECLARED_BODY / 1024 / 1024} MiB ${problem}`)
        )
      }
      this.#begin()
    })
  }

  informed(status: number, headers: HeaderPairs): void {
    if (this.isOver || this.headSent || (status !== 102 && status !== 103)) return
    if (this.#informationalCount++ < MAX_INFORMATIONAL) this.sendInformation(status, headers)
  }

  continued(): void {
    if (this.isOver || this.headSent || this.#continued) return
    this.#continued = true
    this.sendContinue()
  }

  responded(status: number, reason: string, headers: HeaderPairs, last: boolean): void {
    if (this.isOver) return
    if (status === 401 && this.#resolved !== undefined && !this.#renewed && this.#isCredentialSent) {
      const { issuedAt, refreshable } = this.#resolved
      if (!refreshable) {
        // There is no other credential to wait for, so the client gets the 401 at once.
        const { connection = "", provider } = this.credentialRequest!
        if (this.host.refusals.isDue(`${provider} ${connection} ${issuedAt.epochMilliseconds}`, performance.now())) {
          this.#reject(ignoreOutcome)
        }
      } else if (!this.head.isUpgrade && this.#repeatable) {
        this.#held = new HeldResponse(reason, headers)
        return
      } else {
        // This request cannot be repeated, but the next one gets a new token.
        this.#reject(ignoreOutcome)
      }
    }
    this.#start(status, reason, headers, last)
  }

  /** False if the request carries an issued token or nothing, so that a 401 says nothing about the credential. */
  get #isCredentialSent(): boolean {
    const { hmac, injection, signing } = this.#resolved!
    return this.#token === undefined && (injection.values.length > 0 || signing !== undefined || hmac !== undefined)
  }

  get #repeatable(): boolean {
    return !this.head.hasBody && IDEMPOTENT.has(this.head.method)
  }

  /** Releases the content that was read. The request is not repeated any more, but the upstream may not have read all of it. */
  #releaseContent(): void {
    this.#content = undefined
    if (this.#sentBody === null || this.#sentBody.closed) this.#memory?.release()
    else this.#sentBody.once("close", () => this.#memory?.release())
  }

  #start(status: number, reason: string, headers: HeaderPairs, last: boolean): void {
    this.status = status
    if (this.#memory !== undefined) this.#releaseContent()
    const hasContent = !last && this.head.method !== "HEAD" && status !== 204 && status !== 304
    const sink = {
      head: (changed: HeaderPairs) => {
        if (!this.isOver) this.sendHead(status, reason, changed, false)
      },
      data: (chunk: Buffer) => this.isOver || this.sendData(chunk),
      end: () => {
        if (!this.isOver) this.sendEnd(this.#trailers)
      }
    }
    if (this.#issuing !== undefined && status >= 200 && status < 300) {
      if (!hasContent) return this.#sendIssuingHead(this.#issuing, reason, headers, last)
      this.#scrubbed = new IssuingContent(this.#issuing, headers, {
        ...sink,
        issued: (tokens) => this.#issued(tokens),
        unreadable: (error) => this.#refuseToken(error)
      })
      return
    }
    const { search } = this
    if (search !== undefined && hasContent) {
      this.#scrubbed = scrubbedContent(() => this.search ?? search, { status, headers }, {
        ...sink,
        failed: (problem, hasSecret) => this.#refuseContent(problem, hasSecret),
        drained: () => this.sent?.resume()
      })
    }
    if (this.isOver) return
    if (this.#scrubbed === undefined) this.sendHead(status, reason, headers, last)
  }

  #sendIssuingHead(issuing: Issuing, reason: string, headers: HeaderPairs, last: boolean): void {
    try {
      this.#issued(tokensInHeaders(issuing, headers))
    } catch (error) {
      if (error instanceof UnreadableTokenError) return this.#refuseToken(error)
      throw error
    }
    this.sendHead(this.status, reason, headers, last)
  }

  /** Keeps tokens of the response. Returns a search for them and the secrets of the request. */
  #issued(tokens: ReadonlyArray<string>): SecretSearch | undefined {
    const { connection, injection } = this.#resolved!
    // Some APIs return the token that the request carries.
    for (const token of tokens.filter((value) => !injection.values.includes(value))) {
      this.host.issued.add(token, { provider: this.provider!, connection: connection!, issuing: this.#issuing! })
    }
    return this.host.secrets.searchWith(this.#authority, [...injection.values, ...tokens])
  }

  #refuseToken({ message }: UnreadableTokenError): void {
    const { host } = this.origin.authority
    this.refuse({
      status: 502,
      error: "EndpointUnreachableError",
      message: `${host} may have issued a token ${message}, so it is not passed on without a placeholder`
    })
  }

  /** Ends a response that cannot be passed on. `problem` completes `api.example.com …`. */
  #refuseContent(problem: string, hasSecret: boolean): void {
    if (hasSecret) this.host.secrets.askForIdentity(this.#authority)
    const message = `${this.origin.authority.host} ${problem}`
    this.refuse({ status: 502, error: "EndpointUnreachableError", message })
  }

  /** The client has read what was sent. */
  protected resume(): void {
    if (this.#scrubbed === undefined) this.sent?.resume()
    else this.#scrubbed.resume()
  }

  #pass(chunk: Buffer): void {
    if (this.#scrubbed === undefined ? this.sendData(chunk) : this.#scrubbed.write(chunk)) return
    this.sent?.pause()
  }

  #finish(trailers: HeaderPairs): void {
    this.#trailers = trailers
    if (this.#scrubbed === undefined) this.sendEnd(trailers)
    else this.#scrubbed.end()
  }

  protected returned(raw: HeaderPairs, canSendTrailers: boolean): HeaderPairs {
    const headers = responseHeaders(raw, canSendTrailers, this.repeatable)
    return this.origin.returned?.(headers) ?? headers
  }

  received(chunk: Buffer): void {
    if (this.isOver) return
    if (this.#held !== undefined) {
      if (!this.#held.add(chunk)) this.#release(this.#held)
      return
    }
    ScavengeMeter.count(chunk.length)
    this.#bytesOut += chunk.length
    this.#pass(chunk)
  }

  #release(held: HeldResponse): void {
    this.#held = undefined
    this.#reject(ignoreOutcome)
    this.#start(401, held.reason, held.headers, false)
    for (const chunk of held.chunks) this.received(chunk)
  }

  finished(trailers: HeaderPairs): void {
    this.ended = true
    if (this.isOver) return
    if (this.#held !== undefined) return this.#reject(this)
    this.#finish(trailers)
  }

  failed(failure: RequestFailure): void {
    if (this.isOver) return
    if (this.headSent) return this.abort(failure.code)
    if (this.#held !== undefined) {
      // A response has begun, so the connection was not stale: repeating the request would be wrong.
      this.#held = undefined
      this.#reject(ignoreOutcome)
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
    if (retry === "everything") return this.#body?.isWhole !== false || this.#content !== undefined
    return retry === "idempotent" && this.#repeatable
  }

  protected lost(_failure: RequestFailure): void {
    this.refuse({
      status: 502,
      error: "EndpointUnreachableError",
      message: `${this.origin.authority.host} sent no valid response`
    })
  }

  upgraded(_status: number, _headers: HeaderPairs, socket: Duplex): void {
    socket.destroy()
  }

  /** Whether nothing more is sent: neither to the upstream nor to the client, except for a refusal. */
  get isOver(): boolean {
    return this.done || this.refusal !== undefined
  }

  /** Refuses the request. Nothing that happens afterwards has an effect, although over HTTP/2 the client's stream is still open. */
  refuse(refusal: Refusal): void {
    if (this.isOver) return
    this.refusal = refusal
    this.status = refusal.status
    this.#gate?.withdraw()
    if (!this.ended) this.sent?.abort()
    this.#body?.destroy()
    if (this.headSent) return this.abort(undefined)
    this.sendRefusal(refusal)
  }

  /** Ends the exchange: the client has the whole response, or will not get one. */
  closed(): void {
    if (this.done) return
    this.done = true
    this.#gate?.withdraw()
    this.host.exchanges.delete(this)
    if (this.ended) this.#conclude()
    // After the ends of other streams that the same notice withdraws, which are written in this event-loop turn.
    else process.nextTick(() => this.#conclude())
  }

  #conclude(): void {
    if (!this.ended) this.sent?.abort()
    this.#body?.destroy()
    this.#scrubbed?.destroy()
    this.#memory?.release()
    this.report()
  }

  /** Reports the outcome for the logs and metrics. `sent` and `received` are bytes that followed an upgrade. */
  protected report(sent = 0, received = 0): void {
    this.host.options.onEvent?.({
      host: this.origin.authority.host,
      method: this.head.method,
      path: this.injection === undefined ? this.#prefix : loggedPath(this.head.target, this.injection),
      status: this.status,
      provider: this.provider,
      connection: this.#resolved?.connection ?? this.credentialRequest?.connection,
      isRouted: this.origin.routes !== undefined,
      rule: this.rule,
      bytesIn: (this.#body?.receivedBytes ?? 0) + sent,
      bytesOut: this.#bytesOut + received,
      injected: this.sent !== undefined && this.injection !== undefined,
      startedAt: this.#startedAt,
      refusal: this.refusal
    })
  }
}
