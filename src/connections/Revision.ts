/** Tells whether data derived from definitions and connections is still current. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"

/** The tables that determine which credentials a client gets, besides definitions. */
const tables = ["connections", "connection_grants", "provider_defaults", "sandboxes"]

/** A state of all definitions and connections. */
export interface State {
  /** An object that stays the same until something changes. */
  readonly content: object
  /** Whether `content` is known to include the changes of other daemons. */
  readonly isVerified: boolean
}

const make = Effect.gen(function*() {
  const manifest = yield* StoreManifest
  const registry = yield* ProviderRegistry
  const changes = yield* StoreChanges
  // Background work needs the context of the daemon, so that it writes to the daemon's log.
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const listeners = new Set<() => void>()
  let known = { definitions: {}, connections: [0] as ReadonlyArray<number> }

  const isKnown = (definitions: object | undefined): boolean =>
    definitions === known.definitions &&
    tables.every((table, at) => manifest.revisionOf(table) === known.connections[at])

  const current = Effect.map(
    Effect.zip(registry.revision, manifest.isVerified),
    ([definitions, isVerified]): State => {
      if (!isKnown(definitions)) {
        known = { definitions, connections: tables.map(manifest.revisionOf) }
        for (const listener of listeners) listener()
      }
      return { content: known, isVerified }
    }
  )

  let soon: NodeJS.Immediate | undefined
  const look = (): void => {
    // One transaction may report several changes, which are handled together.
    soon ??= setImmediate(() => {
      soon = undefined
      // Verifies changes of other daemons before it reads, so that listeners get one change and not two.
      fork(Effect.andThen(Effect.ignore(manifest.unchanged), current))
    })
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(soon)))
  yield* manifest.onChange((changed) => tables.some((table) => changed.has(table)) && look())
  yield* changes.onAnnounced("rows", look)

  return {
    current,

    /** Returns the verified content, or undefined if something has changed, or if only a query could tell. */
    known: () => manifest.isKnownVerified() && isKnown(registry.knownRevision()) ? known : undefined,
    /**
     * Calls the listener when something has changed: immediately after a commit of any daemon, and for definition files
     * when the change is noticed. Returns a function that removes the listener.
     */
    onChange: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
})

export class Revision extends Context.Service<Revision, Effect.Success<typeof make>>()("credsvc/connections/Revision") {
  static readonly layerNoDeps = Layer.effect(Revision, make)
}
