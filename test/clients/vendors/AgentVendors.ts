import { env, toolCall, type VendorClient } from "./VendorClient.ts"

export const agentVendors: ReadonlyArray<VendorClient> = [
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
  {
    provider: "composio",
    packages: ["@composio/core"],
    code: `import { Composio } from "@composio/core"; await new Composio({ allowTracking: false }).toolkits.get({})`
  },
  {
    provider: "braintrust",
    packages: ["braintrust"],
    code: `import * as b from "braintrust"; await b.loginToState({}).catch(() => b.login({ apiKey: ${
      env("BRAINTRUST_API_KEY")
    } }))`
  },
  {
    provider: "letta",
    packages: ["@letta-ai/letta-client"],
    code: `import { Letta } from "@letta-ai/letta-client"; await new Letta().agents.list()`
  },
  {
    provider: "linkup",
    packages: ["linkup-sdk"],
    code: `import { LinkupClient } from "linkup-sdk"
await new LinkupClient({ apiKey: ${
      env("LINKUP_API_KEY")
    } }).search({ query: "x", depth: "standard", outputType: "searchResults" })`
  },
  {
    provider: "parallel",
    packages: ["parallel-web"],
    code: `import Parallel from "parallel-web"; await new Parallel().taskRun.retrieve("r")`
  },
  {
    provider: "ragie",
    packages: ["ragie"],
    code: `import { Ragie } from "ragie"; await new Ragie({ auth: ${env("RAGIE_API_KEY")} }).documents.list({})`
  },
  {
    provider: "pipedream",
    packages: ["@pipedream/sdk"],
    code: `import { PipedreamClient } from "@pipedream/sdk"
await new PipedreamClient({ projectId: "p", projectEnvironment: "development" }).apps.list()`,
    fails: "exchanges a client secret for a token itself"
  },
  {
    provider: "scrapegraph",
    packages: ["scrapegraph-js"],
    code: `import * as sdk from "scrapegraph-js"
await sdk.getCredits(${env("SGAI_API_KEY")} ?? ${env("SCRAPEGRAPH_API_KEY")})`
  },
  {
    provider: "scrapingbee",
    packages: ["scrapingbee"],
    code: `import sdk from "scrapingbee"
const client = new sdk.ScrapingBeeClient(${env("SCRAPINGBEE_API_KEY")})
await (client.usage?.() ?? client.get({ url: "https://example.com" }))`
  },
  {
    provider: "zenrows",
    packages: ["zenrows"],
    code: `import { ZenRows } from "zenrows"; await new ZenRows(${env("ZENROWS_API_KEY")}).get("https://example.com")`
  },
  {
    provider: "serpapi",
    packages: ["serpapi"],
    code: `import { getAccount } from "serpapi"; await getAccount({ api_key: ${env("SERPAPI_API_KEY")} ?? ${
      env("SERPAPI_KEY")
    } })`
  },
  {
    provider: "supadata",
    packages: ["@supadata/js"],
    code: `import { Supadata } from "@supadata/js"
await new Supadata({ apiKey: ${env("SUPADATA_API_KEY")} }).web.scrape("https://example.com")`
  },
  {
    provider: "peopledatalabs",
    packages: ["peopledatalabs"],
    code: `import PDLJS from "peopledatalabs"
await new PDLJS({ apiKey: ${env("PDL_API_KEY")} }).company.enrichment({ website: "example.com" })`
  },
  {
    provider: "vapi",
    packages: ["@vapi-ai/server-sdk"],
    code: `import { createRequire } from "node:module"
const { VapiClient } = createRequire(process.cwd() + "/")("@vapi-ai/server-sdk"); await new VapiClient({ token: ${
      env("VAPI_API_KEY")
    } }).assistants.list()`
  },
  {
    provider: "retell-ai",
    packages: ["retell-sdk"],
    code: `import Retell from "retell-sdk"; await new Retell({ apiKey: ${env("RETELL_API_KEY")} }).voice.list()`
  },
  {
    provider: "brave-search",
    packages: ["@brave/brave-search-mcp-server"],
    code: toolCall(["brave-search-mcp-server", "--transport", "stdio"], "brave_web_search", { query: "x" })
  },
  {
    provider: "tavily",
    packages: ["tavily-mcp"],
    code: toolCall(["tavily-mcp"], "tavily_search", { query: "x" })
  },
  {
    provider: "firecrawl",
    packages: ["firecrawl-mcp"],
    code: toolCall(["firecrawl-mcp"], "firecrawl_scrape", { url: "https://example.com" })
  },
  {
    provider: "exa",
    packages: ["exa-mcp-server"],
    code: toolCall(["exa-mcp-server"], "web_search_exa", { query: "x" })
  },
  {
    provider: "perplexity",
    packages: ["@perplexity-ai/mcp-server"],
    code: toolCall(["perplexity-mcp"], "perplexity_search", { query: "x" })
  },
  {
    provider: "context7",
    packages: ["@upstash/context7-mcp"],
    code: toolCall(["context7-mcp"], "resolve-library-id", { libraryName: "x", query: "x" })
  }
]
