/** The check of a provider definition, supplied by the entry: it needs the services of the daemon in this process. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { InvalidRequestError } from "../../domain/Errors.ts"

/** What one flow of the provider went through. The first problem is the last check. */
export interface CheckedFlow {
  readonly provider: string
  readonly flow: string
  readonly checks: ReadonlyArray<{ readonly name: string; readonly problem?: string }>
}

export class CheckProvider extends Context.Service<CheckProvider, {
  /** Takes the text of a definition. */
  readonly check: (text: string) => Effect.Effect<ReadonlyArray<CheckedFlow>, InvalidRequestError>
}>()("credsvc/cli/CheckProvider") {}
