import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ResolveRequest } from "../../../src/domain/wire/Resolve.ts"
import { acme, main, work } from "../../support/Acme.ts"
import { failsWith } from "../../support/Failures.ts"
import { definition, effect, inHome, name, provider } from "../../support/KeyConnections.ts"
import { define, undefine } from "../../support/Services.ts"
import { revealed } from "../../support/StoredConnections.ts"

describe("HostRouting", () => {
  effect("rejects plain HTTP, other ports and other hosts", function*({ resolve, save }) {
    yield* save("default")
    const refusal = (request: Partial<ResolveRequest>) => Effect.map(Effect.flip(resolve(request)), ({ _tag }) => _tag)
    const chosen = { provider: acme, connection: main }
    for (const way of [{}, { provider: acme }, chosen]) {
      assert.strictEqual(yield* refusal({ ...way, scheme: "http" }), "OperationNotAllowedError")
      assert.strictEqual(yield* refusal({ ...way, port: 8443 }), "OperationNotAllowedError")
      assert.strictEqual(yield* refusal({ ...way, port: 80 }), "OperationNotAllowedError")
    }
    assert.strictEqual(yield* refusal({ host: "evil.example" }), "ProviderNotFoundError")
    const cases = [
      "evil.example",
      "acme.example",
      "api.acme.example.evil.example",
      "127.0.0.1",
      "x@api.acme.example"
    ]
    for (const host of cases) {
      assert.strictEqual(yield* refusal({ host, provider: acme }), "OperationNotAllowedError")
      assert.strictEqual(yield* refusal({ host, ...chosen }), "OperationNotAllowedError")
    }
    assert.strictEqual(yield* refusal({ provider: provider("nope") }), "ProviderNotFoundError")
  })

  it.effect("accepts a declared port and no other", () =>
    inHome(function*({ resolve, save }) {
      yield* save("default", { api_key: "k" })
      assert.deepStrictEqual(revealed((yield* resolve({ port: 8443 })).headers), { Authorization: "Bearer k" })
      yield* failsWith(resolve({ port: 443 }), "OperationNotAllowedError")
    }, definition({ api_url: "https://api.acme.example:8443" })))

  effect("names the login command for a host without a connection", function*({ resolve, save }) {
    const unconnected = yield* failsWith(resolve(), "CredentialMissingError")
    assert.include(unconnected.detail, "credsvc login acme")
    yield* save("default")
    const other = yield* failsWith(resolve({ provider: acme, connection: work }), "CredentialMissingError")
    assert.include(other.detail, "credsvc login acme --connection work")
  })

  it.effect("sends nothing if two custom providers claim the host equally, unless the request names one of them", () =>
    inHome(
      function*({ resolve, save }) {
        const unconnected = yield* failsWith(resolve(), "CredentialMissingError")
        assert.include(unconnected.detail, "credsvc login acme, or: credsvc login acme2")
        yield* save("default", { api_key: "one" })
        assert.deepStrictEqual(revealed((yield* resolve()).headers), { Authorization: "Bearer one" })
        yield* save("default", { api_key: "two" }, { provider: provider("acme2") })
        const error = yield* failsWith(resolve(), "AmbiguousProviderError")
        assert.deepStrictEqual(error.candidates.map(({ provider }) => provider), ["acme", "acme2"])
        assert.deepStrictEqual(revealed((yield* resolve({ provider: provider("acme2") })).headers), {
          Authorization: "Bearer two"
        })
      },
      definition(),
      definition({ name: "acme2" })
    ))

  it.effect("selects the connection of the tenant that owns the host", () =>
    inHome(function*({ connections, profile, resolve, save }) {
      yield* save("a", { api_key: "ka" }, { baseUrl: "https://a.acme.example" })
      yield* save("b", { api_key: "kb" }, { baseUrl: "https://b.acme.example" })
      const at = (host: string, more: Partial<ResolveRequest> = {}) => resolve({ host, path: "/api/x", ...more })
      assert.strictEqual((yield* at("a.acme.example")).connection, "a")
      assert.strictEqual((yield* at("b.acme.example")).connection, "b")
      yield* failsWith(at("a.acme.example", { provider: acme, connection: name("b") }), "OperationNotAllowedError")
      yield* failsWith(resolve({ host: "a.acme.example", path: "/other" }), "OperationNotAllowedError")
      const { routes } = yield* connections.routes(profile)
      assert.sameDeepMembers(
        routes.filter(({ provider }) => provider === acme).map(({ connection, host }) => [host, connection]),
        [["a.acme.example", "a"], ["b.acme.example", "b"]]
      )
    }, definition({ api_url: "{base_url}/api", api_key: { base_url: "https://{tenant}.acme.example" } })))

  effect(
    "changes the version of the routes with every change of what they depend on",
    function*({ connections, profile, save }, home) {
      const version = Effect.map(connections.routes(profile), ({ version }) => version)
      const none = yield* version
      assert.strictEqual(yield* version, none)
      yield* save("default")
      const connected = yield* version
      assert.notStrictEqual(connected, none)
      yield* define(home, definition({ name: "another", api_url: "https://api.another.example" }))
      assert.notStrictEqual(yield* version, connected)
      yield* connections.logout(profile, acme, main)
      yield* undefine(home, "another")
      assert.strictEqual(yield* version, none)
    }
  )
})
