import { assert, describe, it } from "@effect/vitest"
import { contentDigest, matchesDigest } from "../../../src/http/signatures/ContentDigest.ts"

describe("ContentDigest", () => {
  const digest = "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"

  it("verifies the digest of RFC 9421's example, and rejects other content", () => {
    assert.isTrue(matchesDigest(digest, "{\"hello\": \"world\"}"))
    assert.isFalse(matchesDigest(digest, "{\"hello\": \"World\"}"))
    assert.isTrue(matchesDigest(contentDigest("ü"), "ü"))
  })

  it("rejects unknown algorithms, and several digests of which one differs", () => {
    assert.isTrue(matchesDigest(`${contentDigest("a")}, ${contentDigest("a")}`, "a"))
    for (const field of ["", "md5=:AAAA:", `${contentDigest("a")}, ${contentDigest("b")}`, "sha-256=AAAA"]) {
      assert.isFalse(matchesDigest(field, "a"))
    }
  })
})
