import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readGraphQl } from "../../../src/domain/rules/GraphQl.ts"
import { parseRule } from "../../../src/domain/rules/Rule.ts"
import { type RecordedRequest, RuleRecorder } from "../../../src/domain/rules/RuleRecorder.ts"
import { compileRules } from "../../../src/domain/rules/RuleSet.ts"
import * as fc from "../../support/FastCheck.ts"
import { propertyTest } from "../../support/PropertyTest.ts"

/** Reads `GET /path`. */
const request = (line: string, changes: Partial<RecordedRequest> = {}): RecordedRequest => {
  const [method = "", path = ""] = line.split(" ")
  return { method, path, host: "api.acme.example", port: 443, isGrpc: false, fields: "hidden", ...changes }
}

const recorded = (...requests: ReadonlyArray<string | RecordedRequest>) => {
  const recorder = new RuleRecorder()
  for (const each of requests) recorder.add(typeof each === "string" ? request(each) : each)
  return recorder.rules([])
}

/** The rules without their host, which is that of all of them. */
const rulesFor = (...requests: ReadonlyArray<string | RecordedRequest>) =>
  recorded(...requests).allow?.map((rule) => rule.replace("api.acme.example", ""))

describe("RuleRecorder", () => {
  it("writes one rule for each path, with the methods that were used", () => {
    assert.deepStrictEqual(rulesFor("POST /v1/files", "GET /v1/files", "HEAD /v1/files", "GET /v1/models", "GET /"), [
      "GET /",
      "GET,POST /v1/files",
      "GET /v1/models"
    ])
    assert.deepStrictEqual(rulesFor("HEAD /v1/files", "DELETE /v1/files"), ["DELETE,HEAD /v1/files"])
  })

  it("keeps hosts and ports apart", () => {
    const { allow } = recorded(
      "GET /a",
      request("GET /a", { host: "api.other.example" }),
      request("GET /a", { port: 8443 })
    )
    assert.deepStrictEqual(allow, [
      "GET api.acme.example/a",
      "GET api.acme.example:8443/a",
      "GET api.other.example/a"
    ])
  })

  const cases = [
    ["a number", "/issues/42", "/issues/*"],
    ["a UUID", "/things/0b8c2f6e-3f9a-4c7e-8b21-0f45ceea167a/parts", "/things/*/parts"],
    ["a digest", "/commits/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "/commits/*"],
    ["an identifier with a prefix", "/files/file-9aB3cD4eF5gH6iJ7", "/files/file-*"],
    ["an identifier of Twilio", "/Accounts/AC0123456789abcdef0123456789abcdef.json", undefined],
    [
      "an identifier of letters and hexadecimal digits",
      "/Accounts/AC0123456789abcdef0123456789abcdef",
      "/Accounts/AC*"
    ],
    ["a random text", "/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVe2upms", "/d/*"]
  ] as const
  for (const [what, path, expected] of cases) {
    it(`${expected === undefined ? "keeps" : "generalizes"} ${what} that was seen once`, () => {
      assert.deepStrictEqual(rulesFor(`GET ${path}`), [`GET ${expected ?? path}`])
    })
  }

  it("keeps words, versions and names, because they distinguish operations", () => {
    const paths = [
      "/rest/api/2/issue",
      "/v1/chat/completions",
      "/v1beta1/models/gpt-4o-mini-2024-07-18",
      "/2010-04-01/Accounts",
      "/repos/acme/app-2",
      "/oauth2/getBase64ForOAuth2Tokens3",
      "/wiki/Release-Notes-Of-2024-For-Version-2-And-3"
    ]
    assert.deepStrictEqual(
      rulesFor(...paths.map((path) => `GET ${path}`)),
      paths.toSorted().map((path) => `GET ${path}`)
    )
    assert.lengthOf(rulesFor("GET /v1/models", "GET /v1/files", "GET /v1/chat", "GET /v1/batches")!, 4)
  })

  it("generalizes several names with digits at the same place, and keeps their common prefix", () => {
    assert.deepStrictEqual(rulesFor("GET /c/C024BE91L/x", "GET /c/C0G9QF9GW/x"), [
      "GET /c/C024BE91L/x",
      "GET /c/C0G9QF9GW/x"
    ])
    assert.deepStrictEqual(rulesFor("GET /c/C024BE91L/x", "GET /c/C0G9QF9GW/x", "GET /c/C1H9RESGL/x"), ["GET /c/*/x"])
    assert.deepStrictEqual(rulesFor("GET /b/app-1/l/1a", "GET /b/app-2/l/2b", "GET /b/app-3/l/3c"), [
      "GET /b/app-*/l/*"
    ])
    assert.deepStrictEqual(rulesFor("GET /c/x1", "POST /c/x2", "DELETE /c/x3"), [
      "GET /c/x1",
      "POST /c/x2",
      "DELETE /c/x3"
    ])
  })

  it("keeps gRPC methods exact", () => {
    const isGrpc = true
    const calls = ["Publish1", "Publish2", "Publish3"].map((name) => `POST /google.pubsub.v1.Publisher/${name}`)
    assert.deepStrictEqual(rulesFor(...calls.map((call) => request(call, { isGrpc }))), calls)
  })

  it("writes the fields at the root of GraphQL operations", () => {
    const fields = readGraphQl(JSON.stringify({ query: "query { viewer { id } node(id: 1) { id } }" }))!.fields
    const mutation = readGraphQl(JSON.stringify({ query: "mutation { addStar { id } }" }))!.fields
    assert.deepStrictEqual(
      rulesFor(request("POST /graphql", { fields }), request("POST /graphql", { fields: mutation })),
      [
        "POST /graphql mutation:addStar",
        "POST /graphql query:node",
        "POST /graphql query:viewer"
      ]
    )
    assert.deepStrictEqual(rulesFor(request("POST /graphql", { fields }), "POST /graphql"), ["POST /graphql"])
  })

  it("writes no rule for a path that would be a pattern in a rule, or that no rule can match", () => {
    const paths = ["/a/*", "/a/**", "/a/x*y", "/a/%2A", "/a/../b", "/a//b", "/a;b", `/${"x".repeat(1100)}`]
    assert.deepStrictEqual(recorded(...paths.map((path) => `GET ${path}`)), { allow: [], inexpressible: paths.length })
  })

  it("adds only rules for requests that the given rules do not allow", () => {
    const recorder = new RuleRecorder()
    for (const line of ["GET /v1/files/42", "POST /v1/files", "GET /v1/models"]) recorder.add(request(line))
    const given = ["GET api.acme.example/v1/files/**", "POST api.acme.example/v1/files query"]
    assert.deepStrictEqual(recorder.rules(given).allow, [
      ...given,
      "POST api.acme.example/v1/files",
      "GET api.acme.example/v1/models"
    ])
  })

  it("writes nothing if there are more rules than a rule set can have", () => {
    const lines = Array.from({ length: 257 }, (_, at) => `GET /${"abcdefghij"[at % 10]}${"x".repeat(at)}`)
    assert.lengthOf(recorded(...lines.slice(1)).allow!, 256)
    assert.isUndefined(recorded(...lines).allow)
  })

  const segment = fc.oneof(
    fc.constantFrom("v1", "repos", "acme", "app-1", "app-2", "app-3", "42", "7", "C024BE91L", "a1", "b2", "c3"),
    fc.uuid(),
    fc.string({ minLength: 1, maxLength: 12, unit: "binary" }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom("a%2Fb", "a%2F42", "x%3Fy", "caf%C3%A9", "*", "x*", "file-9aB3cD4eF5gH6iJ7")
  )
  const anyRequest: fc.Arbitrary<RecordedRequest> = fc.record({
    method: fc.constantFrom("GET", "HEAD", "POST", "DELETE", "PROPFIND"),
    host: fc.constantFrom("api.acme.example", "api.other.example"),
    port: fc.constantFrom(443, 8443),
    path: fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join("/")}`),
    isGrpc: fc.boolean(),
    fields: fc.oneof(
      fc.constant("hidden" as const),
      fc.array(
        fc.record({ type: fc.constantFrom("query", "mutation"), field: fc.constantFrom("a", "b", undefined) }),
        { minLength: 1, maxLength: 3 }
      )
    )
  })

  propertyTest(200)(
    "allows every recorded request, and no other method, host or GraphQL operation",
    fc.array(anyRequest, { maxLength: 30 }),
    (requests) => {
      const recorder = new RuleRecorder()
      const kept = requests.filter((each) => {
        const { inexpressible } = recorder.rules([])
        recorder.add(each)
        return recorder.rules([]).inexpressible === inexpressible
      })
      const { allow } = recorder.rules([])
      const rules = allow!.map((text) => Result.getOrThrow(parseRule(text)))
      assert.deepStrictEqual(rules.map(({ text }) => text), allow)
      const { decide } = compileRules([{ allow: allow!, deny: [], readonly: false }])
      for (const each of kept) {
        assert.strictEqual(decide({ ...each, isUpgrade: false })._tag, "Allowed", JSON.stringify(each))
      }
      for (const { host, methods, operation } of rules) {
        for (const method of methods!) {
          assert.isTrue(
            kept.some((each) =>
              each.method === method && each.host === host.host && each.port === host.port &&
              (each.fields === "hidden"
                ? operation === null
                : each.fields.some(({ field, type }) =>
                  operation !== null && operation.type === type && operation.field === (field ?? null)
                ))
            ),
            `${method} ${host.host}`
          )
        }
      }
    }
  )
})
