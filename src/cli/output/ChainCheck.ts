/** Verifies an exported log. The entry point supplies it, because it needs the chains of the audit room in this process. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainVerification } from "../../domain/LogChain.ts"

export class ChainCheck extends Context.Service<ChainCheck, {
  /** `publicKeys`: each is the `x` of a JWK. */
  readonly check: (lines: AsyncIterable<string>, publicKeys: ReadonlyArray<string>) => Effect.Effect<ChainVerification>
}>()("credsvc/cli/ChainCheck") {}
