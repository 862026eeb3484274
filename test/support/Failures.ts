import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"

/** Runs an effect that must fail with this error, and returns the error. */
export const failsWith = <A, E extends { readonly _tag: string }, R, const Tag extends E["_tag"]>(
  effect: Effect.Effect<A, E, R>,
  tag: Tag
): Effect.Effect<Extract<E, { readonly _tag: Tag }>, A, R> =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.strictEqual(error._tag, tag)
    return error as Extract<E, { readonly _tag: Tag }>
  })
