import { assert, describe, it } from "@effect/vitest"
import { readGraphQl } from "../../../src/domain/rules/GraphQl.ts"

const fieldsOf = (query: string) =>
  readGraphQl(JSON.stringify({ query }))?.fields.map(({ field, type }) => `${type}:${field ?? "?"}`).join(" ")

describe("GraphQL root fields", () => {
  it("come from all operations, without aliases", () => {
    assert.strictEqual(fieldsOf("{ viewer { login } }"), "query:viewer")
    assert.strictEqual(
      fieldsOf("query A($a: [Int!] = [1]) @d(x: {y: 1}) { a: b(c: {d: \"}\"}) @skip(if: $a) { e } f }"),
      "query:b query:f"
    )
    assert.strictEqual(
      fieldsOf("# mutation { x }\n{ a }, mutation M { createIssue(input: {}) { id } }"),
      "query:a mutation:createIssue"
    )
    assert.strictEqual(fieldsOf("subscription { s } fragment F on Query @d { b }"), "subscription:s")
    assert.strictEqual(fieldsOf("{ a(b: \"\"\"} mutation { c \\\"\"\" } \"\"\", d: \"\\\"}\") }"), "query:a")
  })

  it("are unknown if a fragment contains them", () => {
    assert.strictEqual(fieldsOf("mutation { ...F a } fragment F on Mutation { deleteAll }"), "mutation:? mutation:a")
    assert.strictEqual(fieldsOf("{ ... on Query { a } ... @include(if: true) { b } }"), "query:? query:?")
  })

  it("come from every request of a batch", () => {
    const batch = [{ query: "{ a }" }, { query: "mutation { b }", operationName: null, variables: {}, extensions: {} }]
    assert.deepStrictEqual(readGraphQl(JSON.stringify(batch))?.fields.map(({ type }) => type), ["query", "mutation"])
  })

  it("are read after the removal of extensions, which could select a stored document", () => {
    const request = { query: "{ a }", variables: { extensions: 1 }, operationName: null }
    const extensions = { persistedQuery: { version: 1, sha256Hash: "0" } }
    const sent = (body: unknown): unknown => JSON.parse(readGraphQl(JSON.stringify(body))?.body ?? "null")
    assert.deepStrictEqual(sent({ extensions, ...request }), request)
    assert.deepStrictEqual(sent([request, { ...request, extensions }]), [request, request])
  })

  it("are not read from a body that a server could read differently", () => {
    const hidden = [
      "",
      "[]",
      "{}",
      "\"{ a }\"",
      "{\"query\":\"{ a }\",\"query\":\"mutation { b }\"}",
      "{\"query\":\"{ a }\",\"title\":\"an issue\"}",
      "{\"extensions\":{\"persistedQuery\":{\"version\":1,\"sha256Hash\":\"0\"}}}",
      "{\"query\":\"{ a }\"} trailing",
      "query={a}"
    ]
    for (const body of hidden) assert.isUndefined(readGraphQl(body), body)
    const documents = [
      "",
      "query",
      "{",
      "{ a",
      "{ a(b: ] }",
      "a { b }",
      "{ a } }",
      "{ a(b: \"\"\"c) }",
      "{ é }",
      "{ a(b: \"c\n\") }",
      "fragment F on Q { a }",
      "{ }"
    ]
    for (const document of documents) assert.isUndefined(fieldsOf(document), document)
  })
})
