/** Copies the documents of `config/Documents` between the files of a home and the rows of a store. */
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

const contentsOf = Effect.fnUntraced(function*(documents: Documents["Service"], ids: ReadonlyArray<DocumentId>) {
  const found = new Map<string, Document>()
  for (const id of ids) {
    const bytes = yield* documents.read(id)
    if (Option.isNone(bytes)) continue
    const content = yield* Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes.value),
      catch: () => refused(`${documents.place(id)} is not UTF-8 text. Repair or remove it. Nothing was changed.`)
    })
    found.set(keyOf(id), { id, content })
  }
  return found as DocumentsByKey
})

/** The documents that are files. */
const filesOfHome = Effect.scoped(Effect.gen(function*() {
  const documents = yield* files
  const ids = [takeovers, activeProfile]
  for (const kind of ["provider", "identity"] as const) {
    const folder = yield* documents.list(kind)
    if (folder.problem !== undefined) return yield* refused(`${folder.problem}. Nothing was changed.`)
    for (const name of folder.documents.keys()) ids.push({ kind, name })
  }
  return yield* Effect.catchTag(
    contentsOf(documents, ids),
    "VaultUnavailableError",
    ({ detail }) => refused(`${detail} Nothing was changed.`)
  )
}))

/** The documents that are rows of the store. */
export const storedDocuments = Effect.gen(function*() {
  const { documents, ids } = yield* StoredDocuments.make
  return yield* contentsOf(documents, yield* ids)
})

/** Replaces documents with others. Writes only what differs. */
const replaceWith = (documents: Documents["Service"], before: DocumentsByKey, after: DocumentsByKey) =>
  documents.change(Effect.gen(function*() {
    for (const { id } of before.values()) {
      if (!after.has(keyOf(id))) yield* documents.remove(id)
    }
    for (const { content, id } of after.values()) {
      if (before.get(keyOf(id))?.content !== content) yield* documents.write(id, content)
    }
  }))

const storedAs = (documentsOf: typeof filesOfHome) =>
  Effect.scoped(Effect.gen(function*() {
    const { documents } = yield* StoredDocuments.make
    yield* replaceWith(documents, yield* storedDocuments, yield* documentsOf)
  }))

/** Makes the rows of the store equal to the files. */
export const storeFiles = storedAs(filesOfHome)

/** Removes the rows of documents that are files again. */
export const removeStored = storedAs(Effect.succeed(new Map()))

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
  const documents = yield* files
  const stored = yield* storedDocuments
  yield* replaceWith(documents, yield* filesOfHome, stored)
  const written = yield* filesOfHome
  const different = [...stored.values()].find(({ content, id }) => written.get(keyOf(id))?.content !== content)
  if (different !== undefined) {
    return yield* VaultUnavailableError.of(
      `${documents.place(different.id)} differs from its original in the database. The store was not restored.`
    )
  }
}))
