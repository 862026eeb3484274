import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { hostsOfPattern, importDefinition } from "../../../src/cli/definitions/ForeignDefinition.ts"
import { parseDefinition } from "../../../src/domain/definition/ProviderDocument.ts"

describe("hostsOfPattern", () => {
  it("reads patterns that match a host or one label below it", () => {
    assert.deepStrictEqual(hostsOfPattern("api\\.acme\\.com"), ["api.acme.com"])
    assert.deepStrictEqual(hostsOfPattern("^api\\.acme\\.com$"), ["api.acme.com"])
    assert.deepStrictEqual(hostsOfPattern(".*\\.linear\\.app"), ["*.linear.app"])
    assert.deepStrictEqual(hostsOfPattern("[^.]+\\.acme\\.com"), ["*.acme.com"])
    assert.deepStrictEqual(hostsOfPattern("(.*\\.)?acme\\.com"), ["acme.com", "*.acme.com"])
    assert.deepStrictEqual(hostsOfPattern("(?:.+\\.)?acme\\.com"), ["acme.com", "*.acme.com"])
  })

  it("rejects a pattern that matches more than that", () => {
    for (
      const pattern of [".*googleapis.*", "acme.com", "(a|b)\\.acme\\.com", ".*\\.acme\\.com/.*", "(.*\\.acme\\.com"]
    ) {
      assert.isUndefined(hostsOfPattern(pattern), pattern)
    }
  })
})

const foreign = {
  name: "Acme_DCR",
  display_name: "Acme",
  auth_type: "oauth2",
  flow: "dcr_pkce",
  host_url: "regex:.*\\.acme\\.com",
  oauth: {
    authorization_url: "https://acme.com/authorize",
    token_url: "https://acme.com/token",
    device_authorization_url: null,
    supports_dcr: true,
    colour: "blue"
  },
  registration: { registration_endpoint: "https://acme.com/register" },
  export: { ACME_TOKEN: "ACCESS_TOKEN" },
  metadata: { description: "An API." },
  docs: "https://acme.com/docs",
  icon: "acme.svg"
}

describe("importDefinition", () => {
  it("returns a definition that can be registered, and lists its changes", () => {
    const { document, notes } = Result.getOrThrow(importDefinition(foreign))
    const definition = Result.getOrThrow(parseDefinition(JSON.stringify(document)))
    assert.strictEqual(definition.name, "acme_dcr")
    assert.deepStrictEqual(definition.hosts, ["*.acme.com"])
    assert.lengthOf(notes, 4)
    for (const said of ["*.acme.com", "acme_dcr", "/icon", "/oauth/colour"]) assert.include(notes.join(), said)
  })

  it("does not change a valid definition", () => {
    const document = { name: "acme", auth_type: "api_key", flow: "api_key", api_url: "https://api.acme.com" }
    assert.deepStrictEqual(Result.getOrThrow(importDefinition(document)), { document, notes: [] })
  })

  it("removes hosts that it cannot read and variables that would contain a refresh token", () => {
    const { document, notes } = Result.getOrThrow(importDefinition({
      ...foreign,
      name: "acme",
      host_url: "regex:.*acme.*",
      export: { env: { access_token: "ACME_TOKEN", refresh_token: "ACME_REFRESH" } }
    }))
    assert.notProperty(document, "host_url")
    assert.notProperty(document, "hosts")
    assert.notInclude(JSON.stringify(document), "ACME_REFRESH")
    assert.include(notes.join(), "list them under hosts")
  })

  it("reports every problem that it cannot fix", () => {
    const paths = (document: unknown) =>
      Result.match(importDefinition(document), {
        onFailure: (problems) => problems.map(({ path }) => path),
        onSuccess: () => []
      })
    assert.deepStrictEqual(paths([]), [""])
    assert.include(paths({ ...foreign, oauth: { ...foreign.oauth, token_url: "http://acme.com" } }), "/oauth/token_url")
  })
})
