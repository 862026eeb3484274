import { assert, describe, it } from "@effect/vitest"
import { decodeBase64, decodeStoredKey, encodeStoredKey, freshKey } from "../../../src/vault/keys/KeyEncryptionKey.ts"

describe("The text of a master key", () => {
  const base64 = Buffer.alloc(32, 7).toString("base64")

  it("is 32 bytes in base64, with or without padding", () => {
    for (const text of [base64, base64.replace("=", "")]) assert.strictEqual(decodeBase64(text)?.length, 32, text)
    const invalid = [
      "",
      base64.slice(4),
      `${base64}AAAA`,
      ` ${base64}`,
      base64.replace("B", "-"),
      base64.replace("=", "==")
    ]
    for (const text of invalid) assert.isUndefined(decodeBase64(text), text)
  })

  it("has a prefix where credsvc stores it", () => {
    assert.isUndefined(decodeStoredKey(base64))
    assert.strictEqual(encodeStoredKey(decodeBase64(base64)!), `credsvc-key-v1:${base64}`)
    assert.notDeepEqual(decodeStoredKey(freshKey()), decodeStoredKey(freshKey()))
  })
})
