/**
 * One request of a client and its response, independent of the protocols on either side. Subclasses read requests and write
 * responses in the client's protocol. Its steps:
 *
 *   RulesGate → CredentialStep → UpstreamAttempt → ResponseRelay
 *                                  ↑       ↓
 *                                  └───────┘ after a stale connection or a 401
 */
import type { Duplex } from "node:stream"
import type { HeaderPairs } from "../../http/HeaderFields.ts"
import type { Following, Protocol } from "../../http/OutgoingRequest.ts"
import type { BodyObserver, RequestBody } from "../../http/RequestBody.ts"
import { describeError } from "../../outbound/DialError.ts"
import { loggedPath } from "../../outbound/TargetInjection.ts"
import { defectRefusal, type Refusal, upstreamRefusal } from "../ErrorResponse.ts"
import type { CredentialUse } from "../routing/CredentialUses.ts"
import type { Origin } from "../routing/Origin.ts"
import type { ReadHead, RequestHead } from "../routing/RequestValidation.ts"
import { ruledRequest } from "../rules/RuleCheck.ts"
import { type GatedExchange, type PermittedRequest, RulesGate } from "../rules/RulesGate.ts"
import { type TokenLimit, type TokenReader, tokenReader } from "../rules/TokenLimit.ts"
import type { ConnectionUse } from "../upstream/Http1Pool.ts"
import { type CredentialedExchange, CredentialStep } from "./CredentialStep.ts"
import { readFields } from "./DeclaredFields.ts"
import { RequestContent } from "./RequestContent.ts"
import { type RelayedExchange, ResponseRelay } from "./ResponseRelay.ts"
import type { OpenExchange, RunContext } from "./RunContext.ts"
import { type SentExchange, type TokenUse, UpstreamAttempt } from "./UpstreamAttempt.ts"

/**
 * `checking`: against the rules. `resolving`: the credential. `sent`: to the upstream. `refused`: nothing more is sent, but over HTTP/2
 * the client's stream may still be open. `over`: the client has the whole response, or will not get one.
 */
type State = "checking" | "resolving" | "sent" | "refused" | "over"

export abstract class Exchange
  implements OpenExchange, GatedExchange, CredentialedExchange, SentExchange, RelayedExchange
{
  readonly context: RunContext
  readonly origin: Origin
  readonly credential: CredentialStep
  readonly relay: ResponseRelay
  readonly #startedAt = performance.now()
  readonly #invalid: Refusal | undefined
  #state: State = "checking"
  position = 0
  head: RequestHead
  status = 0
  /** The number of LLM tokens that the response has reported. */
  tokens = 0
  #refusal: Refusal | undefined
  #gate: RulesGate | undefined
  /** Withdraws the question to the user about more tokens. */
  #withdraw: (() => void) | undefined
  permission: PermittedRequest | undefined
  #content: RequestContent | undefined
  #attempt: UpstreamAttempt | undefined

  constructor(context: RunContext, origin: Origin, { head, refusal }: ReadHead) {
    this.context = context
    this.origin = origin
    this.head = head
    this.#invalid = refusal
    this.credential = new CredentialStep(this)
    this.relay = new ResponseRelay(this)
    context.exchanges.add(this)
    context.telemetry.began()
  }

  /** The client's protocol, which is also the preferred one for the upstream. */
  abstract readonly protocol: Protocol
  abstract readonly headSent: boolean
  abstract readonly trailers: (() => HeaderPairs) | undefined
  abstract openBody(observer: BodyObserver | undefined): RequestBody
  abstract sendContinue(): void
  abstract sendInformation(status: number, headers: HeaderPairs): void
  abstract sendHead(status: number, reason: string, headers: HeaderPairs, follows: Following): void
  abstract sendData(chunk: Buffer): boolean
  abstract sendEnd(trailers: HeaderPairs): void
  protected abstract sendRefusal(refusal: Refusal): void
  /** Ends an incomplete response so that the client notices. `code` is the upstream's HTTP/2 error code, if it sent one. */
  abstract abort(code: number | undefined): void

  begin(): void {
    this.contain(() => this.#checkRules())
  }

  #checkRules(): void {
    const { context, origin: { routes } } = this
    if (this.#invalid !== undefined) return this.refuse(this.#invalid)
    // Requests to hosts that are not routed get no credential, and the proxy cannot read most of them.
    if ((context.rules === undefined && context.recorder === undefined) || routes?.isOutside !== false) {
      return this.#checkTokens()
    }
    this.#gate = new RulesGate(this, context, this.head)
    this.#gate.begin(routes)
  }

  readBody(limit: number, done: (content: Buffer | "too long") => void): void {
    this.content.read(limit, (content) => this.contain(() => done(content)))
  }

  permitted(permission: PermittedRequest): void {
    this.permission = permission
    this.head = permission.head
    this.contain(() => {
      if (this.head.hasBody) this.content.permitted(permission)
      this.#checkTokens()
    })
  }

  /** Asks the user first if the run has used up its tokens. */
  #checkTokens(): void {
    const { approvals, tokens } = this.context
    const excess = this.tokenExcess
    if (excess === "none") return this.#resolve()
    if (approvals === undefined || excess === "refused") return this.refuse(tokens!.refusal())
    this.#withdraw = approvals.ask(ruledRequest(this.head, "hidden"), (answer) => {
      this.#withdraw = undefined
      if (this.isOver) return
      if (answer === "approved") this.contain(() => this.#resolve())
      else this.refuse(tokens!.refusal(answer))
    }, tokens)
  }

  #resolve(): void {
    this.#state = "resolving"
    this.credential.begin()
  }

  /** Whether the token limit of the run stops the request. */
  get tokenExcess(): ReturnType<TokenLimit["excess"]> {
    return this.context.tokens?.excess(this.origin.authority.host, this.head) ?? "none"
  }

  /** Reads the LLM token count that a response or message reports; undefined in a run without a token limit. */
  tokenReader(): TokenReader | undefined {
    const { tokens } = this.context
    return tokens && tokenReader((more) => {
      this.tokens += more
      tokens.add(this.origin.authority.host, more)
    })
  }

  send(): void {
    if (this.credential.injection?.body === undefined || !this.head.hasBody) this.attempt("any", "first")
    else readFields(this, () => this.attempt("any", "first"))
  }

  attempt(connection: ConnectionUse, token: TokenUse): void {
    this.#state = "sent"
    this.#attempt = new UpstreamAttempt(this, connection, token)
    this.#attempt.begin()
  }

  contain(step: () => void): void {
    try {
      step()
    } catch {
      this.refuse(defectRefusal(this.origin.authority.host))
    }
  }

  get content(): RequestContent {
    return this.#content ??= new RequestContent(this)
  }

  get use(): CredentialUse | undefined {
    return this.isOver || this.#attempt?.ended === true ? undefined : this.credential.use
  }

  get isOver(): boolean {
    return this.#state === "over" || this.#state === "refused"
  }

  get isClosed(): boolean {
    return this.#state === "over"
  }

  proceed(): void {
    this.#attempt?.resume()
  }

  upgraded(_status: number, _headers: HeaderPairs, socket: Duplex, _use: CredentialUse | undefined): void {
    socket.destroy()
  }

  lost(_code?: number, error?: Error): void {
    const reason = error === undefined ? "" : ` (${describeError(error)})`
    this.refuse(upstreamRefusal(`${this.origin.authority.host} sent no valid response${reason}`))
  }

  /** The header section of a response for the client. */
  protected returned(headers: HeaderPairs): HeaderPairs {
    return this.origin.returned?.(headers) ?? headers
  }

  refuse(refusal: Refusal): void {
    if (this.isOver) return
    this.#gate?.withdraw()
    this.#withdraw?.()
    this.#state = "refused"
    this.#refusal = refusal
    this.status = refusal.status
    this.#attempt?.abort()
    this.#content?.destroy()
    if (this.headSent) this.abort(undefined)
    else this.sendRefusal(refusal)
  }

  /** Ends the exchange: the client has the whole response, or will not get one. */
  closed(): void {
    if (this.#state === "over") return
    this.#gate?.withdraw()
    this.#withdraw?.()
    this.#state = "over"
    this.context.exchanges.delete(this)
    if (this.#attempt?.ended === true) this.#conclude()
    // Waits until the ends of other streams with withdrawn credentials are written, which happens in this event-loop turn.
    else process.nextTick(() => this.#conclude())
  }

  #conclude(): void {
    this.#attempt?.abort()
    this.#content?.end()
    this.relay.destroy()
    this.report()
  }

  /** Reports the outcome for the logs and metrics. `sent` and `received` are bytes that followed an upgrade. */
  protected report(sent = 0, received = 0): void {
    const { context, credential, head, origin } = this
    const { injection, provider } = credential
    context.onEvent({
      host: origin.authority.host,
      method: head.method,
      path: injection === undefined ? credential.prefix : loggedPath(head.target, injection),
      status: this.status,
      provider,
      connection: credential.resolved?.connection ?? credential.request?.connection,
      isRouted: origin.routes !== undefined,
      rule: this.permission?.rule ?? this.#refusal?.outside?.rule ?? null,
      bytesIn: (this.#content?.receivedBytes ?? 0) + sent,
      bytesOut: this.relay.bytesOut + received,
      missingScopes: credential.missingScopes,
      tokens: this.tokens,
      injected: this.#attempt?.isSent === true && injection !== undefined,
      startedAt: this.#startedAt,
      refusal: this.#refusal
    })
  }
}
