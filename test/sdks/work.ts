/** APIs for content, customers, search and operations. */
import { createHash } from "node:crypto"
import { type Api, basic, cli, sdk, token, upload } from "./Api.ts"

const PINECONE = "things-abc.svc.aped-1-4627-b74a.pinecone.io"

export const work: ReadonlyArray<Api> = [
  {
    provider: "hubspot-token",
    downloads: 3.3,
    login: "pat-eu1-$",
    arrives: "authorization: Bearer pat-eu1-$",
    calls: {
      "GET api.hubapi.com/crm/v3/objects/contacts": {
        results: [{
          id: "served",
          properties: {},
          createdAt: "2026-01-01T00:00:00Z",
          updatedAt: "2026-01-01T00:00:00Z",
          archived: false
        }]
      },
      "POST api.hubapi.com/files/v3/files": upload([201, { id: "served" }])
    },
    programs: [
      sdk(
        "@hubspot/api-client",
        `const { Client } = await import("@hubspot/api-client")
        const { readFileSync } = await import("node:fs")
        const client = new Client({ accessToken: env.HUBSPOT_ACCESS_TOKEN })
        say(await client.crm.contacts.basicApi.getPage())
        say(await client.files.filesApi.upload({ data: readFileSync(file), name: "f" }, undefined, "/x", "f", undefined, "{}"))`
      )
    ]
  },
  {
    provider: "workos",
    downloads: 3.2,
    login: "sk_test_$",
    arrives: "authorization: Bearer sk_test_$",
    calls: {
      "GET api.workos.com/organizations": {
        object: "list",
        data: [{ object: "organization", id: "served", domains: [] }],
        list_metadata: {}
      }
    },
    programs: [
      sdk(
        "@workos-inc/node",
        `const { WorkOS } = await import("@workos-inc/node")
        say((await new WorkOS().organizations.listOrganizations()).data)`
      )
    ]
  },
  {
    provider: "linear-api-key",
    downloads: 3.1,
    login: "lin_api_$",
    arrives: "authorization: lin_api_$",
    calls: { "POST api.linear.app/graphql": { data: { viewer: { id: "served", name: "served" } } } },
    programs: [
      sdk(
        "@linear/sdk",
        `const { LinearClient } = await import("@linear/sdk")
        say((await new LinearClient({ apiKey: env.LINEAR_API_KEY }).viewer).id)`
      )
    ]
  },
  {
    provider: "contentful",
    downloads: 3,
    login: "CFPAT-$",
    base: "eu",
    arrives: "authorization: Bearer CFPAT-$",
    calls: {
      "GET api.eu.contentful.com/spaces": { items: [{ sys: { type: "Space", id: "served" }, name: "served" }] },
      "POST upload.eu.contentful.com/spaces/s/environments/master/uploads": upload({
        sys: { type: "Upload", id: "served" }
      })
    },
    programs: [
      sdk(
        "contentful-management",
        `const { createClient } = await import("contentful-management")
        const { readFileSync } = await import("node:fs")
        const client = createClient({ accessToken: env.CONTENTFUL_MANAGEMENT_TOKEN, host: "api.eu.contentful.com", hostUpload: "upload.eu.contentful.com" })
        say(await client.space.getMany({}))
        say(await client.upload.create({ spaceId: "s", environmentId: "master" }, { file: readFileSync(file) }))`
      )
    ]
  },
  {
    provider: "postman",
    downloads: 3.2,
    login: "PMAK-$",
    arrives: "x-api-key: PMAK-$",
    calls: {
      "GET api.getpostman.com/collections/c": {
        collection: {
          info: { name: "served", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
          item: []
        }
      }
    },
    programs: [cli("newman", "newman run https://api.getpostman.com/collections/c --postman-api-key $POSTMAN_API_KEY")]
  },
  {
    provider: "mailgun",
    downloads: 2.7,
    login: "$",
    base: "eu",
    arrives: basic("api", "$"),
    calls: { "POST api.eu.mailgun.net/v3/mine.test/messages": upload({ id: "served" }) },
    programs: [
      sdk(
        "mailgun.js",
        `const { default: Mailgun } = await import("mailgun.js")
        const { readFileSync } = await import("node:fs")
        const client = new Mailgun(FormData).client({ username: "api", key: env.MAILGUN_API_KEY, url: "https://api.eu.mailgun.net" })
        const attachment = { data: readFileSync(file), filename: "f" }
        say(await client.messages.create("mine.test", { from: "b@x.test", to: "a@x.test", text: "t", attachment }))`
      )
    ]
  },
  {
    provider: "google-maps",
    downloads: 2.7,
    login: "AIza$",
    arrives: "?key=AIza$",
    calls: { "GET maps.googleapis.com/maps/api/geocode/json": { status: "OK", results: [{ place_id: "served" }] } },
    programs: [
      sdk(
        "@googlemaps/google-maps-services-js",
        `const { Client } = (await import("@googlemaps/google-maps-services-js")).default
        say((await new Client().geocode({ params: { address: "x", key: env.GOOGLE_MAPS_API_KEY } })).data)`
      )
    ]
  },
  {
    provider: "postmark",
    downloads: 2.5,
    login: "$",
    arrives: "x-postmark-server-token: $",
    calls: { "POST api.postmarkapp.com/email": { MessageID: "served" } },
    programs: [
      sdk(
        "postmark",
        `const { ServerClient } = (await import("postmark")).default
        say(await new ServerClient(env.POSTMARK_SERVER_TOKEN).sendEmail({ From: "b@x.test", To: "a@x.test", TextBody: "t" }))`
      )
    ]
  },
  {
    provider: "pinecone",
    downloads: 2.1,
    login: "pcsk_$",
    base: `https://${PINECONE}`,
    arrives: "api-key: pcsk_$",
    calls: {
      "GET api.pinecone.io/indexes": {
        indexes: [{
          name: "served",
          dimension: 1,
          metric: "cosine",
          host: PINECONE,
          spec: { serverless: { cloud: "aws", region: "us-east-1" } },
          status: { ready: true, state: "Ready" }
        }]
      },
      [`POST ${PINECONE}/query`]: { matches: [{ id: "served" }], namespace: "" }
    },
    programs: [
      sdk(
        "@pinecone-database/pinecone",
        `const { Pinecone } = await import("@pinecone-database/pinecone")
        const client = new Pinecone()
        say(await client.listIndexes())
        say(await client.index({ host: env.PINECONE_INDEX_HOST }).query({ vector: [1], topK: 1 }))`
      )
    ]
  },
  {
    provider: "expo",
    downloads: 2.1,
    login: "$",
    arrives: "authorization: Bearer $",
    calls: {
      "POST api.expo.dev/graphql": {
        data: {
          meActor: {
            __typename: "User",
            id: "u",
            username: "served",
            accounts: [],
            primaryAccount: { id: "a", name: "served" }
          }
        }
      },
      "POST exp.host/--/api/v2/push/send": { data: [{ status: "ok", id: "served" }] }
    },
    programs: [
      sdk(
        "expo-server-sdk",
        `const { Expo } = await import("expo-server-sdk")
        say(await new Expo({ accessToken: env.EXPO_TOKEN }).sendPushNotificationsAsync([{ to: "ExponentPushToken[x]", body: "hi" }]))`
      ),
      cli("eas-cli", "eas whoami")
    ]
  },
  {
    provider: "discord-bot",
    downloads: 2.1,
    login: "$",
    arrives: "authorization: Bot $",
    calls: {
      "GET discord.com/api/v10/users/@me": { id: "served" },
      "POST discord.com/api/v10/channels/1/messages": upload({ id: "served" })
    },
    programs: [
      sdk(
        "@discordjs/rest",
        `const { REST } = await import("@discordjs/rest")
        const { readFileSync } = await import("node:fs")
        const rest = new REST().setToken(env.DISCORD_TOKEN)
        say(await rest.get("/users/@me"))
        say(await rest.post("/channels/1/messages", { body: {}, files: [{ name: "f", data: readFileSync(file) }] }))`
      )
    ]
  },
  {
    provider: "weaviate",
    downloads: 1.9,
    login: "$",
    base: "https://mine.c0.europe-west3.gcp.weaviate.cloud",
    arrives: "authorization: Bearer $",
    calls: {
      "GET mine.c0.europe-west3.gcp.weaviate.cloud/v1/meta": { version: "1.38.0", hostname: "x", modules: {} },
      "GET mine.c0.europe-west3.gcp.weaviate.cloud/v1/nodes": { nodes: [{ name: "served" }] }
    },
    programs: [
      sdk(
        "weaviate-client",
        `const { default: weaviate } = await import("weaviate-client")
        const authCredentials = new weaviate.ApiKey(env.WEAVIATE_API_KEY)
        const client = await weaviate.connectToWeaviateCloud(env.WEAVIATE_URL, { authCredentials, skipInitChecks: true })
        say(await client.cluster.nodes()); say(await client.getMeta())
        await client.close()`
      )
    ]
  },
  {
    provider: "plaid",
    downloads: 1.9,
    login: { client_id: "c", api_key: "$" },
    base: "sandbox",
    arrives: "plaid-secret: $",
    calls: { "POST sandbox.plaid.com/institutions/get": { institutions: [{ institution_id: "served" }] } },
    programs: [
      sdk(
        "plaid",
        `const { Configuration, PlaidApi, PlaidEnvironments } = (await import("plaid")).default
        const headers = { "PLAID-CLIENT-ID": env.PLAID_CLIENT_ID, "PLAID-SECRET": env.PLAID_SECRET }
        const client = new PlaidApi(new Configuration({ basePath: PlaidEnvironments.sandbox, baseOptions: { headers } }))
        say((await client.institutionsGet({ count: 1, offset: 0, country_codes: ["US"] })).data)`
      )
    ]
  },
  {
    provider: "typesense",
    downloads: 1.6,
    login: "$",
    base: "https://xyz.a1.typesense.net",
    arrives: "x-typesense-api-key: $",
    calls: {
      "GET xyz.a1.typesense.net/collections": [{ name: "served" }],
      "POST xyz.a1.typesense.net/collections/things/documents/import": upload(`{"success":true,"id":"served"}`)
    },
    programs: [
      sdk(
        "typesense",
        `const { default: Typesense } = await import("typesense")
        const client = new Typesense.Client({ nodes: [{ url: "https://xyz.a1.typesense.net" }], apiKey: env.TYPESENSE_API_KEY })
        say(await client.collections().retrieve())
        say(await client.collections("things").documents().import([{ text: "contents of the file" }]))`
      )
    ]
  },
  {
    provider: "qdrant",
    downloads: 1.6,
    login: "$",
    base: "https://xyz.eu-central.aws.cloud.qdrant.io",
    arrives: "api-key: $",
    calls: {
      "GET xyz.eu-central.aws.cloud.qdrant.io/collections": {
        result: { collections: [{ name: "served" }] },
        status: "ok",
        time: 0
      }
    },
    programs: [
      sdk(
        "@qdrant/js-client-rest",
        `const { QdrantClient } = await import("@qdrant/js-client-rest")
        const client = new QdrantClient({ url: env.QDRANT_URL, port: 443, apiKey: env.QDRANT_API_KEY, checkCompatibility: false })
        say(await client.getCollections())`
      )
    ]
  },
  {
    provider: "salesforce",
    downloads: 3,
    login: { client_id: "c", client_secret: "s" },
    flow: "client_credentials",
    base: "https://mine.my.salesforce.com",
    open: {
      "POST mine.my.salesforce.com/services/oauth2/token": { ...token, instance_url: "https://mine.my.salesforce.com" }
    },
    arrives: "authorization: Bearer $",
    calls: {
      "GET mine.my.salesforce.com/services/data/*/query": { totalSize: 1, done: true, records: [{ Id: "served" }] },
      "POST mine.my.salesforce.com/services/data/*/sobjects/ContentVersion": upload({
        id: "served",
        success: true,
        errors: []
      })
    },
    programs: [
      sdk(
        "jsforce",
        `const { default: jsforce } = await import("jsforce")
        const connection = new jsforce.Connection({ instanceUrl: env.SF_ORG_INSTANCE_URL, accessToken: env.SF_ACCESS_TOKEN })
        say(await connection.query("SELECT Id FROM Account"))
        say(await connection.sobject("ContentVersion").create({ Title: "contents of the file" }))`
      )
    ]
  },
  {
    provider: "figma-token",
    downloads: 1.3,
    login: "figd_$",
    arrives: "x-figma-token: figd_$",
    calls: {
      "POST api.figma.com/v1/code_connect": {}
    },
    programs: [
      cli(
        "@figma/code-connect",
        `echo '{"codeConnect":{"include":["*.figma.ts"]}}' >figma.config.json
        echo '// url=https://www.figma.com/design/FILE1/f?node-id=1-1
          import figma from "figma"
          export default { id: "b", example: figma.code\`<b></b>\`, metadata: {} }' >b.figma.ts
        figma connect publish --exit-on-unreadable-files --skip-validation --skip-update-check && echo served`
      )
    ]
  },
  {
    provider: "axiom",
    downloads: 1.3,
    login: "xaat-$",
    base: "eu",
    arrives: "authorization: Bearer xaat-$",
    calls: {
      "POST api.eu.axiom.co/v1/datasets/logs/ingest": upload({ ingested: 1, failed: 0 }),
      "POST api.eu.axiom.co/v1/datasets/_apl": { tables: [], status: {}, datasetNames: ["served"] }
    },
    programs: [
      sdk(
        "@axiomhq/js",
        `const { AxiomWithoutBatching } = await import("@axiomhq/js")
        const client = new AxiomWithoutBatching({ token: env.AXIOM_TOKEN, url: env.AXIOM_URL })
        await client.ingest("logs", [{ text: "contents of the file" }])
        say(await client.query("logs"))`
      )
    ]
  },
  {
    provider: "e2b",
    downloads: 1.2,
    login: "e2b_$",
    arrives: "x-api-key: e2b_$",
    calls: {
      "GET api.e2b.app/v2/sandboxes": [{
        sandboxID: "served",
        templateID: "t",
        startedAt: "2026-01-01T00:00:00Z",
        endAt: "2026-01-01T00:00:00Z"
      }]
    },
    programs: [
      sdk("e2b", `const { Sandbox } = await import("e2b"); say(await Sandbox.list().nextItems())`)
    ]
  },
  {
    provider: "airtable",
    downloads: 1.2,
    login: "pat$",
    arrives: "authorization: Bearer pat$",
    calls: { "GET api.airtable.com/v0/app1/things": { records: [{ id: "served", fields: {} }] } },
    programs: [
      sdk(
        "airtable",
        `const { default: Airtable } = await import("airtable")
        say((await new Airtable().base("app1")("things").select().firstPage())[0].id)`
      )
    ]
  },
  {
    provider: "intercom",
    downloads: 1.2,
    login: "$",
    base: "eu",
    arrives: "authorization: Bearer $",
    calls: { "GET api.eu.intercom.io/contacts": { type: "list", data: [{ type: "contact", id: "served" }] } },
    programs: [
      sdk(
        "intercom-client",
        `const { IntercomClient, IntercomEnvironment } = await import("intercom-client")
        const client = new IntercomClient({ token: env.INTERCOM_ACCESS_TOKEN, environment: "https://api.eu.intercom.io" })
        say((await client.contacts.list()).data[0].id)`
      )
    ]
  },
  {
    provider: "sonarcloud",
    downloads: 2.2,
    login: "$",
    base: "us",
    arrives: "authorization: Bearer $",
    calls: {
      "GET api.sonarqube.us/analysis/engine": ({ headers }) =>
        headers["accept"] === "application/octet-stream"
          ? "served"
          : { filename: "engine.jar", sha256: createHash("sha256").update("served").digest("hex") }
    },
    programs: [
      cli(
        "sonarqube-scanner",
        `printf '#!/bin/sh\\necho served' >java; chmod +x java
        sonar-scanner-npm -Dsonar.projectKey=p -Dsonar.organization=o -Dsonar.region=us -Dsonar.scanner.javaExePath=$PWD/java`
      )
    ]
  }
]
