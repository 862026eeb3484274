import type * as DateTime from "effect/DateTime"
import type { IssuedTokens } from "../../domain/injection/IssuedTokens.ts"
import type { Rule } from "../../domain/rules/Rule.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { Injection } from "../../outbound/HeaderInjection.ts"
import type { HmacCredential } from "../../outbound/HmacSignature.ts"
import type { SigningCredential } from "../../outbound/sigv4/RequestSigner.ts"
import type { Refusal } from "../ErrorResponse.ts"

/** Tokens that a host issues, as the definition declares them. */
export interface Issuing {
  readonly action: IssuedTokens["action"]
  readonly tokens: ReadonlyArray<string>
  readonly tokenHeaders: ReadonlySet<string>
  readonly requests: ReadonlyArray<Rule>
  readonly uses: ReadonlyArray<Rule>
  /** In lower case. */
  readonly useHeaders: ReadonlySet<string>
  readonly placeholder: string
}

/** A credential in the form that is applied to requests. */
export interface Resolved {
  readonly _tag: "resolved"
  readonly connection?: ConnectionName | undefined
  readonly injection: Injection
  /** The key for requests that are signed in place of carrying a secret. */
  readonly signing?: SigningCredential | undefined
  /** The recipe for requests that are signed by HMAC. */
  readonly hmac?: HmacCredential | undefined
  /** The tokens that the host issues. */
  readonly issuing?: ReadonlyArray<Issuing> | undefined
  readonly issuedAt: DateTime.Utc
  readonly refreshable: boolean
}

/** The daemon's response to a request for a credential. */
export type Resolution = Resolved | { readonly _tag: "refused"; readonly refusal: Refusal }
