import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  type Answers,
  type Authentication,
  defaultVariable,
  definitionOf
} from "../../../../src/cli/commands/provider/NewDefinition.ts"
import { readDefinition } from "../../../../src/domain/definition/ProviderDocument.ts"
import { exportNames } from "../../../../src/domain/definition/ProviderFields.ts"

const answers: Omit<Answers, "authentication"> = {
  name: "acme-api",
  displayName: "Acme",
  apiUrl: "https://api.acme.com/v1",
  credentialsUrl: "https://acme.com/keys",
  variable: "ACME_KEY"
}

const ways: ReadonlyArray<Authentication> = [
  { kind: "bearer" },
  { kind: "header", name: "X-Key", prefix: "" },
  { kind: "query", parameter: "key" },
  { kind: "path", template: "/bot{api_key}" },
  { kind: "basic" },
  {
    kind: "oauth",
    authorizationUrl: "https://acme.com/authorize",
    tokenUrl: "https://acme.com/token",
    scopes: ["read"]
  }
]

describe("definitionOf", () => {
  for (const authentication of ways) {
    it(`builds a valid definition from the answers for ${authentication.kind}`, () => {
      const definition = Result.getOrThrow(readDefinition(definitionOf({ ...answers, authentication })))
      assert.strictEqual(definition.displayName, "Acme")
      assert.include(exportNames(definition).map(({ variable }) => variable), "ACME_KEY")
      assert.strictEqual(definition.authType, authentication.kind === "oauth" ? "oauth2" : "api_key")
    })
  }

  it("omits unknown fields", () => {
    const document = definitionOf({ ...answers, credentialsUrl: "", authentication: { kind: "bearer" } })
    assert.notProperty(document, "credentials_url")
  })

  it("proposes the variable that the definition would have by default", () => {
    assert.strictEqual(defaultVariable("acme-api", "bearer"), "ACME_API_API_KEY")
    assert.strictEqual(defaultVariable("acme-api", "oauth"), "ACME_API_ACCESS_TOKEN")
  })
})
