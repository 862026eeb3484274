import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import type { OAuthProvider, ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { ApiKeyFlow } from "../../src/flows/ApiKeyFlow.ts"
import { Flows } from "../../src/flows/Flows.ts"
import { keyDocument, oauthDefinition } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"

const keyDefinition = (changes: object = {}) => Result.getOrThrow(readDefinition(keyDocument({ ...changes })))

describe("Flows", () => {
  it.effect("supports the flows of a definition, and those that it need not declare", () =>
    Effect.gen(function*() {
      const { of } = yield* Flows
      const oauth = (...flows: OAuthProvider["flows"]) => ({ ...oauthDefinition(), flows })
      const supported: ReadonlyArray<readonly [ProviderDefinition, flows: string]> = [
        [keyDefinition(), "api_key, credential_command"],
        [oauth("pkce", "device_code"), "pkce, device_code, refresh_token"],
        [oauth("dcr_pkce"), "dcr_pkce, pkce, refresh_token"],
        [oauth("client_credentials"), "client_credentials"]
      ]
      for (const [definition, flows] of supported) {
        const { message } = yield* failsWith(of(definition, "assume_role"), "OperationNotAllowedError")
        assert.strictEqual(message, `acme does not support a login with a role (assume_role). It supports: ${flows}.`)
      }
    }).pipe(Effect.provide(Flows.layerOf([]))))

  it.effect("uses the first flow of a kind that supports the provider", () =>
    Effect.gen(function*() {
      const own = { ...ApiKeyFlow, supports: ({ name }: { readonly name: string }) => name === "acme" }
      const { of } = yield* Effect.provide(Flows, Flows.layerOf([own, ApiKeyFlow]))
      assert.strictEqual(yield* of(keyDefinition(), "api_key"), own)
      assert.strictEqual(yield* of(keyDefinition({ name: "other" }), "api_key"), ApiKeyFlow)
    }))
})
