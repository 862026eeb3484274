/** APIs for messages, payments, data and teams. */
import { generateKeyPairSync } from "node:crypto"
import { type Apis, basic, token, upload } from "./Api.ts"

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const serviceAccount = {
  type: "service_account",
  client_email: "a@p.iam.gserviceaccount.com",
  private_key_id: "k",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  token_uri: "https://oauth2.googleapis.com/token"
}

const application = { client_id: "c", client_secret: "s" }

// The ids by which the SDK of Azure DevOps asks for places.
const AREAS = "e81700f7-3be2-46de-8624-2eb35882fcaa"
const BUILDS = "0cd358e1-9217-4d94-8269-1c1ee6f93dcf"
const PROJECTS = "603fe2ac-9723-48b9-88ad-09305aa6c6e1"
const located = (id: string, area: string, resourceName: string): object => ({
  value: [{ id, area, resourceName, routeTemplate: "_apis/{resource}", minVersion: "1.0", maxVersion: "7.2" }]
})

export const services: Apis = {
  "google-service-account": {
    login: JSON.stringify(serviceAccount),
    open: { "POST oauth2.googleapis.com/token": token },
    key: "authorization: Bearer $",
    calls: {
      "GET storage.googleapis.com/storage/v1/b": { items: [{ id: "served", name: "served" }] },
      "POST storage.googleapis.com/upload/storage/v1/b/bucket/o": upload({ name: "served", bucket: "bucket" }),
      "GET www.googleapis.com/drive/v3/files": { files: [{ id: "served" }] },
      "POST www.googleapis.com/upload/drive/v3/files": upload({ id: "served" })
    },
    sdk: {
      "@google-cloud/storage": `const { OAuth2Client } = await import("google-auth-library")
        const authClient = new OAuth2Client()
        authClient.setCredentials({ access_token: env.GOOGLE_OAUTH_ACCESS_TOKEN })
        const storage = new sdk.Storage({ projectId: "p", authClient })
        say((await storage.getBuckets())[0][0].name)
        await storage.bucket("bucket").upload(file, { resumable: false, validation: false })`,
      "@googleapis/drive": `const client = new sdk.auth.OAuth2()
        client.setCredentials({ access_token: env.GOOGLE_OAUTH_ACCESS_TOKEN })
        const { files } = sdk.drive({ version: "v3", auth: client })
        say((await files.list()).data)
        say((await files.create({ requestBody: {}, media: { mimeType: "text/plain", body: fs.createReadStream(file) } })).data)`
    }
  },
  algolia: {
    login: { api_key: "$", app_id: "APP1" },
    key: "x-algolia-api-key: $",
    calls: {
      "POST app1-dsn.algolia.net/1/indexes/*/queries": { results: [{ hits: [{ objectID: "served" }] }] },
      "POST app1.algolia.net/1/indexes/things": { objectID: "served", taskID: 1 }
    },
    sdk: {
      algoliasearch: `const client = sdk.algoliasearch(env.ALGOLIA_APP_ID, env.ALGOLIA_API_KEY)
        say(await client.search({ requests: [{ indexName: "things", query: "hi" }] }))
        say(await client.saveObject({ indexName: "things", body: { a: 1 } }))`
    }
  },
  datadog: {
    login: { api_key: "$", app_key: "ddapp_$" },
    base: "datadoghq.eu",
    key: "dd-api-key: $",
    calls: {
      "GET api.datadoghq.eu/api/v1/monitor": ({ headers }) => {
        if (!String(headers["dd-application-key"]).startsWith("ddapp_Zq")) throw new Error("no application key")
        return [{ id: 1, name: "served", type: "metric alert", query: "q" }]
      },
      "POST http-intake.logs.datadoghq.eu/api/v2/logs": {},
      "POST cireport-intake.datadoghq.eu/api/v2/cireport": {}
    },
    sdk: {
      "@datadog/datadog-api-client": `const configuration = sdk.default.client.createConfiguration()
        say(await new sdk.default.v1.MonitorsApi(configuration).listMonitors())
        await new sdk.default.v2.LogsApi(configuration).submitLog({ body: [{ message: "hi" }] })`
    },
    cli: {
      "@datadog/datadog-ci":
        `echo '<testsuites><testsuite name="s" tests="1"><testcase name="t" classname="c"/></testsuite></testsuites>' >junit.xml
        datadog-ci junit upload --service served --skip-git-metadata-upload junit.xml`
    }
  },
  sendgrid: {
    base: "eu",
    key: "authorization: Bearer SG.$",
    calls: { "POST api.eu.sendgrid.com/v3/mail/send": {} },
    sdk: {
      "@sendgrid/mail": `const { default: client } = await import("@sendgrid/client")
        client.setDataResidency("eu"); sdk.default.setClient(client); sdk.default.setApiKey(env.SENDGRID_API_KEY)
        await sdk.default.send({ to: "a@x.test", from: "b@x.test", subject: "s", text: "t" }); say("served")`
    }
  },
  resend: {
    key: "authorization: Bearer re_$",
    calls: { "POST api.resend.com/emails": { id: "served" } },
    sdk: {
      resend:
        `const { data, error } = await new sdk.Resend().emails.send({ from: "b@x.test", to: "a@x.test", subject: "s", text: "t" })
        say(data ?? error)`
    }
  },
  posthog: {
    base: "eu",
    key: "authorization: Bearer phx_$",
    calls: {
      "GET eu.i.posthog.com/flags/definitions": {
        flags: [{ key: "flag", active: true, filters: { groups: [{ rollout_percentage: 100 }] } }]
      }
    },
    sdk: {
      "posthog-node":
        `const client = new sdk.PostHog("phc_project", { host: "https://eu.i.posthog.com", personalApiKey: env.POSTHOG_PERSONAL_API_KEY })
        await client.waitForLocalEvaluationReady()
        if (await client.isFeatureEnabled("flag", "user", { sendFeatureFlagEvents: false })) say("served")
        await client.shutdown()`
    }
  },
  vercel: {
    key: "authorization: Bearer $",
    calls: {
      "GET api.vercel.com/v2/user": {
        user: { id: "u", username: "served", email: "a@x.test", version: "northstar", defaultTeamId: "t" }
      },
      "GET api.vercel.com/teams/t": { id: "t", slug: "served" },
      "GET api.vercel.com/v10/projects": { projects: [], pagination: {} }
    },
    sdk: {
      "@vercel/sdk": `const client = new sdk.Vercel({ bearerToken: env.VERCEL_TOKEN })
        say((await client.user.getAuthUser()).user)
        await client.projects.getProjects({})`
    },
    cli: { vercel: "export NO_UPDATE_NOTIFIER=1; vercel whoami --token $VERCEL_TOKEN" }
  },
  "upstash-redis": {
    base: "https://db.upstash.io",
    key: "authorization: Bearer $",
    calls: { "POST db.upstash.io/": { result: "c2VydmVk" }, "POST db.upstash.io/pipeline": [{ result: "c2VydmVk" }] },
    sdk: {
      "@upstash/redis": `const redis = sdk.Redis.fromEnv({ enableAutoPipelining: false })
        say(await redis.get("k"))
        say(await redis.pipeline().get("k").exec())`
    }
  },
  clerk: {
    key: "authorization: Bearer sk_test_$",
    calls: {
      "GET api.clerk.com/v1/users": [{ id: "served", object: "user" }],
      "GET api.clerk.com/v1/users/count": { total_count: 1 }
    },
    sdk: {
      "@clerk/backend": `const { users } = sdk.createClerkClient({ secretKey: env.CLERK_SECRET_KEY })
        say((await users.getUserList()).data[0].id)`
    }
  },
  elasticsearch: {
    base: "https://mine.es.eu-west-1.aws.elastic.cloud",
    key: "authorization: ApiKey $",
    calls: {
      "POST mine.es.eu-west-1.aws.elastic.cloud/things/_search": { hits: { hits: [{ _id: "served" }] } },
      "POST mine.es.eu-west-1.aws.elastic.cloud/_bulk": upload({ errors: false, items: [] })
    },
    sdk: {
      "@elastic/elasticsearch":
        `const client = new sdk.Client({ node: env.ES_URL, auth: { apiKey: env.ELASTIC_API_KEY }, maxRetries: 0 })
        say(await client.search({ index: "things", query: { match_all: {} } }))
        await client.bulk({ operations: [{ index: { _index: "things" } }, { text: "contents of the file" }] })`
    }
  },
  clickhouse: {
    login: { username: "default", password: "$" },
    base: "https://clickhouse.mine.test",
    key: basic("default", "$"),
    calls: { "POST clickhouse.mine.test/": upload({ data: [{ id: "served" }] }) },
    sdk: {
      "@clickhouse/client":
        `const client = sdk.createClient({ url: env.CLICKHOUSE_URL, username: env.CLICKHOUSE_USER, password: env.CLICKHOUSE_PASSWORD })
        say(await (await client.query({ query: "SELECT 'contents of the file'" })).json())
        await client.insert({ table: "t", values: [{ text: "contents of the file" }], format: "JSONEachRow" })`
    }
  },
  "azure-devops": {
    login: "$",
    key: basic("", "$"),
    open: {
      "OPTIONS dev.azure.com/mine/_apis/Location": located(AREAS, "Location", "ResourceAreas"),
      "OPTIONS dev.azure.com/mine/_apis/core": located(PROJECTS, "core", "projects"),
      "OPTIONS dev.azure.com/mine/_apis/build": located(BUILDS, "build", "builds")
    },
    calls: {
      "GET dev.azure.com/mine/_apis/ResourceAreas": { count: 0, value: [] },
      "GET dev.azure.com/mine/_apis/builds": {
        count: 1,
        value: [{ id: 1, definition: { name: "served" }, requestedBy: {} }]
      },
      "GET dev.azure.com/mine/_apis/projects": { count: 1, value: [{ id: "served" }] }
    },
    sdk: {
      "azure-devops-node-api":
        `const core = await new sdk.default.WebApi("https://dev.azure.com/mine", sdk.default.getPersonalAccessTokenHandler(env.AZURE_DEVOPS_EXT_PAT)).getCoreApi()
        say(await core.getProjects())`
    },
    cli: {
      "tfx-cli":
        "tfx build list --service-url https://dev.azure.com/mine --project p --auth-type pat --token $AZURE_DEVOPS_EXT_PAT"
    }
  },
  line: {
    key: "authorization: Bearer $",
    calls: {
      "POST api.line.me/v2/bot/message/push": { sentMessages: [{ id: "served" }] },
      "POST api-data.line.me/v2/bot/richmenu/m/content": upload({})
    },
    sdk: {
      "@line/bot-sdk":
        `const client = sdk.LineBotClient.fromChannelAccessToken({ channelAccessToken: env.LINE_CHANNEL_ACCESS_TOKEN })
        say(await client.pushMessage({ to: "u", messages: [{ type: "text", text: "hi" }] }))
        await client.setRichMenuImage("m", await fs.openAsBlob(file))`
    }
  },
  telegram: {
    login: "123456789:$",
    key: "/bot123456789:$",
    calls: {
      "POST api.telegram.org/*/sendMessage": { ok: true, result: { message_id: "served" } },
      "POST api.telegram.org/*/sendDocument": upload({ ok: true, result: { message_id: "served" } })
    },
    sdk: {
      grammy: `const { api } = new sdk.Bot(env.TELEGRAM_BOT_TOKEN)
        say(await api.sendMessage(1, "hi")); say(await api.sendDocument(1, new sdk.InputFile(file)))`
    }
  },
  "microsoft-app": {
    login: { ...application, tenant_id: "t" },
    open: { "POST login.microsoftonline.com/t/oauth2/v2.0/token": token },
    key: "authorization: Bearer $",
    calls: {
      "GET graph.microsoft.com/v1.0/users": { value: [{ id: "served" }] },
      "PUT graph.microsoft.com/v1.0/drives/d/root:/file.txt:/content": upload({ id: "served" })
    },
    sdk: {
      "@microsoft/microsoft-graph-client":
        `const client = sdk.default.Client.init({ authProvider: (done) => done(null, env.MICROSOFT_GRAPH_APP_TOKEN) })
        say(await client.api("/users").get())
        say(await client.api("/drives/d/root:/file.txt:/content").put(fs.readFileSync(file)))`
    }
  },
  "auth0-management": {
    login: application,
    base: "https://mine.eu.auth0.com",
    open: { "POST mine.eu.auth0.com/oauth/token": token },
    key: "authorization: Bearer $",
    calls: {
      "GET mine.eu.auth0.com/api/v2/tenants/settings": { friendly_name: "served" },
      "GET mine.eu.auth0.com/api/v2/users": { start: 0, limit: 50, length: 1, total: 1, users: [{ user_id: "served" }] }
    },
    sdk: {
      auth0:
        `say((await new sdk.ManagementClient({ domain: "mine.eu.auth0.com", token: env.AUTH0_MANAGEMENT_API_TOKEN }).users.list()).data)`
    },
    cli: {
      "auth0-deploy-cli": `export AUTH0_DOMAIN=mine.eu.auth0.com AUTH0_INCLUDED_ONLY='["tenant"]'
        a0deploy export --output_folder out --format yaml; cat out/tenant.yaml`
    }
  },
  "gitlab-token": {
    key: "private-token: glpat-$",
    calls: {
      "GET gitlab.com/api/v4/user": { username: "served" },
      "POST gitlab.com/api/v4/projects/1/uploads": upload({ alt: "served" })
    },
    sdk: {
      "@gitbeaker/rest": `const client = new sdk.Gitlab({ token: env.GITLAB_TOKEN })
        say(await client.Users.showCurrentUser())
        say(await client.ProjectMarkdownUploads.create(1, { content: await fs.openAsBlob(file), filename: "f" }))`
    }
  },
  "notion-token": {
    key: "authorization: Bearer ntn_$",
    calls: {
      "POST api.notion.com/v1/file_uploads": { id: "f", upload_url: "https://api.notion.com/v1/file_uploads/f/send" },
      "POST api.notion.com/v1/file_uploads/f/complete": { id: "f" },
      "GET api.notion.com/v1/users/me": { object: "user", id: "served", name: "served" },
      "POST api.notion.com/v1/file_uploads/f/send": upload({ id: "served" })
    },
    option: "--base-url",
    sdk: {
      "@notionhq/client": `const client = new sdk.Client({ auth: env.NOTION_TOKEN })
        say(await client.users.me({}))
        say(await client.fileUploads.send({ file_upload_id: "f", file: { data: await fs.openAsBlob(file), filename: "f" } }))`
    },
    cli: {
      ntn:
        "export NOTION_API_VERSION=2022-06-28; ntn api v1/users/me; ntn files create --filename f.txt --content-type text/plain <file.txt"
    }
  }
}
