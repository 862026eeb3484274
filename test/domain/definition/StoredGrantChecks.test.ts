import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import { fingerprint } from "../../../src/providers/Fingerprint.ts"
import { byAssertion, byClient, byKeyFile, byRequest } from "../../support/StoredGrants.ts"

const read = (document: object) => readDefinition(JSON.parse(JSON.stringify(document)))

const problemsOf = (document: object): ReadonlyArray<string> =>
  Result.match(read(document), {
    onFailure: (problems) => problems.map(({ message, path }) => `${path} ${message}`),
    onSuccess: () => []
  })

describe("The section of a flow with a stored grant", () => {
  it("is accepted with everything that it may declare", () => {
    const key = { name: "signing_key", kind: "private_key" }
    const documents = [
      byClient({
        grant_type: "account_credentials",
        token_url: "https://a.example/{tenant}/token",
        fields: [{ name: "tenant", secret: false }],
        params: { audience: "{base_url}/{tenant}" }
      }),
      byAssertion({
        algorithm: "ES256",
        private_key: "signing_key",
        fields: [key],
        header: { kid: "x" },
        claims: { iss: "a", scope: "{scope}" }
      }),
      byKeyFile(),
      byRequest({ method: "GET", body: null, headers: { Authorization: "Basic {password}" } }),
      byRequest({ body: { a: [{ b: "{user}" }, 1, true] } })
    ]
    for (const document of documents) {
      assert.deepStrictEqual(problemsOf(document), [])
    }
  })

  const rows: ReadonlyArray<readonly [what: string, document: object, problem: string]> = [
    [
      "if it is missing",
      { ...byClient(), flow: "jwt_bearer", flows: ["jwt_bearer", "client_credentials"] },
      "/oauth/jwt_bearer is required by the flow \"jwt_bearer\""
    ],
    [
      "if its flow is not listed",
      { ...byClient({}, { jwt_bearer: { claims: {} } }) },
      "/oauth/jwt_bearer has no effect unless flows contains \"jwt_bearer\""
    ],
    [
      "without a token endpoint",
      byClient({}, { token_url: null }),
      "/oauth/client_credentials/token_url is required unless oauth has a token_url"
    ],
    [
      "with plain http",
      byClient({ token_url: "http://a.example/token" }),
      "/oauth/client_credentials/token_url must be an https URL"
    ],
    [
      "with a field in the host",
      byClient({ token_url: "https://{tenant}/token", fields: [{ name: "tenant", secret: false }] }),
      "/oauth/client_credentials/token_url"
    ],
    [
      "with a field in a part of a segment",
      byClient({ token_url: "https://a.example/x-{tenant}/token", fields: [{ name: "tenant", secret: false }] }),
      "/oauth/client_credentials/token_url may have only the placeholder {base_url}, at its beginning"
    ],
    [
      "with a secret in the URL",
      byRequest({ url: "https://a.example/{password}" }),
      "/oauth/token_request/url uses a field that is not declared"
    ],
    [
      "with an optional field in the URL",
      byRequest({
        url: "https://a.example/{x}",
        fields: [{ name: "x", secret: false, required: false }, { name: "password" }],
        body: {}
      }),
      "/oauth/token_request/url uses a field that is not declared"
    ],
    [
      "that sets a parameter of the flow",
      byClient({ params: { grant_type: "password" } }),
      "/oauth/client_credentials/params/grant_type is set by the flow itself"
    ],
    [
      "that sets a claim of the flow",
      byAssertion({ claims: { exp: "9" } }),
      "/oauth/jwt_bearer/claims/exp is set by the flow itself"
    ],
    [
      "that sets the algorithm in the header",
      byAssertion({ header: { alg: "none" } }),
      "/oauth/jwt_bearer/header/alg is set by the flow itself"
    ],
    [
      "that sends the private key",
      byAssertion({ params: { key: "{private_key}" } }),
      "/oauth/jwt_bearer/params/key uses a field that is not declared"
    ],
    [
      "that sends the private key in a body",
      byAssertion({ request: { url: "https://a.example/", body: { key: ["{private_key}"] } } }),
      "/oauth/jwt_bearer/request/body/key/0 uses a field that is not declared"
    ],
    [
      "with an assertion in the URL",
      byAssertion({ request: { url: "https://a.example/{assertion}" } }),
      "/oauth/jwt_bearer/request/url uses a field that is not declared"
    ],
    [
      "with an unknown field",
      byClient({ params: { a: "{b}" } }),
      "/oauth/client_credentials/params/a uses a field that is not declared"
    ],
    [
      "with a reserved name",
      byClient({ fields: [{ name: "scope" }] }),
      "/oauth/client_credentials/fields/0/name is a reserved name"
    ],
    [
      "with two fields of the same name",
      byKeyFile({
        fields: [{ name: "key_file", kind: "key_file", members: { private_key: "/a" } }, { name: "private_key" }],
        claims: {}
      }),
      "/oauth/jwt_bearer/fields/1/name is used twice"
    ],
    [
      "without a secret",
      byRequest({ fields: [{ name: "account", secret: false }], body: {} }),
      "/oauth/token_request/fields has no secret field"
    ],
    [
      "with a key file that is not secret",
      byKeyFile({
        fields: [{ name: "key_file", kind: "key_file", secret: false, members: { private_key: "/a" } }],
        claims: {}
      }),
      "/oauth/jwt_bearer/fields/0/secret must be true for a key_file"
    ],
    [
      "with a key file without members",
      byKeyFile({ fields: [{ name: "key_file", kind: "key_file" }], claims: {} }),
      "/oauth/jwt_bearer/fields/0/members is required for a key_file"
    ],
    [
      "with a private key that is a text",
      byAssertion({ fields: [{ name: "private_key" }], claims: {} }),
      "/oauth/jwt_bearer/private_key must name a field of the kind private_key"
    ],
    [
      "with a private key that signs nothing",
      byClient({ fields: [{ name: "key", kind: "private_key" }] }),
      "/oauth/client_credentials/fields/0/kind is allowed only with the flow jwt_bearer"
    ],
    [
      "with an invalid pattern",
      byClient({ fields: [{ name: "a", pattern: "(" }] }),
      "/oauth/client_credentials/fields/0/pattern is not a valid regular expression"
    ],
    ["with a body for GET", byRequest({ method: "GET" }), "/oauth/token_request/body is allowed only with POST"],
    [
      "with an object in a form",
      byRequest({ format: "form", body: { a: { b: "c" } } }),
      "/oauth/token_request/body/a must be a string, because the body is a form"
    ],
    [
      "with HTTP Basic and a header Authorization",
      byRequest({ basic: { username: "{user}", password: "{password}" }, headers: { authorization: "x" } }),
      "/oauth/token_request/basic cannot be combined with a header Authorization"
    ],
    [
      "with a header that HTTP itself uses",
      byRequest({ headers: { Host: "evil.example" } }),
      "/oauth/token_request/headers/Host is a header that a definition may not set"
    ],
    ["with an unknown algorithm", byAssertion({ algorithm: "none" }), "/oauth/jwt_bearer/algorithm"],
    ["with an unknown member", byClient({ tokenUrl: "https://a.example/" }), "/oauth/client_credentials/tokenUrl"]
  ]
  for (const [what, document, problem] of rows) {
    it(`is rejected ${what}`, () => {
      const problems = problemsOf(document)
      assert.isTrue(problems.some((text) => text.startsWith(problem)), problems.join("\n"))
    })
  }

  it("allows requests to the API to carry values that every connection has and that are not secret", () => {
    const fields = [{ name: "account", secret: false }, { name: "label", secret: false, required: false }]
    const withHeader = (value: string, changes: object = {}) =>
      problemsOf({ ...byClient({ fields }, { headers: { "X-Value": value } }), ...changes })
    assert.deepStrictEqual(withHeader("{account} {client_id} {access_token}"), [])
    for (const name of ["label", "client_secret"]) {
      assert.include(withHeader(`{${name}}`).join(), "uses a field that is not declared", name)
    }
    const both = byClient({ fields }, { authorization_url: "https://a.example/", headers: { "X-Value": "{account}" } })
    assert.include(
      problemsOf({ ...both, flows: ["client_credentials", "pkce"] }).join(),
      "uses a field that is not declared"
    )
  })
})

describe("The fingerprint of a definition with stored grants", () => {
  const of = (document: object) => fingerprint(Result.getOrThrow(read(document)), null)

  it("changes with every field that affects where or how the values are sent", () => {
    const documents = [
      byClient(),
      byClient({ token_url: "https://login.acme.example/other" }),
      byClient({ params: { audience: "x" } }),
      byAssertion(),
      byAssertion({ claims: { iss: "{client_id}", aud: "other" } }),
      byAssertion({ request: { url: "https://a.example/" } }),
      byRequest(),
      byRequest({ url: "https://other.example/" }),
      byRequest({ headers: { "X-Key": "{password}" } }),
      byRequest({ body: { user: "{password}" } })
    ]
    assert.strictEqual(new Set(documents.map(of)).size, documents.length)
  })

  it("does not change with labels, hints and scopes", () => {
    const fields = [{ name: "account", secret: false, label: "Account", hint: "There" }]
    assert.strictEqual(
      of(byClient({ fields, scopes: ["read"] })),
      of(byClient({ fields: [{ name: "account", secret: false }] }))
    )
  })
})
