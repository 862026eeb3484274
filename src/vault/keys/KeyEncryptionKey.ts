/** The master key, which encrypts the data keys, and its forms as text. */
import type { MasterKeySource } from "../../domain/wire/Health.ts"
import { builtins } from "../../platform/builtins.ts"
import type { BoxKey } from "../SealedBox.ts"

const KEY_BYTES = 32

const STORED_PREFIX = "credsvc-key-v1:"

/** The master key. Its ID is derived from the key, so the ID is the same wherever the key is stored. */
export interface KeyEncryptionKey extends BoxKey {
  /** The check value in the vault's header, which identifies the correct key without revealing it. */
  readonly check: string
}

export interface ResolvedKey {
  readonly source: MasterKeySource
  readonly key: KeyEncryptionKey
}

/** Creates a key from 32 bytes and wipes the caller's copy. */
export const keyEncryptionKey = (bytes: Uint8Array): KeyEncryptionKey => {
  const { createHmac, createSecretKey } = builtins.crypto
  const key = createSecretKey(bytes)
  bytes.fill(0)
  const digest = (purpose: string) => createHmac("sha256", key).update(purpose).digest("hex")
  return { id: digest("credsvc/key-id/v1").slice(0, 32), key, check: digest("credsvc/key-check/v1") }
}

/** Decodes the bytes of a key in base64, with or without padding. */
export const decodeBase64 = (text: string): Uint8Array | undefined => {
  const bytes = new Uint8Array(Buffer.from(text, "base64"))
  const canonical = Buffer.from(bytes).toString("base64")
  return bytes.length === KEY_BYTES && (text === canonical || text === canonical.replace(/=+$/, "")) ? bytes : undefined
}

/** Encodes the bytes of a key for a place where credsvc stores it, and wipes them. */
export const encodeStoredKey = (bytes: Uint8Array): string => {
  const text = STORED_PREFIX + Buffer.from(bytes).toString("base64")
  bytes.fill(0)
  return text
}

/** Decodes a key from the text of `encodeStoredKey`. */
export const decodeStoredKey = (text: string): Uint8Array | undefined =>
  text.startsWith(STORED_PREFIX) ? decodeBase64(text.slice(STORED_PREFIX.length)) : undefined

/** Creates a random key in its stored form. */
export const freshKey = (): string => encodeStoredKey(builtins.crypto.randomBytes(KEY_BYTES))
