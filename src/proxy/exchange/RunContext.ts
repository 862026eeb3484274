import type { RuleRecorder } from "../../domain/rules/RuleRecorder.ts"
import type { CompiledRules } from "../../domain/rules/RuleSet.ts"
import type { HeldBudget } from "../../outbound/sigv4/HeldBytes.ts"
import type { Refusal } from "../ErrorResponse.ts"
import type { IssuedTokens } from "../issued/IssuedTokens.ts"
import type { PlaceholderWatch } from "../placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "../ProxyEvent.ts"
import type { CredentialRequest } from "../routing/CredentialSource.ts"
import type { CredentialUse } from "../routing/CredentialUses.ts"
import type { Resolution } from "../routing/Resolution.ts"
import type { ResolveBatch } from "../routing/ResolveBatch.ts"
import type { SentSecrets } from "../scrub/SentSecrets.ts"
import type { UpstreamPool } from "../upstream/UpstreamPool.ts"
import type { Approvals } from "./Approvals.ts"
import type { Member, OpenExchanges } from "./OpenExchanges.ts"
import type { RefusalReports } from "./RefusalReports.ts"

export interface OpenExchange extends Member {
  /** Undefined if there is no credential, or if the upstream has received and sent everything. */
  readonly use: CredentialUse | undefined
  readonly refuse: (refusal: Refusal) => void
}

/** What the requests of one run or sandbox share. */
export interface RunContext {
  readonly credentials: ResolveBatch<CredentialRequest, Resolution>
  /** The rules for requests to hosts with routes. */
  readonly rules?: CompiledRules | undefined
  /** Asks the user about requests outside the rules. */
  readonly approvals?: Approvals | undefined
  /** Collects the requests to hosts with routes that are sent. */
  readonly recorder?: RuleRecorder | undefined
  /** Whether the daemon counts the requests that get a credential, so each of them must ask for it. */
  readonly counted?: boolean | undefined
  /** Finds placeholders that a request has where they are not replaced. */
  readonly placeholders?: PlaceholderWatch | undefined
  readonly upstreams: UpstreamPool
  readonly exchanges: OpenExchanges<OpenExchange>
  readonly refusals: RefusalReports
  readonly secrets: SentSecrets
  readonly issued: IssuedTokens
  /** The memory for bodies that are read before they are sent. */
  readonly budget: HeldBudget
  /** Called when a request begins that ends with an event. */
  readonly onBegin?: (() => void) | undefined
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined
}
