import { assert, describe, it } from "@effect/vitest"
import { hold } from "../../src/http/HeldParts.ts"

describe("HeldParts", () => {
  it("joins short parts, so that they cost little more memory than their bytes", () => {
    const [bytes, held] = [Buffer.alloc(64 * 1024, "0123456789"), Array<Buffer>()]
    for (let at = 0; at < bytes.length;) {
      const length = at < 32 * 1024 ? 1 : 5000
      hold(held, bytes.subarray(at, at + length))
      at += length
    }
    assert.isTrue(Buffer.concat(held).equals(bytes))
    assert.isBelow(held.length, 32)
  })
})
