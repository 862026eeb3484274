import { assert, describe, it } from "@effect/vitest"
import * as Der from "../../src/certificates/Der.ts"

describe("The DER encoding", () => {
  const hex = (der: Der.Der) => Der.toBytes(der).toString("hex")

  it("uses the shortest form of a length, an integer and an object identifier", () => {
    const starts = [[127, "047f00"], [128, "048180"], [256, "04820100"], [65_536, "0483010000"]] as const
    for (const [length, start] of starts) assert.isTrue(hex(Der.octets("\0".repeat(length))).startsWith(start), start)
    assert.strictEqual(hex(Der.integer(Der.byte(0x7f))), "02017f")
    assert.strictEqual(hex(Der.integer(Der.byte(0x80))), "02020080")
    assert.strictEqual(hex(Der.oid("1.2.840.10045.4.3.2")), "06082a8648ce3d040302")
  })

  it("changes the form of times in 2050", () => {
    assert.strictEqual(Der.time(Date.parse("2049-12-31T23:59:59Z")).slice(2), "491231235959Z")
    assert.strictEqual(Der.time(Date.parse("2050-01-01T00:00:00Z")).slice(2), "20500101000000Z")
  })
})
