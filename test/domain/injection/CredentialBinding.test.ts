import { assert, describe, it } from "@effect/vitest"
import { binding } from "../../../src/domain/injection/CredentialBinding.ts"
import { define, oauth } from "../support.ts"

describe("binding", () => {
  const base = {
    ...oauth,
    oauth: { ...oauth.oauth, issuer: "https://acme.dev", base_url: "https://acme.dev" },
    hosts: ["api.acme.dev", "b.acme.dev"]
  }

  it("does not change with fields that do not affect where a secret goes", () => {
    const same = binding(define(base))
    assert.strictEqual(
      binding(define({
        ...base,
        display_name: "Acme",
        description: "An API",
        aliases: ["acme-inc"],
        notes: ["Needs an app."],
        alternatives: ["acme-token"],
        hosts: ["b.acme.dev", "api.acme.dev"],
        sources: [{ read: "https://acme.dev/docs", date: "2026-11-22" }],
        export: { env: { access_token: "ACME_TOKEN" } },
        oauth: { ...base.oauth, scopes: ["read"] }
      })),
      same
    )
  })

  it("adds nothing for a definition without placements in the URL, so that older bindings remain valid", () => {
    assert.match(binding(define({ api_key: { header_name: "X-Key" } })), /\["x-key",null,null,null,\[\]\]/)
  })

  it("changes with every endpoint, host, tenant and placement, and with what is shown of a key or a token response", () => {
    const other = "https://evil.dev/x"
    const endpoints = [
      "authorization_url",
      "token_url",
      "refresh_url",
      "revocation_url",
      "device_authorization_url",
      "registration_url",
      "issuer",
      "resource",
      "base_url"
    ]
    const texts = [
      binding(define(base)),
      binding(define(base), "https://tenant.dev"),
      ...endpoints.map((name) => binding(define({ ...base, oauth: { ...base.oauth, [name]: other } }))),
      binding(define({ ...base, oauth: { ...base.oauth, base_url: ["https://acme.dev", "https://b.acme.dev"] } })),
      binding(define({ ...base, oauth: { ...base.oauth, token_response: { scope: "/scopes" } } })),
      binding(define({ ...base, oauth: { ...base.oauth, token_params: { scope: "admin" } } })),
      binding(define({ ...base, oauth: { ...base.oauth, token_param_names: { scope: "x" } } })),
      binding(define({ ...base, oauth: { ...base.oauth, token_param_names: { scope: "y" } } })),
      binding(define({ ...base, oauth: { ...base.oauth, refresh_params: {} } })),
      binding(define({ ...base, oauth: { ...base.oauth, refresh_params: { scope: "admin" } } })),
      binding(define({ ...base, test_request: { path: "/me" } })),
      binding(define({ ...base, test_request: { path: "/me", method: "POST" } })),
      binding(define({ ...base, api_url: other })),
      binding(define({ ...base, hosts: ["evil.dev"] })),
      binding(define({ ...base, oauth: { ...base.oauth, header_name: "x" } })),
      binding(define({ ...base, oauth: { ...base.oauth, header_prefix: "x" } })),
      binding(define({})),
      binding(define({ api_key: { header_name: "x-key" } })),
      binding(define({ api_key: { query_param: "key" } })),
      binding(define({ api_key: { headers: { a: "{api_key}" } } })),
      binding(define({ api_key: { query: { a: "{api_key}" } } })),
      binding(define({ api_key: { path_templates: ["/{api_key}"] } })),
      binding(define({ api_key: { path_templates: ["/{api_key}", "/x/{api_key}"] } })),
      binding(define({ api_key: { body: { "/key": "{api_key}" } } })),
      binding(define({ api_key: { messages: { first: 1, fields: { "/key": "{api_key}" } } } })),
      binding(define({ api_key: { basic: { username: "{api_key}", password: "" } } })),
      binding(define({ extra_headers: { a: "{api_key}" } })),
      binding(define({ extra_headers: { "x-account": "1" } })),
      binding(define({ extra_headers: { "x-account": "2" } })),
      binding(define({ placeholder_by_prefix: { "ak-": "ak-credsvc-proxy-managed" } })),
      binding(define({ placeholder_by_prefix: { "ak-1": "ak-1-credsvc-proxy-managed" } }))
    ]
    assert.strictEqual(new Set(texts).size, texts.length)
  })
})
