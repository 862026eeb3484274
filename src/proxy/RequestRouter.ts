/**
 * Routes the admitted requests of one run or sandbox: to the engine, which adds credentials, or into tunnels that leave their bytes
 * unread. Uses plain callbacks, because every tunnel takes this path.
 */
import type { CertificateAuthority } from "../certificates/CertificateAuthority.ts"
import type { Upstream } from "../config/ConfigDocument.ts"
import type { RuleRecorder } from "../domain/rules/RuleRecorder.ts"
import type { RuleSets } from "../domain/rules/RuleSchemas.ts"
import { type CompiledRules, compileRules } from "../domain/rules/RuleSet.ts"
import { fieldOf } from "../http/HeaderFields.ts"
import type { ServerRequest } from "../http/http1/ServerRequest.ts"
import { type Authority, formatAuthority, parseAbsoluteTarget, parseAuthority } from "../outbound/Authority.ts"
import { MAX_HELD_BY_SANDBOX } from "../outbound/sigv4/HeldBytes.ts"
import { type DialerOptions, make as makeDialer, type ParentProxy } from "../outbound/UpstreamDialer.ts"
import { frozenRefusal, reasonPhrase, type Refusal, requestRefusal } from "./ErrorResponse.ts"
import { Approvals, type ApprovalSettings } from "./exchange/Approvals.ts"
import { type FoundPlaceholder, PlaceholderWatch } from "./placeholders/PlaceholderWatch.ts"
import { ProxyEngine } from "./ProxyEngine.ts"
import { type ProxyEvent, refusedEvent } from "./ProxyEvent.ts"
import type { ProxyTelemetry } from "./ProxyTelemetry.ts"
import type { RequestReports } from "./RequestReports.ts"
import type { CredentialRequest } from "./routing/CredentialSource.ts"
import type { Origin } from "./routing/Origin.ts"
import type { Resolution } from "./routing/Resolution.ts"
import type { ResolveBatch } from "./routing/ResolveBatch.ts"
import { routedOrigin, type RouteWatch } from "./routing/RouteWatch.ts"
import { Tunnels } from "./tls/Tunnels.ts"
import { unencryptedRefusal, unroutedRefusal } from "./UnroutedHosts.ts"

export interface RouterSettings {
  /** How to treat hosts that are not routed: `allow` tunnels them, `deny` responds with 403. */
  readonly unmatched?: "allow" | "deny" | undefined
  /** The rules for requests to hosts of providers. */
  readonly rules?: RuleSets | undefined
  /** Asks the user about requests outside the rules, within the rules of outer runs. */
  readonly approval?: Omit<ApprovalSettings, "rules"> | undefined
  /** Collects the requests to hosts of providers. */
  readonly recorder?: RuleRecorder | undefined
  /** Whether the number of requests with a credential is limited. */
  readonly counted?: boolean | undefined
  /** Whether a misplaced placeholder ends the use of credentials. */
  readonly strict?: boolean | undefined
  /** The daemon's address, which clients cannot reach through the proxy. */
  readonly daemonUrl?: URL | undefined
  /** The proxy named in credsvc's own environment, see `NoProxy.parentProxy`. */
  readonly parentProxy?: ParentProxy | undefined
  /** Called after each request to a routed host, for the debug log. */
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined
  /** Called once for each kind of misplaced placeholder and each host. */
  readonly onMisplaced?: ((found: FoundPlaceholder) => void) | undefined
  readonly connectTimeout?: number | undefined
  readonly headMilliseconds?: number | undefined
}

/** Who sends the requests. Messages name it, and only an uncontained run reaches this machine. */
export type RouterClient = "run" | "contained run" | "sandbox"

export interface RouterServices {
  readonly authority: CertificateAuthority
  readonly credentials: ResolveBatch<CredentialRequest, Resolution>
  readonly watch: RouteWatch
  readonly telemetry: ProxyTelemetry
  readonly reports: RequestReports
  /** Refuses every further credential for this reason. */
  readonly freeze: (refusal: Refusal) => void
  /** The placeholders of the run without the usual marker. */
  readonly exactPlaceholders: ReadonlyArray<string>
  /** Calls the listener when credentials may no longer be valid. Returns a function that removes the listener. */
  readonly onChange: (listener: () => void) => () => void
  readonly readUpstream: () => Promise<Upstream>
}

export interface RequestRouterOptions extends RouterSettings, RouterServices {
  readonly client: RouterClient
  readonly ownPorts: DialerOptions["ownPorts"]
  readonly sent: Origin["sent"]
  readonly onClose?: (() => void) | undefined
}

export interface RefusalOptions {
  readonly host?: string | undefined
  readonly headers?: ReadonlyArray<string> | undefined
  readonly last?: boolean | undefined
}

export const HEAD_MILLISECONDS = 10_000
export const NO_UPGRADE = requestRefusal(400, "upgrades are supported only inside a CONNECT tunnel")

/** Whether a request wants a WebSocket. Java and `curl --http2` offer h2c to every http:// address, which is ignored (RFC 9110 section 7.8). */
export const isWebSocket = ({ headers, method, upgrade }: ServerRequest): boolean =>
  upgrade && method !== "CONNECT" && fieldOf(headers, "upgrade")?.toLowerCase() === "websocket"
export const AUTHENTICATE = { headers: ["Proxy-Authenticate", "Basic realm=\"credsvc\""] }

const NO_AUTHORITY = requestRefusal(400, "invalid CONNECT target: expected one host name or address and a port")
const NOT_ABSOLUTE = requestRefusal(
  400,
  "this is a forward proxy: use CONNECT or an absolute http:// or https:// target"
)

/** Sends a refusal as the response to a request. */
export const sendRefusal = (request: ServerRequest, refusal: Refusal, { headers = [], last }: RefusalOptions): void => {
  const { response } = request
  if (last === true) response.last = true
  response.send(refusal.status, reasonPhrase(refusal.message), [
    "Content-Type",
    "text/plain; charset=utf-8",
    "X-Credsvc-Error",
    refusal.error,
    ...headers
  ], `credsvc: ${refusal.message}\n`)
}

export class RequestRouter {
  readonly engine: ProxyEngine
  readonly tunnels: Tunnels
  readonly sent: Origin["sent"]
  readonly #options: RequestRouterOptions
  readonly #rules: CompiledRules | undefined
  readonly #dialer: ReturnType<typeof makeDialer>
  readonly #placeholders: PlaceholderWatch
  readonly #unsubscribe: () => void

  constructor(options: RequestRouterOptions) {
    this.#options = {
      ...options,
      onEvent: (event) => {
        options.telemetry.ended(event)
        options.reports.add(event)
        options.onEvent?.(event)
      }
    }
    const { onEvent } = this.#options
    this.sent = options.sent
    this.#rules = options.rules === undefined || options.rules.length === 0 ? undefined : compileRules(options.rules)
    this.#dialer = makeDialer({
      upstream: options.readUpstream,
      parentProxy: options.parentProxy,
      ownPorts: options.ownPorts,
      contained: options.client !== "run",
      client: options.client === "run" ? undefined : options.client,
      connectTimeout: options.connectTimeout
    })
    this.#placeholders = new PlaceholderWatch(options.exactPlaceholders, (found) => {
      options.reports.addMisplaced(found)
      options.onMisplaced?.(found)
      if (options.strict !== true) return undefined
      const refusal = frozenRefusal(found, options.client === "sandbox")
      options.freeze(refusal)
      // In another turn, because the request that had the placeholder may be about to be sent.
      setImmediate(() => this.engine.confirm(() => {}))
      return refusal
    })
    this.engine = new ProxyEngine({
      dialer: this.#dialer,
      credentials: options.credentials,
      headMilliseconds: options.headMilliseconds ?? HEAD_MILLISECONDS,
      maxHeldBytes: options.client === "sandbox" ? MAX_HELD_BY_SANDBOX : undefined,
      rules: this.#rules,
      approvals: options.approval === undefined || this.#rules === undefined
        ? undefined
        : new Approvals({ ...options.approval, rules: options.rules ?? [] }),
      recorder: options.recorder,
      counted: options.counted,
      placeholders: this.#placeholders,
      onBegin: () => options.telemetry.began(),
      onEvent
    })
    this.tunnels = new Tunnels({
      ...options,
      onEvent,
      dialer: this.#dialer,
      engine: this.engine,
      sent: this.sent,
      placeholders: this.#placeholders,
      denied: (authority) => this.#denied(authority)
    })
    this.#unsubscribe = options.onChange(() => {
      // Afterwards, because the daemon takes longer to create its table of routes than to respond about a credential.
      this.engine.confirm(() => options.watch.refreshed({ settled: () => this.engine.reroute() }))
    })
  }

  /** Opens a tunnel for an admitted CONNECT request. */
  connect(request: ServerRequest): void {
    const authority = parseAuthority(request.target)
    if (authority === undefined) return this.refuse(request, NO_AUTHORITY, { last: true })
    const { head, socket } = request.detach()
    this.tunnels.open(socket, head, authority)
  }

  /** Forwards an admitted request with an absolute target. */
  absolute(request: ServerRequest, absoluteTarget: string): void {
    const target = parseAbsoluteTarget(absoluteTarget)
    if (target === undefined) return this.refuse(request, NOT_ABSOLUTE)
    const { authority, path, scheme } = target
    const { host } = authority
    this.#options.watch.refreshed({
      settled: (table) => {
        const named = authority.kind === "name"
        if (scheme === "http" && named && table.claims(authority.host)) {
          return this.refuse(request, unencryptedRefusal(authority.host), { host })
        }
        const routes = scheme === "https" && named ? table.host(authority.host, authority.port) : undefined
        if (routes === undefined) {
          const denied = this.#denied(authority)
          if (denied !== undefined) {
            const { headers, method } = request
            this.#placeholders.searchHead({ kind: "unmatched", host, method }, headers, path)
            return this.refuse(request, denied, { host })
          }
        }
        const { sent } = this
        const hostHeader = formatAuthority(authority, scheme === "https" ? 443 : 80)
        const origin = routes === undefined
          ? { scheme, authority, hostHeader, routes, sent }
          : routedOrigin(this.#options.watch, authority, routes, { sent })
        this.engine.forward(request, origin, path)
      }
    })
  }

  refuse(request: ServerRequest, refusal: Refusal, options: RefusalOptions = {}): void {
    if (request.response.isClosed) return
    this.note(request.method, options.host ?? "", refusal)
    sendRefusal(request, refusal, options)
  }

  note(method: string, host: string, refusal: Refusal): void {
    this.#options.onEvent?.(refusedEvent(method, host, refusal))
  }

  /** Closes all connections to upstreams. The caller closes the engine and the clients' connections first. */
  close(): void {
    this.#unsubscribe()
    this.#dialer.close()
    this.#options.onClose?.()
  }

  #denied(authority: Authority): Refusal | undefined {
    return unroutedRefusal({ ...this.#options, rules: this.#rules }, authority)
  }
}
