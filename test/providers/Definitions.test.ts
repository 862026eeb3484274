import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { differences, readFacts } from "../../scripts/lib/FactDifferences.ts"
import { keyPairFields } from "../../src/domain/definition/AwsSigV4.ts"
import { parseDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import { parseAddress } from "../../src/domain/definition/HostPattern.ts"
import { isStoredGrant, ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import {
  credentialFields,
  definedBaseUrl,
  exportNames,
  type LoginField,
  mainField
} from "../../src/domain/definition/ProviderFields.ts"
import {
  apiUrlOf,
  hostFor,
  hostsOf,
  learnedBaseUrl,
  resolveBaseUrl
} from "../../src/domain/definition/ProviderHosts.ts"
import { declaresLogin, sharesLogin } from "../../src/domain/injection/Capture.ts"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { exactPlaceholders, placeholderFor, placementAt, placements } from "../../src/domain/injection/Placement.ts"
import { compileRoutes } from "../../src/domain/injection/Route.ts"
import { mayBeKey } from "../../src/domain/text/KeyText.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import { matchesWhole } from "../../src/platform/PatternMatch.ts"
import { readCustomDefinition } from "../../src/providers/CustomDefinition.ts"
import { buildRoutes } from "../../src/providers/RoutingTable.ts"
import { keyDefinition } from "../support/Acme.ts"
import { effect } from "../support/Fixture.ts"

const directory = new URL("../../providers/", import.meta.url)

const files = fs.readdirSync(directory).toSorted().map((file) => {
  const text = fs.readFileSync(new URL(file, directory), "utf8")
  return { file, text, document: JSON.parse(text) as Readonly<Record<string, unknown>> }
})

const definitions: ReadonlyArray<ProviderDefinition> = files.map(({ text }) => Result.getOrThrow(parseDefinition(text)))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const { definitions: referenced, schema } = Schema.toJsonSchemaDocument(ProviderDefinition) as any
const resolved = (given: any): any => given.$ref === undefined ? given : referenced[given.$ref.split("/").at(-1)]
const variants: ReadonlyArray<any> = resolved(schema).anyOf.map(resolved)

/** The fields of a definition, or of one of its sections, in the order of the schema. */
const fieldsOf = (document: Readonly<Record<string, unknown>>, section?: string): ReadonlyArray<string> => {
  const { properties } = variants.find(({ properties }) => properties.auth_type.enum.includes(document["auth_type"]))
  const fields = section === undefined ? properties : resolved(properties[section].anyOf?.[0] ?? properties[section])
    .properties
  return Object.keys(fields).filter((name) => name !== "env_var" && name !== "allow_insecure_loopback")
}

/** A valid base URL for the provider; null for a provider without tenants, and for all regions. */
const baseUrlOf = (definition: ProviderDefinition): string | null => {
  if (definition.regions.length > 0) return null
  const defined = definedBaseUrl(definition)?.replaceAll(/\{\w+\}/g, "tenant")
  if (defined !== undefined) return defined
  return definition.hosts.some((host) => host.startsWith("{base_url}"))
    ? `https://${definition.name}.example.com`
    : null
}

const placesOf = (definition: ProviderDefinition): ReadonlyArray<string> =>
  hostsOf(definition, baseUrlOf(definition)).map(({ host, pathPrefix }) => `${host}${pathPrefix ?? ""}`)

const byName = new Map<string, ProviderDefinition>(definitions.map((definition) => [definition.name, definition]))

/** A key, the login of a person, or that of a program. */
const kindOf = (definition: ProviderDefinition): string =>
  definition.flows.every((flow) => isStoredGrant(flow))
    ? "stored grant"
    : declaresLogin(definition)
    ? "login"
    : definition.authType

const isOnlyExported = (definition: ProviderDefinition, { name, required, secret }: LoginField) =>
  !required && !secret && exportNames(definition).some(({ field }) => field === name)

/** What each definition must be by itself, beside the rules for every custom one. */
const rules: Readonly<Record<string, (definition: ProviderDefinition) => void>> = {
  "has a name, a description, a category, documentation and sources": (
    { categories, description, displayName, docsUrl, notes, sources }
  ) => {
    for (const text of [description ?? "", ...notes]) assert.match(text, /^[A-Z].*\.$/)
    assert.isAbove(categories.length, 0)
    assert.notStrictEqual(displayName, "")
    assert.isTrue(Result.isSuccess(parseAddress(docsUrl ?? "")))
    assert.isNotEmpty(sources)
  },
  "includes the host of its API and of its test request": (definition) => {
    if (definition.apiUrl === undefined) return
    const base = baseUrlOf(definition)
    const api = apiUrlOf(definition, base)!
    const { host, port } = Result.getOrThrow(parseAddress(api))
    const path = definition.testRequest?.path ?? (new URL(api).pathname || "/")
    assert.isDefined(hostFor(definition, base, { host, port, path }))
  },
  "uses exactly the fields that a login asks for, except optional settings that programs read": (definition) => {
    const isSent = (name: string) =>
      definition.authType === "oauth2" && JSON.stringify(definition.oauth.headers).includes(`{${name}}`)
    const fields = [
      ...(definition.authType === "oauth2" ? ["access_token"] : []),
      ...(isSent("client_id") ? ["client_id"] : []),
      ...credentialFields(definition).filter((field) => !isOnlyExported(definition, field)).map(({ name }) => name)
    ]
    if (definition.authType === "api_key" && definition.apiKey.awsSigv4 !== undefined) {
      assert.deepStrictEqual(fields, Object.values(keyPairFields))
      return
    }
    const key = definition.authType === "api_key" ? definition.apiKey.hmac?.key : undefined
    const values = Object.fromEntries(
      fields.map((name) => [name, Redacted.make(name === key ? "a2V5" : `value-of-${name}`)])
    )
    const isPublic = (name: string) =>
      credentialFields(definition).some((field) => field.name === name && !field.secret)
    const hosts = hostsOf(definition, baseUrlOf(definition))
      .filter(({ entry }) => placementAt(definition, entry).issuedTokensOnly !== true)
    const everywhere = hosts.map(({ entry }) => {
      const injection = Result.getOrThrow(placements(definition, values, entry))
      const sent = [
        ...Object.values(injection.path ?? {}),
        ...Object.values(injection.headers),
        ...Object.values(injection.query),
        ...Object.values(injection.body ?? {}),
        ...Object.values(injection.messages?.fields ?? {}),
        ...Object.values(injection.hmac?.headers ?? {})
      ].map(Redacted.value)
      const plain = sent.map((value) => value.startsWith("Basic ") ? atob(value.slice(6)) : value).join()
      for (const name of fields.filter((each) => each !== key && !isPublic(each))) {
        assert.include(plain, `value-of-${name}`)
      }
      return plain
    })
    for (const name of fields.filter(isPublic)) {
      assert.include(everywhere.join(), `value-of-${name}`)
    }
  },
  "has placeholders that match its own key patterns": (definition) => {
    for (const { pattern, name, hint } of credentialFields(definition)) {
      const placeholder = exportNames(definition).find(({ field }) => field === name)?.placeholder
      if (pattern === undefined || placeholder === undefined) continue
      assert.isDefined(hint)
      if (placeholder === PLACEHOLDER) continue
      const others = name === mainField(definition) ? Object.values(definition.placeholderByPrefix) : []
      for (const each of [placeholder, ...others]) {
        assert.strictEqual(matchesWhole(pattern, each), "match", each)
      }
    }
  },
  "expects something of the body of a GraphQL response, which has status 200 for every key": ({ testRequest }) => {
    if (testRequest?.body?.includes("\"query\"") === true) assert.isObject(testRequest.expect)
  }
}

describe("the bundled providers", () => {
  it("exist", () => {
    assert.isAtLeast(files.length, 350)
    const displayNames = definitions.map(({ displayName }) => displayName)
    assert.deepStrictEqual(displayNames.filter((name, index) => displayNames.indexOf(name) !== index), [])
  })

  for (const { document, file, text } of files) {
    effect(`${file} satisfies every rule of a custom definition and of a bundled one`, function*() {
      const definition = yield* readCustomDefinition(document, {})
      assert.deepStrictEqual(Result.getOrThrow(parseDefinition(text)), definition)
      assert.strictEqual(file, `${definition.name}.json`)
      assert.strictEqual(document["$schema"], "../docs/provider.schema.json")
      assert.isTrue(Object.hasOwn(document, "checked"), "whether its facts were compared with those of the vendor")
      for (const section of [undefined, "api_key", "oauth", "test_request"]) {
        const value = section === undefined ? document : document[section]
        if (!isObject(value)) continue
        const inOrder = fieldsOf(document, section).filter((key) => Object.hasOwn(value, key))
        assert.deepStrictEqual(Object.keys(value), inOrder)
      }
      assert.isTrue(text.endsWith("}\n"))
      assert.notMatch(text, /"http:|allow_insecure_loopback/)
      for (const [rule, check] of Object.entries(rules)) {
        try {
          check(definition)
        } catch (error) {
          assert.fail(`${rule}: ${String(error)}`)
        }
      }
    })
  }

  it("share no exact placeholder", () => {
    const all = definitions.flatMap((definition) =>
      exactPlaceholders(definition).map((placeholder) => ({ name: definition.name, placeholder }))
    )
    const isIn = (one: (typeof all)[number]) => (other: (typeof all)[number]) =>
      other.name !== one.name && one.placeholder.includes(other.placeholder)
    assert.deepStrictEqual(all.filter((one) => all.some(isIn(one))), [])
  })

  it("have unique aliases that are not names of other providers", () => {
    const known = definitions.flatMap(({ aliases, name }) => [name, ...aliases])
    assert.deepStrictEqual(known.filter((name, index) => known.indexOf(name) !== index), [])
  })

  it("share a host with equal precedence only if each names the other as its alternative", () => {
    const claims = Map.groupBy(
      definitions.flatMap((definition) => placesOf(definition).map((place) => ({ place, name: definition.name }))),
      ({ place }) => place
    )
    const sharing = (name: string): ReadonlyArray<string> => {
      const places = [...claims.values()].filter((claimants) => claimants.some((claimant) => claimant.name === name))
      return [...new Set(places.flat().map((claimant) => claimant.name))].filter((other) => other !== name).toSorted()
    }
    for (const { alternatives, name } of definitions) {
      assert.deepStrictEqual<ReadonlyArray<string>>(alternatives, sharing(name), name)
    }
  })

  it("route every request to one connected provider, unless an alternative is connected too", () => {
    const routes = buildRoutes(
      definitions.map((definition) => ({ name: definition.name, definition, source: "bundled", takesOver: [] })),
      definitions.map((definition) => ({
        provider: definition.name,
        connection: "default" as ConnectionName,
        isDefault: true,
        baseUrl: baseUrlOf(definition),
        connected: true
      }))
    )
    const matcher = compileRoutes(routes)
    for (const { host, pathPrefix, provider } of routes) {
      const [name = host, port] = host.replaceAll("*", "tenant").split(":")
      const match = matcher.match(name, Number(port ?? 443), `${pathPrefix ?? ""}/x`)
      const found = match._tag === "Ambiguous" ? match.candidates.map((route) => route.provider) : []
      const sharing = byName.get(provider)!.alternatives.filter((other) =>
        placesOf(byName.get(other)!).includes(`${host}${pathPrefix ?? ""}`)
      )
      const all = [provider, ...sharing]
      // The logins of programs are for requests with their own placeholders.
      const general = all.filter((each) => !declaresLogin(byName.get(each)!))
      const expected = general.length === 0 ? all : general
      // The daemon finds the provider of a login by its client.
      if (match._tag === "Matched" && match.route.open === true) assert.include(expected, match.route.provider, host)
      else if (match._tag === "Matched") assert.deepStrictEqual([match.route.provider], expected, host)
      else assert.deepStrictEqual(found.toSorted(), expected.toSorted(), host)
    }
  })

  it("declare a public host only if their alternatives do, too", () => {
    for (const { alternatives, hosts, name, publicHosts } of definitions) {
      for (const entry of publicHosts) {
        const others = alternatives.map((other) => byName.get(other)!).filter((other) => other.hosts.includes(entry))
        // Only runs of some programs have the routes of a shared login without a connection.
        if (!sharesLogin(byName.get(name)!)) {
          for (const other of others) assert.include(other.publicHosts, entry, other.name)
        }
      }
      assert.deepStrictEqual(publicHosts.filter((entry) => !hosts.includes(entry)), [], name)
    }
  })

  it("share a variable only with alternatives, and the variable of a secret only with alternatives of another kind", () => {
    const users = Map.groupBy(
      definitions.flatMap((definition) =>
        exportNames(definition).map(({ secret, variable }) => ({ secret, variable, definition }))
      ),
      ({ variable }) => variable
    )
    for (const [variable, [first, ...others]] of users) {
      for (const { definition, secret } of others) {
        assert.include(first!.definition.alternatives, definition.name, variable)
        if (!secret && !first!.secret) continue
        assert.notStrictEqual(kindOf(first!.definition), kindOf(definition), variable)
      }
    }
  })

  it("name the variables of secrets so that runs recognize the keys in them", () => {
    const secrets = definitions.flatMap(exportNames).filter(({ secret }) => secret).map(({ variable }) => variable)
    assert.deepStrictEqual(secrets.filter((variable) => !mayBeKey(variable, "0123456789abcdef")), [])
  })

  it("do not route public download hosts until they are connected", () => {
    const matcher = compileRoutes(
      buildRoutes(
        definitions.map((definition) => ({ name: definition.name, definition, source: "bundled", takesOver: [] })),
        []
      ).filter(({ asked }) => asked !== true)
    )
    for (const host of ["github.com", "registry.npmjs.org", "huggingface.co", "oauth2.googleapis.com"]) {
      assert.isFalse(matcher.claims(host, 443), host)
    }
    assert.isTrue(matcher.claims("api.openai.com", 443))
  })
})

describe("README.md", () => {
  it("states the number of bundled providers", () => {
    const text = fs.readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    assert.include(text, `\n${definitions.length} providers are included`)
  })
})

describe("docs/providers-left-out.md", () => {
  it("lists no provider that is bundled", () => {
    const text = fs.readFileSync(new URL("../../docs/providers-left-out.md", import.meta.url), "utf8")
    const lists = text.slice(text.indexOf("## What a definition")).replaceAll(/^#.*$/gm, "")
    const listed = lists.match(/(?<=^\| )[a-z0-9-]+(?= \|)|^[a-z0-9-]+(?=,)|(?<=, )[a-z0-9-]+/gm) ?? []
    assert.isAbove(listed.length, 40)
    assert.deepStrictEqual(listed.filter((name) => byName.has(name)), [])
  })
})

describe("docs/provider-definitions.md", () => {
  const text = fs.readFileSync(new URL("../../docs/provider-definitions.md", import.meta.url), "utf8")

  for (const [, example] of text.matchAll(/```json\n([\s\S]*?)```/g)) {
    const { name } = JSON.parse(example!) as { name: string }
    effect(`has an example that is a valid definition: ${name}`, function*() {
      const definition = yield* readCustomDefinition(JSON.parse(example!), {})
      assert.strictEqual(definition.name, name)
      assert.isAbove(hostsOf(definition, "https://tenant.acme.example").length, 0)
    })
  }

  it("shows only valid placements", () => {
    const placementCells = [...text.matchAll(/\| `(\{.*\})` \|/g)].map(([, cell]) => JSON.parse(cell!) as object)
    assert.isAtLeast(placementCells.length, 6)
    for (const api_key of placementCells) {
      const fields = JSON.stringify(api_key).includes("app_id") ? [{ name: "api_key" }, { name: "app_id" }] : []
      const document = {
        name: "acme",
        auth_type: "api_key",
        flow: "api_key",
        hosts: ["api.acme.example", "git.acme.example"],
        api_key: { ...api_key, fields }
      }
      assert.isTrue(Result.isSuccess(parseDefinition(JSON.stringify(document))), JSON.stringify(api_key))
    }
  })
})

const named = (name: string): ProviderDefinition => {
  const definition = byName.get(name)
  if (definition === undefined) throw new Error(`${name} is not bundled`)
  return definition
}

const tenants: Readonly<Record<string, string>> = {
  "gitlab-token": "https://gitlab.com",
  "azure-openai": "https://acme.services.ai.azure.com",
  "github-enterprise": "https://git.acme.example",
  bamboohr: "https://acme.bamboohr.com",
  "atlassian-token": "https://acme.atlassian.net"
}

const place = (provider: string, address: string) => {
  const { hostname, pathname } = new URL(`https://${address}`)
  return hostFor(named(provider), tenants[provider], { host: hostname, port: 443, path: pathname })
}

const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
  vercel: ["vercel.com/dashboard"],
  rubygems: ["rubygems.org/gems/rails"],
  slack: ["slack.com/signin"],
  "slack-app-token": ["slack.com/api/chat.postMessage"],
  "google-calendar": ["www.googleapis.com/batch/drive/v3", "www.googleapis.com/drive/v3"],
  "google-maps": ["www.googleapis.com/drive/v3"],
  bamboohr: ["api.bamboohr.com/login", "other.bamboohr.com"],
  twilio: ["www.twilio.evil.test", "a.b.dublin.ie1.twilio.com"],
  "azure-openai": ["other.services.ai.azure.com"]
}

const hex = (length: number) => "0123456789abcdef".repeat(8).slice(0, length)

/** Keys in the documented formats, and keys that the API rejects. */
const keys: Readonly<
  Record<string, { readonly valid: ReadonlyArray<string>; readonly invalid: ReadonlyArray<string> }>
> = {
  sentry: { valid: ["sntrys_x", "sntryu_x", "sntryi_x", "sntrya_x", hex(64)], invalid: ["sntryx_x", hex(63), "x"] },
  stripe: {
    valid: ["sk_test_x", "sk_live_x", "rk_test_x", "rk_live_x", "sk_org_live_x"],
    invalid: ["pk_live_x", "whsec_x"]
  },
  "docker-hub": { valid: ["dckr_pat_x", "dckr_oat_x"], invalid: ["dckr_x_x"] },
  anthropic: { valid: ["sk-ant-api03-x", "sk-ant-sid01-x"], invalid: ["sk-ant-oat01-x", "sk-ant-admin01-x", "sk-x"] },
  "claude-code": { valid: ["sk-ant-oat01-x"], invalid: ["sk-ant-api03-x"] },
  openai: { valid: ["sk-x", "sk-proj-x", "sk-svcacct-x"], invalid: ["sk-admin-x", "sk-ant-api03-x", "sk-or-v1-x"] },
  "github-packages": { valid: ["ghp_x", "ghs_x"], invalid: ["github_pat_x"] },
  "slack-token": { valid: ["xoxb-x", "xoxp-x", "xoxe.xoxp-1-x"], invalid: ["xapp-1-x", "xoxe-1-x", "xoxc-x"] },
  "slack-app-token": { valid: ["xapp-1-x"], invalid: ["xoxb-x"] },
  "trigger-dev": { valid: ["tr_dev_x", "tr_prod_x"], invalid: ["tr_pat_x", "tr_oat_x"] },
  "trigger-dev-pat": { valid: ["tr_pat_x"], invalid: ["tr_dev_x"] }
}

/** The beginnings of keys, and forms that a tool of the vendor requires of the placeholder for such a key. */
const placeholders: ReadonlyArray<readonly [provider: string, key: string, form: RegExp]> = [
  ["github-token", "github_pat_1", /^github_pat_/],
  ["github-token", "ghp_1", /^ghp_/],
  ["github", "gho_1", /^gho_/],
  ["github", "ghu_1", /^ghu_/],
  ["slack-token", "xoxb-1", /^xoxb-/],
  ["deepl", "x:fx", /.:fx$/],
  ["deepl", ":fx-x", /-managed$/],
  ["slack-token", "xoxp-1", /^xoxp-/],
  ["stripe", "sk_test_1", /^sk_test_/],
  ["stripe", "rk_live_1", /^rk_live_/],
  ["docker-hub", "dckr_oat_1", /^dckr_oat_/],
  ["trigger-dev", "tr_prod_1", /^tr_prod_/],
  ["trigger-dev-pat", "tr_pat_1", /^tr_pat_/],
  // The SDK decodes the second segment of a token as JSON in Base64.
  ["mapbox", "sk.1", /^sk\.eyJ1IjoiY3JlZHN2Yy1wcm94eS1tYW5hZ2VkIn0\./],
  ["mapbox", "pk.1", /^pk\.eyJ1IjoiY3JlZHN2Yy1wcm94eS1tYW5hZ2VkIn0\./],
  // The command line requires 64 characters.
  ["hetzner-cloud", "1", /^.{64}$/]
]

/** Addresses that a login may name, or that a token response may return. */
const addresses: Readonly<Record<string, ReadonlyArray<string>>> = {
  salesforce: [
    "https://acme.my.salesforce.com",
    "https://acme-dev-ed.develop.my.salesforce.com",
    "https://acme.scratch.my.salesforce.com",
    "https://acme.trailblaze.my.salesforce.com"
  ],
  "salesforce-sandbox": ["https://acme--dev.sandbox.my.salesforce.com"],
  databricks: [
    "https://dbc-1a2b3c4d-5e6f.cloud.databricks.com",
    "https://adb-1234567890123456.7.azuredatabricks.net",
    "https://1234567890123456.7.gcp.databricks.com"
  ],
  snowflake: ["https://acme.snowflakecomputing.com", "https://ab12345.eu-central-1.snowflakecomputing.com"],
  okta: [
    "https://acme.okta.com",
    "https://acme.okta-emea.com",
    "https://acme.oktapreview.com",
    "https://id.acme.example"
  ],
  "azure-openai": ["https://acme.openai.azure.com", "https://acme.services.ai.azure.com"]
}

const foreign: Readonly<Record<string, ReadonlyArray<string>>> = {
  snowflake: ["https://acme.snowflakecomputing.com.evil.test", "https://a.b.c.d.snowflakecomputing.com"],
  salesforce: ["https://acme.my.salesforce.com.evil.test", "https://acme.evil.my.salesforce.com", "https://evil.test"],
  "salesforce-sandbox": ["https://acme.my.salesforce.com"],
  "azure-openai": ["https://acme.azure.com", "https://acme.azurewebsites.net"]
}

describe("the bundled providers, compared with the facts of packages", () => {
  it("must contain each host, variable and check of a package, unless the definition leaves it out explicitly", () => {
    const facts = {
      version: "1.0.0",
      hosts: ["api.acme.dev", "new.acme.dev"],
      variables: ["ACME_URL"],
      checks: ["^ak_"]
    }
    const lacking = (changes: object) => {
      const sources = [{ read: "npm:acme@1.0.0", date: "2026-11-28" }]
      const definition = keyDefinition({ api_url: "https://api.acme.dev", sources, ...changes })
      return differences(new Map([["acme", definition]]), [definition], { "npm:acme": facts })
    }
    const all = ["host new.acme.dev", "variable ACME_URL", "placeholder for ^ak_"]
    assert.deepStrictEqual(lacking({}), all.map((each) => `acme: ${each} of npm:acme@1.0.0`))
    const added = {
      hosts: ["new.acme.dev"],
      placeholder: "ak_credsvc-proxy-managed",
      export: { base_urls: { ACME_URL: "https://api.acme.dev" } }
    }
    assert.deepStrictEqual(lacking(added), [])
    const why = "It is old."
    const left_out = [{ host: "new.acme.dev", why }, { variable: "ACME_URL", why }, { check: "^ak_", why }]
    assert.deepStrictEqual(lacking({ left_out }), [])
  })

  it("include each host, variable and check of the packages that they cite, or leave it out with a reason", () => {
    const undecided = differences(byName, definitions, readFacts())
    assert.deepStrictEqual(undecided.filter((line) => !line.includes(" has no facts; ")), [])
  })

  it("claim only their own paths of a host that they share with other services", () => {
    for (const [provider, all] of Object.entries(elsewhere)) {
      for (const address of all) assert.isUndefined(place(provider, address), `${provider} ${address}`)
    }
  })

  it("place a key in requests to each host as that host expects", () => {
    const headers = (provider: string, address: string, values: Readonly<Record<string, string>>) => {
      const secrets = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))
      const injection = placements(named(provider), secrets, place(provider, address)?.entry)
      return Object.fromEntries(
        Object.entries(Result.getOrThrow(injection).headers).map(([name, value]) => [name, Redacted.value(value)])
      )
    }
    const key = { api_key: "k" }
    assert.deepStrictEqual(headers("google-maps", "maps.googleapis.com", key), {})
    assert.deepStrictEqual(headers("google-maps", "routes.googleapis.com", key), { "X-Goog-Api-Key": "k" })
    assert.deepStrictEqual(headers("gitlab-token", "gitlab.com/api/v4/user", key), { "PRIVATE-TOKEN": "k" })
    assert.deepStrictEqual(headers("gitlab-token", "gitlab.com/acme/app.git/info/refs", key), {
      Authorization: `Basic ${btoa("oauth2:k")}`
    })
    assert.deepStrictEqual(headers("claude-code", "api.anthropic.com/v1/messages", key), { Authorization: "Bearer k" })
  })

  it("accept keys in the documented formats, and reject keys that the API rejects", () => {
    for (const [provider, { invalid, valid }] of Object.entries(keys)) {
      const definition = named(provider)
      const pattern = credentialFields(definition).find(({ name }) => name === mainField(definition))?.pattern ?? ""
      const accepted = (key: string) => matchesWhole(pattern, key) === "match"
      assert.deepStrictEqual(valid.filter((key) => !accepted(key)), [], provider)
      assert.deepStrictEqual(invalid.filter(accepted), [], provider)
    }
  })

  it("give a child process a placeholder that the tools of a vendor accept in place of the stored key", () => {
    for (const [provider, key, form] of placeholders) {
      const definition = named(provider)
      const values = { [mainField(definition)]: Redacted.make(key) }
      assert.match(placeholderFor(definition, values), form, `${provider} ${key}`)
    }
  })

  it("accept every form of base URL of a vendor, and no other", () => {
    const accepts = (provider: string, address: string) => {
      const definition = named(provider)
      return Result.isSuccess(
        definition.authType === "oauth2" && definition.oauth.tokenResponse.baseUrl !== undefined
          ? learnedBaseUrl(definition, address)
          : resolveBaseUrl(definition, address)
      )
    }
    for (const [provider, all] of Object.entries(addresses)) {
      for (const address of all) assert.isTrue(accepts(provider, address), `${provider} ${address}`)
    }
    for (const [provider, all] of Object.entries(foreign)) {
      for (const address of all) assert.isFalse(accepts(provider, address), `${provider} ${address}`)
    }
  })
})
