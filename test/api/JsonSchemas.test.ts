import { assert, describe, it } from "@effect/vitest"
import { componentNameOf, extractComponents, withDiscriminators } from "../../src/api/JsonSchemas.ts"

const extract = (schema: unknown, components: Record<string, unknown> = {}) => ({
  schema: extractComponents(schema, components, "#/$defs/"),
  components
})

describe("extractComponents", () => {
  const name = { component: "Name", type: "string" }

  it("replaces schemas with a name by references, and keeps the description of a single use", () => {
    const { components, schema } = extract({ items: { ...name, allOf: [{ description: "The owner" }] } })
    assert.deepStrictEqual(schema, { items: { $ref: "#/$defs/Name", description: "The owner" } })
    assert.deepStrictEqual(components, { Name: { type: "string" } })
  })

  it("refuses two schemas with one name, and descriptions of unknown properties", () => {
    assert.throws(() => extract({ items: [name, { ...name, maxLength: 1 }] }), "two schemas have the name Name")
    assert.throws(() => extract({ propertyDescriptions: { a: "A" }, properties: {} }), "the unknown property a")
  })

  it.each([
    ["a list of one value", { enum: ["a"] }, { const: "a" }],
    ["items that are listed twice", { prefixItems: [1], items: 1, minItems: 1 }, { items: 1, minItems: 1 }],
    ["keywords in allOf", { allOf: [{ pattern: "a" }, { pattern: "b" }] }, { pattern: "a", allOf: [{ pattern: "b" }] }]
  ])("simplifies %s", (_, schema, expected) => {
    assert.deepStrictEqual(extract(schema).schema, expected)
  })
})

describe("withDiscriminators", () => {
  it("names the property that distinguishes the members of a union", () => {
    const kind = (value: string) => ({ properties: { kind: { const: value } } })
    const anyOf = ["A", "B"].map((each) => ({ $ref: `#/components/schemas/${each}` }))
    assert.deepStrictEqual(anyOf.map(componentNameOf), ["A", "B"])
    const discriminator = { propertyName: "kind", mapping: { a: anyOf[0]!.$ref, b: anyOf[1]!.$ref } }
    assert.deepStrictEqual(withDiscriminators({ anyOf }, { A: kind("a"), B: kind("b") }), {
      oneOf: anyOf,
      discriminator
    })
    assert.deepStrictEqual(withDiscriminators({ anyOf }, { A: kind("a"), B: kind("a") }), { anyOf })
  })
})
