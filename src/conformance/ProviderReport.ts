/** The results of checking a provider. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FlowKind } from "../domain/wire/ProviderName.ts"

export interface Check {
  readonly name: string
  readonly problem?: string
}

export interface ProviderReport {
  readonly provider: string
  readonly flow: FlowKind
  readonly checks: ReadonlyArray<Check>
}

export const passes = ({ checks }: ProviderReport): boolean => checks.every(({ problem }) => problem === undefined)

/** A failed check: a sentence without secrets. */
export class CheckFailure extends Schema.TaggedError<CheckFailure>()("CheckFailure", { message: Schema.String }) {}

export const failCheck = (message: string): Effect.Effect<never, CheckFailure> =>
  Effect.fail(new CheckFailure({ message }))

export const attempt = <E extends { readonly message: string }, R>(
  name: string,
  effect: Effect.Effect<void, E, R>
): Effect.Effect<Check, never, R> =>
  Effect.match(effect, {
    onFailure: ({ message }) => ({ name, problem: message }),
    onSuccess: () => ({ name })
  })

export const inOrder = <const Attempts extends ReadonlyArray<Effect.Effect<Check, never, unknown>>>(
  ...attempts: Attempts
): Effect.Effect<ReadonlyArray<Check>, never, Effect.Services<Attempts[number]>> =>
  Effect.gen(function*() {
    const checks: Array<Check> = []
    for (const each of attempts as ReadonlyArray<Effect.Effect<Check, never, Effect.Services<Attempts[number]>>>) {
      const check = yield* each
      checks.push(check)
      if (check.problem !== undefined) break
    }
    return checks
  })
