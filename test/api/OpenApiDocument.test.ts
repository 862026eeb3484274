import SwaggerParser from "@apidevtools/swagger-parser"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { errorRows } from "../../scripts/generate/errors.ts"
import { openapi } from "../../scripts/generate/json.ts"
import { clientHeader } from "../../src/config/daemon/AccessKey.ts"
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
    if (
      typeof object.$ref === "string" && !/\/Provider(?:Definition|Detail)$/.test(object.$ref) && !seen.has(object.$ref)
    ) {
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

const isSentence = (description: unknown): boolean => typeof description === "string" && description.length > 1

/** The object, or the one that it refers to. */
const dereferenced = (object: any): unknown => object?.$ref === undefined ? object : resolve(object.$ref)

/** Visits every schema of the document, with its path. A map of properties is not a schema. */
const walkSchemas = (visit: (schema: any, path: string) => void): void => {
  const data = /\/(?:example|mapping|default)(?:\/|$)|\/properties$/
  walk(document, (object, path) => {
    if (!data.test(path)) visit(object, path)
  })
}

const isComponent = (path: string): boolean => /^#\/components\/schemas\/[^/]+$/.test(path)

/** The names of the components that a value refers to, also by way of others. */
const reachedFrom = (value: unknown, names = new Set<string>()): ReadonlySet<string> => {
  walk(value, ({ $ref }) => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(typeof $ref === "string" ? $ref : "")?.[1]
    if (name === undefined || names.has(name)) return
    names.add(name)
    reachedFrom(document.components.schemas[name], names)
  })
  return names
}

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
        const types = pages.includes(name) ? ["text/html", "application/problem+json"] : ["application/problem+json"]
        for (const type of Object.keys(described.content)) assert.include(types, type, `${name} ${status}`)
      }
    }
  })

  it("includes the pages of a login, which respond with HTML or a redirect to HTML", () => {
    const described = operations.filter(({ operation }) =>
      Object.entries<any>(operation.responses).some(([status, response]) =>
        status === "303" || response.content?.["text/html"] !== undefined
      )
    )
    assert.deepStrictEqual(described.map(({ name }) => name).toSorted(), pages)
    const { requestBody } = document.paths["/auth/sessions/{session_id}/input"].post
    assert.deepStrictEqual(Object.keys(requestBody.content), ["application/x-www-form-urlencoded"])
  })

  it("requires no token, and describes how local and remote callers are admitted instead", () => {
    assert.deepStrictEqual(Object.keys(document.components.securitySchemes), ["accessKey", "signature"])
    const { in: place, name, type } = document.components.securitySchemes.accessKey
    assert.deepStrictEqual([type, place, name.toLowerCase()], ["apiKey", "header", clientHeader])
    const requiring = operations.filter(({ operation }) =>
      operation.security.every((schemes: object) => Object.keys(schemes).length > 0)
    )
    assert.deepStrictEqual(requiring.map(({ name }) => name), ["POST /runs"])
  })

  it("has the responses of the guard for every operation", () => {
    const refusedAt = (operation: any, status: string): boolean =>
      JSON.stringify(dereferenced(operation.responses[status])).includes("/RequestRefusedError\"")
    for (const { name, operation } of operations) {
      const withBody = operation.requestBody === undefined ? [] : ["413", "415"]
      for (const status of ["400", "401", "403", "405", ...withBody, "429", "431"]) {
        assert.isTrue(refusedAt(operation, status), `${name} ${status}`)
      }
    }
  })

  it("describes a 304 response where a client can send If-None-Match", () => {
    const conditional = operations.filter(({ operation }) => operation.responses["304"] !== undefined)
    assert.deepStrictEqual(conditional.map(({ name }) => name), ["GET /proxy/routes", "GET /proxy/sandboxes"])
    for (const { operation } of conditional) {
      assert.property(operation.responses["200"].headers, "ETag")
      assert.isTrue(operation.parameters.some((each: object) => (dereferenced(each) as any).name === "If-None-Match"))
    }
  })

  it("contains no refresh token", () => {
    // A provider definition says where a token endpoint returns one; that is a location, not a token.
    const definitions = reachedFrom([
      { $ref: "#/components/schemas/ProviderDefinition" },
      { $ref: "#/components/schemas/ProviderDetail" }
    ])
    const schemas = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      definitions.has(name) ? [] : [schema]
    )
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

describe("the schemas of the OpenAPI description", () => {
  it("are all named if they have properties or an enum", () => {
    const anonymous: Array<string> = []
    walkSchemas((schema, path) => {
      if ((schema.properties !== undefined || schema.enum !== undefined) && !isComponent(path)) anonymous.push(path)
    })
    assert.deepStrictEqual(anonymous, [])
    assert.isAbove(Object.keys(document.components.schemas).length, 150)
  })

  it("describe themselves and every property", () => {
    const undescribed = Object.entries<any>(document.components.schemas)
      .filter(([, { description }]) => !isSentence(description)).map(([name]) => name)
    let properties = 0
    walkSchemas((schema, path) => {
      for (const [name, property] of Object.entries<any>(schema.properties ?? {})) {
        properties++
        if (!isSentence(property.description)) undescribed.push(`${path}: ${name}`)
      }
    })
    assert.deepStrictEqual(undescribed, [])
    assert.isAbove(properties, 500)
  })

  it("describe every parameter and every header", () => {
    const undescribed: Array<string> = []
    for (const { name, operation } of operations) {
      const described = operation.parameters.map(dereferenced).flatMap(({ in: place, name }: any) =>
        place === "path" ? [name] : []
      )
      assert.sameMembers(described, [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter), name)
      for (const parameter of operation.parameters.map(dereferenced)) {
        if (!isSentence(parameter.description)) undescribed.push(`${name}: ${parameter.name}`)
      }
      for (const response of Object.values<any>(operation.responses)) {
        for (const [header, { description }] of Object.entries<any>(response.headers ?? {})) {
          if (!isSentence(description)) undescribed.push(`${name}: ${header}`)
        }
      }
      if (!isSentence(operation.description)) undescribed.push(name)
    }
    assert.deepStrictEqual(undescribed, [])
  })

  it("name the property that distinguishes the objects of a union", () => {
    const unions: Array<string> = []
    walkSchemas((schema, path) => {
      const members = (schema.anyOf ?? schema.oneOf ?? []).map(dereferenced)
      if (members.filter(({ type }: any) => type === "object").length < 2) return
      unions.push(path)
      const { mapping, propertyName } = schema.discriminator ?? {}
      assert.isDefined(mapping, path)
      assert.strictEqual(Object.keys(mapping).length, members.length, path)
      for (const [value, reference] of Object.entries(mapping)) {
        assert.deepStrictEqual((resolve(reference as string) as any).properties[propertyName].const, value, path)
      }
    })
    assert.isAbove(unions.length, 20)
  })

  it("give times their format and names their pattern, and describe numbers as numbers", () => {
    const { schemas } = document.components
    assert.strictEqual(schemas.Timestamp.format, "date-time")
    const names = [
      "ConnectionName",
      "ProfileHandle",
      "ProviderName",
      "RunName",
      "SandboxName",
      "SessionId",
      "JsonPointer"
    ]
    for (const name of names) assert.isString(schemas[name].pattern, name)
    walkSchemas((schema, path) => {
      for (const name of Object.keys(schema.properties ?? {})) {
        // The number of an entry is not a time.
        if (name !== "broken_at" && name.endsWith("_at")) {
          assert.include(JSON.stringify(schema.properties[name]), "schemas/Timestamp\"", `${path}: ${name}`)
        }
      }
    })
    assert.notInclude(JSON.stringify(schemas), "Infinity")
  })

  it("accept unknown fields in responses only", () => {
    const schemas = document.components.schemas
    const inResponses = reachedFrom(operations.map(({ operation }) => operation.responses))
    for (const name of inResponses) assert.notStrictEqual(schemas[name].additionalProperties, false, name)
    const inRequests = reachedFrom(operations.map(({ operation }) => operation.requestBody?.content ?? {}))
    const closed = [...inRequests].filter((name) => schemas[name].properties !== undefined && !inResponses.has(name))
    assert.includeMembers(closed, ["StartLogin", "ExportRequest", "ResolveRequest", "NewSandbox", "ApiKeyProvider"])
    // The form of a login has the fields of its provider.
    for (const name of closed.filter((each) => each !== "LoginForm")) {
      assert.isFalse(schemas[name].additionalProperties, name)
    }
  })

  it("require every standard member of a problem", () => {
    for (const { name } of errorRows()) {
      // Only clients create this one.
      if (name === "DaemonUnavailableError") continue
      const { required } = document.components.schemas[name]
      assert.includeMembers(required, ["type", "title", "status", "error", "detail"], name)
    }
  })
})
