/**
 * Small documents that services of the daemon keep: custom providers, identities of profiles, and settings.
 *
 * A home has them as files, which users may edit. Daemons that share a database have them as rows
 * (`vault/StoredDocuments.ts`).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as path from "node:path"
import { VaultUnavailableError } from "../domain/Errors.ts"
import * as DirectoryState from "../platform/files/DirectoryState.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { ConfigFile, type ConfigFileError } from "./file/ConfigFile.ts"
import { Paths } from "./Paths.ts"

type ListedKind = "provider" | "identity"

export type DocumentKind = ListedKind | "setting"

export interface DocumentId {
  readonly kind: DocumentKind
  /** A text that is valid as a file name. */
  readonly name: string
}

/** The hosts that custom providers may take over from bundled providers, as confirmed by the user. */
export const takeovers: DocumentId = { kind: "setting", name: "takeovers" }

/** The profile of requests that select no profile. */
export const activeProfile: DocumentId = { kind: "setting", name: "active_profile" }

/** The handle of the first profile, on which processes that start at the same time in a new home agree. */
export const nominee: DocumentId = { kind: "setting", name: "nominee" }

export interface ListedDocument {
  /** The content. Fails with the reason, as a sentence without a period. */
  readonly content: Effect.Effect<Uint8Array, string>
}

export interface DocumentFolder {
  /** The documents by name. Each is the same object until it changes. */
  readonly documents: ReadonlyMap<string, ListedDocument>
  /** The reason why the list may be incomplete, as a sentence without a period. */
  readonly problem: string | undefined
}

export class Documents extends Context.Service<Documents, {
  /** Returns the documents of a kind, even if another process wrote them. The result is the same object until a document changes. */
  readonly list: (kind: ListedKind) => Effect.Effect<DocumentFolder, VaultUnavailableError>

  /** Returns the result of `list` without waiting, or undefined if that needs a query to the database. */
  readonly listed: (kind: ListedKind) => DocumentFolder | undefined

  readonly read: (id: DocumentId) => Effect.Effect<Option.Option<Uint8Array>, VaultUnavailableError>

  /** Creates a document unless it exists. Racing callers all get the same content. */
  readonly create: (id: DocumentId, content: string) => Effect.Effect<
    { readonly created: boolean; readonly content: Uint8Array },
    VaultUnavailableError
  >

  readonly write: (id: DocumentId, content: string) => Effect.Effect<void, VaultUnavailableError>

  /** Removes a document if it exists. */
  readonly remove: (id: DocumentId) => Effect.Effect<void, VaultUnavailableError>

  /** Runs changes atomically: no other change comes between them, and either all rows change or none. */
  readonly change: <A, E, R>(changes: Effect.Effect<A, E, R>) => Effect.Effect<A, E | VaultUnavailableError, R>

  /** Where a document is, for messages. */
  readonly place: (id: DocumentId) => string

  /** Lists documents in places where they have no effect, as sentences for the user. */
  readonly ignored: Effect.Effect<ReadonlyArray<string>>
}>()("credsvc/config/Documents") {
  static readonly layerFiles: Layer.Layer<Documents, never, ConfigFile | Paths> = Layer.effect(
    Documents,
    Effect.gen(function*() {
      const paths = yield* Paths
      const config = yield* ConfigFile
      const turn = yield* Semaphore.make(1)

      const directories = { provider: paths.providers, identity: paths.identities }
      const settings: Readonly<Record<string, string>> = {
        [takeovers.name]: paths.takeovers,
        [nominee.name]: `${paths.identities}/.first`,
        [activeProfile.name]: paths.config
      }
      const fileOf = ({ kind, name }: DocumentId) =>
        kind === "setting" ? settings[name]! : `${directories[kind]}/${name}.json`

      const prepare = (id: DocumentId) => SecureFiles.ensurePrivateDirectory(path.dirname(fileOf(id)))

      const isActiveProfile = (id: DocumentId) => id.name === activeProfile.name && id.kind === activeProfile.kind

      const setActiveProfile = (change: (before: string | undefined) => string | undefined) =>
        unwritable(config.setActiveProfile(change))

      const list = makeListings(directories)

      const read = (id: DocumentId) =>
        isActiveProfile(id)
          ? unwritable(
            Effect.map(config.read, (document) => Option.map(Option.fromUndefinedOr(document.activeProfile), encode))
          )
          : unwritable(
            SecureFiles.readFile(fileOf(id), { maxBytes }).pipe(
              Effect.asSome,
              Effect.catchIf((error) => error.problem === "not_found", () => Effect.succeedNone)
            )
          )

      return Documents.of({
        list: (kind) => Effect.sync(() => list(kind)),
        listed: list,
        read,
        create: (id, content) =>
          Effect.gen(function*() {
            if (isActiveProfile(id)) {
              let created = false
              const decided = yield* setActiveProfile((before) => {
                created = before === undefined
                return before ?? content
              })
              return { created, content: encode(decided ?? content) }
            }
            yield* unwritable(prepare(id))
            const { bytes, created } = yield* unwritable(Effect.retry(
              SecureFiles.createOnce(fileOf(id), content),
              // Another process may remove the file between the two steps.
              { while: (error) => error.problem === "not_found", times: 3 }
            ))
            return { created, content: bytes }
          }),
        write: (id, content) =>
          isActiveProfile(id)
            ? Effect.asVoid(setActiveProfile(() => content))
            : unwritable(Effect.andThen(prepare(id), SecureFiles.replaceFile(fileOf(id), content))),
        remove: (id) =>
          isActiveProfile(id)
            ? Effect.asVoid(setActiveProfile(() => undefined))
            : unwritable(SecureFiles.removeFile(fileOf(id))),
        change: turn.withPermits(1),
        place: (id) => isActiveProfile(id) ? "config.json (active_profile)" : fileOf(id),
        ignored: Effect.succeed([])
      })
    })
  )
}

/** Lists the documents in the directories of a home. Remembers each list until its directory changes. */
const makeListings = (directories: Readonly<Record<ListedKind, string>>) => {
  const listings = new Map<
    ListedKind,
    { readonly state: DirectoryState.DirectoryState; readonly folder: DocumentFolder }
  >()
  return (kind: ListedKind): DocumentFolder => {
    const before = listings.get(kind)
    if (before !== undefined && DirectoryState.isCurrent(before.state)) return before.folder
    const state = DirectoryState.readDirectoryState(directories[kind], isDocumentFile)
    const documents = new Map<string, ListedDocument>()
    for (const { name, path, stamp } of state.entries) {
      const document = name.slice(0, -ending.length)
      const earlier = before?.state.entries.find((entry) => entry.name === name)
      const isSame = earlier?.settled === true && DirectoryState.isSameStamp(earlier.stamp, stamp)
      documents.set(
        document,
        (isSame ? before?.folder.documents.get(document) : undefined) ?? {
          content: Effect.mapError(SecureFiles.readFile(path, { maxBytes }), ({ message }) => message)
        }
      )
    }
    const problem = state.readable ? undefined : `${directories[kind]}: the directory cannot be read`
    const folder: DocumentFolder = { documents, problem }
    listings.set(kind, { state, folder })
    return folder
  }
}

const maxBytes = 256 * 1024

const ending = ".json"

const isDocumentFile = (name: string): boolean => name.endsWith(ending) && !name.startsWith(".")

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const unwritable = <A>(effect: Effect.Effect<A, SecureFiles.SecureFileError | ConfigFileError>) =>
  Effect.mapError(effect, ({ message }) => VaultUnavailableError.of(`${message}.`))
