import { assert, describe, it } from "@effect/vitest"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import type { ProxyPlaceholder } from "../../../src/domain/wire/ProxyRoutes.ts"
import { filtered } from "../../../src/proxy/routing/RouteTable.ts"

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
