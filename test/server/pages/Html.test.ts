import { assert, describe, it } from "@effect/vitest"
import { externalLink, html, linkable } from "../../../src/server/pages/Html.ts"

const payloads = [
  "<script>alert(1)</script>",
  "\"><img src=x onerror=alert(1)>",
  "' autofocus onfocus='alert(1)",
  "</title><svg onload=alert(1)>",
  "`${alert(1)}`",
  "&lt;b&gt;",
  "\u0000<\u0008b>"
]

describe("html", () => {
  it("escapes values in text and in attributes", () => {
    for (const payload of payloads) {
      const made = html`<p title="${payload}" class='${payload}'>${payload}${[payload, html`<b>${payload}</b>`]}</p>`
        .toString()
      const tags = [...made.matchAll(/<(\/?\w+)/g)].map((match) => match[1])
      assert.deepStrictEqual(tags, ["p", "b", "/b", "/p"], made)
      assert.notInclude(made, "\u0000")
    }
  })

  it("replaces characters that change the text direction", () => {
    assert.notMatch(html`${"api.\u202egro.live"}`.toString(), /\u202e/)
  })

  it("links only to https, and to http on a literal loopback address", () => {
    for (const url of ["https://example.com/keys", "http://127.0.0.1:8080/x", "http://[::1]/"]) {
      assert.isDefined(linkable(url), url)
    }
    const refused = [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "http://example.com/",
      "http://localhost/",
      "https://user:password@example.com/",
      "vbscript:x",
      "//example.com",
      ""
    ]
    for (const url of refused) {
      assert.isUndefined(linkable(url), url)
      assert.strictEqual(externalLink(url, "label").toString(), "label")
    }
  })
})
