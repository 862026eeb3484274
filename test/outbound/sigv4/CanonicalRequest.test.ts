import { assert, describe, it } from "@effect/vitest"
import { canonicalRequest } from "../../../src/outbound/sigv4/CanonicalRequest.ts"

const pathOf = (target: string, literalPath: boolean): string =>
  canonicalRequest({ method: "GET", target, headers: [], signed: [], payload: "", literalPath }).split("\n")[1]!
const queryOf = (query: string): string =>
  canonicalRequest({ method: "GET", target: `/?${query}`, headers: [], signed: [], payload: "", literalPath: false })
    .split("\n")[2]!

describe("canonicalRequest", () => {
  it("normalizes an encoded path and encodes it again for services other than S3", () => {
    const cases = [
      ["/", "/"],
      ["/a/..", "/"],
      ["/a/../b/", "/b/"],
      ["/./a//b/./", "/a/b/"],
      ["//", "/"],
      ["/a%20b", "/a%2520b"],
      ["/model/claude-v2%3A1/converse", "/model/claude-v2%253A1/converse"],
      ["/a(b)*'~", "/a%28b%29%2A%27~"],
      ["/\u00e1", "/%E1"]
    ] as const
    for (const [path, expected] of cases) assert.strictEqual(pathOf(path, false), expected)
  })

  it("takes a path literally and encodes it once for S3", () => {
    const rows = [
      ["/a/../b", "/a/../b"],
      ["/a//b/", "/a//b/"],
      ["/a%20b", "/a%20b"],
      ["/a%2fb", "/a%2Fb"],
      ["/%7Ea(b)", "/~a%28b%29"],
      ["/100%", "/100%25"]
    ] as const
    for (const [path, expected] of rows) assert.strictEqual(pathOf(path, true), expected)
  })

  it("sorts parameters by their encoded names, then by their values", () => {
    assert.strictEqual(queryOf("b=2&a=3&a=1&A=0&b"), "A=0&a=1&a=3&b=&b=2")
    assert.strictEqual(queryOf("%41=%7e&x=a+b&y=%2B&z=%zz&&=1"), "=1&A=~&x=a%20b&y=%2B&z=%25zz")
  })
})
