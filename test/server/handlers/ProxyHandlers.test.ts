import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { ConnectionName } from "../../../src/domain/Connection.ts"
import type { ProviderName } from "../../../src/domain/ProviderName.ts"
import { ProxyRoutes } from "../../../src/domain/ProxyRoutes.ts"
import { encodeRoutes } from "../../../src/server/handlers/ProxyHandlers.ts"
import * as fc from "../../support/FastCheck.ts"

const provider = fc.constantFrom("openai", "a.b-c").map((name) => name as ProviderName)
const connection = fc.constantFrom("default", "me@work").map((name) => name as ConnectionName)

const variables = fc.array(
  fc.record({ provider, connection, variable: fc.string(), value: fc.string() }, {
    requiredKeys: ["provider", "variable", "value"]
  })
)

const table = fc.record({
  version: fc.string(),
  routes: fc.array(fc.record({
    host: fc.string(),
    pathPrefix: fc.option(fc.string()),
    provider,
    connection: fc.option(connection),
    connected: fc.boolean(),
    precedence: fc.constantFrom("custom", "confirmed")
  }, { requiredKeys: ["host", "pathPrefix", "provider", "connection", "connected"] })),
  placeholders: variables,
  baseUrls: variables
})

describe("encodeRoutes", () => {
  it("encodes the routing table exactly as the API schema does", () => {
    const encode = Schema.encodeSync(Schema.toCodecJson(ProxyRoutes))
    fc.assert(fc.property(table, (routes) => assert.deepStrictEqual(JSON.parse(encodeRoutes(routes)), encode(routes))))
  })
})
