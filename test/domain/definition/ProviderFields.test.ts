import { assert, describe, it } from "@effect/vitest"
import { credentialFields, exportNames } from "../../../src/domain/definition/ProviderFields.ts"
import { define, oauth } from "../support.ts"

describe("credentialFields", () => {
  it("asks for one secret named api_key by default", () => {
    const definition = define({ api_key: { key_pattern: "sk-.*", key_pattern_hint: "begins with sk-" } })
    assert.deepStrictEqual(credentialFields(definition), [
      { name: "api_key", label: "API key", secret: true, required: true, pattern: "sk-.*", hint: "begins with sk-" }
    ])
    assert.deepStrictEqual(credentialFields(define(oauth)), [])
  })

  it("applies the key pattern to the main field only", () => {
    const definition = define({
      api_key: { key_pattern: "k.*", fields: [{ name: "account_sid", secret: false }, { name: "auth_token" }] }
    })
    assert.deepStrictEqual(credentialFields(definition).map(({ label, name, pattern }) => [name, label, pattern]), [
      ["account_sid", "Account sid", undefined],
      ["auth_token", "Auth token", "k.*"]
    ])
  })
})

describe("exportNames", () => {
  const variables = (document: object) => exportNames(define(document)).map(({ variable }) => variable)

  it("derives the variable from the provider's name by default", () => {
    assert.deepStrictEqual(variables({ name: "brave-search" }), ["BRAVE_SEARCH_API_KEY"])
    assert.deepStrictEqual(variables({ name: "1password" }), ["_1PASSWORD_API_KEY"])
    assert.deepStrictEqual(variables({ ...oauth, name: "my.app" }), ["MY_APP_ACCESS_TOKEN"])
  })

  it("returns all names of a field, with the first as the primary name", () => {
    const names = exportNames(
      define({ export: { env: { api_key: ["GITHUB_TOKEN", "GH_TOKEN"], api_url: "GITHUB_URL" } } })
    )
    assert.deepStrictEqual(names.map(({ field, primary, secret, variable }) => [field, variable, primary, secret]), [
      ["api_key", "GITHUB_TOKEN", true, true],
      ["api_key", "GH_TOKEN", false, true],
      ["api_url", "GITHUB_URL", true, false]
    ])
  })

  it("includes env_var of older documents", () => {
    assert.deepStrictEqual(variables({ api_key: { env_var: "ACME_KEY" } }), ["ACME_KEY"])
    assert.deepStrictEqual(variables({ api_key: { env_var: "ACME_KEY" }, export: { env: { api_key: "A_KEY" } } }), [
      "A_KEY",
      "ACME_KEY"
    ])
  })

  it("returns the placeholder of the definition for a secret, and none for a field that is not secret", () => {
    const names = exportNames(define({
      placeholder: "xoxb-credsvc-proxy-managed",
      api_key: { fields: [{ name: "sid", secret: false }, { name: "token" }] }
    }))
    assert.deepStrictEqual(names.map(({ placeholder }) => placeholder), [undefined, "xoxb-credsvc-proxy-managed"])
  })
})
