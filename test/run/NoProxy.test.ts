import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mergeNoProxy, parentProxy } from "../../src/run/NoProxy.ts"
import { effect } from "../support/Fixture.ts"

describe("mergeNoProxy", () => {
  const patterns = ["api.github.com", "*.slack.com", "*.s3.*.amazonaws.com"]
  const ofGithub = [
    "github.com",
    ".github.com",
    "*.github.com",
    "api.github.com",
    "API.GitHub.com",
    "api.github.com:443"
  ]
  const dropped = [
    "*",
    ...ofGithub,
    ".com",
    "slack.com",
    "acme.slack.com",
    "eu-west-1.amazonaws.com",
    "b.s3.eu-west-1.amazonaws.com"
  ]
  for (const entry of dropped) {
    it(`drops ${entry}, with which a routed host would bypass the proxy`, () => {
      const { dropped, value } = mergeNoProxy({ NO_PROXY: `corp.test,${entry}` }, patterns)
      assert.deepStrictEqual(dropped, [entry])
      assert.strictEqual(value, "localhost,127.0.0.1,::1,corp.test")
    })
  }
  const cases = [
    "10.0.0.0/8",
    "corp.test",
    ".internal",
    "hub.com",
    "xgithub.com",
    "gist.github.com",
    "sts.eu-west-1.amazonaws.com"
  ]
  for (const entry of cases) {
    it(`keeps ${entry}`, () => {
      const { dropped, value } = mergeNoProxy({ no_proxy: entry }, patterns)
      assert.deepStrictEqual(dropped, [])
      assert.include(value.split(","), entry)
    })
  }
})

describe("parentProxy", () => {
  const read = (variables: Readonly<Record<string, string>>) => Effect.runSync(parentProxy(variables))

  it("returns the proxy of the environment, with HTTP or SOCKS, in the forms that other programs accept", () => {
    assert.deepEqual(read({ HTTPS_PROXY: "http://corp:3128", NO_PROXY: "a.test, b.test 10.0.0.0/8" }), {
      url: "http://corp:3128",
      noProxy: ["a.test", "b.test", "10.0.0.0/8"]
    })
    const urls = [
      "corp:3128",
      "corp",
      "https://corp",
      "socks5://corp:1080",
      "socks5h://u:p@[::1]:1",
      "socks://c:1/"
    ]
    for (const url of urls) {
      assert.deepEqual(read({ ALL_PROXY: url }), { url, noProxy: [] })
      assert.deepEqual(read({ https_proxy: url, ALL_PROXY: "http://other:1" }), { url, noProxy: [] })
    }
    assert.isUndefined(read({ HTTPS_PROXY: "" }))
    assert.isUndefined(read({}))
  })

  effect("names the variable that cannot be used", function*() {
    const problem = (variables: Record<string, string>) =>
      Effect.map(Effect.flip(parentProxy(variables)), ({ message }) => message)
    for (const url of ["socks4://corp:1080", "ftp://corp", "corp:99999", "http://", "not a host"]) {
      assert.match(yield* problem({ ALL_PROXY: url }), /^ALL_PROXY: names no proxy that credsvc can use/, url)
    }
    assert.match(
      yield* problem({ https_proxy: "corp:1", no_proxy: "a.test,10.0.0.0/33" }),
      /^no_proxy: "10\.0\.0\.0\/33" is not/
    )
  })
})
