/**
 * The context that the requests of a run or sandbox share: its settings, the daemon, and the state that earlier requests have
 * left.
 */
import type { CertificateAuthority } from "../../certificates/CertificateAuthority.ts"
import type { Upstream } from "../../config/file/ConfigDocument.ts"
import type { RuleRecorder } from "../../domain/rules/RuleRecorder.ts"
import type { RuleSets } from "../../domain/rules/RuleSchemas.ts"
import { compileRules, limitsRequests } from "../../domain/rules/RuleSet.ts"
import type { ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import { HeldBudget, MAX_HELD_BY_SANDBOX } from "../../outbound/sigv4/HeldBytes.ts"
import { type DialerOptions, type ParentProxy, UpstreamDialer } from "../../outbound/UpstreamDialer.ts"
import { ExpiringSet } from "../../platform/ExpiringSet.ts"
import { frozenRefusal, type Refusal } from "../ErrorResponse.ts"
import { type FoundPlaceholder, PlaceholderWatch } from "../placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "../ProxyEvent.ts"
import type { ProxyTelemetry } from "../ProxyTelemetry.ts"
import type { RequestReports } from "../RequestReports.ts"
import type { CredentialGate } from "../routing/CredentialGate.ts"
import type { CredentialRequest, LoginDecision, LoginQuery } from "../routing/CredentialSource.ts"
import { confirmUses, type CredentialUse, type OpenUse } from "../routing/CredentialUses.ts"
import type { Origin } from "../routing/Origin.ts"
import type { Resolution } from "../routing/Resolution.ts"
import type { ResolveBatch } from "../routing/ResolveBatch.ts"
import type { RouteWatch } from "../routing/RouteWatch.ts"
import { TokenLimit } from "../rules/TokenLimit.ts"
import { type ApprovalSettings, UserQuestions } from "../rules/UserQuestions.ts"
import { SentSecrets } from "../scrub/SentSecrets.ts"
import { UpstreamPool } from "../upstream/UpstreamPool.ts"
import { IssuedTokens } from "./IssuedTokens.ts"
import { type Member, OpenExchanges } from "./OpenExchanges.ts"
import { WebSocketRelays } from "./WebSocketRelays.ts"

/** The kind of client. Messages name it, and only an uncontained run reaches this machine. */
export type RunClient = "run" | "contained run" | "sandbox"

export interface RunSettings {
  /** How to treat hosts that are not routed: `allow` tunnels them, `deny` responds with 403. */
  readonly unmatched?: "allow" | "deny" | undefined
  /** The rules for requests to hosts of providers. */
  readonly rules?: RuleSets | undefined
  /** Asks the user about requests that the run's rules refuse, but the rules of outer runs allow. */
  readonly approval?: Omit<ApprovalSettings, "rules"> | undefined
  /** Collects the requests to hosts of providers. */
  readonly recorder?: RuleRecorder | undefined
  /** Whether the number of requests with a credential is limited, so that the proxy must ask the daemon for each of them. */
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

/** The daemon and the configuration, as a run sees them. */
export interface RunServices {
  readonly authority: CertificateAuthority
  readonly credentials: ResolveBatch<CredentialRequest, Resolution>
  /** Asks the daemon what to do with a program's login, refresh or logout request, or with the response to it. */
  readonly login: (query: LoginQuery, done: (decision: LoginDecision | Refusal) => void) => void
  /** The gate that closes when the run gets no more credentials. */
  readonly gate: CredentialGate
  readonly watch: RouteWatch
  readonly telemetry: ProxyTelemetry
  readonly reports: RequestReports
  readonly listed: ProxyRoutes["placeholders"]
  /** Calls the listener when credentials may no longer be valid. Returns a function that removes the listener. */
  readonly onChange: (listener: () => void) => () => void
  readonly readUpstream: () => Promise<Upstream>
}

/** The properties in which runs with the same settings differ. */
interface RunPlace {
  readonly client: RunClient
  readonly ownPorts: DialerOptions["ownPorts"]
  /** Removes header fields from every request. */
  readonly sent?: Origin["sent"]
}

export interface OpenExchange extends Member {
  /** The use of a credential. Undefined if there is none, or if the upstream has received the request and sent the response. */
  readonly use: CredentialUse | undefined
  readonly refuse: (refusal: Refusal) => void
}

/** The uses of credentials by open exchanges and WebSockets. */
export const usesIn = ({ exchanges, webSockets }: {
  readonly exchanges: OpenExchanges<OpenExchange>
  readonly webSockets: WebSocketRelays
}): ReadonlyArray<OpenUse> => [
  ...exchanges.all.flatMap((exchange) => {
    const { use } = exchange
    return use === undefined ? [] : [{ use, withdraw: (refusal: Refusal) => exchange.refuse(refusal) }]
  }),
  ...webSockets.uses
]

export const runContext = (settings: RunSettings, services: RunServices, place: RunPlace) => {
  const { approval, connectTimeout, onEvent, onMisplaced, parentProxy, strict } = settings
  const { credentials, gate, listed, readUpstream, reports, telemetry } = services
  const { client, ownPorts, sent } = place
  const isSandbox = client === "sandbox"
  const sets = settings.rules ?? []
  const ofRequests = sets.filter(limitsRequests)
  const rules = ofRequests.length === 0 ? undefined : compileRules(ofRequests)
  const dialer = new UpstreamDialer({
    upstream: readUpstream,
    parentProxy,
    ownPorts,
    client: client === "run" ? undefined : client,
    connectTimeout
  })
  const exchanges = new OpenExchanges<OpenExchange>()
  const webSockets = new WebSocketRelays()
  const placeholders = new PlaceholderWatch(listed, (found) => {
    reports.addMisplaced(found)
    onMisplaced?.(found)
    if (strict !== true) return
    gate.close(frozenRefusal(found, isSandbox))
    // Runs in another turn, because the request that had the placeholder may be about to be sent.
    setImmediate(() => confirmUses(usesIn({ exchanges, webSockets }), credentials))
  })
  return {
    ...settings,
    ...services,
    client,
    sent,
    rules,
    approvals: approval === undefined || sets.length === 0
      ? undefined
      : new UserQuestions({ ...approval, rules: sets }),
    tokens: TokenLimit.of(sets, approval?.outerRules ?? []),
    placeholders,
    dialer,
    upstreams: new UpstreamPool(dialer),
    exchanges,
    webSockets,
    /** The rejected API keys that were reported in the last minute: a child process can provoke 401 responses at any rate. */
    rejectedKeys: new ExpiringSet(60_000, 256),
    secrets: new SentSecrets(),
    issued: new IssuedTokens(),
    /** The memory for bodies that are read before they are sent. */
    budget: new HeldBudget(isSandbox ? MAX_HELD_BY_SANDBOX : undefined),
    onEvent: (event: ProxyEvent) => {
      telemetry.ended(event)
      reports.add(event)
      onEvent?.(event)
    }
  }
}
export type RunContext = ReturnType<typeof runContext>
