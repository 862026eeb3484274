/** Tells whether something that was derived from definitions and connections is still current. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreChanges } from "../platform/StoreChanges.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { ConnectionRepo } from "./ConnectionRepo.ts"

/** A state of all definitions and connections. `isVerified` is false while the store may have foreign changes. */
export interface State {
  readonly definitions: object
  readonly connections: object
  /** Changes with what other daemons have stored. */
  readonly adopted: object
  readonly isVerified: boolean
}

export class Revision extends Context.Service<Revision, {
  /** The same object until something changes. */
  readonly current: Effect.Effect<State>

  /**
   * Calls the listener when something has changed: after a commit of any daemon at once, and after a change of a
   * definition file when it is noticed. Returns a function that removes the listener.
   */
  readonly onChange: (listener: () => void) => () => void
}>()("credsvc/connections/Revision") {
  static readonly layerNoDeps = Layer.effect(
    Revision,
    Effect.gen(function*() {
      const manifest = yield* StoreManifest
      const registry = yield* ProviderRegistry
      const repo = yield* ConnectionRepo
      const changes = yield* StoreChanges
      // With the log of the daemon.
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const listeners = new Set<() => void>()
      let known: State = { definitions: {}, connections: {}, adopted: {}, isVerified: false }

      const current = Effect.map(Effect.zip(registry.revision, manifest.isCurrent), ([definitions, isVerified]) => {
        const now: State = {
          definitions,
          connections: repo.revision(),
          adopted: manifest.adopted(),
          isVerified
        }
        const isSame = known.definitions === now.definitions && known.connections === now.connections &&
          known.adopted === now.adopted && known.isVerified === now.isVerified
        if (!isSame) {
          known = now
          for (const listener of listeners) listener()
        }
        return known
      })

      let soon: NodeJS.Immediate | undefined
      const look = (): void => {
        // One transaction may report several changes.
        soon ??= setImmediate(() => {
          soon = undefined
          // What another daemon has stored is verified first, so that this is one change and not two.
          fork(Effect.andThen(Effect.ignore(manifest.unchanged), current))
        })
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => [repo.onChange(look), changes.onAnnounced("rows", look)]),
        (unsubscribe) =>
          Effect.sync(() => {
            for (const stop of unsubscribe) stop()
            clearImmediate(soon)
          })
      )

      return Revision.of({
        current,
        onChange: (listener) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        }
      })
    })
  )
}
