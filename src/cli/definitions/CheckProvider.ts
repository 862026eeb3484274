/**
 * Checks a provider definition. The entry point supplies it, because it needs the daemon's services in this process.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { InvalidRequestError } from "../../domain/Errors.ts"

/** The checks of one flow of the provider. If there is a problem, it is in the last one. */
interface CheckedFlow {
  readonly provider: string
  readonly flow: string
  readonly checks: ReadonlyArray<{ readonly name: string; readonly problem?: string }>
}

export class CheckProvider extends Context.Service<CheckProvider, {
  readonly check: (text: string) => Effect.Effect<ReadonlyArray<CheckedFlow>, InvalidRequestError>
}>()("credsvc/cli/CheckProvider") {}
