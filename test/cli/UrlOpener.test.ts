import { assert, describe, it } from "@effect/vitest"
import { openableUrl } from "../../src/cli/UrlOpener.ts"

describe("UrlOpener", () => {
  it("opens https addresses, and http ones of a literal loopback address, in canonical form (A14)", () => {
    assert.strictEqual(openableUrl("https://example.com/a b?x='$(id)'"), "https://example.com/a%20b?x=%27$(id)%27")
    assert.strictEqual(openableUrl("http://127.0.0.1:7998/ui/"), "http://127.0.0.1:7998/ui/")
    assert.strictEqual(openableUrl("http://[::1]:7998/"), "http://[::1]:7998/")
  })

  it("opens nothing else (A14)", () => {
    for (
      const url of [
        "http://example.com/",
        "http://localhost:7998/",
        "http://127.0.0.1.evil.test/",
        "https://user:pass@example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "smb://host/share",
        "--help",
        ""
      ]
    ) assert.isUndefined(openableUrl(url), url)
  })
})
