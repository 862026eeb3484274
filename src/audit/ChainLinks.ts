/**
 * The links of a log whose rows form a chain. The MAC of a row covers its content and the hash of the previous row, so a
 * row that was altered, moved, added or removed breaks the chain.
 */
import * as Schema from "effect/Schema"
import { builtins, type KeyObject } from "../platform/builtins.ts"
import { isSameSecret, sha256 } from "../platform/Digest.ts"

/** The hash to which the first row refers. */
export const genesis = "0".repeat(64)

/** The place of a row in the chain: its number, and the hash to which the next row refers. */
export const Link = Schema.Struct({ seq: Schema.Int, hash: Schema.String })
export type Link = typeof Link.Type

/** The columns of every chained table. */
export const chained = { seq: Schema.Int, prev_hash: Schema.String, mac: Schema.String }

/** The part of a row that links it to the previous row. */
export interface ChainRow {
  readonly seq: number
  readonly prev_hash: string
  readonly mac: string
}

/** The columns of a row besides those of every chained table. */
export type Content<Row> = Omit<Row, keyof ChainRow>

/** What the MACs of one log cover. */
export interface LinkOptions<Row extends ChainRow> {
  readonly purpose: string
  /** The values that the MAC covers besides the purpose, the sequence number and the previous hash. */
  readonly contentOf: (content: Content<Row>) => ReadonlyArray<string | number | null>
}

const macOf = (key: KeyObject, payload: string) =>
  builtins.crypto.createHmac("sha256", key).update(payload).digest("hex")

/** The hash to which the next row refers. */
const hashOf = (payload: string, mac: string) => sha256(`${payload}\n${mac}`)

/** Returns functions that compute and verify the links between rows. */
export const makeLinks = <Row extends ChainRow>({ contentOf, purpose }: LinkOptions<Row>) => {
  const payloadOf = (seq: number, content: Content<Row>, previous: string) =>
    JSON.stringify([purpose, seq, ...contentOf(content), previous])

  const linkOf = (row: Row, payload = payloadOf(row.seq, row, row.prev_hash)): Link => ({
    seq: row.seq,
    hash: hashOf(payload, row.mac)
  })

  /** Returns the link of the row after `before`, or undefined if the row does not continue the chain. */
  const linkAfter = (before: Link, row: Row, key: KeyObject): Link | undefined => {
    const payload = payloadOf(row.seq, row, row.prev_hash)
    return row.seq === before.seq + 1 && row.prev_hash === before.hash && isSameSecret(row.mac, macOf(key, payload))
      ? linkOf(row, payload)
      : undefined
  }

  /** Returns the content as the row after `before`, and the link of that row. */
  const rowAfter = (before: Link, content: Content<Row>, key: KeyObject) => {
    const seq = before.seq + 1
    const payload = payloadOf(seq, content, before.hash)
    const mac = macOf(key, payload)
    return { row: { seq, ...content, prev_hash: before.hash, mac }, link: { seq, hash: hashOf(payload, mac) } }
  }

  /** Follows the chain from a link. Returns the link of the last row that continues it, and whether all rows do. */
  const follow = (from: Link, rows: ReadonlyArray<Row>, key: KeyObject) => {
    let end = from
    for (const row of rows) {
      const next = linkAfter(end, row, key)
      if (next === undefined) return { end, isIntact: false }
      end = next
    }
    return { end, isIntact: true }
  }

  return { follow, linkOf, rowAfter }
}

export type Links<Row extends ChainRow> = ReturnType<typeof makeLinks<Row>>
