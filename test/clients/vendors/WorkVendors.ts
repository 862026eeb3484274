import { env, toolCall, type VendorClient } from "./VendorClient.ts"

export const workVendors: ReadonlyArray<VendorClient> = [
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
  {
    provider: "notion-token",
    packages: ["@notionhq/notion-mcp-server"],
    code: toolCall(["notion-mcp-server"], "API-get-self")
  },
  {
    provider: "shortcut",
    packages: ["@shortcut/client"],
    code: `import { ShortcutClient } from "@shortcut/client"; await new ShortcutClient(${
      env("SHORTCUT_API_TOKEN")
    }).getCurrentMemberInfo()`
  },
  {
    provider: "shortcut",
    packages: ["@shortcut/mcp"],
    code: toolCall(["mcp-server-shortcut"], "users-get-current")
  },
  {
    provider: "smartsheet-token",
    packages: ["smartsheet"],
    code:
      `import smartsheet from "smartsheet"; await smartsheet.createClient({ logLevel: "error" }).users.getCurrentUser()`
  },
  {
    provider: "monday-token",
    packages: ["@mondaydotcomorg/api"],
    code: `import { ApiClient } from "@mondaydotcomorg/api"; await new ApiClient({ token: ${
      env("MONDAY_API_TOKEN")
    } }).request("{ me { id } }")`
  },
  {
    provider: "azure-devops",
    packages: ["azure-devops-node-api"],
    code: `import * as azdev from "azure-devops-node-api"
const handler = azdev.getPersonalAccessTokenHandler(${env("AZURE_DEVOPS_EXT_PAT")})
await new azdev.WebApi("https://dev.azure.com/o", handler).connect()`
  },
  {
    provider: "typeform",
    packages: ["@typeform/api-client"],
    code: `import { createClient } from "@typeform/api-client"; await createClient({ token: ${
      env("TYPEFORM_TOKEN")
    } }).forms.list()`
  },
  {
    provider: "pandadoc",
    packages: ["pandadoc-node-client"],
    code: `import * as sdk from "pandadoc-node-client"
const configuration = sdk.createConfiguration({ authMethods: { apiKey: "API-Key " + ${env("PANDADOC_API_KEY")} } })
await new sdk.DocumentsApi(configuration).listDocuments()`
  },
  {
    provider: "dropbox-sign",
    packages: ["@dropbox/sign"],
    code: `import * as sdk from "@dropbox/sign"
const api = new (sdk.AccountApi ?? sdk.default.AccountApi)(); api.username = ${env("DROPBOX_SIGN_API_KEY")} ?? ${
      env("HELLOSIGN_API_KEY")
    }
await api.accountGet()`
  },
  {
    provider: "cloudconvert",
    packages: ["cloudconvert"],
    code: `import CloudConvert from "cloudconvert"; await new CloudConvert(${env("CLOUDCONVERT_API_KEY")}).users.me()`
  },
  {
    provider: "dub",
    packages: ["dub"],
    code: `import { Dub } from "dub"; await new Dub({ token: ${env("DUB_API_KEY")} }).tags.list({})`
  },
  {
    provider: "ynab",
    packages: ["ynab"],
    code: `import * as ynab from "ynab"; const { API } = ynab.API ? ynab : ynab.default; await new API(${
      env("YNAB_ACCESS_TOKEN")
    }).user.getUser()`
  },
  {
    provider: "unsplash",
    packages: ["unsplash-js"],
    code: `import { createApi } from "unsplash-js"
await createApi({ accessKey: ${env("UNSPLASH_ACCESS_KEY")} }).GET("/photos/random")`
  },
  {
    provider: "pexels",
    packages: ["pexels"],
    code: `import { createClient } from "pexels"; await createClient(${
      env("PEXELS_API_KEY")
    }).photos.search({ query: "x" })`
  },
  {
    provider: "webflow",
    packages: ["webflow-api"],
    code: `import { WebflowClient } from "webflow-api"; await new WebflowClient({ accessToken: ${
      env("WEBFLOW_API_TOKEN")
    } }).sites.list()`
  },
  {
    provider: "storyblok",
    packages: ["storyblok-js-client"],
    code: `import StoryblokClient from "storyblok-js-client"; await new StoryblokClient({ oauthToken: ${
      env("STORYBLOK_OAUTH_TOKEN")
    } }).get("spaces/")`
  },
  {
    provider: "ghost-content",
    packages: ["@tryghost/content-api"],
    baseUrl: "https://blog.example.com",
    hosts: ["blog.example.com"],
    code: `import GhostContentAPI from "@tryghost/content-api"
await new GhostContentAPI({ url: "https://blog.example.com", key: ${
      env("GHOST_CONTENT_API_KEY")
    }, version: "v5.0" }).settings.browse()`
  },
  {
    provider: "google-maps",
    packages: ["@googlemaps/google-maps-services-js"],
    code: `import { Client } from "@googlemaps/google-maps-services-js"
await new Client().geocode({ params: { address: "x", key: ${env("GOOGLE_MAPS_API_KEY")} } })`
  },
  {
    provider: "mapbox",
    packages: ["@mapbox/mapbox-sdk"],
    code: `import geocoding from "@mapbox/mapbox-sdk/services/geocoding.js"
await geocoding({ accessToken: ${env("MAPBOX_ACCESS_TOKEN")} }).forwardGeocode({ query: "x" }).send()`
  }
]
