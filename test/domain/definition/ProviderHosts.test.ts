import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import { ProviderDefinition } from "../../../src/domain/definition/Provider.ts"
import { apiUrlOf, baseUrlsOf, hostFor, resolveBaseUrl } from "../../../src/domain/definition/ProviderHosts.ts"
import { baseUrlOfKey } from "../../../src/providers/KeyCheck.ts"
import { keyDefinition, keyDocument, oauthDefinition, oauthDocument } from "../../support/Acme.ts"

const us = "https://api.acme.example"
const eu = "https://api.eu.acme.example"

const regional = {
  api_url: "{base_url}/v1",
  hosts: ["login.acme.example"],
  regions: [
    { name: "us", base_url: us, hosts: ["api.acme.example", "files.acme.example/v1"], key_pattern: "us-.*" },
    { name: "eu", base_url: eu, key_pattern: "eu-.*" }
  ],
  export: { env: { base_url: [], region: "ACME_REGION" }, base_urls: { ACME_BASE_URL: "{base_url}/v1" } }
}

const definition = keyDefinition(regional)

const resolved = (given?: string) => Result.getOrElse(resolveBaseUrl(definition, given), (problem) => problem)

describe("the regions of a definition", () => {
  it.each<[string, string | undefined, string | null]>([
    ["no address if it chooses no region", undefined, null],
    ["the address of the region that it names", "eu", eu],
    ["the address that it states, if a region has this address", us, us]
  ])("give a connection %s", (_, given, expected) => {
    assert.strictEqual(resolved(given), expected)
  })

  it("are named in the error when a login chooses none of them", () => {
    const problem = `The base URL does not have the form ${us} (us) or ${eu} (eu).`
    assert.strictEqual(resolved("https://acme.example"), problem)
    assert.match(resolved("asia")!, /^The base URL /)
  })

  it.each<[string, string | null, string]>([
    [
      "all hosts receive it if the connection has no region",
      null,
      "api.acme.example files.acme.example api.eu.acme.example login.acme.example"
    ],
    ["also hosts outside of all regions receive it", us, "api.acme.example files.acme.example login.acme.example"],
    ["a region without hosts has that of its base URL", eu, "api.eu.acme.example login.acme.example"]
  ])("limit the hosts that receive the credential: %s", (_, baseUrl, expected) => {
    const hosts = ["api.acme.example", "files.acme.example", "api.eu.acme.example", "login.acme.example"]
    const own = hosts.filter((host) => hostFor(definition, baseUrl, { host, port: 443, path: "/v1" }) !== undefined)
    assert.strictEqual(own.join(" "), expected)
  })

  it("decide the address of the API and the base URL of SDKs; the first region is the default", () => {
    for (const [baseUrl, expected] of [[null, us], [us, us], [eu, eu]] as const) {
      assert.strictEqual(apiUrlOf(definition, baseUrl), `${expected}/v1`)
      assert.deepStrictEqual(baseUrlsOf(definition, baseUrl), [["ACME_BASE_URL", `${expected}/v1`]])
    }
  })

  it("are chosen by the form of a key, if it fits only one of them", () => {
    const choice = (key: string, of = definition) => baseUrlOfKey(of, { api_key: Redacted.make(key) })
    assert.deepStrictEqual(["us-1", "eu-1", "1"].map((key) => choice(key)), [us, eu, null])
    const [first, second] = regional.regions
    assert.isNull(choice("us-1", keyDefinition({ ...regional, regions: [first, { ...second, key_pattern: ".*" }] })))
  })

  it("are the same after encoding and decoding", () => {
    const document = Schema.encodeSync(ProviderDefinition)(definition)
    assert.deepStrictEqual(Result.getOrThrow(readDefinition(document)), definition)
  })

  const [first] = regional.regions
  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    ["/api_url", "with a fixed API", { ...regional, api_url: us }],
    ["/regions/1/name", "with the same name", { ...regional, regions: [first, { ...first, base_url: eu, hosts: [] }] }],
    ["/regions/1/base_url", "with the same address", { ...regional, regions: [first, { ...first, name: "eu" }] }],
    ["/regions/0/base_url", "without its host", { regions: [{ ...first, hosts: ["b.example"] }], api_url: undefined }],
    ["/regions/0/hosts/0", "on a bad host", { ...regional, regions: [{ ...first, hosts: ["*", "api.acme.example"] }] }],
    ["/regions/0/revocation_url", "with an invalid endpoint", {
      ...regional,
      regions: [{ ...first, revocation_url: "http://acme.example/revoke" }]
    }],
    ["/regions/0/key_pattern", "with an invalid pattern", { ...regional, regions: [{ ...first, key_pattern: "(" }] }],
    ["/export/base_urls/ACME_URL", "that a variable needs but the definition lacks", {
      export: { base_urls: { ACME_URL: "{base_url}" } }
    }],
    ["/export/env/region", "that a variable needs but the definition lacks", {
      export: { env: { region: "ACME_REGION" } }
    }]
  ])("are refused at %s: regions %s", (path, _, changes) => {
    const problems = Result.match(readDefinition(JSON.parse(JSON.stringify(keyDocument(changes)))), {
      onFailure: (found) => found.map((problem) => problem.path),
      onSuccess: () => []
    })
    assert.deepStrictEqual(problems, [path])
  })

  it.each([["https://acme.example/token", null], ["{base_url}/token", us]])(
    "are optional for an OAuth login, unless its endpoint depends on them: %s",
    (token_url, expected) => {
      const regions = regional.regions.map(({ base_url, name }) => ({ base_url, name }))
      const document = oauthDefinition({ api_url: "{base_url}", regions, oauth: { token_url } })
      assert.strictEqual(Result.getOrThrow(resolveBaseUrl(document)), expected)
    }
  )

  it("have no patterns of keys in a definition with OAuth", () => {
    const result = readDefinition(oauthDocument({ api_url: "{base_url}", regions: regional.regions }))
    const paths = Result.match(result, { onFailure: (found) => found.map(({ path }) => path), onSuccess: () => [] })
    assert.deepStrictEqual(paths, ["/regions/0/key_pattern", "/regions/1/key_pattern"])
  })
})
