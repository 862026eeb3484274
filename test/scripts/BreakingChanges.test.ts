import { assert, describe, it } from "@effect/vitest"
import { breakingChanges, shapeOf } from "../../scripts/lib/BreakingChanges.ts"

type Json = Record<string, any>

const text = { type: "string" }

/** A document with one operation, which sends and receives the schemas. */
const documentOf = (sent: Json, received: Json, operation: Json = {}, schemas: Json = {}): Json => ({
  paths: {
    "/things": {
      post: {
        operationId: "things.create",
        parameters: [],
        requestBody: { content: { "application/json": { schema: sent } } },
        responses: { 200: { content: { "application/json": { schema: received } } } },
        ...operation
      }
    }
  },
  components: { schemas }
})

const object = (properties: Json, required: ReadonlyArray<string> = Object.keys(properties)): Json => ({
  type: "object",
  properties,
  required
})

const empty = object({})
const inRequest = (before: Json, after: Json) => breakingChanges(documentOf(before, empty), documentOf(after, empty))
const inResponse = (before: Json, after: Json) => breakingChanges(documentOf(empty, before), documentOf(empty, after))
const inOperation = (before: Json, after: Json) =>
  breakingChanges(documentOf(empty, empty, before), documentOf(empty, empty, after))

describe("the changes of an interface that break its clients", () => {
  it("are operations that are removed or have another ID, and successes with another status", () => {
    const document = documentOf(empty, empty)
    assert.deepStrictEqual(breakingChanges(document, { paths: {} }), ["POST /things: was removed"])
    assert.deepStrictEqual(breakingChanges({ paths: {} }, document), [])
    assert.deepStrictEqual(inOperation({}, { operationId: "things.make" }), [
      "POST /things: its operationId is things.make"
    ])
    assert.deepStrictEqual(inOperation({}, { responses: { 201: {} } }), [
      "POST /things: no longer responds with 200",
      "POST /things: can respond with 201"
    ])
  })

  it("are new demands on a request", () => {
    const parameter = { name: "limit", in: "query", schema: text }
    assert.deepStrictEqual(inOperation({}, { parameters: [{ ...parameter, required: true }] }), [
      "POST /things: requires query limit"
    ])
    assert.deepStrictEqual(inOperation({}, { parameters: [parameter] }), [])
    assert.deepStrictEqual(inOperation({ parameters: [parameter] }, {}), ["POST /things: no longer has query limit"])
    assert.deepStrictEqual(inRequest(object({ a: text }), object({})), ["POST /things body.a: was removed"])
    assert.deepStrictEqual(inRequest(object({ a: text }, []), object({ a: text })), [
      "POST /things body.a: is required"
    ])
    assert.deepStrictEqual(inRequest(object({ a: text }), object({ a: text, b: text }, ["a"])), [])
  })

  it("are values that a request may no longer have", () => {
    const choice = (...values: ReadonlyArray<string>) => object({ a: { ...text, enum: values } })
    assert.deepStrictEqual(inRequest(choice("x", "y"), choice("x")), ["POST /things body.a: no longer accepts y"])
    assert.deepStrictEqual(inRequest(choice("x"), choice("x", "y")), [])
    assert.deepStrictEqual(inRequest(object({ a: text }), choice("x")), [
      "POST /things body.a: no longer accepts other values"
    ])
    assert.deepStrictEqual(inRequest(object({ a: text }), object({ a: { ...text, pattern: "^a$" } })), [
      "POST /things body.a: has another pattern"
    ])
    const long = (maxLength: number) => object({ a: { ...text, maxLength } })
    assert.deepStrictEqual(inRequest(long(9), long(8)), ["POST /things body.a: maxLength is now 8"])
    assert.deepStrictEqual(inRequest(long(8), long(9)), [])
    const nullable = object({ a: { anyOf: [text, { type: "null" }] } })
    assert.deepStrictEqual(inRequest(nullable, object({ a: text })), ["POST /things body.a: no longer accepts null"])
    assert.deepStrictEqual(inRequest(object({ a: text }), nullable), [])
    const emptyOrShort = object({ a: { anyOf: [{ ...text, const: "" }, { ...text, maxLength: 8 }] } })
    assert.deepStrictEqual(inRequest(emptyOrShort, emptyOrShort), [])
  })

  it("are fields that a response lacks or that have another type", () => {
    assert.deepStrictEqual(inResponse(object({ a: text }), empty), ["POST /things 200.a: was removed"])
    assert.deepStrictEqual(inResponse(object({ a: text }), object({ a: text }, [])), [
      "POST /things 200.a: can be absent"
    ])
    assert.deepStrictEqual(inResponse(object({ a: text }), object({ a: { type: "integer" } })), [
      "POST /things 200.a: was string and is integer"
    ])
    const nullable = object({ a: { anyOf: [text, { type: "null" }] } })
    assert.deepStrictEqual(inResponse(object({ a: text }), nullable), ["POST /things 200.a: can also be null"])
    assert.deepStrictEqual(inResponse(nullable, object({ a: text })), [])
    assert.deepStrictEqual(inResponse(object({ a: { type: "number" } }), object({ a: { type: "integer" } })), [])
    assert.deepStrictEqual(inResponse(object({ a: text }), object({ a: text, b: text })), [])
    assert.deepStrictEqual(
      inResponse(object({ a: { ...text, enum: ["x"] } }), object({ a: { ...text, enum: ["y"] } })),
      []
    )
  })

  it("are found by way of references, lists, maps and alternatives", () => {
    const schemas = (a: Json) => ({ Thing: object({ kind: { ...text, const: "thing" }, a }), None: object({}) })
    const reference = { $ref: "#/components/schemas/Thing" }
    const places: ReadonlyArray<Json> = [
      reference,
      { type: "array", items: reference },
      { type: "object", additionalProperties: reference },
      { anyOf: [reference, { type: "null" }] }
    ]
    for (const place of places) {
      const changes = breakingChanges(
        documentOf(empty, place, {}, schemas(text)),
        documentOf(empty, place, {}, schemas({ type: "integer" }))
      )
      assert.strictEqual(changes.length, 1, JSON.stringify(place))
      assert.include(changes[0], "a: was string and is integer")
    }
  })

  it("are not those of descriptions, unlike those of a property named description", () => {
    const described = object({ description: { ...text, description: "What it is" } })
    assert.deepStrictEqual(shapeOf(described), object({ description: text }))
    assert.deepStrictEqual(inResponse(described, shapeOf(described)), [])
    assert.deepStrictEqual(inResponse(described, empty), ["POST /things 200.description: was removed"])
  })
})
