/**
 * Finds the master key. An existing vault accepts only the key with which it was created, and a missing key is an
 * error: a new key would make everything stored unreadable.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { ConfigFile } from "../../config/file/ConfigFile.ts"
import { Paths } from "../../config/Paths.ts"
import { Settings } from "../../config/Settings.ts"
import { OperationNotAllowedError, type StoreFailure, VaultUnavailableError } from "../../domain/Errors.ts"
import type { MasterKeyMode, MasterKeySource } from "../../domain/wire/Health.ts"
import { builtins } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import type { BoxKey } from "../SealedBox.ts"
import { Keyring } from "./Keyring.ts"

const VARIABLE = "CREDSVC_MASTER_KEY"
const FILE_VARIABLE = "CREDSVC_MASTER_KEY_FILE"
const KEY_BYTES = 32

/** The master key. Its ID is derived from the key, so the ID is the same wherever the key is stored. */
export interface KeyEncryptionKey extends BoxKey {
  /** The check value in the vault's header, which identifies the correct key without revealing it. */
  readonly check: string
}

export interface ResolvedKey {
  readonly source: MasterKeySource
  readonly key: KeyEncryptionKey
}

export interface VaultHeader {
  readonly storeId: string
  readonly source: MasterKeySource
  readonly keyId: string
  readonly keyCheck: string
}

/** Creates a key from 32 bytes and wipes the caller's copy. */
export const keyEncryptionKey = (bytes: Uint8Array): KeyEncryptionKey => {
  const { createHmac, createSecretKey } = builtins.crypto
  const key = createSecretKey(bytes)
  bytes.fill(0)
  const digest = (purpose: string) => createHmac("sha256", key).update(purpose).digest("hex")
  return { id: digest("credsvc/key-id/v1").slice(0, 32), key, check: digest("credsvc/key-check/v1") }
}

const matches = (key: KeyEncryptionKey, header: VaultHeader): boolean =>
  isSameSecret(key.check, header.keyCheck) && key.id === header.keyId

const decodeBase64 = (text: string): Uint8Array | undefined => {
  const bytes = new Uint8Array(Buffer.from(text, "base64"))
  const canonical = Buffer.from(bytes).toString("base64")
  return bytes.length === KEY_BYTES && (text === canonical || text === canonical.replace(/=+$/, "")) ? bytes : undefined
}

const STORED_PREFIX = "credsvc-key-v1:"

const encodeStoredKey = (bytes: Uint8Array): string => STORED_PREFIX + Buffer.from(bytes).toString("base64")

const freshKey = (): string => {
  const bytes = builtins.crypto.randomBytes(KEY_BYTES)
  const text = encodeStoredKey(bytes)
  bytes.fill(0)
  return text
}

const decodeStoredKey = (text: string): Uint8Array | undefined =>
  text.startsWith(STORED_PREFIX) ? decodeBase64(text.slice(STORED_PREFIX.length)) : undefined

/** Whether the daemon's environment provides the key. */
const isProvided = (source: MasterKeySource): source is "env" | "key_file" => source === "env" || source === "key_file"

const fail = (detail: string) => Effect.fail(VaultUnavailableError.of(detail))

const unchanged = "Nothing was changed."

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const entryOf = (storeId: string) => `master-key/${storeId}`

/** The keyring entry for the next key, until a rotation moves it to the entry of the current key. */
const nextEntryOf = (storeId: string) => `${entryOf(storeId)}/next`
const nextFileOf = (file: string) => `${file}.next`

/** The vault whose key a rotation replaces, and where that key is stored. */
export type KeyPlace = Pick<VaultHeader, "source" | "storeId">

/** A place where credsvc stores the current key and, during a rotation, the next key. */
interface KeyStore {
  /** Reads a key. The failure is a full sentence. */
  readonly read: (storeId: string, part: "current" | "next") => Effect.Effect<Option.Option<string>, string>
  readonly write: (
    storeId: string,
    part: "current" | "next",
    text: string
  ) => Effect.Effect<void, { readonly message: string }>
  /** The sentence for a missing current key. */
  readonly missing: (storeId: string) => string
}

const givenKey = (
  current: KeyEncryptionKey,
  given: Option.Option<Redacted.Redacted<string>>,
  place: string
): Effect.Effect<KeyEncryptionKey, OperationNotAllowedError> => {
  if (Option.isNone(given)) {
    return Effect.fail(OperationNotAllowedError.of(
      `The vault's key comes from the ${place}, which credsvc cannot change. Give it the new key, 32 bytes in base64, with: ` +
        "credsvc vault rotate --stdin"
    ))
  }
  const text = Redacted.value(given.value).trim()
  const bytes = decodeStoredKey(text) ?? decodeBase64(text)
  if (bytes === undefined) return Effect.fail(OperationNotAllowedError.of("The new key is not 32 bytes in base64."))
  const key = keyEncryptionKey(bytes)
  return key.id === current.id
    ? Effect.fail(OperationNotAllowedError.of("The new key is the vault's current key. Create another key."))
    : Effect.succeed(key)
}

const make = Effect.fnUntraced(function*(configured: Effect.Effect<MasterKeyMode, VaultUnavailableError>) {
  const paths = yield* Paths
  const settings = yield* Settings
  const keyring = yield* Keyring

  const describe = (source: MasterKeySource): string => {
    switch (source) {
      case "env":
        return `environment variable ${VARIABLE}`
      case "key_file":
        return Option.match(settings.masterKeyFile, {
          onNone: () => `file that ${FILE_VARIABLE} names`,
          onSome: (file) => `file ${file} (${FILE_VARIABLE})`
        })
      case "keyring":
        return `OS keyring (${keyring.backend})`
      case "local_key":
        return `key file ${paths.masterKey}`
    }
  }

  const fromFile = Effect.fnUntraced(function*(file: string) {
    if (file === "") return yield* fail(`${FILE_VARIABLE} is set but empty. Set it to the path of a file, or unset it.`)
    const content = yield* Effect.mapError(
      SecureFiles.readProvidedSecret(file, 1024),
      (error) => VaultUnavailableError.of(`${FILE_VARIABLE}: ${error.message}. ${unchanged}`)
    )
    const text = new TextDecoder().decode(content).trim()
    content.fill(0)
    const bytes = decodeStoredKey(text) ?? decodeBase64(text)
    return bytes === undefined
      ? yield* fail(
        `Invalid key file "${file}" in ${FILE_VARIABLE}: expected 32 bytes in base64. Correct the file, or unset the variable.`
      )
      : { source: "key_file" as const, key: keyEncryptionKey(bytes) }
  })

  /** The key in the environment variables. A malformed key is an error in every mode, because the user expects it to be used. */
  const provided: Effect.Effect<Option.Option<ResolvedKey>, VaultUnavailableError> = Effect.suspend(() => {
    const { masterKey, masterKeyFile } = settings
    if (Option.isSome(masterKey)) {
      if (Option.isSome(masterKeyFile)) return fail(`${VARIABLE} and ${FILE_VARIABLE} are both set. Unset one of them.`)
      const bytes = decodeBase64(Redacted.value(masterKey.value).trim())
      return bytes === undefined
        ? fail(`${VARIABLE} is not 32 bytes in base64. Set it to the base64 form of 32 bytes, or unset it.`)
        : Effect.succeed(Option.some({ source: "env" as const, key: keyEncryptionKey(bytes) }))
    }
    return Option.match(masterKeyFile, {
      onNone: () => Effect.succeed(Option.none()),
      onSome: (file) => Effect.map(fromFile(file), Option.some)
    })
  })

  const fromStored = (source: MasterKeySource, text: string): Effect.Effect<ResolvedKey, VaultUnavailableError> => {
    const bytes = decodeStoredKey(text)
    return bytes === undefined
      ? fail(`The ${describe(source)} does not hold a credsvc key. Restore the correct key. ${unchanged}`)
      : Effect.succeed({ source, key: keyEncryptionKey(bytes) })
  }

  /** The next key that this process has staged. The environment still provides the current key. */
  let stagedHere: ResolvedKey | undefined

  const file: KeyStore = {
    read: Effect.fnUntraced(function*(_, part) {
      const name = part === "current" ? paths.masterKey : nextFileOf(paths.masterKey)
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
        ? SecureFiles.replaceFile(nextFileOf(paths.masterKey), `${text}\n`)
        : Effect.andThen(
          SecureFiles.replaceFile(paths.masterKey, `${text}\n`),
          SecureFiles.removeFile(nextFileOf(paths.masterKey))
        ),
    missing: () => `The key file "${paths.masterKey}" of this vault is missing. Restore the file from a backup.`
  }

  const inKeyring = () => `This vault needs its key from the ${describe("keyring")}`

  const entry: KeyStore = {
    read: (storeId, part) =>
      Effect.mapBoth(keyring.get(part === "current" ? entryOf(storeId) : nextEntryOf(storeId)), {
        onFailure: (error) =>
          error.problem === "locked"
            ? `${inKeyring()}, which is locked. Unlock it and try again.`
            : `${inKeyring()}, which does not respond. Start the session's keyring service, or run the daemon inside the ` +
              "session, and try again.",
        onSuccess: Option.map(Redacted.value)
      }),
    write: (storeId, part, text) =>
      keyring.set(part === "current" ? entryOf(storeId) : nextEntryOf(storeId), Redacted.make(text)),
    missing: (storeId) =>
      `${inKeyring()}, which has no entry "${entryOf(storeId)}" of service "credsvc". Restore the keyring.`
  }

  const storeOf = (source: "keyring" | "local_key") => source === "local_key" ? file : entry

  const matching = (resolved: ResolvedKey, header: VaultHeader) => matches(resolved.key, header)

  /** Returns the key of an interrupted rotation that has not yet replaced the old key. */
  const staged = Effect.fnUntraced(function*(source: MasterKeySource, header: VaultHeader) {
    if (stagedHere !== undefined && matching(stagedHere, header)) return stagedHere
    if (isProvided(source)) return undefined
    const found = yield* storeOf(source).read(header.storeId, "next").pipe(
      Effect.flatMap(Effect.fromOption),
      Effect.flatMap((text) => fromStored(source, text)),
      Effect.orElseSucceed(() => undefined)
    )
    return found !== undefined && matching(found, header) ? found : undefined
  })

  const stored = Effect.fnUntraced(function*(source: "keyring" | "local_key", storeId: string) {
    const store = storeOf(source)
    const text = yield* Effect.mapError(
      store.read(storeId, "current"),
      (problem) => VaultUnavailableError.of(`${problem} ${unchanged}`)
    )
    return Option.isSome(text)
      ? yield* fromStored(source, text.value)
      : yield* fail(
        `${store.missing(storeId)} No other key can open this vault, and none was created. ${unchanged}`
      )
  })

  const existing = Effect.fn("KeyResolver.existing")(function*(header: VaultHeader) {
    const mode = yield* configured
    const given = yield* provided
    if (Option.isSome(given) && mode === "auto") {
      if (matching(given.value, header)) return given.value
      const other = yield* staged(given.value.source, header)
      if (other !== undefined) return other
      const from = given.value.source
      return yield* fail(
        `${from === "env" ? VARIABLE : capital(describe("key_file"))} does not contain this vault's key` +
          (from === header.source ? `. ` : ` (${describe(header.source)}). `) +
          (isProvided(header.source) ? "Set it to that key" : "Unset it") + ` and restart the daemon. ${unchanged}`
      )
    }
    const { source } = header
    if (mode !== "auto" && mode !== source) {
      return yield* fail(
        `This vault's key is in the ${describe(source)}, but the master-key mode is ${mode}. ` +
          `Set the mode to ${isProvided(source) ? "auto" : `auto or ${source}`}. ${unchanged}`
      )
    }
    if (isProvided(source)) {
      return yield* fail(
        `This vault needs the key with which it was created, in the ${
          describe(header.source)
        }, which is not set. Set it and ` +
          `restart the daemon. ${unchanged}`
      )
    }
    const resolved = yield* stored(source, header.storeId)
    if (matching(resolved, header)) return resolved
    const next = yield* staged(source, header)
    if (next !== undefined) return next
    return yield* fail(
      `${capital(describe(header.source))} does not contain this vault's key. ` +
        `Restore the correct key. ${unchanged}`
    )
  })

  const newKeyFile = Effect.gen(function*() {
    yield* SecureFiles.ensurePrivateDirectory(paths.server)
    // Several daemons may start for the first time together, so the key that the file then contains is used.
    yield* SecureFiles.createOnce(paths.masterKey, `${freshKey()}\n`)
  }).pipe(
    Effect.mapError((error) => VaultUnavailableError.of(`The key file cannot be created: ${error.message}.`)),
    Effect.andThen(stored("local_key", ""))
  )

  /** Creates an entry. An existing entry was left by an interrupted creation, so it contains this vault's key. */
  const newKeyringEntry = Effect.fnUntraced(function*(storeId: string) {
    const found = yield* keyring.get(entryOf(storeId))
    if (Option.isSome(found)) return yield* fromStored("keyring", Redacted.value(found.value))
    const text = freshKey()
    yield* keyring.set(entryOf(storeId), Redacted.make(text))
    return yield* fromStored("keyring", text)
  })

  const create = Effect.fn("KeyResolver.create")(function*(storeId: string) {
    const mode = yield* configured
    const given = yield* provided
    if (mode === "auto" && Option.isSome(given)) return given.value
    if (mode === "local_key") return yield* newKeyFile
    return yield* newKeyringEntry(storeId).pipe(
      Effect.catchTag("KeyringError", (error) =>
        mode === "auto" ? newKeyFile : fail(
          `The key must be stored in the ${describe("keyring")}, but ${error.message}. Make it available, or choose ` +
            "another master-key mode."
        ))
    )
  })

  const stage = Effect.fn("KeyResolver.stage")(function*(
    { source, storeId }: KeyPlace,
    current: KeyEncryptionKey,
    given: Option.Option<Redacted.Redacted<string>>
  ) {
    if (isProvided(source)) {
      stagedHere = { source, key: yield* givenKey(current, given, describe(source)) }
      return stagedHere
    }
    if (Option.isSome(given)) {
      return yield* OperationNotAllowedError.of(
        `The vault's key is in the ${describe(source)}, where credsvc creates the new key. Omit --stdin.`
      )
    }
    const text = freshKey()
    yield* Effect.mapError(
      storeOf(source).write(storeId, "next", text),
      (error) => VaultUnavailableError.of(`The new key cannot be stored: ${error.message}. ${unchanged}`)
    )
    stagedHere = yield* fromStored(source, text)
    return stagedHere
  })

  const settle = Effect.fn("KeyResolver.settle")(function*({ source, storeId }: KeyPlace, { key }: KeyEncryptionKey) {
    if (isProvided(source)) return
    const bytes = key.export()
    const text = encodeStoredKey(bytes)
    bytes.fill(0)
    yield* Effect.mapError(
      storeOf(source).write(storeId, "current", text),
      (error) =>
        VaultUnavailableError.of(
          `The current key could not be stored in the ${
            describe(source)
          }: ${error.message}. The daemon uses the copy ` +
            "that it stored before the rotation. Try again with: credsvc vault rotate"
        )
    )
  })

  return KeyResolver.of({
    stage,
    settle,
    mode: Effect.orElseSucceed(configured, () => "auto" as const),
    existing,
    create,
    describe
  })
})

export class KeyResolver extends Context.Service<KeyResolver, {
  /** The configured mode, or `auto` if `config.json` cannot be read. */
  readonly mode: Effect.Effect<MasterKeyMode>

  /** Returns the key of an existing vault. Never creates a key and never returns a different one. */
  readonly existing: (header: VaultHeader) => Effect.Effect<ResolvedKey, VaultUnavailableError>

  /** Returns the key for a new vault, creating it if necessary. */
  readonly create: (storeId: string) => Effect.Effect<ResolvedKey, VaultUnavailableError>

  /**
   * Prepares the next key of a vault: a new key, stored beside the current one, or the given key if the environment
   * provides it. `existing` finds it once the header names it. Without this function, keys cannot be rotated.
   */
  readonly stage?: (
    place: KeyPlace,
    current: KeyEncryptionKey,
    given: Option.Option<Redacted.Redacted<string>>
  ) => Effect.Effect<ResolvedKey, StoreFailure>

  /** Moves the vault's key to the place of the old key, after a rotation. */
  readonly settle?: (place: KeyPlace, key: KeyEncryptionKey) => Effect.Effect<void, VaultUnavailableError>

  /** Describes a source to the user. */
  readonly describe: (source: MasterKeySource) => string
}>()("credsvc/vault/KeyResolver") {
  /** A resolver that uses only the key file in the home. */
  static readonly layerLocalKey = Layer.effect(KeyResolver, make(Effect.succeed("local_key")))

  /** A resolver for the embedding program's 32-byte key. `description` names its place in messages. Wipes the returned bytes. */
  static readonly layerKey = (key: () => Uint8Array, description: string): Layer.Layer<KeyResolver> =>
    Layer.sync(KeyResolver, () => {
      const resolved: ResolvedKey = { source: "env", key: keyEncryptionKey(key()) }
      return KeyResolver.of({
        stage: ({ source }, current, given) =>
          Effect.map(givenKey(current, given, description), (key) => ({ source, key })),
        settle: () => Effect.void,
        mode: Effect.succeed("auto"),
        existing: (header) =>
          matches(resolved.key, header) ? Effect.succeed(resolved) : fail(
            `${capital(description)} does not contain this vault's key. Use the key that the vault was created with. ` +
              unchanged
          ),
        create: () => Effect.succeed(resolved),
        describe: () => description
      })
    })

  /** The resolver for the mode that the environment or `config.json` selects. */
  static readonly layerNoDeps = Layer.effect(
    KeyResolver,
    Effect.gen(function*() {
      const settings = yield* Settings
      const config = yield* ConfigFile
      const configured = config.read.pipe(
        Effect.mapError((error) => VaultUnavailableError.of(`${error.message}.`)),
        Effect.map((document) => document.masterKeyMode ?? "auto")
      )
      return yield* make(Option.match(settings.masterKeyMode, { onNone: () => configured, onSome: Effect.succeed }))
    })
  )
}
