/**
 * A daemon whose master key comes from the key store of the program.
 *
 * Prints: ok the key store of our program
 */
import { Daemon, keyEncryptionKey, KeyResolver, Paths, PeerOwner, Settings } from "credsvc"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { home } from "./home.ts"

/** 32 bytes. The resolver wipes them. */
const keyFromOurStore = Effect.sync(() => new Uint8Array(32).fill(7))

const resolved = Effect.map(keyFromOurStore, (bytes) => ({ source: "env" as const, key: keyEncryptionKey(bytes) }))

const resolver = Layer.succeed(
  KeyResolver,
  KeyResolver.of({
    mode: Effect.succeed("auto"),
    existing: () => resolved,
    create: () => resolved,
    describe: () => "the key store of our program"
  })
)

const program = Effect.gen(function*() {
  const daemon = yield* Daemon.start({ host: "127.0.0.1", port: 0, keyResolver: resolver })
  const response = yield* Effect.promise(() => fetch(`${daemon.url}/health`))
  const health = yield* Effect.promise(() => response.json() as Promise<Record<string, string>>)
  console.log(health["status"], health["master_key_description"])
}).pipe(
  Effect.scoped,
  Effect.provide(Layer.merge(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(Settings.layerOf({ home }))))
)

await Effect.runPromise(program)
