/** The daemon's response to a request for a credential, in the form that is applied to requests. */
import type * as DateTime from "effect/DateTime"
import type { Capture } from "../../domain/injection/Capture.ts"
import type { Rule } from "../../domain/rules/Rule.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { Resolved as Placed } from "../../domain/wire/Resolve.ts"
import type { Injection } from "../../outbound/HeaderInjection.ts"
import type { HmacCredential } from "../../outbound/HmacSignature.ts"
import type { SigningCredential } from "../../outbound/sigv4/RequestSigner.ts"
import type { Refusal } from "../ErrorResponse.ts"

/** Requests whose responses have tokens, as the definition declares them. */
export interface Captured extends Omit<Capture, "requests"> {
  readonly requests: ReadonlyArray<Rule>
}

/** A credential in the form that is applied to requests. */
export interface Resolved {
  readonly _tag: "resolved"
  readonly connection?: ConnectionName | undefined
  readonly injection: Injection
  /** The key for requests that carry a signature in place of a secret. */
  readonly signing?: SigningCredential | undefined
  /** Describes how to sign requests by HMAC. */
  readonly hmac?: HmacCredential | undefined
  readonly captured?: ReadonlyArray<Captured> | undefined
  /** The header fields for tokens that the API has issued, by the kind of the tokens. */
  readonly accepted?: Placed["accepted"] | undefined
  readonly issuedAt: DateTime.Utc
  readonly refreshable: boolean
}

export type Resolution = Resolved | { readonly _tag: "refused"; readonly refusal: Refusal }
