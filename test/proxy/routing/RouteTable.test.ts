import { assert, describe, it } from "@effect/vitest"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import type { ProxyPlaceholder } from "../../../src/domain/wire/ProxyRoutes.ts"
import { decideRoute, filtered, make } from "../../../src/proxy/routing/RouteTable.ts"
import { route } from "../../support/ProxyHarness.ts"

const variable = (provider: string, name: string, value: string, connection?: string): ProxyPlaceholder => ({
  provider: provider as ProviderName,
  ...(connection === undefined ? {} : { connection: connection as ConnectionName }),
  variable: name,
  value
})

describe("filtered", () => {
  const token = variable("twilio", "TWILIO_AUTH_TOKEN", "credsvc-proxy-managed")
  const account = variable("twilio", "TWILIO_ACCOUNT_SID", "AC1")
  const other = variable("twilio", "TWILIO_ACCOUNT_SID", "AC2", "work")
  const openai = variable("openai", "OPENAI_API_KEY", "sk-credsvc-proxy-managed")
  const listed = [token, account, openai, other]

  it("returns the default variables if no connection is selected", () => {
    assert.deepStrictEqual(filtered(listed, {}), [token, account, openai])
  })

  it("prefers the variables of the selected connection, and keeps the other default variables", () => {
    assert.deepStrictEqual(filtered(listed, { connections: { twilio: "work" } }), [token, openai, other])
    assert.deepStrictEqual(filtered(listed, { connections: { twilio: "third" } }), [token, account, openai])
    assert.deepStrictEqual(filtered(listed, { connections: { openai: "work" } }), [token, account, openai])
  })

  it("returns only the variables of the selected providers", () => {
    assert.deepStrictEqual(filtered(listed, { providers: ["openai"], connections: { twilio: "work" } }), [
      openai
    ])
  })
})

describe("decideRoute", () => {
  const host = "api.acme.test"
  const table = make("1", [
    route(host, "one", { pathPrefix: "/one" }),
    route(host, "open", { pathPrefix: "/open", open: true }),
    route(host, "red", { pathPrefix: "/both" }),
    route(host, "blue", { pathPrefix: "/both" })
  ], { connections: { one: "work" } })

  it.each([
    ["GET", "/one/x", undefined, "one"],
    ["GET", "/other/../one", undefined, "Ambiguous"],
    ["OPTIONS", "/one/x", undefined, "Plain"],
    ["OPTIONS", "/open", undefined, "open"],
    ["GET", "/both", undefined, "Ambiguous"],
    ["OPTIONS", "/both", undefined, "Plain"],
    ["GET", "/both", "blue", "blue"]
  ])("decides %s %s, with a placeholder of %s: %s", (method, target, provider, expected) => {
    const decision = decideRoute(table.host(host, 443), method, target, provider)
    assert.strictEqual(decision._tag === "Routed" ? decision.route.provider : decision._tag, expected)
  })

  it("routes only the host and port, to the connection of the run", () => {
    const decided = [table.host(host, 443), table.host(host, 8443), table.host(`x.${host}`, 443)]
      .map((routes) => decideRoute(routes, "GET", "/one"))
    assert.nestedInclude(decided[0], { _tag: "Routed", "route.connection": "work" })
    assert.deepStrictEqual(decided.slice(1), [{ _tag: "Plain" }, { _tag: "Plain" }])
  })
})

describe("make", () => {
  const routes = [
    route("*.acme.test", "acme"),
    route("one.test:8443", "one"),
    route("asked.test", "asked", { asked: true }),
    route("login.test", "login", { login: true })
  ]

  it.each([
    [{}, "*.acme.test login.test one.test", "acme.test asked.test login.test one.test"],
    [{ providers: ["acme"] }, "*.acme.test", "acme.test login.test"],
    [{ providers: ["asked"] }, "asked.test", "asked.test login.test"]
  ])("routes, and permits in certificates, only the hosts of the filter %j", (filter, patterns, names) => {
    const table = make("1", routes, filter)
    assert.strictEqual(table.patterns.join(" "), patterns)
    assert.strictEqual(table.certificateNames.toSorted().join(" "), names)
  })
})
