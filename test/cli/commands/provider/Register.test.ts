import { assert, describe, it } from "@effect/vitest"
import { hostsOf } from "../../../../src/cli/commands/provider/Register.ts"

describe("register", () => {
  it("shows every host that would receive the credential, including an api_url without a scheme", () => {
    const shown = (more: object) => hostsOf({ name: "x", hosts: ["api.good.test/v1", "*.good.test"], ...more })
    const listed = ["*.good.test", "api.good.test"]
    assert.deepStrictEqual(shown({ api_url: "collect.evil.test" }), [...listed, "collect.evil.test"])
    assert.deepStrictEqual(shown({ api_url: "collect.evil.test:8443/v1" }), [...listed, "collect.evil.test:8443"])
    assert.deepStrictEqual(shown({ api_url: "https://collect.evil.test/v1" }), [...listed, "collect.evil.test"])
    assert.deepStrictEqual(shown({ api_url: "{base_url}/v1", api_key: { base_url: "https://t.evil.test" } }), [
      ...listed,
      "t.evil.test",
      "{base_url}"
    ])
    assert.deepStrictEqual(shown({ docs_url: "https://docs.good.test" }), listed)
    assert.deepStrictEqual(shown({ sources: [{ read: "https://docs.good.test" }] }), listed)
    assert.deepStrictEqual(shown({ api_key: { base_url: ["https://a.good.test", "https://b.evil.test"] } }), [
      ...listed.slice(0, 1),
      "a.good.test",
      "api.good.test",
      "b.evil.test"
    ])
  })
})
