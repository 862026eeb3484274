import { assert, describe, it } from "@effect/vitest"
import { openapi } from "../../scripts/generate/json.ts"
import { exampleOf } from "../../src/api/Examples.ts"
import { responseValidator } from "../support/DocumentedResponses.ts"

const document = JSON.parse(openapi()) as any

const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
  ["get", "post", "delete"].flatMap((method) =>
    item[method] === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, operation: item[method] }]
  )
)

describe("exampleOf", () => {
  const all = {
    Sized: { type: "object", properties: { size: { type: "integer", minimum: 7 }, more: {} }, required: ["size"] }
  }
  it.each([
    [{ const: "a" }, "a"],
    [{ enum: ["b", "c"] }, "b"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, null],
    [{ type: "array", items: { $ref: "#/components/schemas/Sized" } }, [{ size: 7 }]],
    [{ type: "boolean" }, false]
  ])("makes an example for %o", (schema, expected) => {
    assert.deepStrictEqual(exampleOf(schema, all), expected)
  })

  it("asks for an example of a text, which it cannot make", () => {
    assert.throws(() => exampleOf({ type: "string" }, {}, "Sized.name"), "missing example for Sized.name")
  })
})

describe("the examples of the OpenAPI description", () => {
  const ajv = responseValidator()

  it("exist for every body of a request and of a successful response, and are valid", () => {
    let found = 0
    const check = (content: any, where: string) => {
      assert.isDefined(content.example, where)
      assert.isNull(ajv.problems(content.schema, content.example), where)
      found++
    }
    for (const { name, operation } of operations) {
      for (const body of Object.values(operation.requestBody?.content ?? {})) check(body, name)
      for (const [status, response] of Object.entries<any>(operation.responses)) {
        const isUnready = status === "503" && name === "GET /ready"
        if (!status.startsWith("2") && !isUnready) continue
        for (const content of Object.values(response.content)) check(content, `${name} ${status}`)
      }
    }
    assert.isAbove(found, operations.length)
  })

  it("exist for every parameter of operations without a body", () => {
    const { parameters } = document.paths["/auth/callback/oauth"].get
    for (const { example, name } of parameters.filter(({ $ref }: any) => $ref === undefined)) {
      assert.isString(example, name)
    }
  })
})
