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
import { Settings, type SettingsShape } from "../../config/Settings.ts"
import { OperationNotAllowedError, type StoreFailure, VaultUnavailableError } from "../../domain/Errors.ts"
import type { MasterKeyMode, MasterKeySource } from "../../domain/wire/Health.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import {
  decodeBase64,
  decodeStoredKey,
  encodeStoredKey,
  type KeyEncryptionKey,
  keyEncryptionKey,
  type ResolvedKey
} from "./KeyEncryptionKey.ts"
import { Keyring } from "./Keyring.ts"
import { makeKeyStores, nothingChanged } from "./KeyStores.ts"
import type { VaultHeader } from "./VaultHeader.ts"

const VARIABLE = "CREDSVC_MASTER_KEY"
const FILE_VARIABLE = "CREDSVC_MASTER_KEY_FILE"

const isKeyOf = (header: VaultHeader, { key }: ResolvedKey): boolean =>
  isSameSecret(key.check, header.keyCheck) && key.id === header.keyId

/** Whether the daemon's environment provides the key. */
const isProvided = (source: MasterKeySource): source is "env" | "key_file" => source === "env" || source === "key_file"

const fail = (detail: string) => Effect.fail(VaultUnavailableError.of(detail))

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The vault whose key a rotation replaces, and where that key is stored. */
export type KeyPlace = Pick<VaultHeader, "source" | "storeId">

/** Checks the next key that the user enters, because credsvc cannot change the place of the current one. */
const enteredKey = (
  current: KeyEncryptionKey,
  entered: Option.Option<Redacted.Redacted<string>>,
  place: string
): Effect.Effect<KeyEncryptionKey, OperationNotAllowedError> => {
  if (Option.isNone(entered)) {
    return Effect.fail(OperationNotAllowedError.of(
      `The vault's key comes from the ${place}, which credsvc cannot change. Give it the new key, 32 bytes in base64, with: ` +
        "credsvc vault rotate --stdin"
    ))
  }
  const text = Redacted.value(entered.value).trim()
  const bytes = decodeStoredKey(text) ?? decodeBase64(text)
  if (bytes === undefined) return Effect.fail(OperationNotAllowedError.of("The new key is not 32 bytes in base64."))
  const key = keyEncryptionKey(bytes)
  return key.id === current.id
    ? Effect.fail(OperationNotAllowedError.of("The new key is the vault's current key. Create another key."))
    : Effect.succeed(key)
}

const readKeyFile = Effect.fnUntraced(function*(file: string) {
  if (file === "") return yield* fail(`${FILE_VARIABLE} is set but empty. Set it to the path of a file, or unset it.`)
  const content = yield* Effect.mapError(
    SecureFiles.readProvidedSecret(file, 1024),
    (error) => VaultUnavailableError.of(`${FILE_VARIABLE}: ${error.message}. ${nothingChanged}`)
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
const providedKey = (
  { masterKey, masterKeyFile }: SettingsShape
): Effect.Effect<Option.Option<ResolvedKey>, VaultUnavailableError> => {
  if (Option.isNone(masterKey)) {
    return Option.isNone(masterKeyFile) ? Effect.succeedNone : Effect.asSome(readKeyFile(masterKeyFile.value))
  }
  if (Option.isSome(masterKeyFile)) return fail(`${VARIABLE} and ${FILE_VARIABLE} are both set. Unset one of them.`)
  const bytes = decodeBase64(Redacted.value(masterKey.value).trim())
  return bytes === undefined
    ? fail(`${VARIABLE} is not 32 bytes in base64. Set it to the base64 form of 32 bytes, or unset it.`)
    : Effect.succeedSome({ source: "env", key: keyEncryptionKey(bytes) })
}

/** Describes the sources of the key of a home to the user. */
const makeDescriptions =
  (paths: Paths["Service"], settings: SettingsShape, keyring: Keyring["Service"]) =>
  (source: MasterKeySource): string => {
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

const make = Effect.fnUntraced(function*(configured: Effect.Effect<MasterKeyMode, VaultUnavailableError>) {
  const paths = yield* Paths
  const settings = yield* Settings
  const keyring = yield* Keyring
  const describe = makeDescriptions(paths, settings, keyring)
  const stores = makeKeyStores(paths, keyring, describe)
  const provided = Effect.suspend(() => providedKey(settings))

  /** The next key that this process has staged. The environment still provides the current key. */
  let stagedHere: ResolvedKey | undefined

  /** Returns the key of an interrupted rotation that has not yet replaced the old key. */
  const staged = Effect.fnUntraced(function*(source: MasterKeySource, header: VaultHeader) {
    if (stagedHere !== undefined && isKeyOf(header, stagedHere)) return stagedHere
    if (isProvided(source)) return undefined
    const next = yield* stores.readNext(source, header.storeId)
    return next !== undefined && isKeyOf(header, next) ? next : undefined
  })

  /** Checks that the key in the environment is the vault's key. */
  const existingProvided = Effect.fnUntraced(function*(header: VaultHeader, given: ResolvedKey) {
    if (isKeyOf(header, given)) return given
    const next = yield* staged(given.source, header)
    if (next !== undefined) return next
    return yield* fail(
      `${given.source === "env" ? VARIABLE : capital(describe("key_file"))} does not contain this vault's key` +
        (given.source === header.source ? `. ` : ` (${describe(header.source)}). `) +
        (isProvided(header.source) ? "Set it to that key" : "Unset it") + ` and restart the daemon. ${nothingChanged}`
    )
  })

  const existing = Effect.fn("KeyResolver.existing")(function*(header: VaultHeader) {
    const mode = yield* configured
    const given = yield* provided
    if (Option.isSome(given) && mode === "auto") return yield* existingProvided(header, given.value)
    const { source } = header
    if (mode !== "auto" && mode !== source) {
      return yield* fail(
        `This vault's key is in the ${describe(source)}, but the master-key mode is ${mode}. ` +
          `Set the mode to ${isProvided(source) ? "auto" : `auto or ${source}`}. ${nothingChanged}`
      )
    }
    if (isProvided(source)) {
      return yield* fail(
        `This vault needs the key with which it was created, in the ${describe(source)}, which is not set. ` +
          `Set it and restart the daemon. ${nothingChanged}`
      )
    }
    const current = yield* stores.readCurrent(source, header.storeId)
    if (isKeyOf(header, current)) return current
    const next = yield* staged(source, header)
    if (next !== undefined) return next
    return yield* fail(
      `${capital(describe(source))} does not contain this vault's key. Restore the correct key. ${nothingChanged}`
    )
  })

  const create = Effect.fn("KeyResolver.create")(function*(storeId: string) {
    const mode = yield* configured
    const given = yield* provided
    if (mode === "auto" && Option.isSome(given)) return given.value
    if (mode === "local_key") return yield* stores.createFile
    return yield* stores.createEntry(storeId).pipe(
      Effect.catchTag("KeyringError", (error) =>
        mode === "auto" ? stores.createFile : fail(
          `The key must be stored in the ${describe("keyring")}, but ${error.message}. Make it available, or choose ` +
            "another master-key mode."
        ))
    )
  })

  const stage = Effect.fn("KeyResolver.stage")(function*(
    { source, storeId }: KeyPlace,
    current: KeyEncryptionKey,
    entered: Option.Option<Redacted.Redacted<string>>
  ) {
    if (!isProvided(source) && Option.isSome(entered)) {
      return yield* OperationNotAllowedError.of(
        `The vault's key is in the ${describe(source)}, where credsvc creates the new key. Omit --stdin.`
      )
    }
    return stagedHere = isProvided(source)
      ? { source, key: yield* enteredKey(current, entered, describe(source)) }
      : yield* stores.createNext(source, storeId)
  })

  const settle = Effect.fn("KeyResolver.settle")(function*({ source, storeId }: KeyPlace, { key }: KeyEncryptionKey) {
    if (isProvided(source)) return
    yield* Effect.mapError(
      stores.writeCurrent(source, storeId, encodeStoredKey(key.export())),
      (error) =>
        VaultUnavailableError.of(
          `The current key could not be stored in the ${describe(source)}: ${error.message}. The daemon uses ` +
            "the copy that it stored before the rotation. Try again with: credsvc vault rotate"
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
   * Prepares the next key of a vault: a new key, stored beside the current one, or the entered key if the environment
   * provides it. `existing` finds it once the header names it. Without this function, keys cannot be rotated.
   */
  readonly stage?: (
    place: KeyPlace,
    current: KeyEncryptionKey,
    entered: Option.Option<Redacted.Redacted<string>>
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
        stage: ({ source }, current, entered) =>
          Effect.map(enteredKey(current, entered, description), (key) => ({ source, key })),
        settle: () => Effect.void,
        mode: Effect.succeed("auto"),
        existing: (header) =>
          isKeyOf(header, resolved) ? Effect.succeed(resolved) : fail(
            `${capital(description)} does not contain this vault's key. Use the key that the vault was created with. ` +
              nothingChanged
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
