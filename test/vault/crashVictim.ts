/** Creates a vault and changes it. `Vault.crashes.test.ts` kills this process at a given system call. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { clientRow, vaultOf, victimIdentity } from "./support.ts"

const home = process.argv[2] ?? ""

const change = (generation: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const manifest = yield* StoreManifest
    yield* manifest.transact(Effect.flatMap(
      vault.seal(victimIdentity(generation), Redacted.make(`generation ${generation}`)),
      (sealed) => sql`INSERT OR REPLACE INTO client_credentials ${sql.insert({ ...clientRow, generation, sealed })}`
    ))
    console.log(generation)
  })

await Effect.runPromise(
  Effect.provide(
    Effect.forEach([1, 2, 3], change).pipe(Effect.andThen(Effect.flatMap(Vault, (v) => v.selfTest))),
    vaultOf(home)
  )
)
