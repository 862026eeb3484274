/** Hashes, and random identifiers of records. */
import { builtins } from "./builtins.ts"

/** SHA-256 in hexadecimal. */
export const sha256 = (data: string | Uint8Array): string =>
  builtins.crypto.createHash("sha256").update(data).digest("hex")

/** 16 random bytes in hexadecimal. */
export const randomId = (): string => builtins.crypto.randomBytes(16).toString("hex")
