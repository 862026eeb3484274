/** Sets of listeners. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Adds a listener to a set until the scope closes. */
export const listenIn = <A>(listeners: Set<A>, listener: A): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => void listeners.add(listener)),
    () => Effect.sync(() => listeners.delete(listener))
  )
