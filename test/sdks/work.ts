/** APIs for content, customers, search and operations. */
import { createHash } from "node:crypto"
import { type Apis, basic, upload } from "./Api.ts"

const PINECONE = "things-abc.svc.aped-1-4627-b74a.pinecone.io"

export const work: Apis = {
  "hubspot-token": {
    key: "authorization: Bearer pat-eu1-$",
    calls: {
      "GET api.hubapi.com/crm/v3/objects/contacts": { results: [{ id: "served" }] },
      "POST api.hubapi.com/files/v3/files": upload([201, { id: "served" }])
    },
    sdk: {
      "@hubspot/api-client": `const client = new sdk.Client({ accessToken: env.HUBSPOT_ACCESS_TOKEN })
        say(await client.crm.contacts.basicApi.getPage())
        say(await client.files.filesApi.upload({ data: fs.readFileSync(file), name: "f" }, undefined, "/x", "f", undefined, "{}"))`
    }
  },
  workos: {
    key: "authorization: Bearer sk_test_$",
    calls: { "GET api.workos.com/organizations": { data: [{ id: "served", domains: [] }], list_metadata: {} } },
    sdk: { "@workos-inc/node": `say((await new sdk.WorkOS().organizations.listOrganizations()).data)` }
  },
  "linear-api-key": {
    key: "authorization: lin_api_$",
    calls: { "POST api.linear.app/graphql": { data: { viewer: { id: "served", name: "served" } } } },
    sdk: { "@linear/sdk": `say((await new sdk.LinearClient({ apiKey: env.LINEAR_API_KEY }).viewer).id)` }
  },
  contentful: {
    base: "eu",
    key: "authorization: Bearer CFPAT-$",
    calls: {
      "GET api.eu.contentful.com/spaces": { items: [{ sys: { type: "Space", id: "served" }, name: "served" }] },
      "POST upload.eu.contentful.com/spaces/s/environments/master/uploads": upload({ sys: { id: "served" } })
    },
    sdk: {
      "contentful-management":
        `const client = sdk.createClient({ accessToken: env.CONTENTFUL_MANAGEMENT_TOKEN, host: "api.eu.contentful.com", hostUpload: "upload.eu.contentful.com" })
        say(await client.space.getMany({}))
        say(await client.upload.create({ spaceId: "s", environmentId: "master" }, { file: fs.readFileSync(file) }))`
    },
    cli: {
      "contentful-cli":
        "contentful config add --host api.eu.contentful.com; contentful space list --mt $CONTENTFUL_MANAGEMENT_TOKEN"
    }
  },
  postman: {
    key: "x-api-key: PMAK-$",
    calls: { "GET api.getpostman.com/collections/c": { collection: { info: { name: "served" }, item: [] } } },
    cli: { newman: "newman run https://api.getpostman.com/collections/c --postman-api-key $POSTMAN_API_KEY" }
  },
  mailgun: {
    login: "$",
    base: "eu",
    key: basic("api", "$"),
    calls: { "POST api.eu.mailgun.net/v3/mine.test/messages": upload({ id: "served" }) },
    sdk: {
      "mailgun.js":
        `const client = new sdk.default(FormData).client({ username: "api", key: env.MAILGUN_API_KEY, url: "https://api.eu.mailgun.net" })
        const attachment = { data: fs.readFileSync(file), filename: "f" }
        say(await client.messages.create("mine.test", { from: "b@x.test", to: "a@x.test", text: "t", attachment }))`
    }
  },
  "google-maps": {
    key: "?key=AIza$",
    calls: { "GET maps.googleapis.com/maps/api/geocode/json": { status: "OK", results: [{ place_id: "served" }] } },
    sdk: {
      "@googlemaps/google-maps-services-js":
        `say((await new sdk.default.Client().geocode({ params: { address: "x", key: env.GOOGLE_MAPS_API_KEY } })).data)`
    }
  },
  postmark: {
    key: "x-postmark-server-token: $",
    calls: { "POST api.postmarkapp.com/email": { MessageID: "served" } },
    sdk: {
      postmark:
        `say(await new sdk.default.ServerClient(env.POSTMARK_SERVER_TOKEN).sendEmail({ From: "b@x.test", To: "a@x.test", TextBody: "t" }))`
    }
  },
  pinecone: {
    base: `https://${PINECONE}`,
    key: "api-key: pcsk_$",
    calls: {
      "GET api.pinecone.io/indexes": { indexes: [{ name: "served", host: PINECONE }] },
      [`POST ${PINECONE}/query`]: { matches: [{ id: "served" }], namespace: "" }
    },
    sdk: {
      "@pinecone-database/pinecone": `const client = new sdk.Pinecone()
        say(await client.listIndexes())
        say(await client.index({ host: env.PINECONE_INDEX_HOST }).query({ vector: [1], topK: 1 }))`
    }
  },
  expo: {
    key: "authorization: Bearer $",
    calls: {
      "POST api.expo.dev/graphql": { data: { meActor: { __typename: "User", username: "served", accounts: [] } } },
      "POST exp.host/--/api/v2/push/send": { data: [{ status: "ok", id: "served" }] }
    },
    sdk: {
      "expo-server-sdk":
        `say(await new sdk.Expo({ accessToken: env.EXPO_TOKEN }).sendPushNotificationsAsync([{ to: "ExponentPushToken[x]", body: "hi" }]))`
    },
    cli: { "eas-cli": "eas whoami" }
  },
  "discord-bot": {
    key: "authorization: Bot $",
    calls: {
      "GET discord.com/api/v10/users/@me": { id: "served" },
      "POST discord.com/api/v10/channels/1/messages": upload({ id: "served" })
    },
    sdk: {
      "@discordjs/rest": `const rest = new sdk.REST().setToken(env.DISCORD_TOKEN)
        say(await rest.get("/users/@me"))
        say(await rest.post("/channels/1/messages", { body: {}, files: [{ name: "f", data: fs.readFileSync(file) }] }))`
    }
  },
  weaviate: {
    base: "https://mine.c0.europe-west3.gcp.weaviate.cloud",
    key: "authorization: Bearer $",
    calls: {
      "GET mine.c0.europe-west3.gcp.weaviate.cloud/v1/meta": { version: "1.38.0", hostname: "x", modules: {} },
      "GET mine.c0.europe-west3.gcp.weaviate.cloud/v1/nodes": { nodes: [{ name: "served" }] }
    },
    sdk: {
      "weaviate-client": `const authCredentials = new sdk.default.ApiKey(env.WEAVIATE_API_KEY)
        const client = await sdk.default.connectToWeaviateCloud(env.WEAVIATE_URL, { authCredentials, skipInitChecks: true })
        say(await client.cluster.nodes()); say(await client.getMeta())
        await client.close()`
    }
  },
  plaid: {
    login: { client_id: "c", api_key: "$" },
    base: "sandbox",
    key: "plaid-secret: $",
    calls: { "POST sandbox.plaid.com/institutions/get": { institutions: [{ institution_id: "served" }] } },
    sdk: {
      plaid: `const headers = { "PLAID-CLIENT-ID": env.PLAID_CLIENT_ID, "PLAID-SECRET": env.PLAID_SECRET }
        const client = new sdk.default.PlaidApi(new sdk.default.Configuration({ basePath: sdk.default.PlaidEnvironments.sandbox, baseOptions: { headers } }))
        say((await client.institutionsGet({ count: 1, offset: 0, country_codes: ["US"] })).data)`
    }
  },
  typesense: {
    base: "https://xyz.a1.typesense.net",
    key: "x-typesense-api-key: $",
    calls: {
      "GET xyz.a1.typesense.net/collections": [{ name: "served" }],
      "POST xyz.a1.typesense.net/collections/things/documents/import": upload(`{"success":true,"id":"served"}`)
    },
    sdk: {
      typesense:
        `const client = new sdk.default.Client({ nodes: [{ url: "https://xyz.a1.typesense.net" }], apiKey: env.TYPESENSE_API_KEY })
        say(await client.collections().retrieve())
        say(await client.collections("things").documents().import([{ text: "contents of the file" }]))`
    }
  },
  qdrant: {
    base: "https://xyz.eu-central.aws.cloud.qdrant.io",
    key: "api-key: $",
    calls: { "GET xyz.eu-central.aws.cloud.qdrant.io/collections": { result: { collections: [{ name: "served" }] } } },
    sdk: {
      "@qdrant/js-client-rest":
        `const client = new sdk.QdrantClient({ url: env.QDRANT_URL, port: 443, apiKey: env.QDRANT_API_KEY, checkCompatibility: false })
        say(await client.getCollections())`
    }
  },
  sonarcloud: {
    base: "us",
    key: "authorization: Bearer $",
    calls: {
      "GET api.sonarqube.us/analysis/engine": ({ headers }) =>
        headers["accept"] === "application/octet-stream"
          ? "served"
          : { filename: "engine.jar", sha256: createHash("sha256").update("served").digest("hex") }
    },
    cli: {
      "sonarqube-scanner": `printf '#!/bin/sh\\ncat >data; echo served' >java; chmod +x java
        sonar-scanner-npm -Dsonar.projectKey=p -Dsonar.organization=o -Dsonar.region=us -Dsonar.scanner.javaExePath=$PWD/java`
    }
  }
}
