import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import { inspect } from "node:util"
import * as SealedBox from "../../src/vault/SealedBox.ts"
import { seeded } from "../support/Seed.ts"

const keyOf = (byte: number, id = byte.toString(16).padStart(2, "0").repeat(16)): SealedBox.BoxKey => ({
  id,
  key: crypto.createSecretKey(Buffer.alloc(32, byte))
})

const utf8 = new TextEncoder()
const bound = SealedBox.binding("test", ["a", "b"])

const KNOWN_ANSWER = [
  "01",
  "000102030405060708090a0b0c0d0e0f",
  "5a".repeat(16),
  "c3".repeat(12),
  "e46d8efa5d0ec90989e9f85766ab",
  "4d9de4c75824d40606a1d738031b9965"
].join("")

describe("SealedBox", () => {
  it("opens a box of the stored format 1, as every version must", () => {
    const key = { id: "000102030405060708090a0b0c0d0e0f", key: crypto.createSecretKey(Buffer.alloc(32, 7)) }
    const record = SealedBox.binding("credsvc/secret/v1", ["store", "profile", "provider", "connection", "secret"])
    const box = SealedBox.sealWith(
      key,
      record,
      utf8.encode("a known secret"),
      Buffer.alloc(16, 0x5a),
      Buffer.alloc(12, 0xc3)
    )
    assert.strictEqual(Buffer.from(box).toString("hex"), KNOWN_ANSWER)
    const opened = SealedBox.open(key, record, Buffer.from(KNOWN_ANSWER, "hex"))
    assert.strictEqual(new TextDecoder().decode(opened), "a known secret")
  })

  it("matches an independent implementation of the documented layout", () => {
    const key = keyOf(9)
    const parts = ["test", "a", "", "\0\0\0\0", "ü€𝕏", "x".repeat(300)]
    const box = SealedBox.seal(key, SealedBox.binding("test", parts.slice(1)), utf8.encode("hello"))
    assert.strictEqual(box.length, 61 + 5)
    const at = (from: number, to: number) => Buffer.from(box.subarray(from, to))
    assert.strictEqual(box[0], 1)
    assert.strictEqual(at(1, 17).toString("hex"), key.id)
    const derived = Buffer.from(
      crypto.hkdfSync("sha256", Buffer.alloc(32, 9), at(17, 33), "credsvc/sealed-box/v1", 32)
    )
    const decipher = crypto.createDecipheriv("aes-256-gcm", derived, at(33, 45), { authTagLength: 16 })
    const lengthPrefixed = parts.map((part) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.from(part).length)
      return Buffer.concat([length, Buffer.from(part)])
    })
    decipher.setAAD(Buffer.concat([at(0, 17), ...lengthPrefixed]))
    decipher.setAuthTag(at(50, 66))
    assert.strictEqual(Buffer.concat([decipher.update(at(45, 50)), decipher.final()]).toString(), "hello")
  })

  it.effect.prop(
    "opens a sealed box only with the same key and binding",
    [Schema.String, Schema.Array(Schema.String), Schema.Array(Schema.String)],
    ([text, parts, others]) =>
      Effect.sync(() => {
        const key = keyOf(1)
        const own = SealedBox.binding("p", parts)
        const box = SealedBox.seal(key, own, utf8.encode(text))
        assert.deepStrictEqual(SealedBox.open(key, own, box), Buffer.from(utf8.encode(text)))
        assert.isUndefined(SealedBox.open(keyOf(2), own, box))
        assert.isUndefined(SealedBox.open(keyOf(2, key.id), own, box))
        if (JSON.stringify(others) !== JSON.stringify(parts)) {
          assert.isUndefined(SealedBox.open(key, SealedBox.binding("p", others), box))
        }
        assert.isUndefined(SealedBox.open(key, SealedBox.binding("q", parts), box))
      }),
    seeded
  )

  it.effect.prop(
    "encodes different lists of parts differently",
    [Schema.Array(Schema.String), Schema.Array(Schema.String)],
    ([left, right]) =>
      Effect.sync(() => {
        // All lone surrogates become U+FFFD in UTF-8, so only well-formed text can be distinguished.
        if (![...left, ...right].every((part) => part.isWellFormed())) return
        assert.strictEqual(
          Buffer.from(SealedBox.binding("p", left)).equals(SealedBox.binding("p", right)),
          JSON.stringify(left) === JSON.stringify(right)
        )
      }),
    seeded
  )

  it("distinguishes parts from their concatenation", () => {
    assert.notDeepEqual(SealedBox.binding("p", ["ab", "c"]), SealedBox.binding("p", ["a", "bc"]))
    assert.notDeepEqual(SealedBox.binding("p", ["", "a"]), SealedBox.binding("p", ["a", ""]))
  })

  it("rejects a box with a changed byte", () => {
    const box = SealedBox.seal(keyOf(1), bound, utf8.encode("a secret"))
    for (let index = 0; index < box.length; index++) {
      const changed = Uint8Array.from(box)
      changed[index] = (changed[index] ?? 0) ^ 1
      assert.isUndefined(SealedBox.open(keyOf(1), bound, changed), `byte ${index}`)
    }
  })

  it("rejects truncated boxes, including tags of 4, 8 and 12 bytes", () => {
    const box = SealedBox.seal(keyOf(1), bound, utf8.encode("a secret"))
    for (let length = 0; length < box.length; length++) {
      assert.isUndefined(SealedBox.open(keyOf(1), bound, box.subarray(0, length)), `${length} bytes`)
    }
    assert.isUndefined(SealedBox.open(keyOf(1), bound, Buffer.concat([box, Buffer.alloc(1)])))
  })

  it("never repeats a salt or a nonce", () => {
    const seen = new Set<string>()
    const plaintext = utf8.encode("x")
    for (let count = 0; count < 5000; count++) {
      const box = Buffer.from(SealedBox.seal(keyOf(1), bound, plaintext))
      seen.add(box.subarray(17, 33).toString("hex")).add(box.subarray(33, 45).toString("hex"))
    }
    assert.strictEqual(seen.size, 10_000)
  })

  it("does not print its key", () => {
    const key = keyOf(7, "ab".repeat(16))
    assert.notMatch(JSON.stringify(key) + String(key.key) + inspect(key, { depth: 9 }), /(07){4}|(07 ){4}|BwcHBw/)
  })
})
