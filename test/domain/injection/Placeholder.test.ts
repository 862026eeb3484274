import { assert, describe, it } from "@effect/vitest"
import {
  connectionsIn,
  jwtPhantom,
  opaquePhantom,
  phantomsIn,
  type TokenRole
} from "../../../src/domain/injection/Placeholder.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProviderName } from "../../../src/domain/wire/ProviderName.ts"
import { claimsOf } from "../../../src/oauth/IdToken.ts"

const named = (role: TokenRole, connection: string) => ({
  role,
  provider: "acme.io" as ProviderName,
  connection: connection as ConnectionName,
  login: connection.length % 2 === 0 ? undefined : "0123456789ab",
  issued: undefined
})

describe("phantoms", () => {
  for (const connection of ["default", "login-2", "me@work.example", "a".repeat(64), "x", "xy", "xyz"]) {
    it(`name the login "${connection}", as opaque text and as a JSON Web Token`, () => {
      const opaque = opaquePhantom("gho_credsvc-proxy-managed", named("access_token", connection))
      const jwt = jwtPhantom({}, named("id_token", connection))
      assert.deepStrictEqual(phantomsIn(`Bearer ${opaque}`), [named("access_token", connection)])
      assert.deepStrictEqual(phantomsIn(jwt), [named("id_token", connection)])
      assert.lengthOf(jwt.split("."), 3)
      for (const part of jwt.split(".")) assert.isTrue(/^[\w-]+$/.test(part) && part.length % 4 !== 1, part)
      // They are no placeholders of connections, which name no provider.
      assert.deepStrictEqual(connectionsIn(opaque), [])
    })
  }

  it("contain the ID of an issued token", () => {
    const name = { ...named("access_token", "default"), role: "issued_token" as const, issued: "c2VhbGVk" }
    assert.deepStrictEqual(phantomsIn(opaquePhantom("credsvc-proxy-managed", name)), [name])
  })

  it("keep the given claims, including non-ASCII characters", () => {
    const claims = { email: "\u00e4da@example.com", "https://a.example/x": { "a/b": 1 } }
    const phantom = jwtPhantom(claims, named("id_token", "default"))
    assert.deepStrictEqual(claimsOf(phantom) as object, { ...claims, exp: 4_102_444_800 })
  })

  it("are not read from other texts", () => {
    const other = (text: string) => `credsvc-proxy-managed---${Buffer.from(text).toString("base64url")}`
    for (
      const text of [
        "api_key acme default",
        "access_token acme",
        "access_token acme a b c",
        "access_token acme a -",
        "access_token ../x default"
      ]
    ) {
      assert.deepStrictEqual(phantomsIn(other(text)), [], text)
    }
    assert.deepStrictEqual(phantomsIn("credsvc-proxy-managed---"), [])
    assert.isUndefined(claimsOf("a.b.c"))
  })
})
