/**
 * Moves the store of a home from its file to PostgreSQL, or back, and with it the documents that are files or rows.
 *
 * All rows are copied in one transaction and then compared, and the copy must verify with the key of the vault. Only then
 * the old store goes: the files are renamed, or the rows are deleted. An interrupted move leaves the old store as it was,
 * or both stores equal, and the next move continues from there.
 *
 * On the way to PostgreSQL, the files become rows of the old store first, which are copied like all others.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import * as fs from "node:fs"
import { activeProfile, type DocumentId, Documents, takeovers } from "../config/Documents.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { Paths } from "../config/Paths.ts"
import type { Settings } from "../config/Settings.ts"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import type { SecureFileError } from "../platform/files/SecureFiles.ts"
import { postgresStore, selectedAddress } from "../store/ConfiguredStore.ts"
import { HomeLock } from "../store/HomeLock.ts"
import { sidecars, Store, type StoreError, type StoreServices } from "../store/Store.ts"
import { compareRows, copyRows, headOf, removeRows } from "../store/StoreCopy.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import * as StoredDocuments from "../vault/StoredDocuments.ts"
import { Vault } from "../vault/Vault.ts"
import { keyResolverLayer } from "./Services.ts"

export interface MovedStore {
  readonly rows: number
  /** The file or the database that has the store now. */
  readonly place: string
  /** The renamed file that had the store. Null if it was in PostgreSQL. */
  readonly leftover: string | null
}

export const refused = OperationNotAllowedError.of

const vault = Layer.fresh(Vault.layerResolver).pipe(
  Layer.provide(keyResolverLayer),
  Layer.provideMerge(ConfigFile.layerNoDeps)
)

/** A store with its vault, which opens at the first use. */
export type Opened = Context.Context<StoreServices | Layer.Success<typeof vault>>

export const verifyStore = (store: Opened) => Context.get(store, StoreManifest).verify

export const keyOf = ({ kind, name }: DocumentId): string => `${kind}/${name}`

interface Document {
  readonly id: DocumentId
  readonly content: string
}

type DocumentsByKey = ReadonlyMap<string, Document>

const files = Effect.map(
  Layer.build(Layer.provideMerge(Documents.layerFiles, ConfigFile.layerNoDeps)),
  Context.get(Documents)
)

const textOf = (place: string, bytes: Uint8Array) =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => refused(`${place} is not UTF-8 text. Repair or remove it. Nothing was changed.`)
  })

/** The documents that are files. */
const filesOfHome: Effect.Effect<DocumentsByKey, OperationNotAllowedError | VaultUnavailableError, Paths> = Effect
  .scoped(
    Effect.gen(function*() {
      const documents = yield* files
      const found = new Map<string, Document>()
      const add = Effect.fnUntraced(function*(id: DocumentId, bytes: Uint8Array) {
        found.set(keyOf(id), { id, content: yield* textOf(documents.place(id), bytes) })
      })
      for (const kind of ["provider", "identity"] as const) {
        const folder = yield* documents.list(kind)
        if (folder.problem !== undefined) return yield* refused(`${folder.problem}. Nothing was changed.`)
        for (const [name, { content }] of folder.documents) {
          yield* add(
            { kind, name },
            yield* Effect.mapError(content, (message) => refused(`${message}. Nothing was changed.`))
          )
        }
      }
      for (const id of [takeovers, activeProfile]) {
        const bytes = yield* documents.read(id)
        if (Option.isSome(bytes)) yield* add(id, bytes.value)
      }
      return found
    })
  )

/** The documents that are rows of the store. */
export const storedDocuments = Effect.gen(function*() {
  const { documents, ids } = yield* StoredDocuments.make
  const found = new Map<string, Document>()
  for (const id of yield* ids) {
    const bytes = yield* documents.read(id)
    if (Option.isSome(bytes)) found.set(keyOf(id), { id, content: new TextDecoder().decode(bytes.value) })
  }
  return found as DocumentsByKey
})

const differs = (one: DocumentsByKey, other: DocumentsByKey): Document | undefined =>
  [...one.values()].find(({ content, id }) => other.get(keyOf(id))?.content !== content)

/** Makes the rows of the store equal to the files. Writes nothing if they are. */
export const storeFiles = Effect.scoped(Effect.gen(function*() {
  const home = yield* filesOfHome
  const before = yield* storedDocuments
  if (differs(home, before) === undefined && differs(before, home) === undefined) return
  const { documents } = yield* StoredDocuments.make
  yield* documents.change(Effect.gen(function*() {
    for (const { id } of before.values()) {
      if (!home.has(keyOf(id))) yield* documents.remove(id)
    }
    for (const { content, id } of home.values()) yield* documents.write(id, content)
  }))
}))

/** Compares the files with the rows of the store. Returns their number. */
const compareFiles = Effect.scoped(Effect.gen(function*() {
  const home = yield* filesOfHome
  const different = differs(home, yield* storedDocuments)
  if (different === undefined) return home.size
  return yield* VaultUnavailableError.of(
    `${(yield* files).place(different.id)} differs from its copy in the database. The store was not moved.`
  )
}))

/** Renames the files of documents to what `renamed` returns. */
export const retireFiles = (renamed: (file: string) => string) =>
  Effect.scoped(Effect.gen(function*() {
    const paths = yield* Paths
    for (const path of [paths.providers, paths.identities, paths.takeovers]) {
      if (!fs.existsSync(path)) continue
      fs.rmSync(renamed(path), { force: true, recursive: true })
      fs.renameSync(path, renamed(path))
    }
    const documents = yield* files
    if (Option.isSome(yield* documents.read(activeProfile))) yield* documents.remove(activeProfile)
  }))

const moved = (file: string): string => `${file}.moved`

/** Fails if a document would replace another file. */
const refuseOtherFiles = Effect.scoped(Effect.gen(function*() {
  const home = yield* filesOfHome
  const stored = yield* storedDocuments
  const { place } = yield* files
  for (const { content, id } of stored.values()) {
    if (/[/\\\0]/.test(id.name)) {
      return yield* refused(
        `The document name "${keyOf(id)}" is not a valid file name. Rename it. Nothing was changed.`
      )
    }
    const file = home.get(keyOf(id))
    if (file !== undefined && file.content !== content && id.name !== activeProfile.name) {
      return yield* refused(
        `${place(id)} differs from the one in the database. Move it elsewhere. Nothing was changed.`
      )
    }
  }
}))

/** Makes the files equal to the rows of the store. */
export const writeFiles = Effect.scoped(Effect.gen(function*() {
  const stored = yield* storedDocuments
  const documents = yield* files
  const home = yield* filesOfHome
  for (const { content, id } of stored.values()) {
    if (home.get(keyOf(id))?.content !== content) yield* documents.write(id, content)
  }
  const different = differs(stored, yield* filesOfHome)
  if (different !== undefined) {
    return yield* VaultUnavailableError.of(
      `${documents.place(different.id)} differs from its original in the database. The store was not moved.`
    )
  }
}))

/** Removes the rows of documents that are files again. */
export const removeStored = Effect.scoped(Effect.gen(function*() {
  const { documents, ids } = yield* StoredDocuments.make
  const found = yield* ids
  if (found.length === 0) return
  yield* documents.change(Effect.forEach(found, documents.remove, { discard: true }))
}))

const removeFile = (file: string): void => {
  for (const path of [file, ...sidecars(file)]) fs.rmSync(path, { force: true })
}

export const isThere = (file: string): boolean => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/**
 * Makes the target equal to the source, unless an interrupted move has done it, and verifies it. `prepare` may change the
 * source, and is run once it is known to be the one to move.
 */
const transfer = <E, R>(source: Opened, target: Opened, place: string, prepare: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const [head, other] = [yield* headOf(source), yield* headOf(target)]
    if (head === undefined) return yield* refused("The store to move is empty. Nothing was changed.")
    if (other !== undefined && other.storeId !== head.storeId) {
      return yield* refused(
        `The store at ${place} belongs to another home. Choose another database. Nothing was changed.`
      )
    }
    if (other !== undefined && other.epoch > head.epoch) {
      return yield* refused(
        `The store at ${place} is newer than the one to move. Use that one: it was moved before. Nothing was changed.`
      )
    }
    yield* verifyStore(source)
    yield* prepare
    if (other?.epoch !== (yield* headOf(source))?.epoch) yield* copyRows(source, target)
    const { difference, rows } = yield* compareRows(source, target)
    if (difference !== undefined) {
      return yield* VaultUnavailableError.of(
        `The copy of the store differs in the table ${difference}. The store was not moved.`
      )
    }
    yield* verifyStore(target)
    return rows
  })

export const opened = <E, R>(store: Layer.Layer<StoreServices, E, R>) =>
  Effect.gen(function*() {
    const context = yield* Layer.buildWithScope(
      Layer.provideMerge(vault, Layer.fresh(store)),
      yield* Effect.scope
    )
    yield* Context.get(context, Store).check
    return context satisfies Opened
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
  const leftover = moved(database)
  if (!isThere(database)) {
    if (isThere(leftover) && (yield* filesOfHome).size > 0) {
      // The move was interrupted before the last files were renamed.
      const rows = yield* Effect.scoped(Effect.gen(function*() {
        return yield* Effect.provide(compareFiles, yield* opened(postgresStore(target, "alone")))
      }))
      yield* retireFiles(moved)
      return { rows, place: `PostgreSQL at ${target.name}`, leftover } satisfies MovedStore
    }
    return yield* refused(`${database} does not exist. It may have been moved before.`)
  }
  const rows = yield* Effect.scoped(Effect.gen(function*() {
    const source = yield* opened(Store.layerFile(database, server))
    const copy = yield* opened(postgresStore(target, "alone"))
    const rows = yield* transfer(source, copy, target.name, Effect.provide(storeFiles, source))
    yield* Effect.provide(compareFiles, copy)
    return rows
  }))
  fs.renameSync(database, leftover)
  yield* retireFiles(moved)
  return { rows, place: `PostgreSQL at ${target.name}`, leftover } satisfies MovedStore
})

const toFile = Effect.gen(function*() {
  const { database, server } = yield* Paths
  const selected = yield* address
  const fresh = `${database}.new`
  return yield* Effect.scoped(Effect.gen(function*() {
    const source = yield* opened(postgresStore(selected, "alone"))
    const copyTo = (file: string) =>
      Effect.scoped(Effect.gen(function*() {
        const target = yield* opened(Store.layerFile(file, server))
        const rows = yield* transfer(source, target, file, Effect.provide(refuseOtherFiles, source))
        // The files move before the store does, because a daemon without them would create another identity.
        yield* Effect.provide(writeFiles, source)
        return rows
      }))
    let rows: number
    if (isThere(database)) {
      // The store is from an interrupted move or another home. `transfer` refuses to replace the latter.
      rows = yield* copyTo(database)
    } else {
      removeFile(fresh)
      rows = yield* copyTo(fresh)
      removeFile(database)
      fs.renameSync(fresh, database)
    }
    yield* removeRows(source)
    yield* Effect.scoped(
      Effect.flatMap(opened(Store.layerFile(database, server)), (file) => Effect.provide(removeStored, file))
    )
    return { rows, place: database, leftover: null } satisfies MovedStore
  }))
})

/**
 * Runs a change of the store of this home, which no daemon may use, unless it only reads. `unchanged` says that an SQL error has
 * changed nothing.
 */
export const inLockedHome = <A, R>(
  change: Effect.Effect<
    A,
    OperationNotAllowedError | SecureFileError | SqlError | StoreError | VaultUnavailableError,
    R
  >,
  unchanged: string,
  onlyReads = false
) =>
  Effect.scoped(Effect.gen(function*() {
    if (!onlyReads) yield* Layer.buildWithScope(Layer.fresh(HomeLock.layerNoDeps), yield* Effect.scope)
    return yield* change
  })).pipe(
    Effect.catchTags({
      HomeLockedError: ({ message }) => Effect.fail(refused(`${message}. Stop it first with: credsvc daemon stop`)),
      SecureFileError: ({ message }) => Effect.fail(VaultUnavailableError.of(`${message}.`)),
      StoreError: ({ message }) => Effect.fail(VaultUnavailableError.of(`The store cannot be used: ${message}.`)),
      SqlError: ({ message }) => Effect.fail(VaultUnavailableError.of(`${unchanged}: ${message}.`))
    })
  )

/** Moves the store of this home. */
export const moveStore = (to: "file" | "postgresql") =>
  inLockedHome<MovedStore, Paths | Settings>(
    to === "postgresql" ? toPostgres : toFile,
    "The store was not moved"
  )
