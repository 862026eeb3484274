import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CredentialRefusedError } from "../../src/proxy/routing/CredentialSource.ts"
import { AreRead } from "../../src/telemetry/Metrics.ts"
import { live } from "../support/Fixture.ts"
import { EVIL, HOST, proxied } from "../support/ProxiedHost.ts"
import { fakeDaemon, route } from "../support/ProxyHarness.ts"
import { recordTelemetry } from "../support/RecordedTelemetry.ts"

describe("ProxyTelemetry", () => {
  live("counts and traces requests, injections and credential requests", function*() {
    const { metrics, recorded, run, spans } = recordTelemetry()
    const { exchange } = yield* run(proxied())
    assert.strictEqual((yield* exchange("GET /v1/models?key=canary-query")).status, 200)
    assert.strictEqual((yield* exchange("PROPFIND /canary-path")).status, 200)
    const { value } = metrics()
    assert.strictEqual(
      value("credsvc_proxy_requests_total", { provider: "example", method: "GET", status: "200" }),
      1
    )
    assert.strictEqual(
      value("credsvc_proxy_requests_total", { provider: "example", method: "other", status: "200" }),
      1
    )
    assert.strictEqual(value("credsvc_proxy_injections_total", { provider: "example" }), 2)
    assert.strictEqual(value("credsvc_proxy_request_duration_seconds_count", { provider: "example" }), 2)
    assert.strictEqual(value("credsvc_proxy_resolve_duration_seconds_count", { result: "resolved" }), 2)
    assert.strictEqual(value("credsvc_proxy_requests_in_progress"), 0)
    assert.strictEqual(value("credsvc_proxy_resolves_in_progress"), 0)
    assert.deepStrictEqual(
      spans.map(({ kind, name }) => [name, kind]),
      ["GET example", "other example"].flatMap((name) => [["CredentialSource.resolve", "client"], [name, "client"]])
    )
    assert.deepStrictEqual(Object.fromEntries(spans[1]!.attributes), {
      "http.request.method": "GET",
      "server.address": HOST,
      "credsvc.provider": "example",
      "credsvc.injected": "true",
      "http.response.status_code": 200
    })
    assert.strictEqual(spans[1]!.status._tag, "Ended")
    assert.notMatch(JSON.stringify(recorded), /canary|PROPFIND/)
  })

  live("counts nothing for a command that exports no metrics", function*() {
    const { registry, run } = recordTelemetry()
    const { exchange } = yield* run(Effect.provideService(proxied(), AreRead, false))
    assert.strictEqual((yield* exchange("GET /v1/models")).status, 200)
    assert.strictEqual(registry.size, 0)
  })

  live("counts a refusal by its class, and not as an injection", function*() {
    const { metrics, run, spans } = recordTelemetry()
    const detail = "no login for example"
    const refused = new CredentialRefusedError({ error: "CredentialMissingError", detail, status: 404 })
    const daemon = fakeDaemon([route(HOST, "example")], { resolve: () => Effect.fail(refused) })
    const { exchange } = yield* run(proxied(undefined, { daemon }))
    assert.isAtLeast((yield* exchange("GET /")).status, 400)
    const { value } = metrics()
    assert.strictEqual(value("credsvc_proxy_refusals_total", { error: "CredentialMissingError" }), 1)
    assert.strictEqual(value("credsvc_proxy_resolve_duration_seconds_count", { result: "refused" }), 1)
    assert.isUndefined(value("credsvc_proxy_injections_total"))
    assert.strictEqual(spans.find(({ name }) => name === "GET example")?.attributes.get("error.type"), refused.error)
  })

  live("names no host for which it adds no credential", function*() {
    const { metrics, recorded, run } = recordTelemetry()
    const { forward } = yield* run(proxied())
    yield* forward(`GET http://${EVIL}/`, `Host: ${EVIL}\r\n`)
    const { samples, value } = metrics()
    assert.strictEqual(value("credsvc_proxy_requests_total", { provider: "none", method: "GET" }), 1)
    assert.notInclude(JSON.stringify([samples, recorded]), EVIL)
  })
})
