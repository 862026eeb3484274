/** Runs inside a D-Bus session of `Keyring.test.ts`, and prints the result of each operation as a line of JSON. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { ConfigFile } from "../../src/config/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { Sqlite } from "../../src/store/Sqlite.ts"
import { KeyResolver } from "../../src/vault/KeyResolver.ts"
import { Keyring } from "../../src/vault/Keyring.ts"
import { Vault } from "../../src/vault/Vault.ts"

const say = (value: unknown) => Effect.sync(() => console.log(JSON.stringify(value)))

const vault = (home: string) =>
  Vault.layerResolver.pipe(
    Layer.provide(KeyResolver.layerNoDeps),
    Layer.provide(Sqlite.layerNoDeps),
    Layer.provide(ConfigFile.layerNoDeps),
    Layer.provide(Keyring.layer),
    Layer.provide(Paths.layerHome(home)),
    Layer.provide(Settings.layerOf({ home }))
  )

const operation = (name: string, argument: string) =>
  Effect.gen(function*() {
    const keyring = yield* Keyring
    switch (name) {
      case "get":
        return Option.getOrNull(Option.map(yield* keyring.get("account"), Redacted.value))
      case "set":
        yield* keyring.set("account", Redacted.make(argument))
        return "done"
      default:
        return yield* Effect.flatMap(Vault, (vault) => vault.masterKey).pipe(Effect.provide(vault(argument)))
    }
  })

const main = Effect.forEach(process.argv.slice(2), (word) => {
  const [name = "", argument = ""] = word.split("=")
  const began = performance.now()
  return operation(name, argument).pipe(
    Effect.matchEffect({
      onFailure: (error) => say({ problem: error.problem, ms: performance.now() - began }),
      onSuccess: (value) => say({ value })
    })
  )
})

await Effect.runPromise(Effect.provide(main, Keyring.layer))
