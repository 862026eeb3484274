/**
 * The places where credsvc itself stores the master key and, during a rotation, the next one: a file of the home, or an
 * entry of the operating system's keyring.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Paths } from "../../config/Paths.ts"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import type { MasterKeySource } from "../../domain/wire/Health.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import { decodeStoredKey, freshKey, keyEncryptionKey, type ResolvedKey } from "./KeyEncryptionKey.ts"
import type { Keyring } from "./Keyring.ts"

/** The sources of the key in which credsvc stores it. */
type StoredSource = "keyring" | "local_key"

type Part = "current" | "next"

interface KeyStore {
  /** Reads a key. The failure is a full sentence. */
  readonly read: (storeId: string, part: Part) => Effect.Effect<Option.Option<string>, string>
  readonly write: (storeId: string, part: Part, text: string) => Effect.Effect<void, { readonly message: string }>
  /** The sentence for a missing current key. */
  readonly missing: (storeId: string) => string
}

/** The end of messages about failures that change nothing. */
export const nothingChanged = "Nothing was changed."

const entryOf = (storeId: string, part: Part = "current") =>
  part === "current" ? `master-key/${storeId}` : `master-key/${storeId}/next`

/** The key of a home in a file, and the next key beside it. */
const makeKeyFile = (file: string): KeyStore => {
  const nextFile = `${file}.next`
  return {
    read: Effect.fnUntraced(function*(_, part) {
      const name = part === "current" ? file : nextFile
      yield* SecureFiles.checkPath(name)
      const bytes = yield* SecureFiles.readFile(name, { maxBytes: 128 })
      return Option.some(new TextDecoder().decode(bytes).replace(/\n$/, ""))
    }, (read) =>
      Effect.catch(read, (error) =>
        error.problem === "not_found"
          ? Effect.succeedNone
          : Effect.fail(`This vault needs its key file: ${error.message}.`))),
    write: (_, part, text) =>
      part === "next"
        ? SecureFiles.replaceFile(nextFile, `${text}\n`)
        : Effect.andThen(SecureFiles.replaceFile(file, `${text}\n`), SecureFiles.removeFile(nextFile)),
    missing: () => `The key file "${file}" of this vault is missing. Restore the file from a backup.`
  }
}

const makeKeyringEntry = (keyring: Keyring["Service"], place: string): KeyStore => {
  const needed = `This vault needs its key from the ${place}`
  return {
    read: (storeId, part) =>
      Effect.mapBoth(keyring.get(entryOf(storeId, part)), {
        onFailure: (error) =>
          error.problem === "locked"
            ? `${needed}, which is locked. Unlock it and try again.`
            : `${needed}, which does not respond. Start the session's keyring service, or run the daemon inside the ` +
              "session, and try again.",
        onSuccess: Option.map(Redacted.value)
      }),
    write: (storeId, part, text) => keyring.set(entryOf(storeId, part), Redacted.make(text)),
    missing: (storeId) =>
      `${needed}, which has no entry "${entryOf(storeId)}" of service "credsvc". Restore the keyring.`
  }
}

/** The stored keys. `describe` describes a source to the user. */
export const makeKeyStores = (
  paths: Paths["Service"],
  keyring: Keyring["Service"],
  describe: (source: MasterKeySource) => string
) => {
  const stores = { local_key: makeKeyFile(paths.masterKey), keyring: makeKeyringEntry(keyring, describe("keyring")) }

  const parse = (source: StoredSource, text: string): Effect.Effect<ResolvedKey, VaultUnavailableError> => {
    const bytes = decodeStoredKey(text)
    return bytes === undefined
      ? VaultUnavailableError.of(
        `The ${describe(source)} does not hold a credsvc key. Restore the correct key. ${nothingChanged}`
      )
      : Effect.succeed({ source, key: keyEncryptionKey(bytes) })
  }

  const readCurrent = Effect.fnUntraced(function*(source: StoredSource, storeId: string) {
    const store = stores[source]
    const text = yield* Effect.mapError(
      store.read(storeId, "current"),
      (problem) => VaultUnavailableError.of(`${problem} ${nothingChanged}`)
    )
    return Option.isSome(text)
      ? yield* parse(source, text.value)
      : yield* VaultUnavailableError.of(
        `${store.missing(storeId)} No other key can open this vault, and none was created. ${nothingChanged}`
      )
  })

  /** Reads the next key, if there is one. */
  const readNext = (source: StoredSource, storeId: string) =>
    stores[source].read(storeId, "next").pipe(
      Effect.flatMap(Effect.fromOption),
      Effect.flatMap((text) => parse(source, text)),
      Effect.orElseSucceed(() => undefined)
    )

  /** Stores a new key as the next one. */
  const createNext = Effect.fnUntraced(function*(source: StoredSource, storeId: string) {
    const text = freshKey()
    yield* Effect.mapError(
      stores[source].write(storeId, "next", text),
      (error) => VaultUnavailableError.of(`The new key cannot be stored: ${error.message}. ${nothingChanged}`)
    )
    return yield* parse(source, text)
  })

  const createFile = Effect.gen(function*() {
    yield* SecureFiles.ensurePrivateDirectory(paths.server)
    // Several daemons may start for the first time together, so the key that the file then contains is used.
    yield* SecureFiles.createOnce(paths.masterKey, `${freshKey()}\n`)
  }).pipe(
    Effect.mapError((error) => VaultUnavailableError.of(`The key file cannot be created: ${error.message}.`)),
    Effect.andThen(readCurrent("local_key", ""))
  )

  /** Creates an entry. An existing entry was left by an interrupted creation, so it contains this vault's key. */
  const createEntry = Effect.fnUntraced(function*(storeId: string) {
    const found = yield* keyring.get(entryOf(storeId))
    if (Option.isSome(found)) return yield* parse("keyring", Redacted.value(found.value))
    const text = freshKey()
    yield* keyring.set(entryOf(storeId), Redacted.make(text))
    return yield* parse("keyring", text)
  })

  return {
    readCurrent,
    readNext,
    createNext,
    createFile,
    createEntry,

    /** Stores the current key, and removes the next one from a file. */
    writeCurrent: (source: StoredSource, storeId: string, text: string) =>
      stores[source].write(storeId, "current", text)
  }
}
