/**
 * The hash chain of audit entries, as pure functions.
 *
 * The MAC of an entry covers the hash of the previous one, so an entry that was altered, moved or removed from the
 * middle breaks the chain. Entries missing at the end, or a replaced log, do not match the head, which is stored
 * elsewhere.
 */
import { builtins, type KeyObject } from "../platform/builtins.ts"
import { isSameMac } from "../vault/SealedBox.ts"
import type { ChainEntry, StoredEntry } from "./AuditRows.ts"

export const purpose = "credsvc/audit/v1"

export const genesis = "0".repeat(64)

/** The number of the newest entries that are verified before the store is used. */
export const tailLength = 64

const payload = (entry: ChainEntry): string =>
  JSON.stringify([
    purpose,
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

/** The hash of an entry, to which the next entry refers. */
export const hashOf = (entry: ChainEntry, mac: string): string =>
  builtins.crypto.createHash("sha256").update(`${payload(entry)}\n${mac}`).digest("hex")

export const continues = (key: KeyObject, entry: StoredEntry, seq: number, prevHash: string): boolean =>
  entry.seq === seq && entry.prev_hash === prevHash &&
  isSameMac(Buffer.from(entry.mac, "hex"), Buffer.from(macOf(key, entry), "hex"))
