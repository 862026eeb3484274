/** Obtains the credential of one request: finds its route and the connection that it selects, and asks the daemon. */
import * as DateTime from "effect/DateTime"
import type { Mutable } from "effect/Types"
import type { PhantomName } from "../../domain/injection/Placeholder.ts"
import { pathOf } from "../../domain/injection/Route.ts"
import { missingScopes, stepUpCommand } from "../../domain/text/StepUp.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { isConnectionName } from "../../domain/wire/Names.ts"
import type { Route } from "../../domain/wire/ProxyRoutes.ts"
import { maxPath } from "../../domain/wire/ResolveMessages.ts"
import { fieldOf, type HeaderPairs } from "../../http/HeaderFields.ts"
import type { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import type { Injection } from "../../outbound/HeaderInjection.ts"
import {
  type ClientSignature,
  clientSignature,
  UnsupportedSignatureError
} from "../../outbound/sigv4/ClientSignature.ts"
import { TooManyHeldError } from "../../outbound/sigv4/HeldBytes.ts"
import { ambiguousRefusal, type Refusal, requestRefusal } from "../ErrorResponse.ts"
import type { SearchedRequest } from "../placeholders/PlaceholderWatch.ts"
import { captureOf } from "../routing/CapturedRequests.ts"
import type { CredentialRequest } from "../routing/CredentialSource.ts"
import { type CredentialUse, keyOf } from "../routing/CredentialUses.ts"
import type { RequestHead } from "../routing/RequestValidation.ts"
import type { Captured, Resolution, Resolved } from "../routing/Resolution.ts"
import type { Waiter } from "../routing/ResolveBatch.ts"
import { decideRoute } from "../routing/RouteTable.ts"
import { chosenConnection, connectionConflict, namedConnections, phantomOf } from "./ConnectionChoice.ts"
import type { IssuingResponse } from "./IssuedTokens.ts"
import { type CapturedExchange, LoginCapture } from "./LoginCapture.ts"
import { isOfOtherSite } from "./OtherSite.ts"

const NO_SECRETS: ReadonlyArray<string> = []

const LONG_PATH = requestRefusal(
  414,
  `the path of the request is longer than ${maxPath} characters: send its data in the query or the body`
)

const ignoreOutcome: Waiter<Resolution> = { settled: () => {} }

/** Distinguishes requests that must not share the response of the daemon. */
let asked = 0

/** The refusal of a request that cannot be signed. */
export const signatureRefusal = (error: unknown): Refusal => {
  if (!(error instanceof UnsupportedSignatureError)) throw error
  return requestRefusal(error instanceof TooManyHeldError ? 503 : 400, error.message)
}

/** How the API issues tokens in response to a request, or undefined for a login. */
const issuingOf = (
  { login, provider }: CredentialRequest,
  { connection, injection }: Resolved,
  { tokens }: Captured
): IssuingResponse | undefined =>
  tokens === undefined || connection === undefined
    ? undefined
    : { ...tokens, provider, connection, login, known: injection.values }

const allFields = ({ headers, withheld }: RequestHead): HeaderPairs => [...withheld, ...headers]

/** The part of an exchange that the step uses. */
export interface CredentialedExchange extends CapturedExchange {
  /** Called when the request has its credential, or needs none. */
  readonly send: () => void
}

export class CredentialStep implements Waiter<Resolution> {
  readonly #exchange: CredentialedExchange
  /** The route of the request, or undefined if it belongs to no provider. */
  #route: Route | undefined
  request: CredentialRequest | undefined
  /** Whether the request names its connection. */
  #isChosen = false
  /** The ID of the token that the API has issued, if the request has its placeholder. */
  #issued: string | undefined
  /** The client's signature, made with placeholders. */
  signature: ClientSignature | undefined
  /** The credential as it is applied; undefined if the request gets none. */
  resolved: Resolved | undefined
  /** The scopes that the upstream demanded and the credential lacks. */
  missingScopes: ReadonlyArray<string> | undefined
  /** Captures the response if it may have tokens, which the client must not get. */
  capture: LoginCapture | undefined

  constructor(exchange: CredentialedExchange) {
    this.#exchange = exchange
  }

  /** Ends with one call of `send` or `refuse`, if the exchange does not end before that. */
  begin(): void {
    const { head: { method, target, withheld }, origin } = this.#exchange
    const phantom = phantomOf(withheld, target)
    if (phantom !== undefined && "status" in phantom) return this.#exchange.refuse(phantom)
    const decision = decideRoute(origin.routes, method, target, phantom?.provider)
    switch (decision._tag) {
      case "Routed":
        return this.#beginRouted(decision.route, phantom)
      case "Ambiguous":
        return this.#exchange.refuse(ambiguousRefusal(origin.authority.host, decision.providers))
      case "Plain":
        // OPTIONS gets no credential from any provider.
        if (method === "OPTIONS") return this.#exchange.send()
        if (phantom === undefined) return this.#sendUnchanged()
        return this.#exchange.refuse(requestRefusal(
          403,
          `the placeholder of a token of ${phantom.provider} must not be sent to this path of ${origin.authority.host}`
        ))
    }
  }

  #beginRouted(route: Route, phantom: PhantomName | undefined): void {
    const { head: { target, withheld }, origin } = this.#exchange
    this.#route = route
    const chosen = origin.routes?.isFixed(route.provider) === true
      ? undefined
      : phantom?.connection ?? chosenConnection(withheld, target, origin.connection)
    if (typeof chosen === "object") return this.#refuseConnection(chosen)
    this.#isChosen = chosen !== undefined
    try {
      if (route.signing !== undefined) this.signature = clientSignature(allFields(this.#exchange.head), target)
    } catch (error) {
      return this.#exchange.refuse(signatureRefusal(error))
    }
    // The client has not signed with placeholders.
    if (route.signing !== undefined && this.signature === undefined) return this.#sendUnchanged()
    this.#ask(route, chosen ?? route.connection, phantom)
  }

  /** Whether the resolved credential may replace a placeholder of this connection in the content. */
  isFor(connection: string): boolean {
    return connection === this.resolved?.connection ||
      this.#exchange.origin.routes?.isFixed(this.#route!.provider) === true
  }

  /**
   * Returns the result of `isFor`. If it is false, refuses the request, or asks for the credential of that connection:
   * `send` or `refuse` is called once more.
   */
  accepts(connection: string): boolean {
    if (this.isFor(connection)) return true
    if (this.#isChosen || !isConnectionName(connection)) {
      const message =
        `the body has the placeholder of another connection (${connection}): use placeholders of one connection only`
      this.#refuseConnection(connectionConflict(message))
    } else {
      this.#isChosen = true
      this.#ask(this.#route!, connection)
    }
    return false
  }

  #ask(route: Route, connection: ConnectionName | null, { issued, login }: Partial<PhantomName> = {}): void {
    const { context, head: { target }, origin } = this.#exchange
    const { host, port } = origin.authority
    // Spreading properties would take V8 as long as computing the key of the request.
    const request: Mutable<CredentialRequest> = { host, port, provider: route.provider }
    if (origin.routes?.byPath === true) request.path = pathOf(target)
    if ((request.path?.length ?? 0) > maxPath) return this.#exchange.refuse(LONG_PATH)
    if (connection !== null) request.connection = connection
    if (login !== undefined && this.#isChosen) request.login = login
    if (this.signature !== undefined) request.scope = this.signature.scope
    // The page gets no credential, so it must not use up the uses of the run.
    if (context.counted === true && isOfOtherSite(this.#exchange.head, origin.hostHeader)) request.confirm = true
    this.request = request
    this.#issued = issued
    const key = keyOf(request)
    context.credentials.ask(context.counted === true ? `${key} ${++asked}` : key, request, this)
  }

  settled(outcome: Resolution): void {
    const exchange = this.#exchange
    if (exchange.isOver) return
    exchange.contain(() => {
      if (!this.apply(outcome)) return
      if (this.capture === undefined) return exchange.send()
      this.capture.begin((captures) => {
        if (!captures) this.capture = undefined
        exchange.send()
      })
    })
  }

  /** Prepares the credential for the request. Returns false if it refuses the request. */
  apply(outcome: Resolution): boolean {
    const exchange = this.#exchange
    if (outcome._tag === "refused") {
      if (outcome.refusal.error !== "CredentialMissingError") return this.#refused(outcome.refusal)
      this.#refuseConnection(outcome.refusal)
      return false
    }
    const { head } = exchange
    const { gate, placeholders } = exchange.context
    placeholders.searchOutside(this.#searched, head.target, outcome.injection)
    if (gate.refusal !== undefined) return this.#refused(gate.refusal)
    const capture = outcome.captured === undefined ? undefined : captureOf(outcome.captured, head)
    if (capture !== undefined && "status" in capture) return this.#refused(capture)
    if (capture?.refused === true) {
      const message =
        `this request would exchange the login of ${this.provider} for another credential, so it was not sent`
      return this.#refused(requestRefusal(403, message))
    }
    // A request that is repeated with another credential keeps its capture.
    if (capture !== undefined) {
      const issuing = issuingOf(this.request!, outcome, capture)
      this.capture ??= new LoginCapture(exchange, this.provider!, issuing)
    }
    if (isOfOtherSite(head, exchange.origin.hostHeader)) return true
    const injection = this.#issued === undefined
      ? outcome.injection
      : exchange.context.issued.placed(this.#issued, outcome)
    if (typeof injection === "string") return this.#refused(requestRefusal(403, injection))
    this.resolved = injection === outcome.injection ? outcome : { ...outcome, injection }
    return true
  }

  get provider(): Route["provider"] | undefined {
    return this.#route?.provider
  }

  get prefix(): string {
    return this.#route?.pathPrefix ?? ""
  }

  get injection(): Injection | undefined {
    return this.resolved?.injection
  }

  get use(): CredentialUse | undefined {
    const { request, resolved } = this
    return request === undefined || resolved === undefined ? undefined : { request, resolved }
  }

  /** Whether the request carries the credential, so that a 401 rejects it. False for an issued token. */
  get isSent(): boolean {
    if (this.resolved === undefined || this.#issued !== undefined) return false
    const { hmac, injection, signing } = this.resolved
    return injection.values.length > 0 || signing !== undefined || hmac !== undefined
  }

  /** Whether the proxy can repeat a request with another credential after a 401. */
  get isRenewable(): boolean {
    return this.resolved?.refreshable === true && this.isSent
  }

  /** The search for the secrets of this request and of earlier ones to the host; undefined without secrets. */
  get search(): SecretSearch | undefined {
    // A signature is not a secret, because it is valid for one request. It covers the codings that the request offers, so
    // these cannot be restricted.
    return this.signature === undefined ? this.#searchWith(NO_SECRETS) : undefined
  }

  /** The search for these secrets and those of `search`. From here on, other responses of the host are searched for them, too. */
  #searchWith(more: ReadonlyArray<string>): SecretSearch | undefined {
    const values = this.injection?.values ?? NO_SECRETS
    const { context, origin } = this.#exchange
    return context.secrets.searchWith(origin.hostHeader, more.length === 0 ? values : [...values, ...more])
  }

  /** The search in the head and the trailer section of the response. They may repeat the session token of a presigned URL. */
  get headSearch(): SecretSearch | undefined {
    const token = this.signature?.form === "query" ? this.resolved?.signing?.sessionToken : undefined
    return token === undefined ? this.search : this.#searchWith([token])
  }

  /** Records the scopes that a 403 demands for the request, and adds a field that tells the client how to get them. */
  withStepUp(headers: HeaderPairs): HeaderPairs {
    const scopes = this.isSent ? missingScopes(fieldOf(headers, "www-authenticate") ?? "") : undefined
    this.missingScopes = scopes
    if (scopes === undefined) return headers
    const command = stepUpCommand(this.provider!, this.resolved!.connection ?? null, scopes)
    return [...headers, "X-Credsvc-Hint", `the credential lacks scopes that this request needs; run: ${command}`]
  }

  /** Reports to the daemon that the upstream rejected the credential. `waiter` receives the current one. */
  reject(waiter: Waiter<Resolution> = ignoreOutcome): void {
    const { credentials, rejectedKeys } = this.#exchange.context
    const { issuedAt, refreshable } = this.resolved!
    const rejected = { ...this.request!, rejected: issuedAt }
    const { connection = "", provider } = rejected
    const key = `${provider} ${connection} ${issuedAt.epochMilliseconds}`
    const now = performance.now()
    if (!refreshable && rejectedKeys.has(key, now)) return
    if (!refreshable) rejectedKeys.add(key, now)
    credentials.ask(keyOf(rejected), rejected, waiter)
  }

  /** Whether a later response of the daemon has another credential. */
  isOther(outcome: Resolution): boolean {
    return outcome._tag === "resolved" && !DateTime.Equivalence(outcome.issuedAt, this.resolved!.issuedAt)
  }

  /** The request, for a search for misplaced placeholders. */
  get #searched(): SearchedRequest {
    const { head: { method }, origin } = this.#exchange
    const { provider } = this
    return { kind: provider === undefined ? "unmatched" : "provider", host: origin.authority.host, method, provider }
  }

  #sendUnchanged(): void {
    const { context, head } = this.#exchange
    context.placeholders.searchHead(this.#searched, allFields(head), head.target)
    this.#exchange.send()
  }

  #refuseConnection(refusal: Refusal): void {
    const { context: { placeholders }, head } = this.#exchange
    const isNamed = namedConnections(head.withheld, head.target).length > 0
    if (isNamed) placeholders.report({ ...this.#searched, kind: "connection", place: "header" })
    this.#exchange.refuse(refusal)
  }

  #refused(refusal: Refusal): false {
    this.#exchange.refuse(refusal)
    return false
  }
}
