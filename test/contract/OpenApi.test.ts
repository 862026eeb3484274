import SwaggerParser from "@apidevtools/swagger-parser"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openapi } from "../../scripts/generate/openapi.ts"
import { effect } from "../support/Fixture.ts"

const document = JSON.parse(openapi()) as any

/** The pages that the specification lists along with the operations. */
const pages = [
  "GET /auth/callback/oauth",
  "GET /auth/sessions/{session_id}/device",
  "GET /auth/sessions/{session_id}/input",
  "POST /auth/sessions/{session_id}/input"
]

const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"]

const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) =>
    item[method] === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, operation: item[method] }]
  )
)

/** Visits every object of the document, with its path. */
const walk = (value: unknown, visit: (object: Record<string, unknown>, path: string) => void, path = "#"): void => {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) visit(value as Record<string, unknown>, path)
  for (const [key, inner] of Object.entries(value)) walk(inner, visit, `${path}/${key}`)
}

/** The names of all properties that a schema reaches. References are followed, except into provider definitions. */
const propertiesOf = (schema: unknown, seen = new Set<string>(), names = new Set<string>()): ReadonlySet<string> => {
  walk(schema, (object) => {
    if (typeof object.properties === "object" && object.properties !== null) {
      for (const name of Object.keys(object.properties)) names.add(name)
    }
    if (typeof object.$ref === "string" && !object.$ref.endsWith("/ProviderDefinition") && !seen.has(object.$ref)) {
      seen.add(object.$ref)
      propertiesOf(resolve(object.$ref), seen, names)
    }
  })
  return names
}

const resolve = (reference: string): unknown =>
  reference.replace(/^#\//, "").split("/").reduce<any>(
    (inner, key) => inner?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")],
    document
  )

describe("the OpenAPI description", () => {
  effect("is valid OpenAPI 3.1", function*() {
    assert.match(document.openapi, /^3\.1\./)
    yield* Effect.promise(() => SwaggerParser.validate(structuredClone(document)))
  })

  it("has operations of every group of the contract", () => {
    const groups = new Set(operations.map(({ operation }) => operation.operationId.split(".")[0]))
    for (const group of ["system", "auth", "connections", "credentials", "providers", "proxy", "audit", "profiles"]) {
      assert.isTrue(groups.has(group), group)
    }
  })

  it("gives every operation a unique ID of the form group.operation", () => {
    const ids = operations.map(({ operation }) => operation.operationId as string)
    for (const id of ids) assert.match(id, /^[a-z]+\.[a-z][A-Za-z]*$/)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("gives every operation a summary, and every failure a problem document", () => {
    for (const { name, operation } of operations) {
      assert.isString(operation.summary, name)
      assert.isNotEmpty(operation.summary, name)
      const failures = Object.entries<any>(operation.responses).filter(([status]) => Number(status) >= 400)
      assert.isAbove(failures.length, 0, name)
      for (const [status, response] of failures) {
        const described = response.$ref === undefined ? response : resolve(response.$ref) as any
        // A daemon that is not ready responds with its own report.
        if (name === "GET /ready" && status === "503") continue
        const type = pages.includes(name) ? "text/html" : "application/problem+json"
        assert.deepStrictEqual(Object.keys(described.content), [type], `${name} ${status}`)
      }
    }
  })

  it("includes the pages of a login, which respond with HTML or a redirect to HTML", () => {
    const described = operations.filter(({ operation }) =>
      Object.entries<any>(operation.responses).every(([status, response]) =>
        status === "default" || status === "303" || response.content["text/html"] !== undefined
      )
    )
    assert.deepStrictEqual(described.map(({ name }) => name).toSorted(), pages)
    const { requestBody } = document.paths["/auth/sessions/{session_id}/input"].post
    assert.deepStrictEqual(Object.keys(requestBody.content), ["application/x-www-form-urlencoded"])
  })

  it("declares no authorization, since no operation requires a token", () => {
    assert.isUndefined(document.components.securitySchemes)
  })

  it("has no dangling references", () => {
    const dangling: Array<string> = []
    walk(document, (object, path) => {
      if (typeof object.$ref === "string" && (!object.$ref.startsWith("#/") || resolve(object.$ref) === undefined)) {
        dangling.push(`${path} → ${object.$ref}`)
      }
    })
    assert.deepStrictEqual(dangling, [])
  })

  it("contains no refresh token", () => {
    // A provider definition says where a token endpoint returns one; that is a location, not a token.
    const { ProviderDefinition: _, ...schemas } = document.components.schemas
    const names = new Set([...propertiesOf(document.paths), ...propertiesOf(schemas)])
    assert.isTrue(names.has("access_token"))
    assert.isFalse(names.has("refresh_token"))
    assert.isFalse(names.has("refreshToken"))
  })

  it("returns credentials only in connection records", () => {
    const answering = (name: string) =>
      operations.filter(({ operation }) =>
        Object.entries<any>(operation.responses).some(([status, response]) =>
          status.startsWith("2") && propertiesOf(response).has(name)
        )
      ).map(({ operation }) => operation.operationId as string).toSorted()
    assert.deepStrictEqual(answering("access_token"), ["connections.get", "connections.list"])
    assert.deepStrictEqual(answering("api_key"), ["connections.get", "connections.list"])
    for (const name of ["client_secret", "password", "private_key"]) assert.deepStrictEqual(answering(name), [], name)
  })
})
