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

/** Runs one check. If it fails, the report contains its message as the problem. */
export const runCheck = <E extends { readonly message: string }, R>(
  name: string,
  effect: Effect.Effect<void, E, R>
): Effect.Effect<Check, never, R> =>
  Effect.match(effect, {
    onFailure: ({ message }) => ({ name, problem: message }),
    onSuccess: () => ({ name })
  })

/** Runs checks one after the other, until one has a problem. */
export const runInOrder = <E extends Effect.Effect<Check, never, any>>(
  checks: ReadonlyArray<E>
): Effect.Effect<ReadonlyArray<Check>, never, Effect.Services<E>> =>
  Effect.gen(function*() {
    const done: Array<Check> = []
    for (const check of checks) {
      done.push(yield* check as Effect.Effect<Check, never, Effect.Services<E>>)
      if (done.at(-1)?.problem !== undefined) break
    }
    return done
  })
