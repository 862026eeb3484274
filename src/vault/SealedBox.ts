/**
 * The stored format of encrypted secrets, as pure functions. The format is versioned; docs/security.md documents it.
 *
 *     offset  0   1 byte    format version, 1
 *     offset  1  16 bytes   ID of the key
 *     offset 17  16 bytes   salt
 *     offset 33  12 bytes   nonce
 *     offset 45   n bytes   ciphertext, as long as the plaintext
 *     at the end 16 bytes   AES-256-GCM tag
 *
 * Each box has its own encryption key, derived from the named key and the salt. Salt and nonce are both random: unlike a
 * counter, they do not repeat after a backup is restored.
 */
import type { KeyObject } from "node:crypto"
import { builtins } from "../platform/builtins.ts"

const VERSION = 1
const KEY_ID = 16
const SALT = 16
const NONCE = 12
const TAG = 16
const HEADER = 1 + KEY_ID
const OVERHEAD = HEADER + SALT + NONCE + TAG

/** A key with its ID: 16 bytes in hexadecimal. Printing a `KeyObject` does not reveal its bytes. */
export interface BoxKey {
  readonly id: string
  readonly key: KeyObject
}

/**
 * Encodes the additional authenticated data of a box. The encoding contains lengths, so no two lists of parts have the same
 * encoding.
 */
export const binding = (purpose: string, parts: ReadonlyArray<string>): Uint8Array => {
  const all = [purpose, ...parts]
  // All parts are encoded together, because every start computes this for each row.
  const text = ["", ...all].join("\0\0\0\0")
  const bytes = Buffer.from(text)
  const isAscii = bytes.length === text.length
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  let offset = 0
  for (const part of all) {
    const length = isAscii ? part.length : Buffer.byteLength(part)
    view.setUint32(offset, length)
    offset += 4 + length
  }
  return bytes
}

/**
 * Derives the key of a box. With bytes instead of a `KeyObject`, Node throws and catches an exception, which costs more
 * than the cipher.
 */
const boxKey = (key: KeyObject, salt: Uint8Array): KeyObject => {
  const bytes = Buffer.from(builtins.crypto.hkdfSync("sha256", key, salt, "credsvc/sealed-box/v1", 32))
  const derived = builtins.crypto.createSecretKey(bytes)
  bytes.fill(0)
  return derived
}

/** Like `seal`, with a given salt and nonce. Only for known-answer tests: repeating a pair breaks the encryption. */
export const sealWith = (
  key: BoxKey,
  bound: Uint8Array,
  plaintext: Uint8Array,
  salt: Uint8Array,
  nonce: Uint8Array
): Uint8Array => {
  const box = new Uint8Array(OVERHEAD + plaintext.length)
  box[0] = VERSION
  box.set(Buffer.from(key.id, "hex"), 1)
  box.set(salt, HEADER)
  box.set(nonce, HEADER + SALT)
  const derived = boxKey(key.key, salt)
  const cipher = builtins.crypto.createCipheriv("aes-256-gcm", derived, nonce, { authTagLength: TAG })
  cipher.setAAD(Buffer.concat([box.subarray(0, HEADER), bound]))
  box.set(cipher.update(plaintext), HEADER + SALT + NONCE)
  cipher.final()
  box.set(cipher.getAuthTag(), box.length - TAG)
  return box
}

export const seal = (key: BoxKey, bound: Uint8Array, plaintext: Uint8Array): Uint8Array =>
  sealWith(key, bound, plaintext, builtins.crypto.randomBytes(SALT), builtins.crypto.randomBytes(NONCE))

/** Returns the unauthenticated key ID of a box, or undefined if the bytes are not a box of this version. */
export const keyIdOf = (box: Uint8Array): string | undefined =>
  box.length < OVERHEAD || box[0] !== VERSION ? undefined : Buffer.from(box.subarray(1, HEADER)).toString("hex")

/** Opens a box. Returns undefined for a wrong key, a wrong record and altered bytes. */
export const open = (key: BoxKey, bound: Uint8Array, box: Uint8Array): Uint8Array | undefined => {
  if (keyIdOf(box) !== key.id) return undefined
  const derived = boxKey(key.key, box.subarray(HEADER, HEADER + SALT))
  const nonce = box.subarray(HEADER + SALT, HEADER + SALT + NONCE)
  // Without authTagLength, Node would also accept tags of 4 bytes.
  const decipher = builtins.crypto.createDecipheriv("aes-256-gcm", derived, nonce, { authTagLength: TAG })
  decipher.setAAD(Buffer.concat([box.subarray(0, HEADER), bound]))
  decipher.setAuthTag(box.subarray(box.length - TAG))
  const plaintext = decipher.update(box.subarray(HEADER + SALT + NONCE, box.length - TAG))
  try {
    // The plaintext from `update` is not authenticated until `final` succeeds.
    decipher.final()
    return plaintext
  } catch {
    plaintext.fill(0)
    return undefined
  }
}
