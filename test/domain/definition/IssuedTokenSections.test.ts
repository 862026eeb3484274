import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { readDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import { capturesAt } from "../../../src/domain/injection/Capture.ts"
import { binding } from "../../../src/domain/injection/CredentialBinding.ts"
import { placements } from "../../../src/domain/injection/Placement.ts"

const issuing = { host: "auth.acme.example/v1", paths: ["/apps/*/tokens"], tokens: ["/token"] }
const only = { per_host: { "api.acme.example": { issued_tokens_only: true } } }

const read = (section: object = {}, more: object = {}) =>
  readDefinition({
    name: "issuer",
    auth_type: "api_key",
    flow: "api_key",
    hosts: ["auth.acme.example/v1", "api.acme.example", "*.acme-files.example"],
    issues_tokens: [{ ...issuing, ...section }],
    ...more
  })

const problems = (section?: object, more?: object): string =>
  Result.match(read(section, more), {
    onFailure: (found) => found.map(({ message, path }) => `${path} ${message}`).join("\n"),
    onSuccess: () => ""
  })

describe("a definition of issued tokens", () => {
  it("is valid with a host, paths, and the place of the token", () => {
    assert.strictEqual(problems(), "")
    assert.strictEqual(problems({ use_headers: { "X-Token": "{token}" }, use_hosts: ["api.acme.example"] }), "")
    assert.strictEqual(problems({ placeholder: "at_credsvc-proxy-managed" }, { api_key: only }), "")
  })

  it("is rejected with an error that names the wrong field", () => {
    const hmac = {
      hmac: {
        key: "secret",
        message: "{target}",
        timestamp: "seconds",
        encoding: "hex",
        headers: { "X-Sign": "{signature}" }
      },
      fields: [{ name: "secret" }]
    }
    const cases = [
      [{ host: "other.example" }, {}, /^\/issues_tokens\/0\/host must be an entry of "hosts"$/],
      [{ paths: [] }, {}, /^\/issues_tokens\/0\/paths has no path$/],
      [{ paths: ["tokens"] }, {}, /^\/issues_tokens\/0\/paths\/0 must begin with a slash$/],
      [{ paths: ["/a/../b"] }, {}, /paths\/0 has a path .* in more than one way$/],
      [{ paths: ["/a?b"] }, {}, /paths\/0 must not have a query/],
      [{ paths: ["/graphql mutation:x"] }, {}, /paths\/0 must not have a GraphQL operation$/],
      [{ tokens: [] }, {}, /^\/issues_tokens\/0 must have exactly one of tokens, login and refused$/],
      [{ tokens: ["token"] }, {}, /tokens\/0 .*JSON pointer/],
      [{ refused: true }, {}, /^\/issues_tokens\/0 must have exactly one of tokens, login and refused$/],
      [{ use_headers: { Host: "{token}" } }, {}, /use_headers\/Host is a header that a definition may not set/],
      [{ use_headers: { "X-Token": "{api_key}" } }, {}, /use_headers\/X-Token uses a field that is not declared/],
      [{ use_hosts: ["evil.example"] }, {}, /use_hosts\/0 must be an entry of "hosts"/],
      [{ placeholder: "tok_x" }, {}, /placeholder must be text.* that ends with "credsvc-proxy-managed"/],
      [
        { placeholder: "credsvc-proxy-managed-x" },
        {},
        /placeholder must be text.* that ends with "credsvc-proxy-managed"/
      ],
      [{ methods: ["DELETE"] }, {}, /methods\/0/],
      [{ tokens: [], login: {}, paths: ["/**"] }, {}, /paths\/0 must not contain a wildcard/],
      [{}, { api_key: hmac }, /is not supported together with aws_sigv4 or hmac/],
      [
        {},
        { api_key: { per_host: { "api.acme.example": { issued_tokens_only: true, header_name: "X" } } } },
        /another place of the credential/
      ],
      [{}, { api_key: { issued_tokens_only: true } }, /issued_tokens_only/]
    ] as const
    for (const [section, more, expected] of cases) assert.match(problems(section, more), expected)
  })

  it("is rejected for logins if the placeholder of an access or refresh token could not name the login", () => {
    const login = (refresh: string, placeholder: string) =>
      problems({ tokens: [], login: { refresh_placeholder: refresh } }, { placeholder })
    const [ending, other] = ["rt_credsvc-proxy-managed", "credsvc-proxy-managed-x"]
    assert.match(
      login(other, ending),
      /^\/issues_tokens\/0\/login\/refresh_placeholder must be text.* that ends with/m
    )
    assert.match(
      login(ending, other),
      /^\/issues_tokens\/0\/login requires a definition whose placeholder ends with/m
    )
    assert.notMatch(login(ending, ending), /ends with/)
  })

  it("is described to the proxy by rules that apply only to the host that issues tokens", () => {
    const definition = Result.getOrThrow(read({ methods: ["POST", "PUT"] }))
    assert.deepStrictEqual(capturesAt(definition, "api.acme.example", null, "holder"), [])
    assert.deepStrictEqual(capturesAt(definition, "auth.acme.example/v1", null, "holder"), [
      {
        requests: ["POST,PUT auth.acme.example/v1/apps/*/tokens"],
        tokens: { kind: "holder 0", pointers: ["/token"], placeholder: "credsvc-proxy-managed" }
      }
    ])
    assert.deepStrictEqual(capturesAt(definition, "auth.acme.example/v1", null), [])
  })

  it("is described to the proxy with the tenant's address", () => {
    const definition = Result.getOrThrow(read({ host: "{base_url}/v1", paths: ["/login"] }, {
      hosts: ["{base_url}/v1"],
      api_key: { base_url: "https://{tenant}.acme.example" }
    }))
    const [declared] = capturesAt(definition, "{base_url}/v1", "https://one.acme.example:8200", "holder")
    assert.deepStrictEqual(declared!.requests, ["POST one.acme.example:8200/v1/login"])
  })

  it("places no credential in requests to a host that accepts issued tokens only", () => {
    const definition = Result.getOrThrow(read({}, { api_key: only }))
    const placed = (entry: string) =>
      Result.getOrThrow(placements(definition, { api_key: Redacted.make("key") }, entry))
    assert.deepStrictEqual(placed("api.acme.example").headers, {})
    assert.deepStrictEqual(placed("api.acme.example").secrets, [])
    assert.hasAllKeys(placed("auth.acme.example/v1").headers, ["Authorization"])
  })

  it("binds a connection to its hosts and to the place of each token", () => {
    const texts = [
      binding(Result.getOrThrow(read())),
      binding(Result.getOrThrow(read({ use_hosts: ["api.acme.example"] }))),
      binding(Result.getOrThrow(read({}, { issues_tokens: [] }))),
      binding(Result.getOrThrow(read({}, { api_key: only })))
    ]
    assert.strictEqual(new Set(texts).size, texts.length)
  })
})
