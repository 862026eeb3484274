/** APIs for messages, payments, data and teams. */
import { generateKeyPairSync } from "node:crypto"
import { type Api, basic, cli, sdk, token, upload } from "./Api.ts"

const serviceAccount = (): string =>
  JSON.stringify({
    type: "service_account",
    client_email: "a@p.iam.gserviceaccount.com",
    private_key_id: "k",
    private_key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
      type: "pkcs8",
      format: "pem"
    }),
    token_uri: "https://oauth2.googleapis.com/token"
  })

const application = { client_id: "c", client_secret: "s" }

const azureLocation = (id: string, area: string, resourceName: string): object => ({
  value: [{
    id,
    area,
    resourceName,
    routeTemplate: "_apis/{resource}",
    resourceVersion: 1,
    minVersion: "1.0",
    maxVersion: "7.2",
    releasedVersion: "7.1"
  }]
})

export const services: ReadonlyArray<Api> = [
  {
    provider: "google-service-account",
    downloads: 33.7,
    login: serviceAccount(),
    open: { "POST oauth2.googleapis.com/token": token },
    arrives: "authorization: Bearer $",
    calls: {
      "GET storage.googleapis.com/storage/v1/b": { items: [{ id: "served", name: "served" }] },
      "POST storage.googleapis.com/upload/storage/v1/b/bucket/o": upload({ name: "served", bucket: "bucket" }),
      "GET www.googleapis.com/drive/v3/files": { files: [{ id: "served" }] },
      "POST www.googleapis.com/upload/drive/v3/files": upload({ id: "served" })
    },
    programs: [
      sdk(
        "@google-cloud/storage",
        `const { Storage } = await import("@google-cloud/storage")
        const { OAuth2Client } = await import("google-auth-library")
        const authClient = new OAuth2Client()
        authClient.setCredentials({ access_token: env.GOOGLE_OAUTH_ACCESS_TOKEN })
        const storage = new Storage({ projectId: "p", authClient })
        say((await storage.getBuckets())[0][0].name)
        await storage.bucket("bucket").upload(file, { resumable: false, validation: false })`
      ),
      sdk(
        "@googleapis/drive",
        `const { drive, auth } = await import("@googleapis/drive")
        const { createReadStream } = await import("node:fs")
        const client = new auth.OAuth2()
        client.setCredentials({ access_token: env.GOOGLE_OAUTH_ACCESS_TOKEN })
        const { files } = drive({ version: "v3", auth: client })
        say((await files.list()).data)
        say((await files.create({ requestBody: {}, media: { mimeType: "text/plain", body: createReadStream(file) } })).data)`
      )
    ]
  },
  {
    provider: "algolia",
    downloads: 20.4,
    login: { api_key: "$", app_id: "APP1" },
    arrives: "x-algolia-api-key: $",
    calls: {
      "POST app1-dsn.algolia.net/1/indexes/*/queries": { results: [{ hits: [{ objectID: "served" }] }] },
      "POST app1.algolia.net/1/indexes/things": { objectID: "served", taskID: 1 }
    },
    programs: [
      sdk(
        "algoliasearch",
        `const { algoliasearch } = await import("algoliasearch")
        const client = algoliasearch(env.ALGOLIA_APP_ID, env.ALGOLIA_API_KEY)
        say(await client.search({ requests: [{ indexName: "things", query: "hi" }] }))
        say(await client.saveObject({ indexName: "things", body: { a: 1 } }))`
      )
    ]
  },
  {
    provider: "datadog",
    downloads: 15.6,
    login: { api_key: "$", app_key: "ddapp_$" },
    base: "datadoghq.eu",
    arrives: "dd-api-key: $",
    calls: {
      "GET api.datadoghq.eu/api/v1/monitor": ({ headers }) => {
        if (!String(headers["dd-application-key"]).startsWith("ddapp_Zq")) throw new Error("no application key")
        return [{ id: 1, name: "served", type: "metric alert", query: "q" }]
      },
      "POST http-intake.logs.datadoghq.eu/api/v2/logs": {},
      "POST cireport-intake.datadoghq.eu/api/v2/cireport": {}
    },
    programs: [
      sdk(
        "@datadog/datadog-api-client",
        `const { client, v1, v2 } = (await import("@datadog/datadog-api-client")).default
        const configuration = client.createConfiguration()
        say(await new v1.MonitorsApi(configuration).listMonitors())
        await new v2.LogsApi(configuration).submitLog({ body: [{ message: "hi" }] })`
      ),
      cli(
        "@datadog/datadog-ci",
        `echo '<testsuites><testsuite name="s" tests="1"><testcase name="t" classname="c"/></testsuite></testsuites>' >junit.xml
        datadog-ci junit upload --service served --skip-git-metadata-upload junit.xml`
      )
    ]
  },
  {
    provider: "sendgrid",
    downloads: 12.8,
    login: "SG.$",
    base: "eu",
    arrives: "authorization: Bearer SG.$",
    calls: { "POST api.eu.sendgrid.com/v3/mail/send": {} },
    programs: [
      sdk(
        "@sendgrid/mail",
        `const { default: mail } = await import("@sendgrid/mail")
        const { default: client } = await import("@sendgrid/client")
        client.setDataResidency("eu"); mail.setClient(client); mail.setApiKey(env.SENDGRID_API_KEY)
        await mail.send({ to: "a@x.test", from: "b@x.test", subject: "s", text: "t" }); say("served")`
      )
    ]
  },
  {
    provider: "resend",
    downloads: 10.8,
    login: "re_$",
    arrives: "authorization: Bearer re_$",
    calls: { "POST api.resend.com/emails": { id: "served" } },
    programs: [
      sdk(
        "resend",
        `const { Resend } = await import("resend")
        const { data, error } = await new Resend().emails.send({ from: "b@x.test", to: "a@x.test", subject: "s", text: "t" })
        say(data ?? error)`
      )
    ]
  },
  {
    provider: "posthog",
    downloads: 10.6,
    login: "phx_$",
    base: "eu",
    arrives: "authorization: Bearer phx_$",
    calls: {
      "GET eu.i.posthog.com/flags/definitions": {
        flags: [{
          id: 1,
          key: "flag",
          active: true,
          filters: { groups: [{ properties: [], rollout_percentage: 100 }] }
        }],
        group_type_mapping: {},
        cohorts: {}
      }
    },
    programs: [
      sdk(
        "posthog-node",
        `const { PostHog } = await import("posthog-node")
        const client = new PostHog("phc_project", { host: "https://eu.i.posthog.com", personalApiKey: env.POSTHOG_PERSONAL_API_KEY })
        await client.waitForLocalEvaluationReady()
        say(await client.isFeatureEnabled("flag", "user", { onlyEvaluateLocally: true, sendFeatureFlagEvents: false }) ? "served" : "off")
        await client.shutdown()`
      )
    ]
  },
  {
    provider: "vercel",
    downloads: 7.2,
    login: "$",
    arrives: "authorization: Bearer $",
    calls: {
      "GET api.vercel.com/v2/user": {
        user: {
          id: "u",
          uid: "u",
          username: "served",
          email: "a@x.test",
          version: "northstar",
          defaultTeamId: "t",
          limited: true
        }
      },
      "GET api.vercel.com/teams/t": { id: "t", slug: "served" },
      "GET api.vercel.com/v10/projects": { projects: [], pagination: {} }
    },
    programs: [
      sdk(
        "@vercel/sdk",
        `const { Vercel } = await import("@vercel/sdk")
        const client = new Vercel({ bearerToken: env.VERCEL_TOKEN })
        say((await client.user.getAuthUser()).user)
        await client.projects.getProjects({})`
      ),
      cli("vercel", "vercel whoami --token $VERCEL_TOKEN", { env: { NO_UPDATE_NOTIFIER: "1" } })
    ]
  },
  {
    provider: "upstash-redis",
    downloads: 7,
    login: "$",
    base: "https://db.upstash.io",
    arrives: "authorization: Bearer $",
    calls: { "POST db.upstash.io/": { result: "c2VydmVk" }, "POST db.upstash.io/pipeline": [{ result: "c2VydmVk" }] },
    programs: [
      sdk(
        "@upstash/redis",
        `const { Redis } = await import("@upstash/redis")
        const redis = Redis.fromEnv({ enableAutoPipelining: false })
        say(await redis.get("k"))
        say(await redis.pipeline().get("k").exec())`
      )
    ]
  },
  {
    provider: "clerk",
    downloads: 6.9,
    login: "sk_test_$",
    arrives: "authorization: Bearer sk_test_$",
    calls: {
      "GET api.clerk.com/v1/users": [{
        id: "served",
        object: "user",
        email_addresses: [],
        phone_numbers: [],
        web3_wallets: [],
        external_accounts: []
      }],
      "GET api.clerk.com/v1/users/count": { total_count: 1 }
    },
    programs: [
      sdk(
        "@clerk/backend",
        `const { createClerkClient } = await import("@clerk/backend")
        const { users } = createClerkClient({ secretKey: env.CLERK_SECRET_KEY })
        say((await users.getUserList()).data[0].id)`
      )
    ]
  },
  {
    provider: "elasticsearch",
    downloads: 6.5,
    login: "$",
    base: "https://mine.es.eu-west-1.aws.elastic.cloud",
    arrives: "authorization: ApiKey $",
    calls: {
      "POST mine.es.eu-west-1.aws.elastic.cloud/things/_search": { hits: { hits: [{ _id: "served" }] } },
      "POST mine.es.eu-west-1.aws.elastic.cloud/_bulk": upload({ errors: false, items: [] })
    },
    programs: [
      sdk(
        "@elastic/elasticsearch",
        `const { Client } = await import("@elastic/elasticsearch")
        const client = new Client({ node: env.ES_URL, auth: { apiKey: env.ELASTIC_API_KEY }, maxRetries: 0 })
        say(await client.search({ index: "things", query: { match_all: {} } }))
        await client.bulk({ operations: [{ index: { _index: "things" } }, { text: "contents of the file" }] })`
      )
    ]
  },
  {
    provider: "clickhouse",
    downloads: 6.3,
    login: { username: "default", password: "$" },
    base: "https://clickhouse.mine.test",
    arrives: basic("default", "$"),
    calls: { "POST clickhouse.mine.test/": upload({ data: [{ id: "served" }] }) },
    programs: [
      sdk(
        "@clickhouse/client",
        `const { createClient } = await import("@clickhouse/client")
        const client = createClient({ url: env.CLICKHOUSE_URL, username: env.CLICKHOUSE_USER, password: env.CLICKHOUSE_PASSWORD })
        say(await (await client.query({ query: "SELECT 'contents of the file'" })).json())
        await client.insert({ table: "t", values: [{ text: "contents of the file" }], format: "JSONEachRow" })`
      )
    ]
  },
  {
    provider: "azure-devops",
    downloads: 6.1,
    login: "$",
    arrives: basic("", "$"),
    open: {
      "OPTIONS dev.azure.com/mine/_apis/Location": azureLocation(
        "e81700f7-3be2-46de-8624-2eb35882fcaa",
        "Location",
        "ResourceAreas"
      ),
      "OPTIONS dev.azure.com/mine/_apis/core": azureLocation("603fe2ac-9723-48b9-88ad-09305aa6c6e1", "core", "projects")
    },
    calls: {
      "GET dev.azure.com/mine/_apis/ResourceAreas": { count: 0, value: [] },
      "GET dev.azure.com/mine/_apis/projects": { count: 1, value: [{ id: "served" }] }
    },
    programs: [
      sdk(
        "azure-devops-node-api",
        `const { WebApi, getPersonalAccessTokenHandler } = (await import("azure-devops-node-api")).default
        const core = await new WebApi("https://dev.azure.com/mine", getPersonalAccessTokenHandler(env.AZURE_DEVOPS_EXT_PAT)).getCoreApi()
        say(await core.getProjects())`
      )
    ]
  },
  {
    provider: "line",
    downloads: 5.5,
    login: "$",
    arrives: "authorization: Bearer $",
    calls: {
      "POST api.line.me/v2/bot/message/push": { sentMessages: [{ id: "served" }] },
      "POST api-data.line.me/v2/bot/richmenu/m/content": upload({})
    },
    programs: [
      sdk(
        "@line/bot-sdk",
        `const { LineBotClient } = await import("@line/bot-sdk")
        const { openAsBlob } = await import("node:fs")
        const client = LineBotClient.fromChannelAccessToken({ channelAccessToken: env.LINE_CHANNEL_ACCESS_TOKEN })
        say(await client.pushMessage({ to: "u", messages: [{ type: "text", text: "hi" }] }))
        await client.setRichMenuImage("m", await openAsBlob(file))`
      )
    ]
  },
  {
    provider: "telegram",
    downloads: 4.9,
    login: "123456789:$",
    arrives: "/bot123456789:$",
    calls: {
      "POST api.telegram.org/*/sendMessage": { ok: true, result: { message_id: "served" } },
      "POST api.telegram.org/*/sendDocument": upload({ ok: true, result: { message_id: "served" } })
    },
    programs: [
      sdk(
        "grammy",
        `const { Bot, InputFile } = await import("grammy")
        const { api } = new Bot(env.TELEGRAM_BOT_TOKEN)
        say(await api.sendMessage(1, "hi")); say(await api.sendDocument(1, new InputFile(file)))`
      )
    ]
  },
  {
    provider: "microsoft-app",
    downloads: 4.7,
    login: { ...application, tenant_id: "t" },
    open: { "POST login.microsoftonline.com/t/oauth2/v2.0/token": token },
    arrives: "authorization: Bearer $",
    calls: {
      "GET graph.microsoft.com/v1.0/users": { value: [{ id: "served" }] },
      "PUT graph.microsoft.com/v1.0/drives/d/root:/file.txt:/content": upload({ id: "served" })
    },
    programs: [
      sdk(
        "@microsoft/microsoft-graph-client",
        `const { Client } = (await import("@microsoft/microsoft-graph-client")).default
        const { readFileSync } = await import("node:fs")
        const client = Client.init({ authProvider: (done) => done(null, env.MICROSOFT_GRAPH_APP_TOKEN) })
        say(await client.api("/users").get())
        say(await client.api("/drives/d/root:/file.txt:/content").put(readFileSync(file)))`
      )
    ]
  },
  {
    provider: "auth0-management",
    downloads: 4.5,
    login: application,
    base: "https://mine.eu.auth0.com",
    open: { "POST mine.eu.auth0.com/oauth/token": token },
    arrives: "authorization: Bearer $",
    calls: {
      "GET mine.eu.auth0.com/api/v2/users": { start: 0, limit: 50, length: 1, total: 1, users: [{ user_id: "served" }] }
    },
    programs: [
      sdk(
        "auth0",
        `const { ManagementClient } = await import("auth0")
        say((await new ManagementClient({ domain: "mine.eu.auth0.com", token: env.AUTH0_MANAGEMENT_API_TOKEN }).users.list()).data)`
      )
    ]
  },
  {
    provider: "gitlab-token",
    downloads: 4.4,
    login: "glpat-$",
    arrives: "private-token: glpat-$",
    calls: {
      "GET gitlab.com/api/v4/user": { username: "served" },
      "POST gitlab.com/api/v4/projects/1/uploads": upload({ alt: "served" })
    },
    programs: [
      sdk(
        "@gitbeaker/rest",
        `const { Gitlab } = await import("@gitbeaker/rest")
        const { openAsBlob } = await import("node:fs")
        const client = new Gitlab({ token: env.GITLAB_TOKEN })
        say(await client.Users.showCurrentUser())
        say(await client.ProjectMarkdownUploads.create(1, { content: await openAsBlob(file), filename: "f" }))`
      )
    ]
  },
  {
    provider: "notion-token",
    downloads: 3.8,
    login: "ntn_$",
    arrives: "authorization: Bearer ntn_$",
    calls: {
      "POST api.notion.com/v1/file_uploads": {
        object: "file_upload",
        id: "f",
        status: "pending",
        upload_url: "https://api.notion.com/v1/file_uploads/f/send"
      },
      "POST api.notion.com/v1/file_uploads/f/complete": { object: "file_upload", id: "f", status: "uploaded" },
      "GET api.notion.com/v1/users/me": { object: "user", id: "served", name: "served" },
      "POST api.notion.com/v1/file_uploads/f/send": upload({ id: "served" })
    },
    programs: [
      sdk(
        "@notionhq/client",
        `const { Client } = await import("@notionhq/client")
        const { openAsBlob } = await import("node:fs")
        const client = new Client({ auth: env.NOTION_TOKEN })
        say(await client.users.me({}))
        say(await client.fileUploads.send({ file_upload_id: "f", file: { data: await openAsBlob(file), filename: "f" } }))`
      ),
      cli("ntn", "ntn api v1/users/me; ntn files create --filename f.txt --content-type text/plain <file.txt", {
        env: { NOTION_API_VERSION: "2022-06-28" },
        option: "--base-url"
      })
    ]
  }
]
