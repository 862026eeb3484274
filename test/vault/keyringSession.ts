/** Runs inside a D-Bus session of `Keyring.test.ts`, and prints the result of each operation as a line of JSON. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Keyring } from "../../src/vault/keys/Keyring.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { started } from "./support.ts"

const say = (value: unknown) => Effect.sync(() => console.log(JSON.stringify(value)))

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
        return yield* started(argument, { keyring: Keyring.layer })(Effect.flatMap(Vault, (vault) => vault.masterKey))
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
