/** Creates a vault and changes it. `Crash.test.ts` kills this process at a given system call. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { ConfigFile } from "../../src/config/ConfigFile.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { Sqlite } from "../../src/store/Sqlite.ts"
import { KeyResolver } from "../../src/vault/KeyResolver.ts"
import { Keyring } from "../../src/vault/Keyring.ts"
import { StoreManifest } from "../../src/vault/StoreManifest.ts"
import { Vault } from "../../src/vault/Vault.ts"

const home = process.argv[2] ?? ""

const layer = Vault.layerResolver.pipe(
  Layer.provide(KeyResolver.layerNoDeps),
  Layer.provideMerge(Sqlite.layerNoDeps),
  Layer.provide(ConfigFile.layerNoDeps),
  Layer.provide(Keyring.layerAbsent),
  Layer.provide(Paths.layerHome(home)),
  Layer.provide(Settings.layerOf({ home }))
)

const change = (generation: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const manifest = yield* StoreManifest
    const secret = yield* vault.seal(
      {
        profile: "p",
        provider: "github",
        connection: "default",
        field: "secret",
        recordId: "r",
        generation,
        definitionFp: ""
      },
      Redacted.make(`generation ${generation}`)
    )
    yield* manifest.protect(sql`INSERT OR REPLACE INTO client_credentials ${
      sql.insert({
        record_id: "r",
        profile: "p",
        provider: "github",
        issuer: "i",
        generation,
        definition_fp: "",
        created_at: "",
        updated_at: "",
        sealed: secret
      })
    }`)
    console.log(generation)
  })

await Effect.runPromise(
  Effect.provide(
    Effect.forEach([1, 2, 3], change).pipe(Effect.andThen(Effect.flatMap(Vault, (v) => v.selfTest))),
    layer
  )
)
