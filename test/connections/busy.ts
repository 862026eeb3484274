/** A process that logs in and out repeatedly in the home given as its argument, until it is killed. */
import * as Effect from "effect/Effect"
import { Connections } from "../../src/connections/Connections.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { services } from "../support/Services.ts"
import { storeOf } from "../support/StoredConnections.ts"

const provider = "openai" as ProviderName

const program = Effect.gen(function*() {
  process.stdout.write("begun\n")
  const connections = yield* Connections
  const profile = yield* (yield* Profiles).active
  const store = yield* storeOf(profile)
  const names = ["default", "second", "third"].map((name) => ConnectionName.make(name))
  const done = Effect.sync(() => process.stdout.write("."))
  for (let round = 0;; round++) {
    for (const connection of names) {
      yield* store({ api_key: `sk-${round}` }, { provider, connection, force: true })
      yield* done
    }
    yield* connections.logout(profile, provider, names[round % 3]!)
    yield* done
    yield* connections.setDefault(profile, provider, names[(round + 1) % 3]!)
    yield* done
    if (round % 2 === 1) yield* Effect.andThen(connections.revoke(profile, provider), done)
  }
})

await Effect.runPromise(Effect.provide(program, services(process.argv[2]!)))
