import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type ProviderDefinition, ProviderName } from "../../../src/domain/definition/Provider.ts"
import {
  apiUrlOf,
  hostFor,
  hostsOf,
  learnedBaseUrl,
  resolveBaseUrl
} from "../../../src/domain/definition/ProviderHosts.ts"
import { compileRoutes } from "../../../src/domain/injection/Route.ts"
import { defaultConnectionName } from "../../../src/domain/wire/Names.ts"
import type { Route } from "../../../src/domain/wire/ProxyRoutes.ts"
import { seeded } from "../../support/Seed.ts"
import { define } from "../support.ts"

const name = Schema.decodeSync(ProviderName)

const route = (pattern: string, provider: string, connected = true): Route => {
  const slash = pattern.indexOf("/")
  return {
    host: slash === -1 ? pattern : pattern.slice(0, slash),
    pathPrefix: slash === -1 ? null : pattern.slice(slash),
    provider: name(provider),
    connection: connected ? defaultConnectionName : null,
    connected
  }
}

const label = Schema.String.check(Schema.isPattern(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/))

describe("compileRoutes", () => {
  const table = compileRoutes([
    route("api.acme.dev", "whole"),
    route("api.acme.dev/admin", "admin"),
    route("slack.com/api", "slack"),
    route("*.tenant.dev", "tenants"),
    route("special.tenant.dev", "special"),
    route("*.*.region.dev", "two"),
    route("*.s3.region.dev", "one"),
    route("*.s3.*.region.dev:8443", "inner"),
    route("dev.acme.dev:8443", "port"),
    route("twin.acme.dev", "twin-a"),
    route("twin.acme.dev", "twin-b"),
    route("half.acme.dev", "half-a", false),
    route("half.acme.dev", "half-b"),
    route("none.acme.dev", "none-a", false)
  ])
  const at = (host: string, path = "/", port = 443) => {
    const match = table.match(host, port, path)
    return match._tag === "Matched" ? String(match.route.provider) : match._tag
  }

  it("selects the longest path prefix, at segment boundaries", () => {
    assert.strictEqual(at("api.acme.dev", "/v1"), "whole")
    assert.strictEqual(at("api.acme.dev", "/admin"), "admin")
    assert.strictEqual(at("api.acme.dev", "/admin/keys?x=/"), "admin")
    assert.strictEqual(at("api.acme.dev", "/administrator"), "whole")
    assert.strictEqual(at("slack.com", "/api/auth.test"), "slack")
    assert.strictEqual(at("slack.com", "/apiary"), "Unmatched")
    assert.strictEqual(at("slack.com", "/"), "Unmatched")
  })

  it("matches no path that escapes its prefix in any interpretation", () => {
    const paths = [
      "/api/../admin",
      "/api/./x",
      "/api/..",
      "/api/%2e%2e/x",
      "/api/%2E./x",
      "/api/%252e%252e/x",
      "/api%2fx",
      "/api/..\\x",
      "/api/..;/x",
      "/api/..%3b/x",
      "/api/%2e%2e%2fx",
      "//api/x",
      "api/x",
      "*"
    ]
    for (const path of paths) {
      assert.strictEqual(at("slack.com", path), "Unmatched", path)
    }
    for (const path of ["/admin%2fkeys", "//admin/keys", "/x/../admin/keys", "/admin;x/keys"]) {
      assert.strictEqual(at("api.acme.dev", path), "Unmatched", path)
    }
    assert.strictEqual(at("special.tenant.dev", "/a/../b"), "special")
  })

  it("matches a path whose interpretations agree", () => {
    assert.strictEqual(at("slack.com", "/api/projects/group%2Fproject"), "slack")
    assert.strictEqual(at("slack.com", "/api/files/report.final..pdf"), "slack")
    assert.strictEqual(at("slack.com", "/api//x"), "slack")
    assert.strictEqual(at("slack.com", "/api/x;v=1"), "slack")
  })

  it("matches exactly one label for a wildcard and never the suffix itself", () => {
    assert.strictEqual(at("a.tenant.dev"), "tenants")
    assert.strictEqual(at("special.tenant.dev"), "special")
    assert.strictEqual(at("tenant.dev"), "Unmatched")
    assert.strictEqual(at("a.b.tenant.dev"), "Unmatched")
    assert.strictEqual(at("eviltenant.dev"), "Unmatched")
    assert.strictEqual(at("*.tenant.dev"), "Unmatched")
  })

  it("matches one label for each wildcard, and prefers the route with fewer wildcards", () => {
    assert.strictEqual(at("a.b.region.dev"), "two")
    assert.strictEqual(at("bucket.s3.region.dev"), "one")
    assert.strictEqual(at("bucket.s3.eu.region.dev", "/", 8443), "inner")
    for (
      const host of ["region.dev", "a.region.dev", "a.b.c.region.dev", "a.b.xregion.dev", "bucket.s3.eu.region.dev"]
    ) {
      assert.strictEqual(at(host), "Unmatched", host)
    }
    assert.strictEqual(at("bucket.s4.eu.region.dev", "/", 8443), "Unmatched")
  })

  it("binds a route to its port", () => {
    assert.strictEqual(at("api.acme.dev", "/", 8443), "Unmatched")
    assert.strictEqual(at("dev.acme.dev", "/", 8443), "port")
    assert.strictEqual(at("dev.acme.dev"), "Unmatched")
    assert.isFalse(table.claims("api.acme.dev", 80))
    assert.isTrue(table.claims("API.acme.dev.", 443))
    assert.isTrue(table.claims("slack.com", 443))
  })

  it("does not choose between equal connected providers", () => {
    assert.strictEqual(at("twin.acme.dev"), "Ambiguous")
  })

  it("prefers connected providers, and reports if no provider of the host is connected", () => {
    assert.strictEqual(at("half.acme.dev"), "half-b")
    assert.strictEqual(at("none.acme.dev"), "NotConnected")
  })

  it("matches a path that needs no connection, unless another provider has a connection for the same path", () => {
    const open = { ...route("login.acme.dev/oauth", "programs", false), open: true as const }
    const others = [route("login.acme.dev", "other"), route("login.acme.dev/oauth", "custom")]
    const providerOf = (routes: ReadonlyArray<Route>, path: string) => {
      const match = compileRoutes(routes).match("login.acme.dev", 443, path)
      return match._tag === "Matched" ? match.route.provider : match._tag
    }
    assert.strictEqual(providerOf([open], "/oauth/token"), "programs")
    assert.strictEqual(providerOf([open, others[0]!], "/oauth/token"), "programs")
    assert.strictEqual(providerOf([open, ...others], "/oauth/token"), "custom")
    // It could be the endpoint that issues tokens.
    assert.strictEqual(providerOf([open], "/x/..;/oauth/token"), "Ambiguous")
    assert.strictEqual(providerOf([route("login.acme.dev/oauth", "programs")], "/x/..;/oauth/token"), "Unmatched")
  })

  it("prefers a bundled provider with a connection to custom routes, unless they are confirmed", () => {
    const custom = (pattern: string, provider: string, precedence: "custom" | "confirmed" = "custom") => ({
      ...route(pattern, provider),
      precedence
    })
    const chosen = (routes: ReadonlyArray<Route>, host: string, path = "/") => {
      const match = compileRoutes(routes).match(host, 443, path)
      return match._tag === "Matched" ? String(match.route.provider) : match._tag
    }
    const bundled = [route("api.acme.dev/v1", "acme"), route("*.tenant.dev/v1", "tenants")]
    const strangers = [
      custom("api.acme.dev/v1/chat", "chat"),
      custom("*.acme.dev", "wide"),
      custom("a.tenant.dev", "one")
    ]
    const both = [...bundled, ...strangers]
    assert.strictEqual(chosen(both, "api.acme.dev", "/v1/chat"), "acme")
    assert.strictEqual(chosen(both, "api.acme.dev", "/v2"), "wide")
    assert.strictEqual(chosen(both, "a.tenant.dev", "/v1/x"), "tenants")
    assert.strictEqual(chosen(both, "a.tenant.dev", "/v2"), "one")
    assert.strictEqual(chosen(strangers, "api.acme.dev", "/v1/chat"), "chat")
    const confirmed = [...both, custom("api.acme.dev", "taker", "confirmed")]
    assert.strictEqual(chosen(confirmed, "api.acme.dev", "/v1/chat"), "taker")
    assert.strictEqual(chosen(confirmed, "a.tenant.dev", "/v1"), "tenants")
    // Among custom providers alone the most specific one is used, confirmed or not.
    assert.strictEqual(
      chosen([...strangers, custom("api.acme.dev", "taker", "confirmed")], "api.acme.dev", "/v1/chat"),
      "chat"
    )
  })

  it.prop("never matches a host that only begins or ends like the host of a route", [label, label], ([left, right]) => {
    const matcher = compileRoutes([route("api.acme.dev", "a"), route("*.acme.dev", "b"), route("acme.org", "c")])
    const hosts = [
      `${left}api.acme.dev`.replace(/^api/, "xapi"),
      `api.acme.dev.${right}.com`,
      `${left}.${right}.acme.dev`,
      `${left}acme.org`,
      `${left}.acme.org`,
      `acme.org.${right}.net`
    ]
    for (const host of hosts) {
      const match = matcher.match(host, 443, "/")
      const provider = match._tag === "Matched" ? String(match.route.provider) : undefined
      assert.notStrictEqual(provider, "c", host)
      assert.notStrictEqual(provider, "a", host)
      if (provider === "b") assert.strictEqual(host.split(".").length, 3, host)
    }
    assert.strictEqual(matcher.match(`${left}.acme.dev`.toUpperCase(), 443, "/")._tag, "Matched")
  }, seeded)
})

describe("resolveBaseUrl", () => {
  const tenants = define({ api_url: "{base_url}/api/v2", api_key: { base_url: "https://{tenant}.zendesk.com" } })
  const hosted = define({ api_url: "{base_url}/api/v4", api_key: { base_url: "https://gitlab.com" } })
  const anywhere = define({ hosts: ["{base_url}"] })
  const single = define({ api_url: "https://api.acme.dev" })
  const admits = (definition: ProviderDefinition, given?: string) => {
    const result = resolveBaseUrl(definition, given)
    return Result.isSuccess(result) ? result.success : false
  }

  it("accepts only base URLs that fit the template", () => {
    assert.strictEqual(admits(tenants, "https://acme.zendesk.com/"), "https://acme.zendesk.com")
    assert.strictEqual(admits(tenants, "https://ACME.Zendesk.com:443"), "https://acme.zendesk.com")
    const urls = [
      "https://acme.zendesk.com.evil.test",
      "https://zendesk.com",
      "https://a.b.zendesk.com",
      "https://evil.test/.zendesk.com",
      "https://acme.zendesk.com:8443",
      "https://acme.zendesk.com/path",
      "https://x@acme.zendesk.com",
      "https://x@evil.test",
      "https://evil.test#.zendesk.com",
      "https://evil.test?.zendesk.com",
      "https://evil.test\\.zendesk.com",
      "https://evil.test%2f.zendesk.com",
      "https://acme_x.zendesk.com",
      "http://acme.zendesk.com",
      "https://{tenant}.zendesk.com",
      "acme.zendesk.com",
      "https://-.zendesk.com",
      "https://127.0.0.1",
      "javascript:alert(1)"
    ]
    for (const url of urls) {
      assert.strictEqual(admits(tenants, url), false, url)
    }
  })

  it("accepts base URLs of every form that the definition names", () => {
    const forms = ["https://{tenant}.acme.dev", "https://{tenant}.preview.acme.dev", "https://login.acme.dev"]
    const several = define({ hosts: ["{base_url}"], api_key: { base_url: forms } })
    assert.strictEqual(admits(several, "https://a.acme.dev"), "https://a.acme.dev")
    assert.strictEqual(admits(several, "https://a.preview.acme.dev"), "https://a.preview.acme.dev")
    for (const url of ["https://a.b.acme.dev", "https://acme.dev", "https://a.evil.test"]) {
      assert.strictEqual(admits(several, url), false, url)
    }
    assert.deepStrictEqual(
      resolveBaseUrl(several),
      Result.fail(
        "acme needs the URL of your account. Specify it with --base-url, in the form " +
          "https://{tenant}.acme.dev or https://{tenant}.preview.acme.dev or https://login.acme.dev."
      )
    )
    const { api_key, ...rest } = { api_key: { base_url: forms, custom_domain: true }, hosts: ["{base_url}"] }
    assert.strictEqual(
      admits(define({ ...rest, api_key }), "https://id.customer.example"),
      "https://id.customer.example"
    )
    assert.strictEqual(admits(define({ ...rest, api_key }), "http://id.customer.example"), false)
  })

  it("accepts any https address for a self-hosted product", () => {
    assert.strictEqual(admits(hosted), "https://gitlab.com")
    assert.strictEqual(admits(hosted, "https://git.corp.example:8443/gitlab/"), "https://git.corp.example:8443/gitlab")
    const cases = [
      "http://git.corp.example",
      "https://u:p@git.corp.example",
      "https://git.corp.example/?a",
      "https://10.1.1.1"
    ]
    for (const url of cases) {
      assert.strictEqual(admits(hosted, url), false, url)
    }
  })

  it("requires a base URL if the definition has no default, and rejects one if all accounts have the same URL", () => {
    assert.strictEqual(admits(tenants), false)
    assert.strictEqual(admits(anywhere), false)
    assert.strictEqual(admits(anywhere, "https://n8n.example.com"), "https://n8n.example.com")
    assert.strictEqual(admits(single), null)
    assert.strictEqual(admits(single, "https://evil.test"), false)
  })

  it("derives routes and the API address from the base URL", () => {
    assert.deepStrictEqual(hostsOf(tenants, "https://acme.zendesk.com"), [
      { host: "acme.zendesk.com", pathPrefix: "/api/v2", entry: "{base_url}/api/v2" }
    ])
    assert.strictEqual(apiUrlOf(tenants, "https://acme.zendesk.com"), "https://acme.zendesk.com/api/v2")
    assert.deepStrictEqual(hostsOf(tenants), [])
    assert.strictEqual(apiUrlOf(tenants), null)
    assert.deepStrictEqual(hostsOf(hosted).map(({ host }) => host), ["gitlab.com"])
    assert.deepStrictEqual(hostsOf(hosted, "https://git.corp.example:8443/gitlab"), [
      { host: "git.corp.example:8443", pathPrefix: "/gitlab/api/v4", entry: "{base_url}/api/v4" }
    ])
    assert.strictEqual(apiUrlOf(define({ api_url: "api.acme.dev" })), "https://api.acme.dev")
  })
})

describe("learnedBaseUrl", () => {
  const learns = (base_url: string | ReadonlyArray<string>, others: object = {}) =>
    define({
      auth_type: "oauth2",
      flow: "pkce",
      hosts: ["{base_url}"],
      oauth: {
        authorization_url: "https://login.acme.dev/a",
        token_url: "https://login.acme.dev/t",
        base_url,
        token_response: { base_url: "/instance_url" },
        ...others
      }
    })
  const learned = (definition: ProviderDefinition, url: string) => Result.isSuccess(learnedBaseUrl(definition, url))

  it("accepts an address from a token response only in one of the forms of the definition", () => {
    const forms = ["https://{tenant}.my.acme.dev", "https://{tenant}.sandbox.my.acme.dev"]
    for (const definition of [learns(forms), learns(forms, { custom_domain: true })]) {
      assert.isTrue(learned(definition, "https://a.my.acme.dev"))
      assert.isTrue(learned(definition, "https://a--b.sandbox.my.acme.dev"))
      assert.isFalse(learned(definition, "https://a.develop.my.acme.dev"))
      assert.isFalse(learned(definition, "https://id.customer.example"))
    }
    assert.isFalse(learned(learns(forms[0]!), "https://a--b.sandbox.my.acme.dev"))
    assert.isFalse(learned(learns("https://api.acme.dev"), "https://id.customer.example"))
  })
})

describe("hostsOf", () => {
  const places = (document: object) =>
    hostsOf(define(document)).map(({ host, pathPrefix }) => `${host}${pathPrefix ?? ""}`)

  it("uses the host and path of api_url if there are no hosts", () => {
    assert.deepStrictEqual(places({ api_url: "https://api.acme.dev/v1/" }), ["api.acme.dev/v1"])
    assert.deepStrictEqual(places({ api_url: "api.acme.dev" }), ["api.acme.dev"])
    assert.deepStrictEqual(places({ api_url: "https://api.acme.dev:8443" }), ["api.acme.dev:8443"])
    assert.deepStrictEqual(places({}), [])
  })

  it("adds the host of api_url if hosts omits it", () => {
    assert.deepStrictEqual(places({ api_url: "https://api.acme.dev/v1", hosts: ["api.acme.dev"] }), ["api.acme.dev"])
    assert.deepStrictEqual(places({ api_url: "https://api.acme.dev/v1", hosts: ["*.acme.dev"] }), ["*.acme.dev"])
    assert.deepStrictEqual(places({ api_url: "https://api.acme.dev/v1", hosts: ["b.acme.dev"] }), [
      "b.acme.dev",
      "api.acme.dev/v1"
    ])
  })
})

describe("hostFor", () => {
  it("finds the entry that a request matches, and none for any other host, port or path", () => {
    const definition = define({ hosts: ["api.acme.dev/v1", "*.acme.dev", "acme.dev:8443"] })
    const entry = (host: string, port = 443, path = "/") => hostFor(definition, null, { host, port, path })?.entry
    assert.strictEqual(entry("api.acme.dev", 443, "/v1/x"), "api.acme.dev/v1")
    assert.strictEqual(entry("API.acme.dev.", 443, "/v2"), "*.acme.dev")
    assert.strictEqual(entry("acme.dev", 8443), "acme.dev:8443")
    assert.strictEqual(entry("acme.dev"), undefined)
    assert.strictEqual(entry("evil.test"), undefined)
    assert.strictEqual(entry("api.acme.dev", 80), undefined)
  })
})
