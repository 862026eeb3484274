import { assert, describe, it } from "@effect/vitest"
import { authoritiesOf, mayReveal, refusalOf } from "../../../src/server/http/Guard.ts"

const authorities = authoritiesOf("127.0.0.1", 7998, undefined)
const host = "127.0.0.1:7998"
const own = `http://${host}`
const sessionId = "A".repeat(43)

interface Request {
  readonly method?: string
  readonly target?: string
  readonly headers?: ReadonlyArray<readonly [string, string]>
  readonly host?: string | undefined
  readonly httpVersion?: string
}

const status = ({ headers = [], httpVersion = "1.1", method = "GET", target = "/connections", ...rest }: Request) => {
  const named = "host" in rest ? rest.host : host
  const rawHeaders = [...(named === undefined ? [] : ["Host", named]), ...headers.flat()]
  return refusalOf({ method, target, rawHeaders, httpVersion }, authorities)?.status ?? 200
}

describe("authoritiesOf", () => {
  it.each([
    ["127.0.0.1", ["127.0.0.1", "localhost"]],
    ["127.0.0.2", ["127.0.0.2"]],
    ["localhost", ["localhost", "127.0.0.1", "[::1]"]],
    ["::1", ["[::1]", "localhost"]],
    ["0.0.0.0", ["127.0.0.1", "localhost"]],
    ["0", ["127.0.0.1", "localhost"]],
    ["::", ["[::1]", "127.0.0.1", "localhost"]],
    ["::0", ["[::1]", "127.0.0.1", "localhost"]],
    ["192.168.1.5", ["192.168.1.5"]],
    ["FD00::0:2", ["[fd00::2]"]],
    ["Box.example", ["box.example"]]
  ])("lists the names of a listener on %s, and never a wildcard address", (address, names) => {
    assert.deepStrictEqual(
      [...authoritiesOf(address, 7998, undefined)],
      names.map((name) => [`${name}:7998`, `http://${name}:7998`])
    )
  })

  it("adds the host of the base URL, whose pages have the origin of that URL", () => {
    const names = authoritiesOf("192.168.1.5", 7998, new URL("https://creds.example"))
    assert.deepStrictEqual([...names].slice(1), [
      ["creds.example", "https://creds.example"],
      ["creds.example:443", "https://creds.example"]
    ])
  })

  it("accepts a name without the port on port 80, because browsers omit it", () => {
    assert.isTrue(authoritiesOf("127.0.0.1", 80, undefined).has("localhost"))
    assert.isFalse(authoritiesOf("127.0.0.1", 7998, undefined).has("localhost"))
  })
})

describe("refusalOf", () => {
  it("accepts only `Host` values of the daemon, for every method", () => {
    assert.strictEqual(status({}), 200)
    assert.strictEqual(status({ host: "localhost:7998" }), 200)
    const foreign = [
      "evil.test:7998",
      "127.0.0.1",
      "localhost",
      "127.0.0.1:80",
      "localhost.:7998",
      "127.0.0.1.:7998",
      "0.0.0.0:7998",
      "127.1:7998",
      "2130706433:7998",
      "0x7f.1:7998",
      "[::1]:7998",
      "[::ffff:127.0.0.1]:7998",
      "user@127.0.0.1:7998",
      "127.0.0.1:07998",
      "127.0.0.1:7998 ",
      "127.0.0.1:7998,evil.test",
      ""
    ]
    for (const name of foreign) {
      for (const method of ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT"]) {
        assert.strictEqual(status({ host: name, method }), 403, `${method} ${name}`)
      }
    }
  })

  it("rejects a target in which the router and other parsers disagree about the start of the query", () => {
    for (const target of ["/connections/x/y;reveal=true", "/a;", "/a#b", "/a?b#c", "/a;b?c"]) {
      assert.strictEqual(status({ target }), 400, target)
    }
    assert.strictEqual(status({ target: "/connections?provider=a;b" }), 200)
  })

  it("rejects browser requests from other sites", () => {
    const origins = {
      none: [],
      own: [["Origin", own]],
      evil: [["Origin", "http://evil.test"]],
      opaque: [["Origin", "null"]],
      neighbour: [["Origin", "http://localhost:3000"]],
      otherName: [["Origin", "http://localhost:7998"]],
      secure: [["Origin", "https://127.0.0.1:7998"]]
    } as const
    const sites = ["absent", "none", "same-origin", "same-site", "cross-site", "something-new"] as const
    for (const [name, origin] of Object.entries(origins)) {
      for (const site of sites) {
        for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
          const headers = [...origin, ...(site === "absent" ? [] : [["Sec-Fetch-Site", site] as const])]
          const siteIsOurs = site === "absent" || site === "none" || site === "same-origin"
          const originIsOurs = name === "none" || name === "own" || (name === "opaque" && site === "same-origin")
          // Only forms of pages change something.
          const isServed = method === "GET" || method === "HEAD" || (name === "none" && site === "absent")
          assert.strictEqual(
            status({ method, headers }),
            siteIsOurs && originIsOurs && isServed ? 200 : 403,
            `${method} Origin ${name}, Sec-Fetch-Site ${site}`
          )
        }
      }
    }
  })

  it("accepts links from other sites to pages, only as a top-level navigation", () => {
    const navigation = (destination = "document", mode = "navigate") =>
      [
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Mode", mode],
        ["Sec-Fetch-Dest", destination]
      ] as const
    const pages = [
      "/auth/callback/oauth?code=x&state=y",
      `/auth/sessions/${sessionId}/input`,
      `/auth/sessions/${sessionId}/device`,
      "/ui/",
      "/ui/connections",
      "/ui/apps",
      "/ui/apps?q=a&state=connected",
      "/ui/apps/openai",
      "/ui/audit?provider=openai",
      "/docs"
    ]
    for (const target of pages) {
      assert.strictEqual(status({ target, headers: navigation() }), 200, target)
      assert.strictEqual(status({ target, headers: navigation("iframe") }), 403, `${target} in a frame`)
      assert.strictEqual(status({ target, headers: navigation("document", "no-cors") }), 403, `${target} by a script`)
      const posted = target.startsWith("/auth/callback/oauth") ? 200 : 403
      assert.strictEqual(status({ target, headers: navigation(), method: "POST" }), posted, `POST ${target}`)
      assert.strictEqual(status({ target, headers: [...navigation(), ["Origin", "null"]] }), 403, `${target}, opaque`)
    }
    const others = [
      "/connections/openai/default?reveal=true",
      "/health",
      "/ui/../connections",
      "/ui/%2e%2e/connections",
      "/ui/apps/openai/default/disconnect",
      "/ui/apps/openai/default/default",
      "/ui/apps/openai/revoke",
      "/ui/audit/verify",
      "/ui/approvals",
      "/ui/events",
      `/auth/sessions/${sessionId}`,
      "/openapi.json"
    ]
    for (const target of others) assert.strictEqual(status({ target, headers: navigation() }), 403, target)
  })

  it("accepts the form of another site at the callback only, and only as a top-level navigation", () => {
    const form = (
      target: string,
      destination = "document",
      mode = "navigate",
      type = "application/x-www-form-urlencoded"
    ) =>
      status({
        method: "POST",
        target,
        headers: [
          ["Origin", "https://as.example"],
          ["Sec-Fetch-Site", "cross-site"],
          ["Sec-Fetch-Mode", mode],
          ["Sec-Fetch-Dest", destination],
          ["Content-Type", type],
          ["Content-Length", "3"]
        ]
      })
    const callback = "/auth/callback/oauth?code=x&state=y"
    assert.strictEqual(form(callback), 200)
    assert.strictEqual(form(callback, "document", "navigate", "multipart/form-data; boundary=x"), 200)
    assert.strictEqual(form(callback, "iframe"), 403)
    assert.strictEqual(form(callback, "empty", "cors"), 403)
    for (const target of [`/auth/sessions/${sessionId}/input`, "/ui/apps/openai/connect", "/auth/sessions", "/ui/"]) {
      assert.strictEqual(form(target), 403, target)
    }
  })

  it("rejects a repeated header that the decision depends on", () => {
    for (const name of ["Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Content-Type"]) {
      assert.strictEqual(status({ headers: [[name, own], [name, own]] }), 400, name)
    }
  })

  it("rejects protocol upgrades", () => {
    assert.strictEqual(status({ headers: [["Upgrade", "websocket"], ["Connection", "Upgrade"]] }), 405)
    assert.strictEqual(status({ headers: [["Upgrade", "h2c"]] }), 405)
  })

  it("accepts only JSON on API routes and only forms on form routes", () => {
    const post = (target: string, type: string | undefined, length = "2") =>
      status({
        method: "POST",
        target,
        headers: [["Content-Length", length], ...(type === undefined ? [] : [["Content-Type", type] as const])]
      })
    const json = "/auth/sessions"
    for (const type of ["application/json", "Application/JSON", "application/json; charset=utf-8"]) {
      assert.strictEqual(post(json, type), 200, type)
    }
    const others = [
      undefined,
      "",
      "text/plain",
      "text/plain; application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "application/json; charset=utf-16",
      "application/json, text/plain",
      "application/merge-patch+json"
    ]
    for (const type of others) assert.strictEqual(post(json, type), 415, String(type))
    const forms = [
      `/auth/sessions/${sessionId}/input`,
      "/ui/apps/openai/connect",
      "/ui/apps/openai/default/disconnect",
      "/ui/apps/openai/work@example.com/disconnect",
      "/ui/apps/openai/default/check",
      "/ui/apps/openai/work@example.com/default",
      "/ui/apps/openai/revoke"
    ]
    for (const target of forms) {
      assert.strictEqual(post(target, "application/x-www-form-urlencoded"), 200, target)
      assert.strictEqual(post(target, "application/json"), 415, target)
      assert.strictEqual(post(target, undefined), 415, target)
      // The router ignores the case as well, so this is the same form.
      assert.strictEqual(post(target.toUpperCase(), "application/json"), 415, target)
    }
    assert.strictEqual(post(json, undefined, "0"), 200, "no body, no type")
    assert.strictEqual(
      status({ method: "POST", target: json, headers: [["Transfer-Encoding", "chunked"]] }),
      415,
      "a chunked body needs a type"
    )
    assert.strictEqual(
      status({
        method: "POST",
        target: json,
        headers: [["Content-Length", "9"], ["Content-Type", "application/json"], ["Content-Encoding", "gzip"]]
      }),
      415
    )
  })

  it("rejects a body by its declared length", () => {
    const declare = (target: string, type: string, bytes: number) =>
      status({ method: "POST", target, headers: [["Content-Type", type], ["Content-Length", String(bytes)]] })
    assert.strictEqual(declare("/providers", "application/json", 1024 * 1024), 200)
    assert.strictEqual(declare("/providers", "application/json", 1024 * 1024 + 1), 413)
    const form = `/auth/sessions/${sessionId}/input`
    assert.strictEqual(declare(form, "application/x-www-form-urlencoded", 64 * 1024), 200)
    assert.strictEqual(declare(form, "application/x-www-form-urlencoded", 64 * 1024 + 1), 413)
    assert.strictEqual(status({ headers: [["Content-Length", "5"]] }), 400, "a GET with a body")
    assert.strictEqual(
      status({
        method: "POST",
        httpVersion: "1.0",
        headers: [["Transfer-Encoding", "chunked"], ["Content-Type", "application/json"]]
      }),
      400
    )
  })

  it("limits the number of headers, including those before a header that it checks", () => {
    const many = Array.from({ length: 150 }, (_, index) => [`X-${index}`, "x"] as const)
    assert.strictEqual(status({ headers: many }), 431)
    assert.strictEqual(status({ headers: many.slice(0, 90) }), 200)
    assert.strictEqual(status({ headers: [...many.slice(0, 90), ["Origin", "http://evil.test"]] }), 403)
  })
})

describe("mayReveal", () => {
  it("accepts only clients that are not browsers", () => {
    assert.isTrue(mayReveal(["Sec-Fetch-Mode", "cors"]))
    for (const site of ["same-origin", "none", "cross-site"]) assert.isFalse(mayReveal(["sec-fetch-site", site]))
    assert.isFalse(mayReveal(["Origin", own]))
  })
})
