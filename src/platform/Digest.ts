/** Hashes, comparison of secrets, and random identifiers. */
import { builtins } from "./builtins.ts"

/** Returns the SHA-256 digest in hexadecimal. */
export const sha256 = (data: string | Uint8Array): string => builtins.crypto.hash("sha256", data, "hex")

/** Compares two secrets in constant time. */
export const isSameSecret = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && builtins.crypto.timingSafeEqual(left, right)

/** Returns 16 random bytes in hexadecimal. */
export const randomId = (): string => builtins.crypto.randomBytes(16).toString("hex")
