/** The hash chain of the batches of requests, as pure functions. Each batch has a MAC, like an entry of the audit log. */
import * as Schema from "effect/Schema"
import { builtins, type KeyObject } from "../platform/builtins.ts"
import { isSameMac } from "../vault/SealedBox.ts"
import { rowsOf } from "../vault/StoreRows.ts"

export const purpose = "credsvc/use/v1"

const StoredBatch = Schema.Struct({
  seq: Schema.Int,
  run: Schema.String,
  part: Schema.Int,
  profile: Schema.String,
  began: Schema.String,
  ended: Schema.String,
  entries: Schema.Int,
  content: Schema.Uint8Array,
  prev_hash: Schema.String,
  mac: Schema.String
})
export type StoredBatch = typeof StoredBatch.Type

/** The part of a row that its MAC covers. */
export type ChainBatch = Omit<StoredBatch, "mac">

export const batchesOf = rowsOf(StoredBatch)

const sha256 = (data: string | Uint8Array): string => builtins.crypto.createHash("sha256").update(data).digest("hex")

const payload = ({ content, ...batch }: ChainBatch): string =>
  JSON.stringify([
    purpose,
    batch.seq,
    batch.run,
    batch.part,
    batch.profile,
    batch.began,
    batch.ended,
    batch.entries,
    sha256(content),
    batch.prev_hash
  ])

export const macOf = (key: KeyObject, batch: ChainBatch): string =>
  builtins.crypto.createHmac("sha256", key).update(payload(batch)).digest("hex")

/** The hash of a batch, to which the next batch refers. */
export const hashOf = (batch: ChainBatch, mac: string): string => sha256(`${payload(batch)}\n${mac}`)

export const continues = (key: KeyObject, batch: StoredBatch, seq: number, prevHash: string): boolean =>
  batch.seq === seq && batch.prev_hash === prevHash &&
  isSameMac(Buffer.from(batch.mac, "hex"), Buffer.from(macOf(key, batch), "hex"))
