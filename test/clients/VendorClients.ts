/** SDKs and command lines of providers, from the npm registry, and a request that each of them can send. */

export interface VendorClient {
  /** The bundled provider whose placeholder it gets. */
  readonly provider: string
  /** The packages to install; the first one is the client. */
  readonly packages: readonly [string, ...ReadonlyArray<string>]
  /** A module that sends a request. Its output and its failure do not matter. */
  readonly code?: string
  /** A program of the packages with its arguments, in place of `code`. */
  readonly argv?: readonly [string, ...ReadonlyArray<string>]
  /** The tenant address of the login. */
  readonly baseUrl?: string
  /** Hosts that the client requests, where the definition has a wildcard. */
  readonly hosts?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Why a client cannot work in a run. */
  readonly fails?: string
}

const env = (name: string): string => `process.env[${JSON.stringify(name)}]`

export const vendorClients: ReadonlyArray<VendorClient> = [
  // Models
  { provider: "openai", packages: ["openai"], code: `import OpenAI from "openai"; await new OpenAI().models.list()` },
  {
    provider: "anthropic",
    packages: ["@anthropic-ai/sdk"],
    code: `import Anthropic from "@anthropic-ai/sdk"; await new Anthropic().models.list()`
  },
  {
    provider: "gemini",
    packages: ["@google/genai"],
    code: `import { GoogleGenAI } from "@google/genai"; await new GoogleGenAI({}).models.list()`
  },
  { provider: "groq", packages: ["groq-sdk"], code: `import Groq from "groq-sdk"; await new Groq().models.list()` },
  {
    provider: "cohere",
    packages: ["cohere-ai"],
    code: `import { CohereClientV2 } from "cohere-ai"; await new CohereClientV2({}).models.list()`
  },
  {
    provider: "mistral",
    packages: ["@mistralai/mistralai"],
    code: `import { Mistral } from "@mistralai/mistralai"; await new Mistral({ apiKey: ${
      env("MISTRAL_API_KEY")
    } }).models.list()`
  },
  {
    provider: "replicate",
    packages: ["replicate"],
    code: `import Replicate from "replicate"; await new Replicate().models.list()`
  },
  {
    provider: "together",
    packages: ["together-ai"],
    code: `import Together from "together-ai"; await new Together().models.list()`
  },
  {
    provider: "cerebras",
    packages: ["@cerebras/cerebras_cloud_sdk"],
    code:
      `import Cerebras from "@cerebras/cerebras_cloud_sdk"; await new Cerebras({ warmTCPConnection: false }).models.list()`
  },
  {
    provider: "huggingface",
    packages: ["@huggingface/hub"],
    code: `import { whoAmI } from "@huggingface/hub"; await whoAmI({ accessToken: ${env("HF_TOKEN")} })`
  },
  {
    provider: "fal",
    packages: ["@fal-ai/client"],
    code: `import { fal } from "@fal-ai/client"; await fal.queue.status("fal-ai/x", { requestId: "1" })`
  },
  {
    provider: "elevenlabs",
    packages: ["@elevenlabs/elevenlabs-js"],
    code: `import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js"; await new ElevenLabsClient().voices.getAll()`
  },
  {
    provider: "deepgram",
    packages: ["@deepgram/sdk"],
    code: `import * as sdk from "@deepgram/sdk"
const client = sdk.createClient ? sdk.createClient(${env("DEEPGRAM_API_KEY")}) : new sdk.DeepgramClient()
await (client.manage.getProjects?.() ?? client.manage.v1.projects.list())`
  },
  {
    provider: "assemblyai",
    packages: ["assemblyai"],
    code: `import { AssemblyAI } from "assemblyai"; await new AssemblyAI({ apiKey: ${
      env("ASSEMBLYAI_API_KEY")
    } }).transcripts.list()`
  },
  {
    provider: "perplexity",
    packages: ["@perplexity-ai/perplexity_ai"],
    code: `import Perplexity from "@perplexity-ai/perplexity_ai"; await new Perplexity().search.create({ query: "x" })`
  },
  {
    provider: "voyage",
    packages: ["voyageai"],
    code: `import { VoyageAIClient } from "voyageai"
await new VoyageAIClient({ apiKey: ${env("VOYAGE_API_KEY")} }).embed({ input: "x", model: "voyage-3" })`
  },
  {
    provider: "openrouter",
    packages: ["@openrouter/sdk"],
    code: `import { OpenRouter } from "@openrouter/sdk"
await new OpenRouter({ apiKey: ${env("OPENROUTER_API_KEY")} }).credits.getCredits()`
  },
  // Search, browsers and agents
  { provider: "exa", packages: ["exa-js"], code: `import Exa from "exa-js"; await new Exa().search("x")` },
  {
    provider: "tavily",
    packages: ["@tavily/core"],
    code: `import { tavily } from "@tavily/core"; await tavily({}).search("x")`
  },
  {
    provider: "firecrawl",
    packages: ["@mendable/firecrawl-js"],
    code: `import Firecrawl from "@mendable/firecrawl-js"; await new Firecrawl({}).scrape("https://example.com")`
  },
  {
    provider: "browserbase",
    packages: ["@browserbasehq/sdk"],
    code: `import Browserbase from "@browserbasehq/sdk"; await new Browserbase().projects.list()`
  },
  {
    provider: "hyperbrowser",
    packages: ["@hyperbrowser/sdk"],
    code: `import { Hyperbrowser } from "@hyperbrowser/sdk"; await new Hyperbrowser().sessions.list()`
  },
  { provider: "e2b", packages: ["e2b"], code: `import { Sandbox } from "e2b"; await Sandbox.list().nextItems()` },
  {
    provider: "apify",
    packages: ["apify-client"],
    code: `import { ApifyClient } from "apify-client"; await new ApifyClient({ token: ${
      env("APIFY_TOKEN")
    } }).user().get()`
  },
  {
    provider: "langsmith",
    packages: ["langsmith"],
    code: `import { Client } from "langsmith"; for await (const _ of new Client().listProjects()) break`
  },
  {
    provider: "mem0",
    packages: ["mem0ai"],
    code: `import { MemoryClient } from "mem0ai"; await new MemoryClient({ apiKey: ${env("MEM0_API_KEY")} }).users()`
  },
  // Communication
  {
    provider: "slack-token",
    packages: ["@slack/web-api"],
    code: `import { WebClient } from "@slack/web-api"
await new WebClient(${env("SLACK_BOT_TOKEN")}, { retryConfig: { retries: 0 } }).auth.test()`
  },
  {
    provider: "discord-bot",
    packages: ["discord.js"],
    code: `import { REST, Routes } from "discord.js"
await new REST().setToken(${env("DISCORD_TOKEN")} ?? ${env("DISCORD_BOT_TOKEN")}).get(Routes.user("@me"))`
  },
  {
    provider: "telegram",
    packages: ["telegraf"],
    code: `import { Telegraf } from "telegraf"; await new Telegraf(${env("TELEGRAM_BOT_TOKEN")}).telegram.getMe()`
  },
  {
    provider: "twilio",
    packages: ["twilio"],
    code: `import twilio from "twilio"; await twilio().api.v2010.accounts.list({ limit: 1 })`
  },
  {
    provider: "sendgrid",
    packages: ["@sendgrid/client"],
    code: `import client from "@sendgrid/client"; client.setApiKey(${env("SENDGRID_API_KEY")})
await client.request({ method: "GET", url: "/v3/scopes" })`
  },
  {
    provider: "resend",
    packages: ["resend"],
    code: `import { Resend } from "resend"; await new Resend().domains.list()`
  },
  {
    provider: "postmark",
    packages: ["postmark"],
    code: `import { ServerClient } from "postmark"; await new ServerClient(${env("POSTMARK_SERVER_TOKEN")}).getServer()`
  },
  {
    provider: "mailgun",
    packages: ["mailgun.js"],
    code: `import Mailgun from "mailgun.js"
await new Mailgun(FormData).client({ username: "api", key: ${env("MAILGUN_API_KEY")} }).domains.list()`
  },
  {
    provider: "line",
    packages: ["@line/bot-sdk"],
    code: `import * as line from "@line/bot-sdk"
await new line.messagingApi.MessagingApiClient({ channelAccessToken: ${
      env("LINE_CHANNEL_ACCESS_TOKEN")
    } }).getBotInfo()`
  },
  // Work
  {
    provider: "github-token",
    packages: ["octokit"],
    code: `import { Octokit } from "octokit"; await new Octokit({ auth: ${
      env("GITHUB_TOKEN")
    }, retry: { enabled: false } }).rest.users.getAuthenticated()`
  },
  {
    provider: "gitlab-token",
    packages: ["@gitbeaker/rest"],
    code: `import { Gitlab } from "@gitbeaker/rest"; await new Gitlab({ token: ${
      env("GITLAB_TOKEN")
    } }).Users.showCurrentUser()`
  },
  {
    provider: "linear-api-key",
    packages: ["@linear/sdk"],
    code: `import { LinearClient } from "@linear/sdk"; await new LinearClient({ apiKey: ${
      env("LINEAR_API_KEY")
    } }).viewer`
  },
  {
    provider: "notion-token",
    packages: ["@notionhq/client"],
    code: `import { Client } from "@notionhq/client"; await new Client({ auth: ${env("NOTION_TOKEN")} }).users.me()`
  },
  {
    provider: "airtable",
    packages: ["airtable"],
    code:
      `import Airtable from "airtable"; await new Airtable().base("appX")("T").select({ maxRecords: 1 }).firstPage()`
  },
  {
    provider: "asana-token",
    packages: ["asana"],
    code: `import Asana from "asana"
Asana.ApiClient.instance.authentications.token.accessToken = ${env("ASANA_ACCESS_TOKEN")}
await new Asana.UsersApi().getUser("me")`
  },
  {
    provider: "todoist-token",
    packages: ["@doist/todoist-sdk"],
    code: `import { TodoistApi } from "@doist/todoist-sdk"; await new TodoistApi(${env("TODOIST_API_TOKEN")}).getUser()`
  },
  {
    provider: "hubspot-token",
    packages: ["@hubspot/api-client"],
    code: `import { Client } from "@hubspot/api-client"
await new Client({ accessToken: ${env("HUBSPOT_ACCESS_TOKEN")} }).crm.contacts.basicApi.getPage(1)`
  },
  {
    provider: "intercom",
    packages: ["intercom-client"],
    code: `import { IntercomClient } from "intercom-client"
await new IntercomClient({ token: ${env("INTERCOM_ACCESS_TOKEN")} }).admins.list()`
  },
  {
    provider: "klaviyo",
    packages: ["klaviyo-api"],
    code: `import { ApiKeySession, AccountsApi } from "klaviyo-api"
await new AccountsApi(new ApiKeySession(${env("KLAVIYO_API_KEY")})).getAccounts()`
  },
  {
    provider: "figma-token",
    packages: ["figma-api"],
    code: `import { Api } from "figma-api"; await new Api({ personalAccessToken: ${env("FIGMA_TOKEN")} ?? ${
      env("FIGMA_API_KEY")
    } }).getMe()`
  },
  // Payments and shops
  {
    provider: "stripe",
    packages: ["stripe"],
    code: `import Stripe from "stripe"; await new Stripe(${
      env("STRIPE_SECRET_KEY")
    }, { maxNetworkRetries: 0 }).balance.retrieve()`
  },
  {
    provider: "square",
    packages: ["square"],
    code: `import { SquareClient } from "square"; await new SquareClient().locations.list()`
  },
  {
    provider: "paddle",
    packages: ["@paddle/paddle-node-sdk"],
    code: `import { Paddle } from "@paddle/paddle-node-sdk"; await new Paddle(${
      env("PADDLE_API_KEY")
    }).eventTypes.list()`
  },
  {
    provider: "mollie",
    packages: ["@mollie/api-client"],
    code: `import { createMollieClient } from "@mollie/api-client"
await createMollieClient({ apiKey: ${env("MOLLIE_API_KEY")} }).methods.list()`,
    fails: "trusts only its own list of certificates"
  },
  {
    provider: "polar",
    packages: ["@polar-sh/sdk"],
    code: `import { createPolar } from "@polar-sh/sdk/2026-04"
await createPolar({ accessToken: ${env("POLAR_ACCESS_TOKEN")} }).organizations.list({})`
  },
  {
    provider: "lemon-squeezy",
    packages: ["@lemonsqueezy/lemonsqueezy.js"],
    code: `import { lemonSqueezySetup, getAuthenticatedUser } from "@lemonsqueezy/lemonsqueezy.js"
lemonSqueezySetup({ apiKey: ${env("LEMONSQUEEZY_API_KEY")} ?? ${
      env("LEMON_SQUEEZY_API_KEY")
    } }); await getAuthenticatedUser()`
  },
  {
    provider: "dodo-payments",
    packages: ["dodopayments"],
    code: `import Dodo from "dodopayments"; await new Dodo().products.list()`
  },
  {
    provider: "mercado-pago",
    packages: ["mercadopago"],
    code: `import { MercadoPagoConfig, PaymentMethod } from "mercadopago"
await new PaymentMethod(new MercadoPagoConfig({ accessToken: ${env("MERCADO_PAGO_ACCESS_TOKEN")} })).get()`
  },
  // Databases and data
  {
    provider: "pinecone",
    packages: ["@pinecone-database/pinecone"],
    baseUrl: "https://index-abc.svc.aped-4627-b74a.pinecone.io",
    code: `import { Pinecone } from "@pinecone-database/pinecone"; await new Pinecone().listIndexes()`
  },
  {
    provider: "qdrant",
    packages: ["@qdrant/js-client-rest"],
    baseUrl: "https://abc.europe-west3-0.gcp.cloud.qdrant.io",
    hosts: ["abc.europe-west3-0.gcp.cloud.qdrant.io"],
    code: `import { QdrantClient } from "@qdrant/js-client-rest"
await new QdrantClient({ url: "https://abc.europe-west3-0.gcp.cloud.qdrant.io", port: 443, apiKey: ${
      env("QDRANT_API_KEY")
    }, checkCompatibility: false }).getCollections()`
  },
  {
    provider: "chroma",
    packages: ["chromadb"],
    code: `import { CloudClient } from "chromadb"
await new CloudClient({ tenant: "t", database: "d" }).listCollections()`
  },
  {
    provider: "upstash-redis",
    packages: ["@upstash/redis"],
    baseUrl: "https://apt-cat-1.upstash.io",
    hosts: ["apt-cat-1.upstash.io"],
    code: `import { Redis } from "@upstash/redis"; await Redis.fromEnv({ retry: false }).get("x")`
  },
  {
    provider: "neon",
    packages: ["@neondatabase/api-client"],
    code: `import { createApiClient } from "@neondatabase/api-client"
await createApiClient({ apiKey: ${env("NEON_API_KEY")} }).listProjects({})`
  },
  {
    provider: "turso",
    packages: ["@tursodatabase/api"],
    code: `import { createClient } from "@tursodatabase/api"
await createClient({ org: "o", token: ${env("TURSO_API_TOKEN")} }).databases.list()`
  },
  {
    provider: "algolia",
    packages: ["algoliasearch"],
    hosts: ["ABCDEFGHIJ-dsn.algolia.net", "ABCDEFGHIJ.algolia.net"].map((host) => host.toLowerCase()),
    code: `import { algoliasearch } from "algoliasearch"
await algoliasearch("ABCDEFGHIJ", ${env("ALGOLIA_API_KEY")} ?? ${env("ALGOLIA_ADMIN_KEY")}).listIndices()`
  },
  {
    provider: "contentful",
    packages: ["contentful-management"],
    code: `import * as contentful from "contentful-management"
await contentful.createClient({ accessToken: ${env("CONTENTFUL_MANAGEMENT_TOKEN")} ?? ${
      env("CONTENTFUL_MANAGEMENT_ACCESS_TOKEN")
    }, retryLimit: 0 }, { type: "plain" }).user.getCurrent()`
  },
  {
    provider: "clickhouse",
    packages: ["@clickhouse/client"],
    baseUrl: "https://abc.eu-west-1.aws.clickhouse.cloud:8443",
    hosts: ["abc.eu-west-1.aws.clickhouse.cloud:8443"],
    code: `import { createClient } from "@clickhouse/client"
await createClient({ url: ${env("CLICKHOUSE_URL")}, username: ${env("CLICKHOUSE_USER")}, password: ${
      env("CLICKHOUSE_PASSWORD")
    } }).query({ query: "select 1" })`
  },
  {
    provider: "elasticsearch",
    packages: ["@elastic/elasticsearch"],
    baseUrl: "https://abc.es.eu-west-1.aws.elastic.cloud",
    hosts: ["abc.es.eu-west-1.aws.elastic.cloud"],
    code: `import { Client } from "@elastic/elasticsearch"
await new Client({ node: "https://abc.es.eu-west-1.aws.elastic.cloud", auth: { apiKey: ${env("ELASTIC_API_KEY")} ?? ${
      env("ELASTICSEARCH_API_KEY")
    } }, maxRetries: 0 }).info()`
  },
  // Signed requests
  {
    provider: "azure-app-configuration",
    packages: ["@azure/app-configuration"],
    baseUrl: "https://shop.azconfig.io",
    code: `import { AppConfigurationClient } from "@azure/app-configuration"
const parts = [${env("AZURE_APPCONFIG_ENDPOINT")}, ${env("AZURE_APP_CONFIGURATION_CREDENTIAL_ID")}, ${
      env("AZURE_APP_CONFIGURATION_SECRET")
    }]
const client = new AppConfigurationClient(\`Endpoint=\${parts[0]};Id=\${parts[1]};Secret=\${parts[2]}\`)
await client.setConfigurationSetting({ key: "a key/\u00fc", value: "\u00fc" })
await client.getConfigurationSetting({ key: "a b", label: "x&y" })`
  },
  {
    provider: "azure-communication-services",
    packages: ["@azure/communication-identity"],
    baseUrl: "https://shop.unitedstates.communication.azure.com",
    code: `import { CommunicationIdentityClient } from "@azure/communication-identity"
const parts = [${env("AZURE_COMMUNICATION_SERVICES_ENDPOINT")}, ${env("AZURE_COMMUNICATION_SERVICES_ACCESS_KEY")}]
await new CommunicationIdentityClient(\`endpoint=\${parts[0]};accesskey=\${parts[1]}\`).createUserAndToken(["chat"])`
  },
  { provider: "okx", packages: ["@okx_ai/okx-trade-cli"], argv: ["okx", "account", "balance"] },
  {
    provider: "bitvavo",
    packages: ["bitvavo"],
    code: `import bitvavo from "bitvavo"
const client = bitvavo().options({ APIKEY: ${env("BITVAVO_API_KEY")}, APISECRET: ${env("BITVAVO_API_SECRET")} })
await client.placeOrder("BTC-EUR", "buy", "limit", { amount: "1", price: "2000" })
await client.balance({ symbol: "BTC" })`
  },
  // Observability
  {
    provider: "datadog",
    packages: ["@datadog/datadog-api-client"],
    code: `import { client, v1 } from "@datadog/datadog-api-client"
await new v1.AuthenticationApi(client.createConfiguration()).validate()`
  },
  {
    provider: "langfuse",
    packages: ["@langfuse/client"],
    code: `import { LangfuseClient } from "@langfuse/client"; await new LangfuseClient().api.health.health()`
  },
  // Command lines
  { provider: "vercel", packages: ["vercel"], argv: ["vercel", "whoami"] },
  { provider: "supabase-management", packages: ["supabase"], argv: ["supabase", "projects", "list"] },
  { provider: "netlify", packages: ["netlify-cli"], argv: ["netlify", "api", "getCurrentUser"] },
  {
    provider: "cloudflare",
    packages: ["wrangler"],
    argv: ["wrangler", "whoami"],
    env: { WRANGLER_SEND_METRICS: "false" }
  },
  {
    provider: "cloudflare",
    packages: ["cloudflare"],
    code: `import Cloudflare from "cloudflare"; await new Cloudflare().user.tokens.verify()`
  },
  { provider: "heroku", packages: ["heroku"], argv: ["heroku", "apps"] },
  { provider: "sentry", packages: ["@sentry/cli"], argv: ["sentry-cli", "info"] },
  { provider: "neon", packages: ["neonctl"], argv: ["neonctl", "projects", "list", "--no-analytics"] },
  { provider: "expo", packages: ["eas-cli"], argv: ["eas", "whoami"] },
  {
    provider: "trigger-dev-pat",
    packages: ["trigger.dev"],
    argv: ["trigger", "promote", "1", "--project-ref", "proj_x", "--env", "prod"]
  },
  { provider: "apify", packages: ["apify-cli"], argv: ["apify", "api", "v2/users/me"] }
]
