import { assert, describe, it } from "vitest"
import { replyTo } from "../../src/contain/NameServer.ts"

const ADDRESS = "127.7.9.98"

const query = (name: string, type = 1, flags = 0x0100): Buffer =>
  Buffer.concat([
    Uint8Array.of(0xab, 0xcd, flags >> 8, flags & 255, 0, 1, 0, 0, 0, 0, 0, 0),
    ...name.split(".").flatMap((label) => [Uint8Array.of(label.length), Buffer.from(label)]),
    Uint8Array.of(0, type >> 8, type & 255, 0, 1)
  ])

const answer = (reply: Buffer | undefined): ReadonlyArray<number> | undefined =>
  reply?.readUInt16BE(6) === 1 ? [...reply.subarray(-4)] : undefined

describe("NameServer", () => {
  it("resolves every name to the address, and local names to the loopback address", () => {
    const reply = replyTo(query("api.example.com"), ADDRESS)
    assert.strictEqual(
      reply?.toString("hex"),
      "abcd8580000100010000000003617069076578616d706c6503636f6d0000010001c00c000100010000003c00047f070962"
    )
    assert.deepStrictEqual(answer(replyTo(query("DB"), ADDRESS)), [127, 7, 9, 98])
    assert.deepStrictEqual(answer(replyTo(query("LocalHost"), ADDRESS)), [127, 0, 0, 1])
    assert.deepStrictEqual(answer(replyTo(query("app.localhost"), ADDRESS)), [127, 0, 0, 1])
  })

  it("has no records of other types, and reports no error for them", () => {
    // AAAA, TXT, SRV, HTTPS with the keys of Encrypted Client Hello, ANY.
    for (const type of [28, 16, 33, 65, 255]) {
      const reply = replyTo(query("api.example.com", type), ADDRESS)
      assert.strictEqual(reply?.readUInt16BE(6), 0)
      assert.strictEqual(reply![3]! & 15, 0)
    }
  })

  it("ignores an extension record after the question (EDNS)", () => {
    const extended = Buffer.concat([query("a.example"), Buffer.from("0000291000000000000000", "hex")])
    extended.writeUInt16BE(1, 10)
    assert.deepStrictEqual(answer(replyTo(extended, ADDRESS)), [127, 7, 9, 98])
  })

  it("replies only to queries with one question", () => {
    const two = query("a.example")
    two.writeUInt16BE(2, 4)
    const pointer = query("a.example")
    pointer[12] = 0xc0
    const whole = query("a.example")
    const byteses = [
      Buffer.alloc(0),
      Buffer.alloc(11),
      whole.subarray(0, -1),
      query("a.example", 1, 0x8100),
      query("a.example", 1, 0x2800),
      two,
      pointer
    ]
    for (const bytes of byteses) {
      assert.isUndefined(replyTo(bytes, ADDRESS))
    }
  })
})
