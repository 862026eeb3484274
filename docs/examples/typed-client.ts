/**
 * A client that finds the daemon of the environment, starts it if necessary, and calls operations with their types.
 *
 * Prints: openai is api_key, nonexistent: ProviderNotFoundError
 */
import { DaemonClient, ProviderName, ProvidersGroup } from "credsvc/api"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { openai } from "./provider.ts"

const unknown = Schema.decodeSync(ProviderName)("nonexistent")

const program = Effect.gen(function*() {
  const providers = (yield* DaemonClient).of(ProvidersGroup)
  const { authType, name } = yield* providers.get({ params: { provider: openai } })
  const error = yield* Effect.flip(providers.get({ params: { provider: unknown } }))
  console.log(`${name} is ${authType}, nonexistent: ${error._tag}`)
}).pipe(Effect.provide(DaemonClient.layer()))

await Effect.runPromise(program)
