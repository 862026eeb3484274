/** The documents of a home as files, and as rows of a store. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { activeProfile, type DocumentId, Documents, takeovers } from "../config/Documents.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { Paths } from "../config/Paths.ts"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import * as StoredDocuments from "../vault/StoredDocuments.ts"

const refused = OperationNotAllowedError.of

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

/** Makes the rows of the store equal to the files. Writes nothing if they already are. */
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

/** Moves each document file to the path that `renamed` returns for it. */
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
      `${documents.place(different.id)} differs from its original in the database. The store was not restored.`
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
