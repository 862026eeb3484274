import { assert, describe, it } from "@effect/vitest"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { loggedPath, requestTarget } from "../../src/outbound/TargetInjection.ts"
import * as fc from "../support/FastCheck.ts"
import { credential, injection, injectionFor, occurrences, SECRET } from "../support/Injections.ts"
import { propertyTest } from "../support/PropertyTest.ts"

const holds = propertyTest(1000)

describe("requestTarget", () => {
  const key = injection({}, { query: { key: "s&=" } })

  it("adds a missing parameter, with and without a query", () => {
    assert.strictEqual(requestTarget("/a", key), "/a?key=s%26%3D")
    assert.strictEqual(requestTarget("/a?b=1", key), "/a?b=1&key=s%26%3D")
    assert.strictEqual(requestTarget("/a?", key), "/a?&key=s%26%3D")
  })

  it("keeps every other byte of the query", () => {
    const query = "/a?x=%2f+%zz&&y&=&q=a%20b"
    assert.strictEqual(requestTarget(query, injection({ Authorization: "Bearer s" })), query)
    assert.strictEqual(requestTarget(query, key), `${query}&key=s%26%3D`)
  })

  it("removes parameters with the placeholder, and the provider's other credential parameters", () => {
    const bearer = injection({ Authorization: "Bearer a/b" }, { strip: { query: ["api_key"] } })
    assert.strictEqual(requestTarget(`/a?t=${PLACEHOLDER}&page=2&api_key=x&u=x-${PLACEHOLDER}`, bearer), "/a?page=2")
    assert.strictEqual(requestTarget(`/a?t=${PLACEHOLDER}`, injection({ "x-key": "s" })), "/a")
    assert.strictEqual(requestTarget("/a?api_key=x", bearer), "/a")
  })

  it("removes a parameter with an exact placeholder of the provider", () => {
    const key = injection({ "x-api-key": "s3cret" }, { strip: { placeholders: ["sbp_c0ffee15900d15ade1"] } })
    assert.strictEqual(requestTarget("/v1?own=1&key=sbp_c0ffee15900d15ade1", key), "/v1?own=1")
  })

  it("replaces an exact placeholder in the path and in an encoded parameter", () => {
    const path = injection({}, {
      path: { "/bot{api_key}": "/bot42:s3cret" },
      strip: { placeholders: ["7:exact-placeholder"] }
    })
    assert.strictEqual(requestTarget("/bot7:exact-placeholder/getMe", path), "/bot42:s3cret/getMe")
    const query = injection({}, { query: { key: "s3cret" }, strip: { placeholders: ["7:exact-placeholder"] } })
    assert.strictEqual(requestTarget("/v1?token=7%3Aexact-placeholder", query), "/v1?key=s3cret")
  })

  describe("with a credential in the path", () => {
    const bot = injection({}, { path: { "/bot{t}": "/bot1:s3cret-token", "/file/bot{t}": "/file/bot1:s3cret-token" } })
    const account = injection({ Authorization: "Basic x" }, {
      path: { "/v1/Accounts/{sid}": "/v1/Accounts/AC123456", "/v1/Accounts/{sid}.json": "/v1/Accounts/AC123456.json" }
    })

    it("replaces the placeholder in the templated segment", () => {
      assert.strictEqual(requestTarget(`/bot1:${PLACEHOLDER}/getMe?a=1`, bot), "/bot1:s3cret-token/getMe?a=1")
      assert.strictEqual(requestTarget(`/bot1%3A${PLACEHOLDER}`, bot), "/bot1:s3cret-token")
      assert.strictEqual(requestTarget(`/file/bot${PLACEHOLDER}/a/b.jpg`, bot), "/file/bot1:s3cret-token/a/b.jpg")
      assert.strictEqual(
        requestTarget(`/v1/Accounts/AC${PLACEHOLDER}/Messages.json`, account),
        "/v1/Accounts/AC123456/Messages.json"
      )
      assert.strictEqual(requestTarget(`/v1/Accounts/AC${PLACEHOLDER}.json`, account), "/v1/Accounts/AC123456.json")
    })

    it("does not replace the placeholder anywhere else, because an upstream may echo it", () => {
      const elsewhere = ["/?/bot1/getMe", "/x/bot1:?/getMe", "//bot1:?/getMe", "/%62ot1:?/getMe", "/BOT1:?/getMe"]
      const others = [...elsewhere, "/bot1:own/?", "/file/?", "/bot1:own/getMe", "/bot", "/"].map((target) =>
        target.replace("?", PLACEHOLDER)
      )
      for (const target of others) assert.strictEqual(requestTarget(target, bot), target)
    })

    it("keeps an identifier of the client in the templated segment", () => {
      assert.strictEqual(requestTarget("/v1/Accounts/AC999/Calls", account), "/v1/Accounts/AC999/Calls")
    })

    it("sets query parameters", () => {
      const both = injection({}, { path: { "/{t}": "/a%2Fb" }, query: { key: "k" } })
      assert.strictEqual(requestTarget(`/${PLACEHOLDER}/x?key=${PLACEHOLDER}&b=1`, both), "/a%2Fb/x?b=1&key=k")
      assert.strictEqual(requestTarget(`/${PLACEHOLDER}`, both), "/a%2Fb?key=k")
    })

    it("keeps the credential out of logs", () => {
      assert.strictEqual(loggedPath("/bot1:childs-own/getMe?a=1#b", bot), `/bot${PLACEHOLDER}/getMe`)
      assert.strictEqual(loggedPath("/x/y?token=1", bot), "/x/y")
    })
  })

  it("shortens every path segment in logs that could be a token", () => {
    const logged = (target: string) => loggedPath(target, injection({}))
    const token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
    assert.strictEqual(logged(`/bot${token}/getMe`), "/bot110.../getMe")
    assert.strictEqual(logged(`/api/webhooks/123/${"aB3_".repeat(17)}`), "/api/webhooks/123/aB3_aB...")
    assert.strictEqual(logged(`/${"x".repeat(32)}#/${token}`), "/xxxxxx...")
    const unchanged = [
      `/${"x".repeat(31)}`,
      "/v1/chat/completions",
      "/repos/acme/a-repository-with-a-name/commits/0123456789abcdef0123456789abcdef01234567",
      "/v1/users/0191e0b2-7d0a-7bbb-8ccc-0123456789ab/items"
    ]
    for (const path of unchanged) assert.strictEqual(logged(path), path)
  })

  it("changes nothing without a credential", () => {
    assert.strictEqual(requestTarget(`/a?t=${PLACEHOLDER}`, undefined), `/a?t=${PLACEHOLDER}`)
  })
})

const segment = fc.oneof(
  fc.constantFrom("bot", ...["bot", "bot1:", "", "Bot"].map((start) => `${start}${PLACEHOLDER}`), "..", "%2e%2e", ""),
  fc.stringMatching(/^[a-zA-Z0-9._~!$&'()*+,;=:@%-]{0,6}$/)
)
const parameter = fc.tuple(
  fc.oneof(fc.constantFrom("key", "KEY", "k%65y", "token", "%6bey", "a", ""), fc.stringMatching(/^[a-z%0-9+]{0,4}$/)),
  fc.constantFrom("", "=", "=1", `=${PLACEHOLDER}`, `=sk-${PLACEHOLDER}`, "=%zz", "==")
).map((parts) => parts.join(""))
const target = fc.tuple(
  fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`),
  fc.option(fc.array(parameter, { maxLength: 5 }).map((parameters) => parameters.join("&")))
).map(([path, query]) => query === null ? path : `${path}?${query}`)

const encoded = encodeURIComponent(SECRET)

describe("requestTarget, for any target and any credential", () => {
  holds("fills the templated path segment, and the parameter once", target, credential, (given, chosen) => {
    const out = requestTarget(given, injectionFor(chosen))
    const [path = "", ...query] = out.split("?")
    const [was = ""] = given.split("?")
    const expected = "/bot{t}" in chosen.path
      ? was.replace(new RegExp(`^(/file)?/bot[^/]*${PLACEHOLDER}[^/]*`), `$1/bot${encoded}`)
      : was
    assert.strictEqual(path, expected)
    assert.strictEqual(occurrences(query.join("?"), encoded), Object.keys(chosen.query).length)
    assert.notInclude(query.join("?"), PLACEHOLDER)
    assert.notInclude(out, SECRET)
  })

  holds(
    "leaves one value of each parameter of the credential, however a server reads names",
    target,
    credential,
    (given, chosen) => {
      const out = requestTarget(given, injectionFor(chosen))
      const names = [...new URLSearchParams(out.split("?")[1] ?? "")].map(([name]) => name.toLowerCase())
      const expected = Object.keys(chosen.query).length
      if (expected > 0 || chosen.strip.query.length > 0) {
        assert.strictEqual(names.filter((name) => name === "key").length, expected)
      }
    }
  )

  holds("keeps a valid request target valid", target, credential, (given, chosen) => {
    assert.match(requestTarget(given, injectionFor(chosen)), /^\/[\x21-\x7e]*$/)
  })

  holds("keeps credentials out of logs", target, credential, (given, chosen) => {
    const injection = injectionFor(chosen)
    const logged = loggedPath(requestTarget(given, injection), injection)
    assert.notInclude(logged, encoded)
    assert.notInclude(logged, "?")
  })
})
