/**
 * Documents as rows of a database that several daemons share. The manifest covers the rows, and their contents are sealed
 * under a data key of their own, which a rotation of the keys replaces.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { ConfigFile } from "../config/ConfigFile.ts"
import { type DocumentFolder, type DocumentId, type DocumentKind, Documents } from "../config/Documents.ts"
import type { Paths } from "../config/Paths.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { isPostgres } from "./ManifestDigest.ts"
import { sealedTable } from "./SealedTable.ts"
import type { SecretIdentity } from "./SecretIdentity.ts"
import { sqlUnavailable } from "./StoreFailures.ts"
import { StoreManifest } from "./StoreManifest.ts"
import { rowsOf } from "./StoreRows.ts"
import { Vault } from "./Vault.ts"

/** The profile of the data key of documents. It is not a valid handle, so no real profile has this name. */
const DOCUMENTS_PROFILE = "*documents"

const Row = Schema.Struct({
  kind: Schema.Literals(["provider", "identity", "setting"]),
  name: Schema.String,
  sealed: Schema.Uint8Array
})
type Row = typeof Row.Type

const rows = rowsOf(Row)

const identityOf = ({ kind, name }: DocumentId): SecretIdentity => ({
  profile: DOCUMENTS_PROFILE,
  provider: kind,
  connection: name,
  field: "content",
  recordId: `${kind}/${name}`,
  generation: 1,
  definitionFp: ""
})

interface Stored {
  readonly sealed: Uint8Array
  readonly content: Effect.Effect<Uint8Array, string>
}

interface StoredFolder extends DocumentFolder {
  readonly documents: ReadonlyMap<string, Stored>
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

const isSameFolder = (one: DocumentFolder, other: DocumentFolder): boolean =>
  one.documents.size === other.documents.size &&
  [...one.documents].every(([name, document]) => other.documents.get(name) === document)

/** Documents as rows of any database. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const vault = yield* Vault
  const known = new Map<DocumentKind, { readonly revision: number; readonly folder: StoredFolder }>()

  const open = (row: Row): Effect.Effect<Uint8Array, VaultUnavailableError> =>
    Effect.map(vault.open(identityOf(row), row.sealed), (text) => new TextEncoder().encode(Redacted.value(text)))

  const rowsOfKind = (kind: DocumentKind) =>
    rows(sql`SELECT kind, name, sealed FROM documents WHERE kind = ${kind} ORDER BY name`)

  const load = Effect.fnUntraced(function*(kind: DocumentKind) {
    const before = known.get(kind)?.folder
    const documents = new Map<string, Stored>()
    for (const row of yield* rowsOfKind(kind)) {
      const earlier = before?.documents.get(row.name)
      if (earlier !== undefined && isSame(earlier.sealed, row.sealed)) {
        documents.set(row.name, earlier)
        continue
      }
      // Every request needs settings and definitions. A private key is opened only for its use.
      const content = kind === "identity"
        ? Effect.mapError(open(row), ({ detail, message }) => detail ?? message)
        : Effect.succeed(yield* open(row))
      documents.set(row.name, { sealed: row.sealed, content })
    }
    const folder: StoredFolder = { documents, problem: undefined }
    return before !== undefined && isSameFolder(before, folder) ? before : folder
  }, sqlUnavailable)

  const inTransaction = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  const list = Effect.fnUntraced(function*(kind: DocumentKind) {
    yield* manifest.current
    // What a transaction has written may be rolled back.
    if (yield* inTransaction) return yield* load(kind)
    const current = known.get(kind)
    if (current?.revision === manifest.revisionOf("documents")) return current.folder
    yield* manifest.ready
    const revision = manifest.revisionOf("documents")
    const folder = yield* load(kind)
    known.set(kind, { revision, folder })
    return folder
  })

  const rowOf = ({ kind, name }: DocumentId) =>
    Effect.map(
      rows(sql`SELECT kind, name, sealed FROM documents WHERE kind = ${kind} AND name = ${name}`),
      ([row]) => row
    )

  const read = Effect.fnUntraced(function*(id: DocumentId) {
    const document = (yield* list(id.kind)).documents.get(id.name)
    if (document === undefined) return Option.none()
    return yield* Effect.asSome(Effect.mapError(document.content, (reason) => VaultUnavailableError.of(`${reason}.`)))
  })

  const put = Effect.fnUntraced(function*(id: DocumentId, content: string, isNew: boolean) {
    const row = {
      updated_at: DateTime.formatIso(yield* DateTime.now),
      sealed: yield* vault.seal(identityOf(id), Redacted.make(content))
    }
    yield* isNew
      ? sql`INSERT INTO documents ${sql.insert({ kind: id.kind, name: id.name, ...row })}`
      : sql`UPDATE documents SET ${sql.update(row)} WHERE kind = ${id.kind} AND name = ${id.name}`
  })

  const files = yield* Documents.layerFiles.pipe(Layer.build, Effect.map(Context.get(Documents)))
  const ignored = Effect.map(
    Effect.orElseSucceed(files.list("provider"), () => undefined),
    (folder) =>
      Array.from(folder?.documents.keys() ?? [], (name) => {
        const file = files.place({ kind: "provider", name })
        return `${file} has no effect, because custom providers are in the database; register it with: credsvc register ${file}`
      })
  )

  const documents = Documents.of({
    list,
    read,
    create: (id, content) =>
      manifest.transact(Effect.gen(function*() {
        const row = yield* rowOf(id)
        if (row !== undefined) return { created: false, content: yield* open(row) }
        yield* put(id, content, true)
        return { created: true, content: new TextEncoder().encode(content) }
      })),
    write: (id, content) =>
      manifest.transact(Effect.gen(function*() {
        yield* put(id, content, (yield* rowOf(id)) === undefined)
      })),
    remove: ({ kind, name }) =>
      Effect.asVoid(manifest.transact(sql`DELETE FROM documents WHERE kind = ${kind} AND name = ${name}`)),
    change: manifest.transact,
    place: ({ kind, name }) => `${kind}/${name} in the database`,
    ignored
  })

  const ids: Effect.Effect<ReadonlyArray<DocumentId>, VaultUnavailableError> = rows(
    sql`SELECT kind, name, sealed FROM documents ORDER BY kind, name`
  )

  return { documents, ids }
})

/** The documents of this home: files, or rows of its database if that is PostgreSQL. */
export const layerNoDeps: Layer.Layer<
  Documents,
  never,
  ConfigFile | Paths | SqlClient.SqlClient | StoreManifest | Vault
> = Layer.unwrap(Effect.gen(function*() {
  // Also for files: rows may be left from a move of the store that was interrupted.
  yield* (yield* Vault).addTable(
    sealedTable("documents", ["kind", "name"], Row, (row) => ({ sealed: identityOf(row) }))
  )
  return isPostgres(yield* SqlClient.SqlClient)
    ? Layer.effect(Documents, Effect.map(make, ({ documents }) => documents))
    : Documents.layerFiles
}))
