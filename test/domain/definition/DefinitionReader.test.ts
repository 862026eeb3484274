import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseDefinition, readDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import type { HostOptions } from "../../../src/domain/definition/HostPattern.ts"
import { type ApiKeyProvider, type OAuthProvider, ProviderDefinition } from "../../../src/domain/definition/Provider.ts"
import { hostFor } from "../../../src/domain/definition/ProviderHosts.ts"

const apiKey = { name: "acme", auth_type: "api_key", flow: "api_key", api_url: "https://api.acme.dev/v1" }
const oauth = {
  name: "acme",
  auth_type: "oauth2",
  flow: "pkce",
  oauth: { authorization_url: "https://acme.dev/authorize", token_url: "https://acme.dev/token" },
  api_url: "api.acme.dev"
}

const read = (document: unknown, options?: HostOptions): ProviderDefinition => {
  const result = readDefinition(document, options)
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success
}

const readApiKey = (document: unknown): ApiKeyProvider => {
  const definition = read(document)
  if (definition.authType !== "api_key") throw new Error("not an API-key provider")
  return definition
}

const readOAuth = (document: unknown): OAuthProvider => {
  const definition = read(document)
  if (definition.authType !== "oauth2") throw new Error("not an OAuth provider")
  return definition
}

const paths = (document: unknown, options?: HostOptions): ReadonlyArray<string> =>
  Result.match(readDefinition(document, options), {
    onFailure: (problems) => problems.map(({ path }) => path),
    onSuccess: () => []
  })

const accepts = (document: unknown, options?: HostOptions): void =>
  assert.deepStrictEqual(paths(document, options), [], JSON.stringify(document))

const rejects = (document: unknown, at: string | ReadonlyArray<string>, options?: HostOptions): void =>
  assert.deepStrictEqual(paths(document, options), [at].flat(), JSON.stringify(document))

describe("readDefinition", () => {
  it("reads a minimal API key document and fills in every default", () => {
    assert.deepInclude(readApiKey(apiKey), {
      schemaVersion: 1,
      displayName: "acme",
      flows: ["api_key"],
      hosts: [],
      extraHeaders: {},
      placeholder: "credsvc-proxy-managed"
    })
  })

  it("rejects an alias or alternative that is the provider itself or is listed twice", () => {
    rejects({ ...apiKey, aliases: ["acme"], alternatives: ["other", "other"] }, ["/aliases/0", "/alternatives/1"])
    rejects({ ...apiKey, aliases: ["../acme"] }, "/aliases/0")
  })

  it("rejects an entry of left_out without a host, variable or check", () => {
    rejects({ ...apiKey, left_out: [{ why: "It is for tests." }] }, "/left_out/0")
  })

  it("reads sources, which are dated https addresses or packages with a version", () => {
    const sources = [
      { read: "https://docs.acme.dev/auth#keys", date: "2026-11-22" },
      { read: "npm:@acme/sdk@1.2.3-rc.1", date: "2026-02-28" }
    ]
    assert.deepStrictEqual(read({ ...apiKey, sources }).sources, sources)
    assert.deepStrictEqual(read(apiKey).sources, [])
    for (const source of ["http://acme.dev", "https://10.0.0.1/a", "https://user@acme.dev", "npm:acme", "the docs"]) {
      rejects({ ...apiKey, sources: [{ read: source, date: "2026-11-22" }] }, "/sources/0/read")
    }
    for (const date of ["2026-13-01", "2026-11-32", "22.11.2026", "2026-11-22T00:00:00Z"]) {
      rejects({ ...apiKey, sources: [{ read: "npm:acme@1", date }] }, "/sources/0/date")
    }
    rejects({ ...apiKey, sources: [{ read: "npm:acme@1" }] }, "/sources/0/date")
  })

  it("reads a minimal OAuth document and fills in every default", () => {
    const definition = readOAuth(oauth)
    assert.deepStrictEqual(definition.flows, ["pkce"])
    assert.deepInclude(definition.oauth, {
      scopes: [],
      scopeSeparator: " ",
      pkce: true,
      tokenRequestFormat: "form",
      authorizationParams: {}
    })
  })

  it("defaults to the redirect host 127.0.0.1, and accepts localhost and no other host", () => {
    const withHost = (host?: string) => ({
      ...oauth,
      oauth: { ...oauth.oauth, ...(host === undefined ? {} : { redirect_host: host }) }
    })
    assert.strictEqual(readOAuth(withHost()).oauth.redirectHost, "127.0.0.1")
    assert.strictEqual(readOAuth(withHost("localhost")).oauth.redirectHost, "localhost")
    rejects(withHost("acme.dev"), "/oauth/redirect_host")
  })

  it("accepts the ID of a public client, but no secret", () => {
    const withClient = (client: Record<string, string>) => ({ ...oauth, oauth: { ...oauth.oauth, ...client } })
    assert.strictEqual(readOAuth(withClient({ client_id: "acme-cli" })).oauth.clientId, "acme-cli")
    rejects(withClient({ client_id: "acme cli" }), "/oauth/client_id")
    rejects(withClient({ client_id: "a", client_secret: "s" }), "/oauth/client_secret")
  })

  it("reads encoded definitions without a change", () => {
    for (const document of [apiKey, oauth]) {
      const definition = read(document)
      assert.deepStrictEqual(read(Schema.encodeSync(ProviderDefinition)(definition)), definition)
    }
  })

  it("accepts nulls and the field names of other tools in definitions", () => {
    const definition = readOAuth({
      ...oauth,
      oauth: { ...oauth.oauth, revocation_url: null, device_token_request: "oauth2_form" },
      registration: { registration_endpoint: "https://acme.dev/register" },
      api_key: null,
      export: { ACME_ACCESS_TOKEN: "ACCESS_TOKEN", ACME_TOKEN: "access_token", ACME_URL: "API_URL" }
    })
    assert.strictEqual(definition.oauth.registrationUrl, "https://acme.dev/register")
    assert.strictEqual(definition.oauth.deviceTokenRequest, "form")
    assert.deepStrictEqual(definition.export.env, {
      access_token: ["ACME_ACCESS_TOKEN", "ACME_TOKEN"],
      api_url: ["ACME_URL"]
    })
  })

  it("reads a null header prefix as no prefix", () => {
    const definition = readApiKey({
      ...apiKey,
      api_key: { header_name: "x-api-key", header_prefix: null, env_var: null }
    })
    assert.strictEqual(definition.apiKey.headerPrefix, "")
    assert.strictEqual(definition.apiKey.envVar, undefined)
  })

  it("reports all problems of a document together, each with its JSON pointer", () => {
    assert.sameMembers([
      ...paths({
        ...apiKey,
        schema_version: 2,
        name: "Not A Name",
        colour: "red",
        categories: "ai",
        api_key: { header: "x", fields: [{ name: "A" }] },
        oauth: {}
      })
    ], ["/oauth", "/colour", "/schema_version", "/name", "/categories", "/api_key/header", "/api_key/fields/0/name"])
  })

  it("rejects the section of the other auth type", () => {
    rejects({ ...oauth, api_key: {} }, "/api_key")
    rejects({ ...apiKey, oauth: {} }, "/oauth")
    rejects({ ...apiKey, auth_type: "basic" }, "/auth_type")
    rejects({ ...apiKey, flow: "pkce" }, "/flow")
  })

  it("rejects names that are unsafe as a file name or a key", () => {
    const cases = [
      "..",
      "a..b",
      "../x",
      "a/b",
      ".hidden",
      "-x",
      "__proto__",
      "constructor",
      "con",
      "con.json",
      "nul",
      "com1",
      "A",
      "x".repeat(65),
      "",
      "a\u0000",
      "ａ",
      "a."
    ]
    for (const name of cases) {
      assert.include(paths({ ...apiKey, name }), "/name", name)
    }
    for (const name of ["a", "github-token", "1password", "a.b_c-d", "console", "x".repeat(64)]) {
      accepts({ ...apiKey, name })
    }
  })

  it("requires the endpoints that each flow needs", () => {
    rejects({ ...oauth, oauth: {} }, ["/oauth/authorization_url", "/oauth/token_url"])
    rejects({ ...oauth, flows: ["pkce", "device_code"] }, "/oauth/device_authorization_url")
    accepts({ ...oauth, flow: "dcr_pkce", oauth: { resource: "https://mcp.acme.dev/mcp" } })
    rejects({ ...oauth, flows: ["device_code"], oauth: { issuer: "https://acme.dev" } }, "/flows")
  })

  it("accepts https endpoints only, and loopback ones if allowed", () => {
    const urls = [
      "http://acme.dev/t",
      "ftp://acme.dev",
      "acme.dev/t",
      "https://u:p@acme.dev/t",
      "https://acme.dev/t#f",
      "https://10.0.0.1/t",
      "https://2130706433/t",
      "https://0x7f.1/t",
      "https://[fd00::1]/t",
      "http://localhost/t",
      "https://acme.dev%2eevil.com/t",
      "https://acme.dev\\@evil.com/t",
      "https://ａcme.dev/t",
      "javascript:alert(1)",
      "https://acme.dev:99999/t",
      "https://{tenant}.acme.dev/t",
      "{base_url}evil.com/t",
      "https://acme.dev/a b"
    ]
    for (const url of urls) {
      rejects({ ...oauth, oauth: { ...oauth.oauth, token_url: url } }, "/oauth/token_url")
    }
    const local = {
      ...oauth,
      oauth: { ...oauth.oauth, token_url: "http://127.0.0.1:9/t" },
      api_url: "http://[::1]:9/v1"
    }
    rejects(local, ["/api_url", "/oauth/token_url"])
    accepts(local, { allowInsecureLoopback: true })
    rejects({ ...local, api_url: "http://localhost/" }, "/api_url", { allowInsecureLoopback: true })
  })

  it("rejects hosts that are regular expressions, invalid wildcards, IP addresses or incomplete names", () => {
    const rows = [
      "*",
      "*.",
      "**.acme.dev",
      "a.*.dev",
      "api*.acme.dev",
      "regex:.*acme.*",
      ".*\\.acme\\.dev",
      "^acme.dev$",
      "10.0.0.1",
      "127.1",
      "[::1]",
      "127.0.0.1",
      "localhost",
      "acme",
      "a_b.dev",
      "api.acme.dev:0",
      "*.127.0.0.1",
      "https://api.acme.dev",
      "api.acme.dev/../x",
      "api.acme.dev/%2e",
      "api.acme.dev//x",
      "u@acme.dev",
      "acme..dev",
      "{base_url}.evil.com",
      "{base_url}:0",
      "{base_url}:@evil.com"
    ]
    for (const host of rows) {
      rejects({ ...apiKey, hosts: ["ok.acme.dev", host] }, "/hosts/1")
    }
    accepts({ ...apiKey, hosts: ["api.acme.dev/v1/", "*.acme.dev", "api.acme.dev:8443"] })
    rejects({ ...apiKey, hosts: ["api.acme.dev", "api.acme.dev"] }, "/hosts/1")
  })

  it("accepts the host of the base URL with another port, for the same connection", () => {
    const definition = read({ ...apiKey, api_url: "{base_url}", hosts: ["{base_url}", "{base_url}:6334"] })
    const reached = (baseUrl: string, ...ports: ReadonlyArray<number>) =>
      ports.filter((port) => hostFor(definition, baseUrl, { host: "db.acme.dev", port }) !== undefined)
    assert.deepStrictEqual(reached("https://db.acme.dev", 443, 6333, 6334), [443, 6334])
    assert.deepStrictEqual(reached("https://db.acme.dev:6333/x", 443, 6333, 6334), [6334])
    assert.deepStrictEqual(reached("https://db.acme.dev:6334", 443, 6333, 6334), [6334])
    assert.deepStrictEqual(reached("https://other.acme.dev", 443, 6333, 6334), [])
  })

  it("accepts placeholders in a base URL only as whole labels before a fixed host, or as whole path segments", () => {
    const allBase_urls = [
      "https://acme.{tld}",
      "https://{host}",
      "https://{tenant}.com",
      "https://a{tenant}.acme.dev",
      "https://{tenant}-x.acme.dev",
      "https://{}.acme.dev",
      "https://{tenant.acme.dev",
      "https://{tenant}.acme.dev:443",
      "https://{tenant}.acme.dev/?a",
      "https://{tenant}@acme.dev",
      "http://{tenant}.acme.dev",
      "{tenant}.acme.dev"
    ]
    for (const base_url of allBase_urls) {
      rejects({ ...apiKey, api_key: { base_url } }, "/api_key/base_url")
    }
    const givenBase_urls = [
      "https://{tenant}.acme.dev",
      "https://{tenant}.{region}.acme.dev/",
      "https://api.{region}.acme.dev:8443/v1",
      "https://acme.dev/{tenant}/api",
      "https://acme.dev"
    ]
    for (const base_url of givenBase_urls) {
      accepts({ ...apiKey, api_key: { base_url } })
    }
  })

  it("accepts several base URL templates, and names an invalid template", () => {
    const problems = (api_key: object) => paths({ ...apiKey, hosts: ["{base_url}"], api_key })
    assert.deepStrictEqual(problems({ base_url: ["https://{t}.acme.dev", "https://{t}.eu.acme.dev"] }), [])
    assert.deepStrictEqual(problems({ base_url: ["https://{t}.acme.dev", "https://{t}.com"] }), ["/api_key/base_url/1"])
    assert.deepStrictEqual(problems({ base_url: ["https://{t}.acme.dev", "https://{t}.acme.dev"] }), [
      "/api_key/base_url/1"
    ])
    assert.isNotEmpty(problems({ base_url: [] }))
    assert.deepStrictEqual(problems({ base_url: "https://{t}.acme.dev", custom_domain: true }), [])
    assert.deepStrictEqual(problems({ base_url: "https://acme.dev", custom_domain: true }), ["/api_key/custom_domain"])
    assert.deepStrictEqual(problems({ custom_domain: true }), ["/api_key/custom_domain"])
  })

  it("rejects headers that are malformed, that HTTP itself uses, or that would make a request another one", () => {
    const ofHttp = ["Host", "content-length", "Transfer-Encoding", "Proxy-Authorization", "Cookie", "Content_Length"]
    const overriding = [
      "X-HTTP-Method-Override",
      "X-Original-URL",
      "Destination",
      "X-Amz-Copy-Source",
      "X-RapidAPI-Host"
    ]
    for (const name of ["", "a b", "a:b", ...ofHttp, ...overriding]) {
      rejects({ ...apiKey, api_key: { header_name: name } }, "/api_key/header_name")
      rejects({ ...apiKey, extra_headers: { [name]: "x" } }, `/extra_headers/${name}`)
    }
    rejects({ ...apiKey, extra_headers: { a: "x\r\ny: z" } }, "/extra_headers/a")
    rejects({ ...apiKey, extra_headers: { a: "1", A: "2" } }, "/extra_headers/A")
  })

  it("accepts only declared fields in a template", () => {
    const two = { fields: [{ name: "app_id", secret: false }, { name: "api_key" }] }
    accepts({ ...apiKey, api_key: { ...two, headers: { "X-App": "{app_id}" } } })
    rejects({ ...apiKey, api_key: { headers: { "X-App": "{app_id}" } } }, "/api_key/headers/X-App")
    rejects({ ...apiKey, api_key: { basic: { username: "{", password: "{api_key}" } } }, "/api_key/basic/username")
    rejects({ ...apiKey, test_request: { path: "/{constructor}" } }, "/test_request/path")
  })

  it("accepts JSON pointers and form field names as places in the body, and JSON pointers in messages", () => {
    const of = (places: object, more: object = {}) =>
      paths({ ...apiKey, api_key: { fields: [{ name: "api_key" }], ...places }, ...more })
    const messages = (fields: object, first: unknown = 1) => of({ messages: { first, fields } })
    assert.deepStrictEqual(of({ body: { "/a/b~1c": "Key {api_key}", token: "{api_key}" } }), [])
    assert.deepStrictEqual(of({ body: { "a b": "{api_key}" } }), ["/api_key/body/a b"])
    assert.deepStrictEqual(of({ body: { "/a~2": "{api_key}" } }), ["/api_key/body/~1a~02"])
    assert.deepStrictEqual(of({ body: { a: "{other}" } }), ["/api_key/body/a"])
    assert.deepStrictEqual(of({ body: { a: "key" } }), ["/api_key/body/a"])
    assert.deepStrictEqual(messages({ "/d": "{api_key}" }), [])
    assert.deepStrictEqual(messages({ d: "{api_key}" }), ["/api_key/messages/fields/d"])
    assert.deepStrictEqual(messages({}), ["/api_key/messages/fields"])
    assert.deepStrictEqual(messages({ "/d": "{api_key}" }, 0), ["/api_key/messages/first"])
  })

  it("accepts a value in the path only at an unambiguous position", () => {
    const problems = (path_templates: ReadonlyArray<string>) =>
      paths({ ...apiKey, api_key: { path_templates, fields: [{ name: "id", secret: false }, { name: "api_key" }] } })
    assert.deepStrictEqual(problems(["/bot{api_key}", "/file/bot{api_key}", "/v1/{id}/{api_key}.json"]), [])
    const templates = [
      "bot{api_key}",
      "/",
      "/bot",
      "/bot{api_key}/",
      "//bot{api_key}",
      "/../{api_key}",
      "/./{api_key}",
      "/{id}{api_key}",
      "/{id}-{api_key}",
      "/{other}",
      "/{api_key",
      "/a b/{api_key}",
      "/%61/{api_key}",
      "/{api_key}?x",
      "/{api_key}#x",
      "https://acme.dev/{api_key}"
    ]
    for (const template of templates) {
      assert.include(problems([template]), "/api_key/path_templates/0", template)
    }
    assert.deepStrictEqual(problems(["/{api_key}", "/{api_key}"]), ["/api_key/path_templates/1"])
    const token = { ...oauth.oauth, path_templates: ["/{client_id}/{access_token}"] }
    accepts({ ...oauth, oauth: token })
    rejects({ ...oauth, oauth: { ...token, path_templates: ["/{api_key}"] } }, "/oauth/path_templates/0")
  })

  it("accepts each query parameter once, and only if its value uses a declared field", () => {
    const problems = (api_key: object) => paths({ ...apiKey, api_key })
    assert.deepStrictEqual(problems({ query: { key: "{api_key}" } }), [])
    assert.deepStrictEqual(problems({ query_param: "key", query: { KEY: "{api_key}" } }), ["/api_key/query/KEY"])
    assert.deepStrictEqual(problems({ query: { _method: "{api_key}" } }), ["/api_key/query/_method"])
    assert.deepStrictEqual(problems({ query: { key: "{api_key}", Key: "{api_key}" } }), ["/api_key/query/Key"])
    assert.deepStrictEqual(problems({ query: { "a b": "{api_key}" } }), ["/api_key/query/a b"])
    assert.deepStrictEqual(problems({ query: { format: "json" } }), ["/api_key/query/format"])
    assert.deepStrictEqual(problems({ query: { key: "{other}" } }), ["/api_key/query/key"])
  })

  it("rejects two placements of one secret, and a definition without a secret", () => {
    rejects({ ...apiKey, api_key: { header_name: "x-key", query_param: "key" } }, "/api_key")
    rejects({ ...apiKey, api_key: { fields: [{ name: "id", secret: false }] } }, "/api_key/fields")
    assert.include(paths({ ...apiKey, api_key: { fields: [{ name: "a" }, { name: "a" }] } }), "/api_key/fields/1/name")
  })

  it("rejects a pattern that does not compile", () => {
    rejects({ ...apiKey, api_key: { key_pattern: "sk-(" } }, "/api_key/key_pattern")
    rejects({ ...apiKey, api_key: { key_pattern: "sk".repeat(300) } }, "/api_key/key_pattern")
  })

  it("rejects a placeholder that the proxy could not recognize", () => {
    rejects({ ...apiKey, placeholder: "sk-test" }, "/placeholder")
    rejects({ ...apiKey, placeholder: "sk-00000000000000000000" }, "/placeholder")
    rejects({ ...apiKey, placeholder: "sk-0123456789abcdef" }, "/placeholder")
    accepts({ ...apiKey, placeholder: "sk-credsvc-proxy-managed" })
    accepts({ ...apiKey, placeholder: "sk-0123456789abcdef0" })
  })

  it("accepts a placeholder for a prefix or suffix only if it has this part and contains credsvc-proxy-managed", () => {
    const problems = (placeholder_by_prefix: object, api_key: object = {}) =>
      paths({ ...apiKey, placeholder_by_prefix, api_key })
    const valid = {
      "github_pat_": "github_pat_credsvc-proxy-managed",
      ":fx": "credsvc-proxy-managed:fx",
      "-us6": "credsvc-proxy-managed-us6"
    }
    assert.deepStrictEqual(problems(valid), [])
    for (
      const [prefix, value] of Object.entries({
        "ghp_": "ghp_x",
        "gho_": "credsvc-proxy-managed",
        "ghu_": "ghu_credsvc-proxy-managed;id",
        "": "credsvc-proxy-managed",
        ":x": "x:credsvc-proxy-managed",
        "g": "g-credsvc-proxy-managed",
        "-gh": "-gh-credsvc-proxy-managed",
        "abcdefghijklmnopq": "abcdefghijklmnopq-credsvc-proxy-managed"
      })
    ) {
      assert.deepStrictEqual([...new Set(problems({ [prefix]: value }))], [`/placeholder_by_prefix/${prefix}`], prefix)
    }
    const many = Array.from({ length: 25 }, (_, index) => [`k${index}-`, `k${index}-credsvc-proxy-managed`])
    assert.deepStrictEqual(problems(Object.fromEntries(many.slice(1))), [])
    assert.deepStrictEqual(problems(Object.fromEntries(many)), ["/placeholder_by_prefix"])
    const fields = [{ name: "api_key", placeholder: "credsvc-proxy-managed" }]
    assert.deepStrictEqual(problems(valid, { fields }), ["/placeholder_by_prefix"])
  })

  it("rejects variables that control programs in export.env", () => {
    for (const name of ["PATH", "LD_PRELOAD", "NODE_OPTIONS", "https_proxy", "CREDSVC_MASTER_KEY", "GIT_SSH_COMMAND"]) {
      rejects({ ...apiKey, export: { env: { api_key: name } } }, "/export/env/api_key")
    }
    rejects({ ...apiKey, export: { env: { refresh_token: "X" } } }, "/export/env/refresh_token")
    const steering = ["PIP_INDEX_URL", "GOPROXY", "JDK_JAVA_OPTIONS", "WSS_PROXY", "SYSTEM_WGETRC", "AWS_CA_BUNDLE"]
    for (const name of [...steering, "DOTNET_STARTUP_HOOKS", "OPENSSL_CONF", "AWS_ENDPOINT_URL_S3", "Rustc_Wrapper"]) {
      rejects({ ...apiKey, export: { env: { api_url: name } } }, "/export/env/api_url")
    }
    for (
      const name of ["NODE_AUTH_TOKEN", "CARGO_REGISTRY_TOKEN", "GIT_TOKEN", "UV_PUBLISH_TOKEN", "PYTHONX_API_KEY"]
    ) {
      accepts({ ...apiKey, export: { env: { api_key: name } } })
    }
  })

  it("rejects variables that control programs in base_urls and env_var, and base_urls of other hosts", () => {
    const withBase = (variable: string, address: string) =>
      paths({ ...apiKey, export: { base_urls: { [variable]: address } } })
    assert.deepStrictEqual(withBase("ACME_BASE_URL", "https://api.acme.dev/v1"), [])
    for (
      const address of [
        "https://api.acme.dev.evil.test/",
        "https://x@api.acme.dev/",
        "http://api.acme.dev/",
        "https://api.acme.dev:8443/",
        "https://api.acme.dev/?x=1"
      ]
    ) assert.deepStrictEqual(withBase("ACME_BASE_URL", address), ["/export/base_urls/ACME_BASE_URL"], address)
    for (const name of ["HTTPS_PROXY", "AWS_ENDPOINT_URL", "NODE_OPTIONS", "A B"]) {
      assert.deepStrictEqual(withBase(name, "https://api.acme.dev/"), [`/export/base_urls/${name}`], name)
    }
    rejects({ ...apiKey, api_key: { env_var: "LD_PRELOAD" } }, "/export/env/api_key")
    rejects({ ...apiKey, name: "ld", api_key: { fields: [{ name: "preload" }] } }, "/export/env/preload")
  })

  it("rejects parameters that the flow sets itself", () => {
    rejects(
      { ...oauth, oauth: { ...oauth.oauth, authorization_params: { redirect_uri: "https://evil.dev" } } },
      "/oauth/authorization_params/redirect_uri"
    )
  })

  it("rejects a document with loopback addresses until the user allows them", () => {
    const document = { ...apiKey, api_url: "http://127.0.0.1:1/", allow_insecure_loopback: true }
    rejects(document, ["/allow_insecure_loopback", "/api_url"])
    accepts(document, { allowInsecureLoopback: true })
  })
})

const problems = (text: string) =>
  Result.match(parseDefinition(text), { onFailure: (found) => found, onSuccess: () => [] })

describe("parseDefinition", () => {
  it("never repeats a value of the document in a problem", () => {
    const canary = "canary-7d1f"
    const text = JSON.stringify({
      ...apiKey,
      name: `A ${canary}`,
      api_url: `ftp://${canary}`,
      placeholder: canary,
      export: { env: { api_key: [`${canary} x`] } },
      extra_headers: { a: `${canary}\n` }
    })
    assert.isAbove(problems(text).length, 0)
    assert.notInclude(JSON.stringify(problems(text)), canary)
  })
})

describe("readDefinition › the extensions of OAuth", () => {
  const at = (section: object, changes: object = {}) => ({
    ...oauth,
    ...changes,
    oauth: { ...oauth.oauth, ...section }
  })

  it("requires only a token endpoint for the flow refresh_token", () => {
    accepts({ ...oauth, flow: "refresh_token", oauth: { token_url: "https://acme.dev/token" } })
    rejects({ ...oauth, flow: "refresh_token", oauth: {} }, "/oauth/token_url")
  })

  it("accepts additional fields, and checks them like fields of an API key", () => {
    const field = { name: "developer_token" }
    accepts(at({ fields: [field], headers: { "developer-token": "{developer_token}" } }))
    rejects(at({ headers: { "developer-token": "{developer_token}" } }), "/oauth/headers/developer-token")
    rejects(at({ fields: [field, field] }), ["/oauth/fields/1/name", "/export"])
    rejects(at({ fields: [{ ...field, pattern: "(" }] }), "/oauth/fields/0/pattern")
    rejects(at({ fields: [{ ...field, placeholder: "x" }] }), "/oauth/fields/0/placeholder")
    for (const name of ["access_token", "client_id", "client_secret", "refresh_token", "base_url", "api_url"]) {
      assert.include(paths(at({ fields: [{ name }] })), "/oauth/fields/0/name")
    }
    accepts(at({ fields: [field] }, { export: { env: { developer_token: "ACME_DEVELOPER_TOKEN" } } }))
    rejects(at({ fields: [field] }, { export: { env: { other: "ACME_OTHER_TOKEN" } } }), "/export/env/other")
  })

  it("allows renaming only of parameters that protect nothing, and never to the name of another parameter", () => {
    accepts(
      at({
        authorization_param_names: { client_id: "client_key" },
        token_param_names: { code: "auth_code", scope: "scopes" }
      })
    )
    for (const name of ["state", "code_challenge", "response_type", "nonce"]) {
      rejects(at({ authorization_param_names: { [name]: "x" } }), `/oauth/authorization_param_names/${name}`)
    }
    rejects(at({ token_param_names: { code_verifier: "x" } }), "/oauth/token_param_names/code_verifier")
    for (const own of ["state", "redirect_uri", "code_challenge", "scope", "resource", "", "a b", "a&b=c"]) {
      rejects(at({ authorization_param_names: { client_id: own } }), "/oauth/authorization_param_names/client_id")
    }
    rejects(
      at({ token_param_names: { client_id: "id" }, token_params: { id: "evil" } }),
      "/oauth/token_param_names/client_id"
    )
    rejects(
      at({ token_param_names: { client_id: "id", client_secret: "id" } }),
      "/oauth/token_param_names/client_secret"
    )
    rejects(at({ refresh_params: { refresh_token: "mine" } }), "/oauth/refresh_params/refresh_token")
    for (const name of ["state", "iss", "error", "access_token"]) rejects(at({ code_param: name }), "/oauth/code_param")
    rejects(at({ code_challenge_encoding: "hex", pkce: false }), "/oauth/code_challenge_encoding")
  })

  it("accepts a lookup beside a stored grant, unless both provide the same value or the grant needs the base URL of the lookup", () => {
    const lookup = { url: "https://api.acme.dev/v1/accounts", values: { tenant_id: "/id", base_url: "/url" } }
    const by = (client_credentials: object, oauth: object = {}) =>
      at({ lookup, base_url: "https://{server}.acme.dev", client_credentials, ...oauth }, {
        flows: ["pkce", "client_credentials"]
      })
    accepts(by({}))
    accepts(by({ token_url: "https://acme.dev/token" }))
    assert.include(paths(by({ fields: [{ name: "tenant_id", secret: false }] })), "/oauth/client_credentials/fields")
    const sections = [
      { token_url: "{base_url}/token" },
      { params: { audience: "{base_url}" } },
      { scopes: ["x"], params: { a: "b{base_url}" } }
    ]
    for (const section of sections) assert.include(paths(by(section)), "/oauth/client_credentials")
    assert.include(paths(by({}, { token_url: "{base_url}/token" })), "/oauth/client_credentials")
    accepts(by({ token_url: "https://acme.dev/token" }, { token_url: "{base_url}/token" }))
  })

  it("rejects the pointer to a token for a part of the token response that credsvc shows", () => {
    const places: ReadonlyArray<readonly [name: string, pointer: string, more?: object]> = [
      ["scope", "/refresh_token"],
      ["account_label", "/user/access_token"],
      ["account_id", "/tokens/0"],
      ["error", "/jwt", { access_token: "/jwt" }]
    ]
    for (const [name, pointer, more] of places) {
      rejects(at({ token_response: { ...more, [name]: pointer } }), `/oauth/token_response/${name}`)
    }
    accepts(
      at({ token_response: { access_token: "/user/access_token", token_type: "/user/token_type", scope: "/scopes" } })
    )
  })

  it("accepts a lookup only on hosts of the provider, with values that nothing else provides", () => {
    const lookup = { url: "https://api.acme.dev/v1/accounts", items: "/accounts", values: { tenant_id: "/id" } }
    const headers = { "Acme-Tenant": "{tenant_id}" }
    accepts(at({ lookup, headers }))
    accepts(at({ lookup: { ...lookup, items: "" }, headers }))
    accepts(at({ lookup }, { export: { env: { tenant_id: "ACME_TENANT_ID" } } }))
    const urls = [
      "https://evil.dev/v1/accounts",
      "https://api.acme.dev.evil.dev/",
      "http://api.acme.dev/v1",
      "https://api.acme.dev:8443/v1/accounts"
    ]
    for (const url of urls) {
      rejects(at({ lookup: { ...lookup, url } }), "/oauth/lookup/url")
    }
    rejects(at({ lookup: { ...lookup, values: {} } }), "/oauth/lookup/values")
    for (const name of ["access_token", "refresh_token", "A b", "__proto__x"]) {
      assert.include(paths(at({ lookup: { ...lookup, values: { [name]: "/id" } } })), `/oauth/lookup/values/${name}`)
    }
    rejects(at({ lookup: { ...lookup, values: { tenant_id: "id" } } }), "/oauth/lookup/values/tenant_id")
    assert.include(paths(at({ lookup, fields: [{ name: "tenant_id" }] })), "/oauth/lookup/values/tenant_id")
    rejects(
      at({ lookup: { ...lookup, values: { base_url: "/url" } }, token_response: { base_url: "/instance_url" } }),
      "/oauth/lookup/values/base_url"
    )
  })
})
