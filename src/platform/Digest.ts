/** Hashes, comparison of secrets, and random identifiers. */
import { builtins } from "./builtins.ts"

/** Returns the SHA-256 digest in hexadecimal. */
export const sha256 = (data: string | Uint8Array): string => builtins.crypto.hash("sha256", data, "hex")

const bytesOf = (secret: string | Uint8Array): Uint8Array => typeof secret === "string" ? Buffer.from(secret) : secret

/** Compares two secrets of the same length in constant time. */
export const isSameSecret = (one: string | Uint8Array, other: string | Uint8Array): boolean => {
  const [left, right] = [bytesOf(one), bytesOf(other)]
  return left.length === right.length && builtins.crypto.timingSafeEqual(left, right)
}

/** Returns 16 random bytes in hexadecimal. */
export const randomId = (): string => builtins.crypto.randomBytes(16).toString("hex")
