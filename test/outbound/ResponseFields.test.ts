import { assert, describe, it } from "@effect/vitest"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { SecretSearch } from "../../src/http/scrub/SecretSearch.ts"
import { responseHeaders } from "../../src/outbound/ResponseFields.ts"

describe("responseHeaders", () => {
  it("removes hop-by-hop fields and fields that Connection names", () => {
    const hops = ["Connection", "X-Hop, close", "X-Hop", "1", "Transfer-Encoding", "chunked"]
    const raw = [...hops, "Set-Cookie", "a", "set-cookie", "b"]
    assert.deepStrictEqual(responseHeaders(raw, "no trailers"), ["Set-Cookie", "a", "set-cookie", "b"])
  })
  it("removes a secret of the URL, which a redirect may repeat", () => {
    const search = new SecretSearch(["s3cret&c="], PLACEHOLDER)
    const urls = (location: string, link: string) => ["Location", location, "Link", link, "X", "1"]
    assert.deepStrictEqual(
      responseHeaders(
        urls("/b?key=s3cret%26c%3D&x=1", "<https://evil.test/?key=s3cret&c=>; rel=next"),
        "no trailers",
        search
      ),
      urls(`/b?key=${PLACEHOLDER}&x=1`, `<https://evil.test/?key=${PLACEHOLDER}>; rel=next`)
    )
    for (const text of ["s3cret&c=", "s3cret%26c%3d", "s3cret%2526c%253D", "s3cret%26c="]) {
      const headers = responseHeaders(["X", `/a?next=${text}`], "no trailers", search)
      assert.deepStrictEqual(headers, ["X", `/a?next=${PLACEHOLDER}`])
    }
    for (const text of ["%733cret&c=", "s3cret%25252526c=", "%2573%33cre%74&c%3D"]) {
      assert.deepStrictEqual(responseHeaders(["X", `/a?next=${text}`, "Y", "%41"], "no trailers", search), [
        "X",
        PLACEHOLDER,
        "Y",
        "%41"
      ])
    }
    const spaced = new SecretSearch(["two words é"], PLACEHOLDER)
    for (const text of ["two+words+%c3%a9", "two%20words%20%C3%A9", "two words \xc3\xa9"]) {
      assert.deepStrictEqual(responseHeaders(["X", text], "no trailers", spaced), ["X", PLACEHOLDER])
    }
  })
  it("keeps Trailer only if trailers can follow", () => {
    assert.deepStrictEqual(responseHeaders(["Trailer", "X"], "trailers"), ["Trailer", "X"])
    assert.deepStrictEqual(responseHeaders(["Trailer", "X"], "no trailers"), [])
  })
})
