import { assert, describe } from "@effect/vitest"
import type { ProviderName } from "../../../src/domain/definition/Provider.ts"
import { work } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { definition, effect, key } from "../../support/KeyLogins.ts"
import { define } from "../../support/Services.ts"

describe("LoginStart", () => {
  effect(
    "rejects a login for an existing connection at its start, unless the login may replace the connection",
    function*({ reveal, runner, start }) {
      yield* runner.resume((yield* start()).sessionId, key("ak-1"))
      yield* failsWith(start(), "ConnectionAlreadyExistsError")
      yield* start({ connection: work })
      yield* runner.resume((yield* start({ force: true })).sessionId, key("ak-2"))
      assert.strictEqual(yield* reveal, "ak-2")
    }
  )

  effect("rejects unknown providers and invalid base URLs", function*({ runner, start }, home) {
    yield* define(
      home,
      definition({
        name: "tenants",
        api_url: "{base_url}/api",
        api_key: { base_url: "https://{tenant}.acme.example" }
      })
    )
    yield* failsWith(start({ provider: "nope" as ProviderName }), "ProviderNotFoundError")
    const tenant = (baseUrl?: string) =>
      start({ provider: "tenants" as ProviderName, ...(baseUrl === undefined ? {} : { baseUrl }) })
    for (
      const url of [undefined, "https://example.com.evil.test", "http://a.acme.example", "https://x@a.acme.example"]
    ) {
      yield* failsWith(tenant(url), "InvalidRequestError")
    }
    const { sessionId } = yield* tenant("https://a.acme.example/")
    assert.deepStrictEqual((yield* runner.form(sessionId)).hosts, ["a.acme.example/api"])
  })

  effect("rejects options that have no effect on the login, and requires those of its flow", function*({ start }) {
    const error = yield* failsWith(
      start({
        scopes: ["read"],
        noResource: true,
        trustIssuer: "https://as.example",
        command: { argv: ["/usr/bin/pass"], output: "text", values: {} },
        clientId: "https://client.example/id.json",
        redirectHost: "localhost"
      }),
      "InvalidRequestError"
    )
    assert.deepStrictEqual(error.problems, [
      { path: "/scopes", message: "API keys have no scopes" },
      { path: "/no_resource", message: "has no effect: this login does not send a resource" },
      { path: "/trust_issuer", message: "has no effect: this login does not compare issuers" },
      { path: "/command", message: "is allowed only with the flow credential_command" },
      { path: "/client_id", message: "has no effect: this login does not contact an authorization server" },
      { path: "/redirect_host", message: "has no effect: this login does not use the browser" }
    ])
    const { problems } = yield* failsWith(start({ flow: "credential_command" }), "InvalidRequestError")
    assert.deepStrictEqual(problems, [{ path: "/command", message: "is required by the flow credential_command" }])
  })
})
