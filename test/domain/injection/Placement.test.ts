import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { parseDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import type { ProviderDefinition } from "../../../src/domain/definition/Provider.ts"
import { placeholderFor, placements } from "../../../src/domain/injection/Placement.ts"
import { define, oauth } from "../support.ts"

const plain = (values: Readonly<Record<string, Redacted.Redacted<string>>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.value(value)]))

const inject = (definition: ProviderDefinition, values: Readonly<Record<string, string>>, entry?: string) => {
  const secrets = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))
  const injection = Result.getOrThrow(placements(definition, secrets, entry))
  return {
    headers: plain(injection.headers),
    query: plain(injection.query),
    ...(injection.path === undefined ? {} : { path: plain(injection.path) }),
    defaults: plain(injection.defaults),
    strip: injection.strip
  }
}

describe("Placement", () => {
  it("sends a key as a bearer token in Authorization by default", () => {
    assert.deepStrictEqual(inject(define({}), { api_key: "k" }), {
      headers: { Authorization: "Bearer k" },
      query: {},
      defaults: {},
      strip: { headers: ["authorization"], query: [] }
    })
  })

  it("lists the secret values that a request carries, including encoded HTTP Basic, but no public values", () => {
    const secretsOf = (api_key: object, values: Readonly<Record<string, string>>, more: object = {}) => {
      const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))
      const { secrets = [] } = Result.getOrThrow(placements(define({ api_key, ...more }), given))
      return secrets.map((secret) => Redacted.value(secret))
    }
    assert.deepStrictEqual(secretsOf({}, { api_key: "k" }), ["k"])
    const fields = [{ name: "account", secret: false }, { name: "token" }, { name: "other_secret" }]
    const values = { account: "a", token: "t", other_secret: "u" }
    assert.deepStrictEqual(secretsOf({ fields, basic: { username: "{account}", password: "{token}" } }, values), [
      "t",
      Buffer.from("a:t").toString("base64")
    ])
    assert.deepStrictEqual(secretsOf({ fields, headers: { "X-A": "{account}" }, query: { t: "{token}" } }, values), [
      "t"
    ])
    assert.deepStrictEqual(secretsOf({ fields, path_templates: ["/bot{token}"] }, values), ["t"])
    const extra = { extra_headers: { "X-Other": "{other_secret}" } }
    assert.deepStrictEqual(secretsOf({ fields }, values, extra), ["t", "u"])
  })

  it("places the key in fields of bodies or messages instead of Authorization, even if only one host has them", () => {
    const messages = { first: 2, fields: { "/d/token": "{api_key}" } }
    const definition = define({
      hosts: ["api.example.com", "gateway.example.com"],
      api_key: { body: { "/key": "{api_key}", key: "k {api_key}" }, per_host: { "gateway.example.com": { messages } } }
    })
    const of = (entry: string) => Result.getOrThrow(placements(definition, { api_key: Redacted.make("s") }, entry))
    const main = of("api.example.com")
    assert.deepStrictEqual([main.headers, plain(main.body ?? {}), main.messages], [
      {},
      { "/key": "s", key: "k s" },
      undefined
    ])
    const gateway = of("gateway.example.com")
    assert.deepStrictEqual([gateway.headers, gateway.body, gateway.messages?.first], [{}, undefined, 2])
    assert.deepStrictEqual(plain(gateway.messages?.fields ?? {}), { "/d/token": "s" })
    assert.deepStrictEqual(gateway.secrets?.map((secret) => Redacted.value(secret)), ["s"])
  })

  it("lists the definition's placeholders that do not contain `credsvc-proxy-managed`", () => {
    const exact = "tok_0123456789abcdef0123"
    const of = (more: object) => inject(define(more), { api_key: "k" }).strip.placeholders
    assert.deepStrictEqual(of({ placeholder: exact }), [exact])
    assert.deepStrictEqual(of({ placeholder_by_prefix: { tok_: exact } }), [exact])
    assert.deepStrictEqual(of({ api_key: { fields: [{ name: "api_key", placeholder: exact }] } }), [exact])
    assert.isUndefined(of({ placeholder: "tok_credsvc-proxy-managed" }))
  })

  it("has a placeholder for Salesforce that its command line accepts as a token", () => {
    for (const name of ["salesforce", "salesforce-sandbox"]) {
      const file = fs.readFileSync(new URL(`../../../providers/${name}.json`, import.meta.url), "utf8")
      const { placeholder } = Result.getOrThrow(parseDefinition(file))
      // `matchesAccessToken` of @salesforce/core.
      assert.match(placeholder, /^(00D\w{12,15})![.\w]*$/)
    }
  })

  it("uses the header and prefix of the definition, and no prefix if it is empty", () => {
    const headers = (api_key: object) => inject(define({ api_key }), { api_key: "k" }).headers
    assert.deepStrictEqual(headers({ header_name: "x-api-key", header_prefix: "" }), { "x-api-key": "k" })
    assert.deepStrictEqual(headers({ header_name: "x-api-key", header_prefix: null }), { "x-api-key": "k" })
    assert.deepStrictEqual(headers({ header_prefix: "Token" }), { Authorization: "Token k" })
  })

  it("places an access token differently on the hosts that the definition names", () => {
    const definition = define({
      ...oauth,
      hosts: ["api.acme.dev", "git.acme.dev"],
      oauth: {
        ...oauth.oauth,
        per_host: { "git.acme.dev": { basic: { username: "x", password: "{access_token}" } } }
      }
    })
    const at = (entry?: string) => inject(definition, { access_token: "t" }, entry).headers
    assert.deepStrictEqual(at("git.acme.dev"), { Authorization: `Basic ${btoa("x:t")}` })
    assert.deepStrictEqual(at("api.acme.dev"), { Authorization: "Bearer t" })
    assert.deepStrictEqual(at(), { Authorization: "Bearer t" })
  })

  it("sets several headers from several fields", () => {
    const definition = define({
      api_key: {
        header_name: "DD-API-KEY",
        header_prefix: "",
        headers: { "DD-APPLICATION-KEY": "{app_key}" },
        fields: [{ name: "api_key" }, { name: "app_key" }]
      }
    })
    assert.deepStrictEqual(inject(definition, { api_key: "a", app_key: "b" }).headers, {
      "DD-API-KEY": "a",
      "DD-APPLICATION-KEY": "b"
    })
  })

  it("replaces a query parameter and leaves Authorization unchanged", () => {
    assert.deepStrictEqual(inject(define({ api_key: { query_param: "key" } }), { api_key: "k" }), {
      headers: {},
      query: { key: "k" },
      defaults: {},
      strip: { headers: [], query: ["key"] }
    })
  })

  it("sets several query parameters without Authorization", () => {
    const definition = define({
      api_key: { query: { key: "{api_key}", app: "{app_id}" }, fields: [{ name: "app_id" }, { name: "api_key" }] }
    })
    assert.deepStrictEqual(inject(definition, { api_key: "k", app_id: "a" }), {
      headers: {},
      query: { key: "k", app: "a" },
      defaults: {},
      strip: { headers: [], query: ["key", "app"] }
    })
  })

  it("inserts values into path prefixes, percent-encoded where a segment requires it", () => {
    const bot = define({ api_key: { path_templates: ["/bot{api_key}", "/file/bot{api_key}"] } })
    assert.deepStrictEqual(inject(bot, { api_key: "1:a-b" }), {
      headers: {},
      query: {},
      path: { "/bot{api_key}": "/bot1:a-b", "/file/bot{api_key}": "/file/bot1:a-b" },
      defaults: {},
      strip: { headers: [], query: [] }
    })
    assert.deepStrictEqual(inject(bot, { api_key: "a/b?c#d%é" }).path, {
      "/bot{api_key}": "/bota%2Fb%3Fc%23d%25%C3%A9",
      "/file/bot{api_key}": "/file/bota%2Fb%3Fc%23d%25%C3%A9"
    })
  })

  it("rejects a value that could escape its path segment", () => {
    const definition = define({ api_key: { path_templates: ["/v1/{api_key}/x"] } })
    for (const value of ["", ".", ".."]) {
      assert.isTrue(Result.isFailure(placements(definition, { api_key: Redacted.make(value) })), value)
    }
  })

  it("keeps the default placement of the secret if other fields have placements", () => {
    const definition = define({
      api_key: {
        headers: { "X-App": "{account}" },
        path_templates: ["/accounts/{account}"],
        fields: [{ name: "account", secret: false }, { name: "api_key" }]
      }
    })
    const { headers, path } = inject(definition, { account: "42", api_key: "k" })
    assert.deepStrictEqual({ headers, path }, {
      headers: { "Authorization": "Bearer k", "X-App": "42" },
      path: { "/accounts/{account}": "/accounts/42" }
    })
  })

  it("builds HTTP Basic from a template, in UTF-8", () => {
    const definition = define({
      api_key: {
        basic: { username: "{account_sid}", password: "{auth_token}" },
        fields: [{ name: "account_sid", secret: false }, { name: "auth_token" }]
      }
    })
    assert.deepStrictEqual(inject(definition, { account_sid: "AC1", auth_token: "ключ" }).headers, {
      Authorization: `Basic ${Buffer.from("AC1:ключ").toString("base64")}`
    })
    assert.isTrue(
      Result.isFailure(placements(definition, { account_sid: Redacted.make("a:b"), auth_token: Redacted.make("c") }))
    )
  })

  it("returns extra headers, which may also carry the key, as defaults", () => {
    const definition = define({
      api_key: { header_name: "apikey", header_prefix: "" },
      extra_headers: { "anthropic-version": "2023-06-01", "Authorization": "Bearer {api_key}" }
    })
    const injection = inject(definition, { api_key: "k" })
    assert.deepStrictEqual(injection.defaults, { "anthropic-version": "2023-06-01", "Authorization": "Bearer k" })
    assert.deepStrictEqual(injection.strip.headers, ["apikey"])
  })

  it("places the key differently on a host with its own placement", () => {
    const definition = define({
      hosts: ["api.github.com", "github.com"],
      api_key: { per_host: { "github.com": { basic: { username: "x-access-token", password: "{api_key}" } } } }
    })
    assert.deepStrictEqual(inject(definition, { api_key: "k" }, "api.github.com").headers, {
      Authorization: "Bearer k"
    })
    assert.deepStrictEqual(inject(definition, { api_key: "k" }, "github.com").headers, {
      Authorization: `Basic ${btoa("x-access-token:k")}`
    })
  })

  it("places an access token as the definition says", () => {
    const oauth = { authorization_url: "https://a.dev/a", token_url: "https://a.dev/t" }
    const definition = define({
      auth_type: "oauth2",
      flow: "pkce",
      oauth: { ...oauth, header_name: "x-api-token", header_prefix: "", headers: { "Client-Id": "{client_id}" } }
    })
    assert.deepStrictEqual(inject(definition, { access_token: "t", client_id: "c" }).headers, {
      "x-api-token": "t",
      "Client-Id": "c"
    })
    assert.deepStrictEqual(
      inject(define({ auth_type: "oauth2", flow: "pkce", oauth }), { access_token: "t" }).headers,
      { Authorization: "Bearer t" }
    )
  })

  it("omits a header of an optional field that the login left empty", () => {
    const fields = [{ name: "api_key" }, { name: "org", secret: false, required: false }]
    const definition = define({ api_key: { fields, headers: { Authorization: "Bearer {api_key}", "X-Org": "{org}" } } })
    assert.deepStrictEqual(inject(definition, { api_key: "k" }).headers, { Authorization: "Bearer k" })
    assert.deepStrictEqual(inject(definition, { api_key: "k", org: "o" }).headers, {
      Authorization: "Bearer k",
      "X-Org": "o"
    })
  })

  it("rejects a value that is missing or invalid in a header, without repeating it", () => {
    const definition = define({})
    for (
      const values of [{}, { api_key: Redacted.make("canary\r\nx: y") }, { api_key: Redacted.make("canary\u2028") }]
    ) {
      const result = placements(definition, values)
      assert.isTrue(Result.isFailure(result))
      assert.notInclude(String(Result.isFailure(result) ? result.failure : ""), "canary")
    }
  })

  it("does not treat braces in a value as a template", () => {
    assert.deepStrictEqual(inject(define({}), { api_key: "{api_key}" }).headers, { Authorization: "Bearer {api_key}" })
  })
})

describe("placeholderFor", () => {
  const definition = define({
    placeholder: "gh-credsvc-proxy-managed",
    placeholder_by_prefix: {
      "ghp_": "ghp_credsvc-proxy-managed",
      "ghp_x": "ghp_x-credsvc-proxy-managed",
      "github_pat_": "github_pat_credsvc-proxy-managed",
      "-us6": "credsvc-proxy-managed-us6"
    }
  })
  const placeholder = (key: string) => placeholderFor(definition, { api_key: Redacted.make(key) })

  it("returns the placeholder of the longest prefix or ending of the key, or else the general placeholder", () => {
    assert.strictEqual(placeholder("github_pat_11AAA"), "github_pat_credsvc-proxy-managed")
    assert.strictEqual(placeholder("ghp_secret"), "ghp_credsvc-proxy-managed")
    assert.strictEqual(placeholder("ghp_xsecret"), "ghp_x-credsvc-proxy-managed")
    assert.strictEqual(placeholder("gho_secret"), "gh-credsvc-proxy-managed")
    assert.strictEqual(placeholder("x-ghp_"), "gh-credsvc-proxy-managed")
    assert.strictEqual(placeholder("secret-us6"), "credsvc-proxy-managed-us6")
    assert.strictEqual(placeholder("secret-us16"), "gh-credsvc-proxy-managed")
    assert.strictEqual(placeholderFor(definition, {}), "gh-credsvc-proxy-managed")
  })

  it("selects the placeholder by the main field if a key has several fields", () => {
    const several = define({
      api_key: { fields: [{ name: "sid", secret: false }, { name: "token" }, { name: "other_key" }] },
      placeholder_by_prefix: { "sk_live_": "sk_live_credsvc-proxy-managed" }
    })
    const values = { sid: Redacted.make("sk_live_1"), other_key: Redacted.make("sk_live_2") }
    assert.strictEqual(placeholderFor(several, { ...values, token: Redacted.make("k") }), "credsvc-proxy-managed")
    assert.strictEqual(
      placeholderFor(several, { ...values, token: Redacted.make("sk_live_3") }),
      "sk_live_credsvc-proxy-managed"
    )
  })
})
