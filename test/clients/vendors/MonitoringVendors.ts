import { env, toolCall, type VendorClient } from "./VendorClient.ts"

export const monitoringVendors: ReadonlyArray<VendorClient> = [
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
  {
    provider: "posthog",
    packages: ["posthog-node"],
    code: `import { PostHog } from "posthog-node"
const client = new PostHog("phc_x", { host: "https://us.i.posthog.com", personalApiKey: ${
      env("POSTHOG_PERSONAL_API_KEY")
    } })
await client.reloadFeatureFlags(); await client.shutdown()`
  },
  {
    provider: "pagerduty",
    packages: ["@pagerduty/pdjs"],
    code: `import { api } from "@pagerduty/pdjs"; await api({ token: ${env("PAGERDUTY_API_KEY")}, endpoint: "/users" })`
  },
  {
    provider: "honeycomb",
    packages: ["libhoney"],
    code: `import Libhoney from "libhoney"
const client = new Libhoney({ writeKey: ${
      env("HONEYCOMB_API_KEY")
    }, dataset: "d" }); client.sendNow({ x: 1 }); await client.flush()`
  },
  {
    provider: "launchdarkly",
    packages: ["@launchdarkly/mcp-server"],
    code: toolCall(["mcp", "start", "--api-key", "api-credsvc-proxy-managed"], "list-feature-flags", {
      request: { projectKey: "p" }
    })
  }
]
