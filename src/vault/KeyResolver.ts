/**
 * Finds the key-encryption key.
 *
 * An existing vault accepts only the key that it was created with, and a missing key is an error: a new one would make
 * everything stored unreadable.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { ConfigFile } from "../config/ConfigFile.ts"
import { Paths } from "../config/Paths.ts"
import { Settings } from "../config/Settings.ts"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import type { MasterKeyMode, MasterKeySource } from "../domain/wire/Health.ts"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"
import { Keyring, type KeyringError } from "./Keyring.ts"
import { type BoxKey, isSameMac } from "./SealedBox.ts"

const VARIABLE = "CREDSVC_MASTER_KEY"
const FILE_VARIABLE = "CREDSVC_MASTER_KEY_FILE"
const KEY_BYTES = 32

/** The key-encryption key. Its ID is derived from it, so it is the same wherever the key is stored. */
export interface KeyEncryptionKey extends BoxKey {
  /** Stored in the vault's header to recognize the right key without revealing it. */
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
  isSameMac(Buffer.from(key.check), Buffer.from(header.keyCheck)) && key.id === header.keyId

const decodeBase64 = (text: string): Uint8Array | undefined => {
  const bytes = new Uint8Array(Buffer.from(text, "base64"))
  const canonical = Buffer.from(bytes).toString("base64")
  return bytes.length === KEY_BYTES && (text === canonical || text === canonical.replace(/=+$/, "")) ? bytes : undefined
}

const STORED_PREFIX = "credsvc-key-v1:"

const encodeStoredKey = (bytes: Uint8Array): string => STORED_PREFIX + Buffer.from(bytes).toString("base64")

const decodeStoredKey = (text: string): Uint8Array | undefined =>
  text.startsWith(STORED_PREFIX) ? decodeBase64(text.slice(STORED_PREFIX.length)) : undefined

/** Whether the environment of the daemon provides the key. */
const isProvided = (source: MasterKeySource): boolean => source === "env" || source === "key_file"

const fail = (detail: string) => Effect.fail(VaultUnavailableError.of(detail))

const unchanged = "Nothing was changed."

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const entryOf = (storeId: string) => `master-key/${storeId}`

/** What the entry and the file of a key are called until a rotation has stored the data keys under it. */
const nextEntryOf = (storeId: string) => `${entryOf(storeId)}/next`
const nextFileOf = (file: string) => `${file}.next`

/** The key of a vault that a rotation replaces. */
export type KeyPlace = Pick<VaultHeader, "source" | "storeId">

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
    ? Effect.fail(OperationNotAllowedError.of("The new key is the vault's current key. Create another one."))
    : Effect.succeed(key)
}

interface Options {
  readonly mode: Effect.Effect<MasterKeyMode, VaultUnavailableError>
  /** `env` stands for both variables. */
  readonly allowed: (mode: MasterKeyMode) => ReadonlyArray<MasterKeySource>
}

const make = Effect.fnUntraced(function*(options: Options) {
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
        `${FILE_VARIABLE}: ${file} does not hold 32 bytes in base64. Correct the file, or unset the variable.`
      )
      : { source: "key_file" as const, key: keyEncryptionKey(bytes) }
  })

  /** The key of the environment. A malformed one is an error in every mode, because the user expects it to be used. */
  const provided: Effect.Effect<Option.Option<ResolvedKey>, VaultUnavailableError> = Effect.suspend(() => {
    const { masterKey, masterKeyFile } = settings
    if (Option.isSome(masterKey)) {
      if (Option.isSome(masterKeyFile)) return fail(`${VARIABLE} and ${FILE_VARIABLE} are both set. Unset one of them.`)
      const bytes = decodeBase64(Redacted.value(masterKey.value).trim())
      return bytes === undefined
        ? fail(`${VARIABLE} is set but is not 32 bytes in base64. Set it right, or unset it.`)
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
      ? fail(`The ${describe(source)} does not hold a credsvc key. Restore the correct one; ${unchanged.toLowerCase()}`)
      : Effect.succeed({ source, key: keyEncryptionKey(bytes) })
  }

  const readKey = Effect.fnUntraced(function*(file: string) {
    yield* SecureFiles.checkPath(file)
    const bytes = yield* SecureFiles.readFile(file, { maxBytes: 128 })
    return new TextDecoder().decode(bytes).replace(/\n$/, "")
  })
  const readKeyFile = readKey(paths.masterKey)

  /** The key that this process has staged, which the environment cannot hold yet. */
  let stagedHere: ResolvedKey | undefined

  const existingLocalKey = Effect.matchEffect(readKeyFile, {
    onFailure: (error) =>
      error.problem === "not_found"
        ? fail(
          `This vault needs its key file ${paths.masterKey}, which is missing. Restore it from a backup. No other ` +
            `key can open this vault, and none was created. ${unchanged}`
        )
        : fail(`This vault needs its key file: ${error.message}. ${unchanged}`),
    onSuccess: (text) => fromStored("local_key", text)
  })

  const matching = (resolved: ResolvedKey, header: VaultHeader) => matches(resolved.key, header)

  /** The key of a rotation that was interrupted before the key was in its place. */
  const staged = Effect.fnUntraced(function*(source: MasterKeySource, header: VaultHeader) {
    if (stagedHere !== undefined && matching(stagedHere, header)) return stagedHere
    if (source !== "local_key" && source !== "keyring") return undefined
    const text = source === "local_key"
      ? yield* Effect.option(readKey(nextFileOf(paths.masterKey)))
      : Option.map(
        yield* Effect.orElseSucceed(keyring.get(nextEntryOf(header.storeId)), () => Option.none()),
        Redacted.value
      )
    const found = Option.isNone(text) ? undefined : yield* Effect.orElseSucceed(
      fromStored(source, text.value),
      () => undefined
    )
    return found !== undefined && matching(found, header) ? found : undefined
  })

  const keyringTrouble = (error: KeyringError): string =>
    error.problem === "locked"
      ? `This vault needs its key from the ${describe("keyring")}, which is locked. Unlock it and try again.`
      : `This vault needs its key from the ${describe("keyring")}, which does not respond. Start the session's ` +
        "keyring service, or run the daemon inside the session, and try again."

  const existingKeyring = (storeId: string) =>
    Effect.matchEffect(keyring.get(entryOf(storeId)), {
      onFailure: (error) => fail(`${keyringTrouble(error)} ${unchanged}`),
      onSuccess: Option.match({
        onNone: () =>
          fail(
            `This vault needs its key from the ${describe("keyring")}, which has no entry "${entryOf(storeId)}" of ` +
              `service "credsvc". Restore the keyring. No other key can open this vault, and none was created. ${unchanged}`
          ),
        onSome: (value) => fromStored("keyring", Redacted.value(value))
      })
    })

  const existing = Effect.fn("KeyResolver.existing")(function*(header: VaultHeader) {
    const mode = yield* options.mode
    const allowed = options.allowed(mode)
    const given = yield* provided
    if (Option.isSome(given) && allowed.includes("env")) {
      if (matching(given.value, header)) return given.value
      const other = yield* staged(given.value.source, header)
      if (other !== undefined) return other
      return yield* fail(
        `${given.value.source === "env" ? VARIABLE : capital(describe("key_file"))} holds another key than this ` +
          `vault's (${describe(header.source)}). ` +
          (isProvided(header.source) ? "Set it to that key" : "Unset it") + ` and restart the daemon. ${unchanged}`
      )
    }
    const source = isProvided(header.source) ? "env" : header.source
    if (!allowed.includes(source)) {
      return yield* fail(
        `This vault's key is in the ${describe(header.source)}, but the master-key mode is ${mode}. ` +
          `Set the mode to ${source === "env" ? "auto" : `auto or ${source}`}. ${unchanged}`
      )
    }
    if (source === "env") {
      return yield* fail(
        `This vault needs the key it was created with in the ${
          describe(header.source)
        }, which is not set. Set it and ` +
          `restart the daemon. ${unchanged}`
      )
    }
    const resolved = source === "local_key" ? yield* existingLocalKey : yield* existingKeyring(header.storeId)
    if (matching(resolved, header)) return resolved
    const next = yield* staged(source, header)
    if (next !== undefined) return next
    return yield* fail(
      `${capital(describe(header.source))} holds another key than this vault's. ` +
        `Restore the correct one. ${unchanged}`
    )
  })

  const newKeyFile = Effect.gen(function*() {
    yield* SecureFiles.ensurePrivateDirectory(paths.server)
    const fresh = builtins.crypto.randomBytes(KEY_BYTES)
    const text = `${encodeStoredKey(fresh)}\n`
    fresh.fill(0)
    // First starts may race. The key that the file holds afterwards is the one to use.
    yield* SecureFiles.createOnce(paths.masterKey, text)
    return yield* readKeyFile
  }).pipe(
    Effect.mapError((error) => VaultUnavailableError.of(`The key file cannot be created: ${error.message}.`)),
    Effect.flatMap((text) => fromStored("local_key", text))
  )

  /** An existing entry was left by an interrupted creation, so it is this vault's key. */
  const newKeyringEntry = Effect.fnUntraced(function*(storeId: string) {
    const found = yield* keyring.get(entryOf(storeId))
    if (Option.isSome(found)) return yield* fromStored("keyring", Redacted.value(found.value))
    const fresh = builtins.crypto.randomBytes(KEY_BYTES)
    const text = encodeStoredKey(fresh)
    fresh.fill(0)
    yield* keyring.set(entryOf(storeId), Redacted.make(text))
    return yield* fromStored("keyring", text)
  })

  const create = Effect.fn("KeyResolver.create")(function*(storeId: string) {
    const mode = yield* options.mode
    const allowed = options.allowed(mode)
    const given = yield* provided
    if (allowed.includes("env")) {
      if (Option.isSome(given)) return given.value
      if (allowed.length === 1) {
        return yield* fail(
          `The configured source of the key is the ${describe("env")}, which is not set. Set it to 32 bytes in base64.`
        )
      }
    }
    if (!allowed.includes("keyring")) return yield* newKeyFile
    return yield* newKeyringEntry(storeId).pipe(
      Effect.catchTag("KeyringError", (error) =>
        allowed.includes("local_key") ? newKeyFile : fail(
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
        `The vault's key is in the ${describe(source)}, where credsvc creates the new one. Do not give one.`
      )
    }
    const fresh = builtins.crypto.randomBytes(KEY_BYTES)
    const text = encodeStoredKey(fresh)
    fresh.fill(0)
    yield* source === "local_key"
      ? Effect.mapError(
        SecureFiles.replaceFile(nextFileOf(paths.masterKey), `${text}\n`),
        (error) => VaultUnavailableError.of(`The new key cannot be stored: ${error.message}. ${unchanged}`)
      )
      : Effect.mapError(
        keyring.set(nextEntryOf(storeId), Redacted.make(text)),
        (error) => VaultUnavailableError.of(`The new key cannot be stored: ${error.message}. ${unchanged}`)
      )
    stagedHere = yield* fromStored(source, text)
    return stagedHere
  })

  const settle = Effect.fn("KeyResolver.settle")(function*({ source, storeId }: KeyPlace, { key }: KeyEncryptionKey) {
    const bytes = key.export()
    const text = encodeStoredKey(bytes)
    bytes.fill(0)
    const failed = (error: { readonly message: string }) =>
      VaultUnavailableError.of(
        `The current key could not be stored in the ${
          describe(source)
        }: ${error.message}. The daemon finds it in the ` +
          "place of the next one. Try again with: credsvc vault rotate"
      )
    if (source === "local_key") {
      yield* Effect.mapError(
        Effect.andThen(
          SecureFiles.replaceFile(paths.masterKey, `${text}\n`),
          SecureFiles.removeFile(nextFileOf(paths.masterKey))
        ),
        failed
      )
    } else if (source === "keyring") {
      yield* Effect.mapError(keyring.set(entryOf(storeId), Redacted.make(text)), failed)
    }
  })

  return KeyResolver.of({
    stage,
    settle,
    mode: Effect.orElseSucceed(options.mode, () => "auto" as const),
    existing,
    create,
    describe
  })
})

export class KeyResolver extends Context.Service<KeyResolver, {
  /** The configured mode; `auto` while `config.json` cannot be read. */
  readonly mode: Effect.Effect<MasterKeyMode>

  /** The key of an existing vault. Never creates a key and never returns a different one. */
  readonly existing: (header: VaultHeader) => Effect.Effect<ResolvedKey, VaultUnavailableError>

  /** The key for a new vault, created if necessary. */
  readonly create: (storeId: string) => Effect.Effect<ResolvedKey, VaultUnavailableError>

  /**
   * The next key of a vault: a new one, stored beside the current one, or the given one if the environment provides the
   * key. `existing` finds it as soon as the header names it. Without it, the keys cannot be rotated.
   */
  readonly stage?: (
    place: KeyPlace,
    current: KeyEncryptionKey,
    given: Option.Option<Redacted.Redacted<string>>
  ) => Effect.Effect<ResolvedKey, OperationNotAllowedError | VaultUnavailableError>

  /** Stores the vault's key where the former one was. */
  readonly settle?: (place: KeyPlace, key: KeyEncryptionKey) => Effect.Effect<void, VaultUnavailableError>

  /** Names a source for the user. */
  readonly describe: (source: MasterKeySource) => string
}>()("credsvc/vault/KeyResolver") {
  private static readonly fixed = (mode: MasterKeyMode, allowed: ReadonlyArray<MasterKeySource>) =>
    Layer.effect(KeyResolver, make({ mode: Effect.succeed(mode), allowed: () => allowed }))

  /** Only `CREDSVC_MASTER_KEY` or `CREDSVC_MASTER_KEY_FILE`, or what an embedding program sets in `Settings`. */
  static readonly layerEnv = KeyResolver.fixed("auto", ["env"])

  /** Only the key file in the home directory. */
  static readonly layerLocalKey = KeyResolver.fixed("local_key", ["local_key"])

  /** Only the operating system's keyring. */
  static readonly layerKeyring = KeyResolver.fixed("keyring", ["keyring"])

  /** The environment if set, else the vault's recorded source. For a new vault: the keyring, else a file. */
  static readonly layerAuto = KeyResolver.fixed("auto", ["env", "keyring", "local_key"])

  /** A key of 32 bytes that the embedding program keeps, and what messages call the place. Wipes the returned bytes. */
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
            `${
              capital(description)
            } holds another key than this vault's. Use the key that the vault was created with. ` +
              unchanged
          ),
        create: () => Effect.succeed(resolved),
        describe: () => description
      })
    })

  /** The mode that the environment or `config.json` selects. */
  static readonly layerNoDeps = Layer.effect(
    KeyResolver,
    Effect.gen(function*() {
      const settings = yield* Settings
      const config = yield* ConfigFile
      const configured = config.read.pipe(
        Effect.mapError((error) => VaultUnavailableError.of(`${error.message}.`)),
        Effect.map((document) => document.masterKeyMode ?? "auto")
      )
      return yield* make({
        mode: Option.match(settings.masterKeyMode, { onNone: () => configured, onSome: Effect.succeed }),
        allowed: (mode) => mode === "auto" ? ["env", "keyring", "local_key"] : [mode]
      })
    })
  )
}
