import { assert, describe, it } from "@effect/vitest"
import { createSecretKey } from "node:crypto"
import { type ChainRow, genesis, makeLinks } from "../../src/audit/ChainLinks.ts"

interface Row extends ChainRow {
  readonly text: string
}

describe("The rows of a chained log", () => {
  const key = createSecretKey(Buffer.alloc(32, 1))
  const { follow, linkOf, rowAfter } = makeLinks<Row>({ purpose: "test", contentOf: ({ text }) => [text] })
  const start = { seq: 0, hash: genesis }
  const rows: Array<Row> = []
  for (const text of ["a", "b", "c"]) {
    rows.push(rowAfter(rows.length === 0 ? start : linkOf(rows.at(-1)!), { text }, key).row)
  }
  const [a, b, c] = rows as [Row, Row, Row]

  it("continue the chain up to the first row that was altered, moved, added or removed", () => {
    assert.deepStrictEqual(follow(start, rows, key), { end: linkOf(c), isIntact: true })
    const broken: ReadonlyArray<readonly [end: number, rows: ReadonlyArray<Row>]> = [
      [1, [a, { ...b, text: "x" }, c]],
      [1, [a, { ...b, mac: c.mac }, c]],
      [1, [a, c]],
      [0, [b, a, c]],
      [2, [a, b, b, c]],
      [2, [a, b, { ...c, prev_hash: a.prev_hash }]]
    ]
    for (const [end, rows] of broken) {
      const { end: { seq }, isIntact } = follow(start, rows, key)
      assert.deepStrictEqual([seq, isIntact], [end, false])
    }
    assert.isFalse(follow(start, rows, createSecretKey(Buffer.alloc(32, 2))).isIntact)
  })
})
