import { assert, describe, it } from "@effect/vitest"
import { openableUrl, openerOf } from "../../../src/cli/login/UrlOpener.ts"

describe("UrlOpener", () => {
  it("opens https URLs, and http URLs of literal loopback addresses, in canonical form", () => {
    assert.strictEqual(openableUrl("https://example.com/a b?x='$(id)'"), "https://example.com/a%20b?x=%27$(id)%27")
    assert.strictEqual(openableUrl("http://127.0.0.1:7998/ui/"), "http://127.0.0.1:7998/ui/")
    assert.strictEqual(openableUrl("http://[::1]:7998/"), "http://[::1]:7998/")
  })

  it("rejects URLs of other schemes or with a user name, and http URLs of other hosts", () => {
    const urls = [
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
    for (const url of urls) assert.isUndefined(openableUrl(url), url)
  })

  it("uses each system's opener by its absolute path and without a shell", () => {
    const find = (...there: ReadonlyArray<string>) => (program: string, ...more: ReadonlyArray<unknown>) => {
      assert.deepStrictEqual(more, [])
      return there.includes(program) ? `/usr/bin/${program}` : undefined
    }
    assert.deepStrictEqual(openerOf("darwin", {}, find()), ["/usr/bin/open"])
    assert.deepStrictEqual(openerOf("win32", { SystemRoot: "D:\\Windows" }, find()), [
      "D:\\Windows\\System32\\rundll32.exe",
      "url.dll,FileProtocolHandler"
    ])
    assert.deepStrictEqual(openerOf("linux", { DISPLAY: ":0" }, find("xdg-open")), ["/usr/bin/xdg-open"])
    assert.deepStrictEqual(openerOf("linux", { WAYLAND_DISPLAY: "wayland-0" }, find("xdg-open")), ["/usr/bin/xdg-open"])
    assert.deepStrictEqual(openerOf("linux", { WSL_DISTRO_NAME: "Debian" }, find("wslview", "xdg-open")), [
      "/usr/bin/wslview"
    ])
    assert.isUndefined(openerOf("linux", {}, find("xdg-open")))
    assert.isUndefined(openerOf("linux", { DISPLAY: ":0" }, find()))
  })
})
