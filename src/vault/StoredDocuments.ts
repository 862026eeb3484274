/**
 * Documents as rows of a database that several daemons share. The manifest covers the rows, and their contents are
 * sealed under a separate data key, which a key rotation replaces.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { type DocumentFolder, type DocumentId, type DocumentKind, Documents } from "../config/Documents.ts"
import type { ConfigFile } from "../config/file/ConfigFile.ts"
import type { Paths } from "../config/Paths.ts"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { StoreManifest, StoreTransaction } from "./manifest/StoreManifest.ts"
import { type Content, makeSealedRepo } from "./SealedRepo.ts"
import type { Vault } from "./Vault.ts"

/** The profile of the data key of documents. It is not a valid handle, so no real profile has this name. */
const DOCUMENTS_PROFILE = "*documents"

const Row = Schema.Struct({
  kind: Schema.Literals(["provider", "identity", "setting"]),
  name: Schema.String,
  sealed: Schema.Uint8Array
})
type Row = typeof Row.Type

const text: Content<string> = { field: "content", encode: Effect.succeed, decode: Effect.succeed }

const makeRepo = makeSealedRepo({
  table: "documents",
  key: ["kind", "name"],
  row: Row,
  contents: { sealed: text },
  names: ({ kind, name }) => ({ profile: DOCUMENTS_PROFILE, provider: kind, connection: name })
})

interface Stored {
  readonly sealed: Uint8Array
  readonly content: Effect.Effect<Uint8Array, string>
}

interface StoredFolder extends DocumentFolder {
  readonly documents: ReadonlyMap<string, Stored>
}

const isSameFolder = (one: DocumentFolder, other: DocumentFolder): boolean =>
  one.documents.size === other.documents.size &&
  [...one.documents].every(([name, document]) => other.documents.get(name) === document)

/** Documents as rows, in either kind of database. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const repo = yield* makeRepo
  const cache = new Map<DocumentKind, { readonly revision: number; readonly folder: StoredFolder }>()

  const open = (row: Row) => Effect.map(repo.open(row, "sealed"), (text) => new TextEncoder().encode(text))

  const load = Effect.fnUntraced(function*(kind: DocumentKind) {
    const before = cache.get(kind)?.folder
    const documents = new Map<string, Stored>()
    for (const row of yield* repo.rows(sql`WHERE kind = ${kind} ORDER BY name`)) {
      const earlier = before?.documents.get(row.name)
      if (earlier !== undefined && Buffer.compare(earlier.sealed, row.sealed) === 0) {
        documents.set(row.name, earlier)
        continue
      }
      // Every request needs settings and definitions, so they are opened now. A private key is opened only when it is used.
      const content = kind === "identity"
        ? Effect.mapError(open(row), ({ detail, message }) => detail ?? message)
        : Effect.succeed(yield* open(row))
      documents.set(row.name, { sealed: row.sealed, content })
    }
    const folder: StoredFolder = { documents, problem: undefined }
    return before !== undefined && isSameFolder(before, folder) ? before : folder
  })

  const list = Effect.fnUntraced(function*(kind: DocumentKind) {
    yield* manifest.verified("manifest")
    // Not cached within a transaction, because its writes may be rolled back.
    if (Option.isSome(yield* Effect.serviceOption(StoreTransaction))) return yield* load(kind)
    const current = cache.get(kind)
    if (current?.revision === manifest.revisionOf("documents")) return current.folder
    yield* manifest.verified("rows")
    const revision = manifest.revisionOf("documents")
    const folder = yield* load(kind)
    cache.set(kind, { revision, folder })
    return folder
  })

  const rowOf = ({ kind, name }: DocumentId) => repo.row(sql`WHERE kind = ${kind} AND name = ${name}`)

  const read = Effect.fnUntraced(function*(id: DocumentId) {
    const document = (yield* list(id.kind)).documents.get(id.name)
    if (document === undefined) return Option.none()
    return yield* Effect.asSome(Effect.mapError(document.content, (reason) => VaultUnavailableError.of(`${reason}.`)))
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
    listed: () => undefined,
    read,
    create: (id, content) =>
      manifest.transact(Effect.gen(function*() {
        const row = yield* rowOf(id)
        if (row !== undefined) return { created: false, content: yield* open(row) }
        yield* repo.insert(id, { sealed: content })
        return { created: true, content: new TextEncoder().encode(content) }
      })),
    write: (id, content) =>
      manifest.transact(Effect.gen(function*() {
        if (!(yield* repo.replace(id, id, { sealed: content }))) yield* repo.insert(id, { sealed: content })
      })),
    remove: (id) => Effect.asVoid(manifest.transact(repo.remove(id))),
    change: manifest.transact,
    place: ({ kind, name }) => `${kind}/${name} in the database`,
    ignored
  })

  const ids: Effect.Effect<ReadonlyArray<DocumentId>, VaultUnavailableError> = repo.rows(sql`ORDER BY kind, name`)

  return { documents, ids }
})

/** The documents of this home: files, or rows of its database if that is PostgreSQL. */
export const layerNoDeps: Layer.Layer<
  Documents,
  never,
  ConfigFile | Paths | SqlClient.SqlClient | StoreChanges | StoreManifest | Vault
> = Layer.unwrap(Effect.gen(function*() {
  // Created even if documents are files: a key rotation must reseal rows that an interrupted move left behind.
  const { documents } = yield* make
  return (yield* StoreChanges).isShared ? Layer.succeed(Documents, documents) : Documents.layerFiles
}))
