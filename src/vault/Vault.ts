/**
 * Seals and opens secrets.
 *
 * A sealed secret is bound to its full identity: store, profile, provider, connection, field, record, generation and the provider
 * definition that may use it. A secret that was moved to another row, or replaced by an earlier value, cannot be opened.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { DataKeys } from "./keys/DataKeys.ts"
import { MasterKey } from "./keys/MasterKey.ts"
import { STORE_PROFILE } from "./keys/WrappedDataKey.ts"
import { StoreManifest, StoreTransaction } from "./manifest/StoreManifest.ts"
import * as SealedBox from "./SealedBox.ts"
import type { SecretIdentity } from "./SecretIdentity.ts"
import { rowsOf } from "./StoreRows.ts"

const SCHEMA_VERSION = "1"

const bindingOf = (storeId: string, keyId: string, identity: SecretIdentity): Uint8Array =>
  SealedBox.binding("credsvc/secret/v1", [
    storeId,
    identity.profile,
    identity.provider,
    identity.connection,
    identity.field,
    SCHEMA_VERSION,
    keyId,
    identity.recordId,
    String(identity.generation),
    identity.definitionFp
  ])

// The message is the same for every cause, because the exact cause would help only an attacker who alters bytes.
const integrityError = (identity: SecretIdentity) =>
  VaultUnavailableError.of(
    `The stored secret of ${identity.provider}/${identity.connection} cannot be opened: it is damaged or was altered. ` +
      "It is not used. Log in again, or restore the store from a backup."
  )

const sealedRows = rowsOf(Schema.Struct({ sealed: Schema.Uint8Array }))

const probe: SecretIdentity = {
  profile: STORE_PROFILE,
  provider: "*probe",
  connection: "*probe",
  field: "secret",
  recordId: "*probe",
  generation: 1,
  definitionFp: ""
}

/** Reseals the rows of a table under these keys of their profiles. Returns the number of rows. */
type SealAgain = (
  keys: ReadonlyMap<string, SealedBox.BoxKey>
) => Effect.Effect<number, SqlError | VaultUnavailableError, StoreTransaction>

const sealUnder = (
  storeId: string,
  key: SealedBox.BoxKey,
  identity: SecretIdentity,
  secret: Redacted.Redacted<string>
): Uint8Array => {
  const plaintext = new TextEncoder().encode(Redacted.value(secret))
  const sealed = SealedBox.seal(key, bindingOf(storeId, key.id, identity), plaintext)
  plaintext.fill(0)
  return sealed
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* DataKeys
  const manifest = yield* StoreManifest
  const masterKey = yield* MasterKey
  const tables = new Map<string, SealAgain>()

  /**
   * Encrypts a secret for one identity. Must run in the transaction that stores the result: a key rotation could
   * otherwise delete the key in between.
   */
  const seal = Effect.fn("Vault.seal")(function*(identity: SecretIdentity, secret: Redacted.Redacted<string>) {
    const { vault: { storeId } } = yield* StoreTransaction
    return sealUnder(storeId, yield* keys.active(identity.profile), identity, secret)
  })

  const keyOf = (profile: string, keyId: string, identity: SecretIdentity) =>
    Effect.catch(
      keys.byId(profile, keyId),
      // Checks the store first, because a database that cannot be read now does not mean that a secret is damaged.
      () => Effect.andThen(manifest.verified("rows"), Effect.fail(integrityError(identity)))
    )

  /** Decrypts several secrets. Verifies the store only once, and looks up the same key only once. */
  const openAll = Effect.fnUntraced(function*(boxes: ReadonlyArray<readonly [SecretIdentity, Uint8Array]>) {
    // The boxes are authenticated, and their rows were verified when they were read.
    const { storeId } = yield* manifest.verified("manifest")
    const secrets: Array<Redacted.Redacted<string>> = []
    let last: { readonly profile: string; readonly key: SealedBox.BoxKey } | undefined
    for (const [identity, sealed] of boxes) {
      const { profile } = identity
      const keyId = SealedBox.keyIdOf(sealed)
      if (keyId === undefined) return yield* integrityError(identity)
      if (last?.profile !== profile || last.key.id !== keyId) {
        last = { profile, key: yield* keyOf(profile, keyId, identity) }
      }
      const plaintext = SealedBox.open(last.key, bindingOf(storeId, keyId, identity), sealed)
      if (plaintext === undefined) return yield* integrityError(identity)
      secrets.push(Redacted.make(new TextDecoder().decode(plaintext)))
      plaintext.fill(0)
    }
    return secrets
  })

  /** Decrypts a secret that was sealed for exactly this identity. All failures look the same. */
  const open = (identity: SecretIdentity, sealed: Uint8Array) =>
    Effect.map(openAll([[identity, sealed]]), ([secret]) => secret!)

  /** Decrypts a secret, and encrypts it under another key of the same profile. */
  const sealAgain = Effect.fnUntraced(
    function*(identity: SecretIdentity, sealed: Uint8Array, key: SealedBox.BoxKey) {
      const { storeId } = yield* manifest.verified("rows")
      return sealUnder(storeId, key, identity, yield* open(identity, sealed))
    }
  )

  const rollback = { _tag: "Rollback" } as const

  /** Writes, reads and opens a secret in a transaction that is always rolled back, under names that are invalid elsewhere. */
  const selfTest = Effect.gen(function*() {
    const secret = Redacted.make("credsvc self-test")
    yield* manifest.transact(Effect.gen(function*() {
      const sealed = yield* seal(probe, secret)
      yield* sql`INSERT INTO documents ${sql.insert({ kind: probe.provider, name: "", updated_at: "", sealed })}`
      const [row] = yield* sealedRows(sql`SELECT sealed FROM documents WHERE kind = ${probe.provider}`)
      const opened = yield* open(probe, row?.sealed ?? new Uint8Array(0))
      if (Redacted.value(opened) !== Redacted.value(secret)) return yield* integrityError(probe)
      return yield* Effect.fail(rollback)
    }))
  }).pipe(Effect.catchTag("Rollback", () => Effect.void))

  return {
    seal,
    open,
    openAll,
    sealAgain,
    selfTest,

    /** Adds a table with sealed rows. */
    addTable: (name: string, sealAgain: SealAgain): void => void tables.set(name, sealAgain),

    /** Reseals the rows of all added tables, for a key rotation. Returns their number. */
    sealTablesAgain: (keys: Parameters<SealAgain>[0]) =>
      Effect.reduce(
        [...tables.values()],
        () => 0,
        (sum, sealAgain) => Effect.map(sealAgain(keys), (rows) => sum + rows)
      ),

    /** Succeeds if secrets can be sealed and opened. */
    available: Effect.asVoid(manifest.verified("manifest")),

    /** The mode, source and description of the master key. Never fails, and waits only on the first call. */
    masterKey: masterKey.status
  }
})

export class Vault extends Context.Service<Vault, Effect.Success<typeof make>>()("credsvc/vault/Vault") {
  static readonly layerNoDeps = Layer.effect(Vault, make)

  /** All services of this room except `KeyRotation`, with a `KeyResolver` that the caller provides. */
  static readonly layerResolver = Vault.layerNoDeps.pipe(
    Layer.provideMerge(DataKeys.layerNoDeps),
    Layer.provideMerge(StoreManifest.layerNoDeps),
    Layer.provideMerge(MasterKey.layerNoDeps)
  )
}
