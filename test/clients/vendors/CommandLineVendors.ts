import { env, toolCall, type VendorClient } from "./VendorClient.ts"

export const commandLineVendors: ReadonlyArray<VendorClient> = [
  { provider: "vercel", packages: ["vercel@60"], argv: ["vercel", "whoami"] },
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
  { provider: "apify", packages: ["apify-cli"], argv: ["apify", "api", "v2/users/me"] },
  {
    provider: "clerk",
    packages: ["@clerk/backend"],
    code: `import { createClerkClient } from "@clerk/backend"; await createClerkClient({ secretKey: ${
      env("CLERK_SECRET_KEY")
    } }).users.getCount()`
  },
  {
    provider: "workos",
    packages: ["@workos-inc/node"],
    code: `import { WorkOS } from "@workos-inc/node"; await new WorkOS().organizations.listOrganizations()`
  },
  {
    provider: "stytch",
    packages: ["stytch"],
    code: `import stytch from "stytch"
await new stytch.Client({ project_id: ${env("STYTCH_PROJECT_ID")}, secret: ${
      env("STYTCH_SECRET")
    }, env: "https://api.stytch.com/" }).users.get({ user_id: "u" })`
  },
  {
    provider: "descope",
    packages: ["@descope/node-sdk"],
    code: `import descope from "@descope/node-sdk"
await descope({ projectId: ${env("DESCOPE_PROJECT_ID")}, managementKey: ${
      env("DESCOPE_MANAGEMENT_KEY")
    } }).management.tenant.loadAll()`
  },
  {
    provider: "okta",
    packages: ["@okta/okta-sdk-nodejs"],
    baseUrl: "https://acme.okta.com",
    code: `import okta from "@okta/okta-sdk-nodejs"
await new okta.Client({ orgUrl: "https://acme.okta.com", token: ${
      env("OKTA_CLIENT_TOKEN")
    } }).userApi.getUser({ userId: "me" })`
  },
  {
    provider: "doppler",
    packages: ["@dopplerhq/node-sdk"],
    code: `import DopplerSDK from "@dopplerhq/node-sdk"; await new DopplerSDK({ accessToken: ${
      env("DOPPLER_TOKEN")
    } }).projects.list()`
  },
  {
    provider: "socket-dev",
    packages: ["@socketsecurity/sdk"],
    code: `import { SocketSdk } from "@socketsecurity/sdk"; await new SocketSdk(${env("SOCKET_CLI_API_TOKEN")} ?? ${
      env("SOCKET_API_TOKEN")
    }).getQuota()`
  },
  {
    provider: "jfrog",
    packages: ["jfrog-client-js"],
    baseUrl: "https://acme.jfrog.io",
    code: `import { JfrogClient } from "jfrog-client-js"
await new JfrogClient({ platformUrl: "https://acme.jfrog.io/", accessToken: ${
      env("JF_ACCESS_TOKEN")
    } }).artifactory().system().version()`
  },
  {
    provider: "npm",
    packages: ["npm"],
    code: `import { spawnSync } from "node:child_process"
const token = "--//registry.npmjs.org/:_authToken=" + ${env("NPM_TOKEN")}
spawnSync("node_modules/.bin/npm", ["whoami", "--registry=https://registry.npmjs.org/", token], { stdio: "inherit" })`
  },
  {
    provider: "checkly",
    packages: ["checkly"],
    argv: ["checkly", "whoami"]
  },
  {
    provider: "datadog",
    packages: ["@datadog/datadog-ci"],
    env: { CI: "1", CIRCLECI: "true", CIRCLE_WORKFLOW_ID: "w", CIRCLE_BUILD_NUM: "1" },
    argv: ["datadog-ci", "tag", "--level", "job", "--tags", "a:b"]
  },
  {
    provider: "circleci",
    packages: ["@circleci/mcp-server-circleci"],
    code: toolCall(["mcp-server-circleci"], "list_followed_projects", { params: {} })
  },
  {
    provider: "sentry",
    packages: ["@sentry/mcp-server"],
    code: toolCall(["sentry-mcp", "--skills=inspect"], "whoami")
  },
  {
    provider: "azure-devops",
    packages: ["@azure-devops/mcp"],
    code: toolCall(["mcp-server-azuredevops", "o", "--authentication", "envvar"], "core_list_projects"),
    fails: "needs a native module, which only an install script of npm builds"
  }
]
