import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readingsOf } from "../../../src/domain/rules/RequestPath.ts"
import { parseRule } from "../../../src/domain/rules/Rule.ts"

const textOf = (text: string): string => Result.merge(Result.map(parseRule(text), (rule) => rule.text))

describe("Rule", () => {
  it("has one canonical text, which parses to itself", () => {
    const canonical: Readonly<Record<string, string>> = {
      "GET api.github.com/repos/acme/**": "GET api.github.com/repos/acme/**",
      "get API.GitHub.COM:443/repos/acme/": "GET api.github.com/repos/acme",
      "post,GET,post  api.github.com": "GET,POST api.github.com",
      "* api.github.com/**": "api.github.com",
      "api.github.com./": "api.github.com/",
      "*.example.com:8443/a%20b/%C3%A9": "*.example.com:8443/a%20b/%C3%A9",
      "GET example.com/a'$(x)'`!\"": "GET example.com/a%27%24(x)%27%60%21%22",
      "POST example.com/v1.0/$batch": "POST example.com/v1.0/%24batch",
      "GET gitlab.com/projects/group%2fproject/*": "GET gitlab.com/projects/group%2Fproject/*",
      "POST storage.googleapis.com/google.storage.v2.Storage/Delete*":
        "POST storage.googleapis.com/google.storage.v2.Storage/Delete*",
      "POST api.github.com/graphql mutation:*": "POST api.github.com/graphql mutation",
      "POST api.github.com/graphql query:repo*": "POST api.github.com/graphql query:repo*"
    }
    for (const [text, expected] of Object.entries(canonical)) {
      assert.strictEqual(textOf(text), expected)
      assert.strictEqual(textOf(expected), expected)
    }
  })

  it("says what is wrong with an invalid rule", () => {
    const problems: Readonly<Record<string, string>> = {
      "": "needs a host",
      "GET": "needs a host",
      "GET https://api.github.com": "without https://",
      "G€T api.github.com": "ASCII form",
      "GET,, api.github.com": "invalid list of methods",
      "GET api.github.com/a?b=c": "must not have a query",
      "GET api.github.com/a/../b": "more than one way",
      "GET api.github.com//b": "more than one way",
      "GET api.github.com/a;b": "more than one way",
      "GET api.github.com/a%2A": "encoded *",
      "GET api.github.com/a/b**": "whole segment",
      "GET api.*.com": "full DNS name",
      "GET bücher.example": "xn--",
      "GET 10.0.0.1": "IP address",
      "GET github": "full DNS name",
      "POST api.github.com/graphql delete:x": "invalid GraphQL operation",
      "POST api.github.com/graphql mutation:x y": "more parts than"
    }
    for (const [text, expected] of Object.entries(problems)) assert.include(textOf(text), expected, text)
  })
})

describe("readingsOf", () => {
  it("contains every way in which servers read an encoded slash, question mark or number sign", () => {
    assert.deepStrictEqual(readingsOf("/"), { whole: [] })
    assert.deepStrictEqual(readingsOf("/a/b.c/"), { whole: ["a", "b.c"] })
    assert.deepStrictEqual(readingsOf("/a%20b/%C3%A9"), { whole: ["a b", "é"] })
    assert.deepStrictEqual(readingsOf("/p/g%2Fq/i"), { whole: ["p", "g/q", "i"], split: ["p", "g", "q", "i"] })
    assert.deepStrictEqual(readingsOf("/c/a%23b/d"), { whole: ["c", "a#b", "d"], cut: ["c", "a"] })
    assert.deepStrictEqual(readingsOf("/c/a%2fb%3Fd"), {
      whole: ["c", "a/b?d"],
      split: ["c", "a", "b?d"],
      cut: ["c", "a/b"],
      splitCut: ["c", "a", "b"]
    })
  })

  it("rejects ambiguous paths, such as dot segments, empty segments and double encoding", () => {
    const refused = [
      ..."* a /a/../b /a/./b /.. /a/.. // //a /a//b /a// /%2e%2e/a /a/%2E./b /a%2f..%2fb /%2fa /a%2f%2fb".split(" "),
      ...String.raw`/a%5cb /a\b /a;b=c/d /a%3bb /a/..;/b /a%00 /a%0d%0a /%7f /a%c2%85 /%252e%252e/a /a%252fb`.split(
        " "
      ),
      ..."/%25%32%65 /%u002e /%25u002e /a% /a%g1 /%c0%ae /%e0%80%af /%ff /\xe9 /a./b /.../b /a%20/b /%20a /a%2e".split(
        " "
      ),
      ..."/..%c2%ad/a /%E2%80%8B.%EF%BB%BF./a /%c2%ad /a::$DATA /a%E2%88%95b /%EF%BC%8Fa /a%E2%80%A6 /%EF%BC%8E%EF%BC%8E/a /a#b"
        .split(" "),
      "",
      "/a b",
      "/a\tb"
    ]
    for (const path of refused) assert.isUndefined(readingsOf(path), path)
    assert.isUndefined(readingsOf("/" + "a".repeat(8192)))
  })
})
