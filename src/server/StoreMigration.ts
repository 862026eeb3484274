/**
 * Moves the store of a home from its file to PostgreSQL, or back.
 *
 * All rows are copied in one transaction and then compared, and the copy must verify with the key of the vault. Only then
 * the old store goes: the file is renamed, or the rows are deleted. An interrupted move leaves the old store as it was, or
 * both stores equal, and the next move continues from there.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { ConfigFile } from "../config/ConfigFile.ts"
import { Paths } from "../config/Paths.ts"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { postgresStore, selectedAddress } from "../store/ConfiguredStore.ts"
import { HomeLock } from "../store/HomeLock.ts"
import { Store, type StoreError, type StoreServices } from "../store/Store.ts"
import { compareRows, copyRows, headOf, removeRows } from "../store/StoreCopy.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { Vault } from "../vault/Vault.ts"
import { keyResolverLayer } from "./Services.ts"

interface MovedStore {
  readonly rows: number
  /** The file or the database that has the store now. */
  readonly place: string
  /** The renamed file that had the store. Null if it was in PostgreSQL. */
  readonly leftover: string | null
}

const refused = OperationNotAllowedError.of

const verifyStore = (store: Context.Context<StoreServices>) =>
  Effect.flatMap(StoreManifest, (manifest) => manifest.verify).pipe(
    Effect.provide(
      Layer.fresh(Vault.layerResolver).pipe(
        Layer.provide(keyResolverLayer),
        Layer.provide(ConfigFile.layerNoDeps),
        Layer.provideMerge(Layer.succeedContext(store))
      )
    )
  )

const sidecars = (file: string): ReadonlyArray<string> => ["-wal", "-shm", "-journal"].map((end) => `${file}${end}`)

const removeFile = (file: string): void => {
  for (const path of [file, ...sidecars(file)]) fs.rmSync(path, { force: true })
}

const isThere = (file: string): boolean => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/** Makes the target equal to the source, unless an interrupted move has done it, and verifies it. */
const transfer = (source: Context.Context<StoreServices>, target: Context.Context<StoreServices>, place: string) =>
  Effect.gen(function*() {
    const [head, other] = [yield* headOf(source), yield* headOf(target)]
    if (head === undefined) return yield* refused("The store to move is empty. Nothing was changed.")
    if (other !== undefined && other.storeId !== head.storeId) {
      return yield* refused(`There is a store of another home at ${place}. Nothing was changed.`)
    }
    if (other !== undefined && other.epoch > head.epoch) {
      return yield* refused(
        `The store at ${place} is newer than the one to move. Use that one: it was moved before. Nothing was changed.`
      )
    }
    if (other?.epoch !== head.epoch) {
      yield* verifyStore(source)
      yield* copyRows(source, target)
    }
    const { difference, rows } = yield* compareRows(source, target)
    if (difference !== undefined) {
      return yield* VaultUnavailableError.of(
        `The copy of the store differs in the table ${difference}. The store is still where it was.`
      )
    }
    yield* verifyStore(target)
    return rows
  })

const opened = <E, R>(store: Layer.Layer<StoreServices, E, R>) =>
  Effect.gen(function*() {
    const context = yield* Layer.buildWithScope(Layer.fresh(store), yield* Effect.scope)
    yield* Context.get(context, Store).check
    return context
  })

const address = Effect.flatMap(
  selectedAddress,
  (selected) =>
    selected === undefined
      ? Effect.fail(refused("Set CREDSVC_DATABASE_URL to the URL of the PostgreSQL database."))
      : Effect.succeed(selected)
)

const toPostgres = Effect.gen(function*() {
  const { database, server } = yield* Paths
  const target = yield* address
  const leftover = `${database}.moved`
  if (!isThere(database)) {
    return yield* refused(`There is no store to move: ${database} does not exist. It may have been moved before.`)
  }
  const rows = yield* Effect.scoped(Effect.gen(function*() {
    const source = yield* opened(Store.layerFile(database, server))
    return yield* transfer(source, yield* opened(postgresStore(target)), target.name)
  }))
  fs.renameSync(database, leftover)
  return { rows, place: `PostgreSQL at ${target.name}`, leftover } satisfies MovedStore
})

const toFile = Effect.gen(function*() {
  const { database, server } = yield* Paths
  const selected = yield* address
  const fresh = `${database}.new`
  return yield* Effect.scoped(Effect.gen(function*() {
    const source = yield* opened(postgresStore(selected))
    const copyTo = (file: string) =>
      Effect.scoped(Effect.flatMap(opened(Store.layerFile(file, server)), (target) => transfer(source, target, file)))
    let rows: number
    if (isThere(database)) {
      // An interrupted move, or another store, which `transfer` refuses to replace.
      rows = yield* copyTo(database)
    } else {
      removeFile(fresh)
      rows = yield* copyTo(fresh)
      removeFile(database)
      fs.renameSync(fresh, database)
    }
    yield* removeRows(source)
    return { rows, place: database, leftover: null } satisfies MovedStore
  }))
})

/** Moves the store of this home, which no daemon may use. */
export const moveStore = (to: "file" | "postgresql") =>
  Effect.scoped(Effect.gen(function*() {
    yield* Layer.buildWithScope(Layer.fresh(HomeLock.layerNoDeps), yield* Effect.scope)
    return yield* to === "postgresql" ? toPostgres : toFile
  })).pipe(
    Effect.catchTags({
      HomeLockedError: ({ message }) => Effect.fail(refused(`${message}. Stop it first with: credsvc daemon stop`)),
      SecureFileError: ({ message }) => Effect.fail(VaultUnavailableError.of(`${message}.`)),
      StoreError: ({ message }: StoreError) =>
        Effect.fail(VaultUnavailableError.of(`The store cannot be used: ${message}.`)),
      SqlError: ({ message }) =>
        Effect.fail(VaultUnavailableError.of(`The store was not moved, and is where it was: ${message}.`))
    })
  )
