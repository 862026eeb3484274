import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { checkDocument, checkProviders } from "../../src/conformance/ProviderCheck.ts"
import { readJsonFiles } from "../../src/platform/files/PackageFiles.ts"
import { decodeFiles } from "../../src/providers/BundledProviders.ts"
import { live } from "../support/Fixture.ts"

const { definitions } = decodeFiles(readJsonFiles(new URL("../../providers/", import.meta.url)))

const apiKey = { name: "acme", auth_type: "api_key", flow: "api_key", hosts: ["api.acme.dev"] }

const oauth = {
  name: "acme",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code"],
  hosts: ["api.acme.dev/v1", "files.acme.dev"],
  oauth: {
    authorization_url: "https://acme.dev/authorize",
    token_url: "https://acme.dev/token",
    refresh_url: "https://acme.dev/refresh",
    revocation_url: "https://acme.dev/revoke",
    device_authorization_url: "https://acme.dev/device",
    device_token_url: "https://acme.dev/device/token",
    scopes: ["read", "write"],
    scope_separator: ",",
    client_authentication: "client_secret_basic",
    token_request_format: "json",
    token_params: { audience: "api" },
    token_response: { access_token: "/data/token", refresh_token: "/data/again" },
    header_name: "X-Acme-Token",
    header_prefix: ""
  }
}

const acmeOf = (flow: string, section: object, more: object = {}) =>
  [flow, {
    name: "acme",
    auth_type: "oauth2",
    flow,
    hosts: ["api.acme.dev"],
    oauth: { token_url: "https://acme.dev/token", revocation_url: "https://acme.dev/revoke", [flow]: section, ...more }
  }] as const

const account = { name: "account", secret: false, pattern: "[0-9]{6}" }

/** One definition per way to request a token, with its special settings. */
const grants = [
  acmeOf("client_credentials", {
    fields: [account],
    token_url: "https://acme.dev/{account}/token",
    grant_type: "account_credentials",
    params: { audience: "https://{account}.acme.dev", scopes: "{scope}" },
    scopes: ["read", "write"],
    client_authentication: "client_secret_post"
  }, { token_request_format: "json", headers: { "X-Account": "{account}" }, scope_separator: "," }),
  acmeOf("client_credentials", { scopes: ["read"] }),
  acmeOf("jwt_bearer", {
    fields: [{
      name: "key_file",
      kind: "key_file",
      members: { email: "/client/email", private_key: "/private_key" },
      expected: { "/token_uri": ["https://acme.dev/token"] }
    }],
    algorithm: "ES256",
    header: { kid: "{email}" },
    claims: { iss: "{email}", aud: "{token_url}" },
    scopes: ["read"]
  }),
  acmeOf("jwt_bearer", {
    fields: [account, { name: "only", kind: "list", secret: false, required: false }],
    claims: { iss: "{account}" },
    request: {
      url: "https://acme.dev/apps/{account}/tokens",
      headers: { Authorization: "Bearer {assertion}" },
      body: { only: "{only}", account: { id: "{account}" } }
    }
  }),
  acmeOf("token_request", {
    fields: [account, { name: "password" }],
    url: "https://acme.dev/{account}/session",
    method: "GET",
    basic: { username: "{account}", password: "{password}" }
  }, { token_response: { access_token: "/session/token", expires_in: "/session/expires_at" } }),
  acmeOf("token_request", {
    fields: [account, { name: "password" }],
    url: "https://acme.dev/session",
    format: "form",
    body: { user: "{account}", password: "{password}" }
  }),
  acmeOf("client_credentials", { scopes: ["read"] }, {
    lookup: { url: "https://api.acme.dev/v1/accounts", items: "", values: { tenant_id: "/id" } },
    headers: { "Acme-Tenant": "{tenant_id}" }
  }),
  acmeOf("jwt_bearer", { fields: [account], claims: { iss: "{account}" } }, {
    base_url: "https://{server}.acme.dev",
    lookup: {
      url: "https://api.acme.dev/userinfo",
      items: "/accounts",
      label: "/name",
      values: { base_url: "/base_uri", tenant_id: "/id" }
    },
    headers: { "Acme-Tenant": "{tenant_id}" }
  }),
  acmeOf("token_request", {
    fields: [{ name: "password" }],
    url: "https://acme.dev/session",
    body: { password: "{password}" }
  }, {
    lookup: { url: "https://api.acme.dev/v1/account", values: { tenant_id: "/id" } },
    headers: { "Acme-Tenant": "{tenant_id}" }
  })
]

const problemsOf = (document: object) =>
  Effect.map(
    checkDocument(JSON.stringify(document)),
    (reports) =>
      reports.flatMap(({ checks, flow }) => checks.map(({ name, problem }) => `${flow} ${name}: ${problem ?? "ok"}`))
  )

describe("checkProviders", () => {
  live("takes every bundled provider through login, injection, refresh and revocation", function*() {
    const reports = yield* checkProviders([...definitions.values()])
    const problems = reports.flatMap(({ checks, flow, provider }) =>
      checks.flatMap(({ name, problem }) => problem === undefined ? [] : [`${provider} ${flow} ${name}: ${problem}`])
    )
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(new Set(reports.map(({ provider }) => provider)).size, definitions.size)
    for (const { checks, flow } of reports) assert.lengthOf(checks, flow === "api_key" ? 3 : 4)
  }, 600_000)
})

describe("checkDocument", () => {
  live("takes a definition through each of its flows, with all its special settings", function*() {
    assert.deepStrictEqual(yield* problemsOf(oauth), [
      "pkce login: ok",
      "pkce injection: ok",
      "pkce refresh: ok",
      "pkce revocation: ok",
      "device_code login: ok",
      "device_code injection: ok",
      "device_code refresh: ok",
      "device_code revocation: ok"
    ])
  })

  live(
    "takes a definition with fields, renamed parameters and a lookup through PKCE and the flow refresh_token",
    function*() {
      const problems = yield* problemsOf({
        ...oauth,
        flows: ["pkce", "refresh_token"],
        oauth: {
          ...oauth.oauth,
          client_authentication: "client_secret_post",
          fields: [{ name: "developer_token", pattern: "dev-\\w+" }],
          headers: { "developer-token": "{developer_token}" },
          authorization_param_names: { client_id: "client_key" },
          token_param_names: { client_id: "client_key", code: "auth_code", refresh_token: "again" },
          code_param: "auth_code",
          code_challenge_encoding: "hex",
          refresh_params: { type: "refresh" },
          lookup: { url: "https://api.acme.dev/v1/accounts", items: "", values: { tenant_id: "/id" } }
        },
        extra_headers: { "Acme-Tenant": "{tenant_id}" }
      })
      assert.deepStrictEqual(problems.filter((line) => !line.endsWith(": ok")), [])
      assert.lengthOf(problems, 8)
    }
  )
  for (const [flow, document] of grants) {
    live(`takes a definition through the flow ${flow}, with its special settings`, function*() {
      const checks = ["login", "injection", "refresh", "revocation"]
      assert.deepStrictEqual(yield* problemsOf(document), checks.map((name) => `${flow} ${name}: ok`))
    })
  }

  live("registers a client if the endpoints are discovered", function*() {
    const resource = "https://mcp.acme.dev/mcp"
    const document = { ...oauth, flow: "dcr_pkce", flows: ["dcr_pkce"], hosts: ["mcp.acme.dev"], oauth: { resource } }
    assert.notInclude((yield* problemsOf(document)).join(), "problem")
    assert.lengthOf(yield* problemsOf(document), 4)
  })

  live("accepts any value for a field with a pattern", function*() {
    const problems = yield* problemsOf({ ...apiKey, api_key: { key_pattern: "(?=sk)..+" } })
    assert.deepStrictEqual(problems.filter((line) => !line.endsWith(": ok")), [])
  })

  live("reports why a definition does not work", function*() {
    assert.deepStrictEqual(yield* problemsOf({ ...apiKey, hosts: [] }), [
      "api_key login: ok",
      "api_key injection: the definition has no host that may receive the credential"
    ])
    const { failures } = yield* Effect.map(Effect.flip(checkDocument("{")), (error) => ({ failures: error.problems }))
    assert.lengthOf(failures, 1)
  })
})
