import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { childCarriers, objections } from "../../src/conformance/FakeProviderApi.ts"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"

const define = (apiKey: object, more: object = {}) =>
  Result.getOrThrow(readDefinition({
    name: "acme",
    auth_type: "api_key",
    flow: "api_key",
    hosts: ["api.acme.dev"],
    api_key: apiKey,
    ...more
  }))

const credential = { values: { api_key: "key-1", user: "me" }, main: "api_key" }

const request = (headers: ReadonlyArray<readonly [string, string]>, target = "/") => ({
  method: "GET",
  url: new URL(target, "https://api.acme.dev"),
  headers,
  body: ""
})

const said = (apiKey: object, headers: ReadonlyArray<readonly [string, string]>, target?: string, more?: object) =>
  objections(define(apiKey, more), "api.acme.dev", credential, request(headers, target))

describe("FakeProviderApi", () => {
  it("accepts a credential wherever the definition places it", () => {
    assert.deepStrictEqual(said({}, [["Authorization", "Bearer key-1"]]), [])
    assert.deepStrictEqual(said({ header_name: "X-Key", header_prefix: "" }, [["x-key", "key-1"]]), [])
    assert.deepStrictEqual(said({ header_prefix: "Token" }, [["authorization", "Token key-1"]]), [])
    assert.deepStrictEqual(said({ query_param: "key" }, [], "/?key=key-1"), [])
    const basic = {
      basic: { username: "{user}", password: "{api_key}" },
      fields: [{ name: "user" }, { name: "api_key" }]
    }
    assert.deepStrictEqual(said(basic, [["Authorization", `Basic ${btoa("me:key-1")}`]]), [])
    const composed = { headers: { Authorization: "Token token={api_key}" } }
    assert.deepStrictEqual(said(composed, [["Authorization", "Token token=key-1"]]), [])
  })

  it("rejects a key that is missing, wrong, repeated or misplaced", () => {
    assert.lengthOf(said({}, []), 1)
    assert.lengthOf(said({}, [["Authorization", "Bearer key-2"]]), 1)
    assert.lengthOf(said({}, [["Authorization", "Bearer key-1"], ["authorization", "Bearer key-1"]]), 1)
    assert.lengthOf(said({ header_name: "X-Key", header_prefix: "" }, [["Authorization", "Bearer key-1"]]), 1)
    assert.lengthOf(said({ query_param: "key" }, [], "/?key=key-1&key=key-1"), 1)
  })

  it("requires the fields of the body, in JSON and in forms", () => {
    const fields = { body: { "/auth/key": "{api_key}", token: "t {api_key}" } }
    const problems = (type: string, body: string, more: object = {}) =>
      objections(define({ ...fields, ...more }), "api.acme.dev", credential, {
        ...request([["content-type", type], ["authorization", "Bearer key-1"]]),
        body
      }).length
    const form = "application/x-www-form-urlencoded"
    assert.strictEqual(problems("application/json", "{\"auth\":{\"key\":\"key-1\"}}"), 0)
    assert.strictEqual(problems("application/json", "{\"auth\":{\"key\":\"key-2\"}}"), 1)
    assert.strictEqual(problems(form, "a=1&token=t+key-1"), 0)
    assert.strictEqual(problems(form, "a=1&token=key-1"), 1)
    assert.strictEqual(problems(form, ""), 1)
    assert.strictEqual(problems(form, "", { header_name: "Authorization" }), 0)
  })

  it("rejects a forwarded placeholder anywhere, including Basic credentials", () => {
    const header = ["Authorization", "Bearer key-1"] as const
    assert.lengthOf(said({}, [header, ["X-Other", "credsvc-proxy-managed"]]), 1)
    assert.lengthOf(said({}, [header, ["X-Other", `Basic ${btoa("credsvc-proxy-managed:")}`]]), 1)
    assert.lengthOf(said({}, [header], "/?key=credsvc-proxy-managed"), 1)
  })

  it("requires the extra headers of the definition", () => {
    const more = { extra_headers: { "Acme-Version": "2" } }
    const header = ["Authorization", "Bearer key-1"] as const
    assert.lengthOf(said({}, [header], "/", more), 1)
    assert.deepStrictEqual(said({}, [header, ["acme-version", "2"]], "/", more), [])
  })

  it("expects the client's placeholder where an SDK puts the key", () => {
    const carriers = (apiKey: object) => childCarriers(define(apiKey), "api.acme.dev")
    assert.deepStrictEqual(carriers({}), [{ header: ["authorization", "Bearer credsvc-proxy-managed"] }])
    assert.deepStrictEqual(carriers({ header_name: "X-Key", header_prefix: "" }), [{
      header: ["x-key", "credsvc-proxy-managed"]
    }])
    assert.deepStrictEqual(carriers({ query_param: "key" }), [{ query: "key=credsvc-proxy-managed" }])
    assert.deepStrictEqual(carriers({ query: { key: "{api_key}" } }), [{ query: "key=credsvc-proxy-managed" }])
    assert.deepStrictEqual(
      carriers({ path_templates: ["/bot{api_key}", "/file/bot{api_key}"] }).map(({ path }) => path),
      ["/botcredsvc-proxy-managed", "/file/botcredsvc-proxy-managed"]
    )
  })

  it("expects the key, and not a placeholder, in the path if the definition places it there", () => {
    const bot = { path_templates: ["/bot{api_key}", "/file/bot{api_key}"] }
    assert.deepStrictEqual(said(bot, [], "/botkey-1/getMe"), [])
    assert.deepStrictEqual(said(bot, [], "/file/botkey-1/a.jpg"), [])
    assert.lengthOf(said(bot, [], "/getMe"), 1)
    assert.lengthOf(said(bot, [], "/botcredsvc-proxy-managed/getMe"), 2)
  })

  it("expects every query parameter of the definition", () => {
    const two = { query: { id: "{user}", key: "{api_key}" }, fields: [{ name: "user" }, { name: "api_key" }] }
    assert.deepStrictEqual(said(two, [], "/?id=me&key=key-1"), [])
    assert.lengthOf(said(two, [], "/?key=key-1&key=key-1"), 2)
  })
})
