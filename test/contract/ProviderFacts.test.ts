/** Tests facts about bundled providers that vendors document, and that an audit has found to be wrong before. */
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { credentialFields, exportNames, mainField } from "../../src/domain/definition/ProviderFields.ts"
import { hostFor, learnedBaseUrl, resolveBaseUrl } from "../../src/domain/definition/ProviderHosts.ts"
import { placeholderFor, placements } from "../../src/domain/injection/Placement.ts"
import { readJsonFiles } from "../../src/platform/PackageFiles.ts"
import { matchesWhole } from "../../src/platform/PatternMatch.ts"
import { decodeFiles } from "../../src/providers/BundledProviders.ts"

const { definitions } = decodeFiles(readJsonFiles(new URL("../../providers/", import.meta.url)))

const named = (name: string): ProviderDefinition => {
  const definition = definitions.get(name)
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

const hosts: Readonly<Record<string, ReadonlyArray<string>>> = {
  vercel: ["api.vercel.com", "vercel.com/api/observability/metrics"],
  "github-token": ["raw.githubusercontent.com/a/b/main/c", "models.github.ai/inference", "uploads.github.com"],
  github: ["raw.githubusercontent.com/a/b/main/c"],
  "github-packages": ["rubygems.pkg.github.com/acme"],
  twilio: ["accounts.twilio.com/v1", "insights.twilio.com/v1", "trusthub.twilio.com/v1", "api.dublin.ie1.twilio.com"],
  "twilio-api-key": ["api.twilio.com/2010-04-01", "api.sydney.au1.twilio.com"],
  slack: ["files.slack.com/files-pri/T1-F1/x.png"],
  "slack-token": [
    "files.slack.com/files-pri/T1-F1/x.png",
    "api.slack.com/scim/v1/Users",
    "api.slack.com/audit/v1/logs"
  ],
  "slack-app-token": ["slack.com/api/apps.connections.open"],
  linear: ["uploads.linear.app/x"],
  "linear-api-key": ["uploads.linear.app/x"],
  "atlassian-token": ["acme.atlassian.net/rest/api/3/myself", "api.atlassian.com/ex/jira/1/rest/api/3/myself"],
  "google-calendar": ["www.googleapis.com/batch/calendar/v3"],
  "google-maps": ["roads.googleapis.com/v1", "places.googleapis.com/v1/places:searchText", "routes.googleapis.com/x"],
  datadog: ["api.uk1.datadoghq.com", "api.us2.ddog-gov.com", "http-intake.logs.datadoghq.eu/api/v2/logs"],
  elevenlabs: ["api.eu.residency.elevenlabs.io/v1"],
  openai: ["us.api.openai.com/v1", "eu.api.openai.com/v1", "ae.api.openai.com/v1"],
  huggingface: ["datasets-server.huggingface.co/rows", "api.endpoints.huggingface.cloud/v2"],
  pinecone: ["prod-1-data.ke.pinecone.io/assistant"],
  fal: ["rest.fal.ai/storage"],
  finnhub: ["finnhub.io/api/v1", "api.finnhub.io/api/v1"],
  "github-enterprise": ["git.acme.example/api/v3/user", "git.acme.example/api/graphql", "git.acme.example/a/b.git"],
  "google-cloud": ["storage.googleapis.com/b", "us-central1-aiplatform.googleapis.com", "sqladmin.googleapis.com"],
  rubygems: ["rubygems.org/api/v1/gems"],
  coda: ["docs.superhuman.com/apis/v1/whoami"],
  contentful: ["api.eu.contentful.com/spaces"],
  bamboohr: ["api.bamboohr.com/api/gateway.php/acme/v1/employees"],
  voyage: ["api.voyageai.com/v1", "ai.mongodb.com/v1/embeddings"],
  deepgram: ["agent.deepgram.com/v1/agent/converse"],
  langsmith: ["apac.api.smith.langchain.com/api/v1"],
  "azure-openai": ["acme.services.ai.azure.com/openai/v1"]
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

/** Variables that SDKs, command lines and MCP servers of the vendors read. */
const variables: Readonly<Record<string, ReadonlyArray<string>>> = {
  sentry: ["SENTRY_AUTH_TOKEN", "SENTRY_ACCESS_TOKEN", "SENTRY_URL"],
  "atlassian-token": ["JIRA_USERNAME", "CONFLUENCE_USERNAME", "JIRA_API_TOKEN", "CONFLUENCE_API_TOKEN", "JIRA_URL"],
  "jira-data-center": ["JIRA_PERSONAL_TOKEN", "CONFLUENCE_PERSONAL_TOKEN"],
  "gitlab-token": ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "GITLAB_PERSONAL_ACCESS_TOKEN", "GITLAB_API_URL"],
  "azure-openai": ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY", "AZURE_OPENAI_ENDPOINT"],
  huggingface: ["HF_TOKEN", "HUGGINGFACE_API_KEY", "HF_ENDPOINT"],
  "slack-token": ["SLACK_BOT_TOKEN", "SLACK_API_TOKEN", "SLACK_MCP_XOXP_TOKEN"],
  "slack-app-token": ["SLACK_APP_TOKEN"],
  "socket-dev": ["SOCKET_CLI_API_TOKEN", "SOCKET_API_TOKEN", "SOCKET_CLI_API_BASE_URL"],
  "trigger-dev": ["TRIGGER_SECRET_KEY", "TRIGGER_API_URL"],
  "trigger-dev-pat": ["TRIGGER_ACCESS_TOKEN"],
  "twilio-api-key": ["TWILIO_ACCOUNT_SID", "TWILIO_API_KEY", "TWILIO_API_SECRET"],
  qdrant: ["QDRANT_API_KEY", "QDRANT_URL"],
  grafana: ["GRAFANA_SERVICE_ACCOUNT_TOKEN", "GRAFANA_URL"],
  databricks: ["DATABRICKS_TOKEN", "DATABRICKS_HOST"],
  "github-enterprise": ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITHUB_HOST"],
  "claude-code": ["CLAUDE_CODE_OAUTH_TOKEN"],
  openrouter: ["OPENROUTER_BASE_URL"],
  cohere: ["CO_API_URL"],
  replicate: ["REPLICATE_BASE_URL"],
  cerebras: ["CEREBRAS_BASE_URL"],
  perplexity: ["PERPLEXITY_BASE_URL"],
  browserbase: ["BROWSERBASE_BASE_URL"],
  telnyx: ["TELNYX_BASE_URL"],
  cloudflare: ["CLOUDFLARE_BASE_URL"],
  langsmith: ["LANGSMITH_ENDPOINT"],
  netlify: ["NETLIFY_API_URL"],
  circleci: ["CIRCLE_HOST"],
  buildkite: ["BUILDKITE_REST_API_ENDPOINT"]
}

/** The beginnings of keys, and forms that a tool of the vendor requires of the placeholder for such a key. */
const placeholders: ReadonlyArray<readonly [provider: string, key: string, form: RegExp]> = [
  ["github-token", "github_pat_1", /^github_pat_/],
  ["github-token", "ghp_1", /^ghp_/],
  ["github", "gho_1", /^gho_/],
  ["github", "ghu_1", /^ghu_/],
  ["slack-token", "xoxb-1", /^xoxb-/],
  ["slack-token", "xoxp-1", /^xoxp-/],
  ["stripe", "sk_test_1", /^sk_test_/],
  ["stripe", "rk_live_1", /^rk_live_/],
  ["docker-hub", "dckr_oat_1", /^dckr_oat_/],
  ["trigger-dev", "tr_prod_1", /^tr_prod_/],
  ["trigger-dev-pat", "tr_pat_1", /^tr_pat_/],
  // The SDK decodes the second segment of a token as JSON in Base64.
  ["mapbox", "sk.1", /^sk\.eyJ1IjoieCJ9\./],
  ["mapbox", "pk.1", /^pk\.eyJ1IjoieCJ9\./],
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

describe("the facts of bundled providers", () => {
  it("cover every host that the SDKs and tools of a vendor use, and no other", () => {
    for (const [provider, all] of Object.entries(hosts)) {
      for (const address of all) assert.isDefined(place(provider, address), `${provider} ${address}`)
    }
    for (const [provider, all] of Object.entries(elsewhere)) {
      for (const address of all) assert.isUndefined(place(provider, address), `${provider} ${address}`)
    }
  })

  it("place a key on each host as that host expects it", () => {
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

  it("set every variable that the SDKs and tools of a vendor read", () => {
    for (const [provider, expected] of Object.entries(variables)) {
      const definition = named(provider)
      const set = new Set([
        ...exportNames(definition).map(({ variable }) => variable),
        ...Object.keys(definition.export.baseUrls)
      ])
      assert.deepStrictEqual(expected.filter((variable) => !set.has(variable)), [], provider)
    }
  })

  it("give a child process a placeholder that the tools of a vendor accept in place of the stored key", () => {
    for (const [provider, key, form] of placeholders) {
      const definition = named(provider)
      const values = { [mainField(definition)]: Redacted.make(key) }
      assert.match(placeholderFor(definition, values), form, `${provider} ${key}`)
    }
  })

  it("accept every form of tenant address of a vendor, and no other", () => {
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
