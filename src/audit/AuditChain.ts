/**
 * The chain that audit entries form. Pure.
 *
 * An entry is authenticated under a key that only the vault has, together with the hash of the entry before it. So an
 * entry that was altered, moved or taken out of the middle breaks the chain at its place. What is missing at the end,
 * or a log that was replaced as a whole, shows against the head, which is kept elsewhere.
 */
import { builtins, type KeyObject } from "../platform/builtins.ts"

/** One row as it is stored: text only, so that it is hashed as it was written. */
export interface ChainEntry {
  readonly seq: number
  readonly timestamp: string
  readonly event: string
  readonly provider: string | null
  readonly connection: string | null
  readonly identity: string | null
  readonly status: string
  /** `hashOf` the entry before it, {@link genesis} for the first. */
  readonly prev_hash: string
}

export interface StoredEntry extends ChainEntry {
  readonly mac: string
  readonly signature: string | null
}

export const genesis = "0".repeat(64)

/** Every how many entries the chain is signed with the identity of the entry. */
export const checkpointInterval = 64

const payload = (entry: ChainEntry): string =>
  JSON.stringify([
    "credsvc/audit/v1",
    entry.seq,
    entry.timestamp,
    entry.event,
    entry.provider,
    entry.connection,
    entry.identity,
    entry.status,
    entry.prev_hash
  ])

export const macOf = (key: KeyObject, entry: ChainEntry): string =>
  builtins.crypto.createHmac("sha256", key).update(payload(entry)).digest("hex")

/** What the next entry refers to. */
export const hashOf = (entry: ChainEntry, mac: string): string =>
  builtins.crypto.createHash("sha256").update(`${payload(entry)}\n${mac}`).digest("hex")

/** The hash over all signatures of a log, which the head has: a signature that was taken away shows against it. */
export const withSignature = (signatures: string, seq: number, signature: string): string =>
  builtins.crypto.createHash("sha256").update(JSON.stringify([signatures, seq, signature])).digest("hex")

/** What a checkpoint signs. */
export const checkpointOf = (seq: number, hash: string): Uint8Array => new TextEncoder().encode(`${seq}:${hash}`)

/** Whether the entry continues the chain at this place. */
export const continues = (key: KeyObject, entry: StoredEntry, seq: number, prevHash: string): boolean => {
  if (entry.seq !== seq || entry.prev_hash !== prevHash) return false
  const expected = Buffer.from(macOf(key, entry), "hex")
  const actual = Buffer.from(entry.mac, "hex")
  return actual.length === expected.length && builtins.crypto.timingSafeEqual(actual, expected)
}
