import { env, toolCall, type VendorClient } from "./VendorClient.ts"

export const dataVendors: ReadonlyArray<VendorClient> = [
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
  {
    provider: "supabase",
    packages: ["@supabase/supabase-js"],
    baseUrl: "https://abcdefghijklmnopqrst.supabase.co",
    code: `import { createClient } from "@supabase/supabase-js"
await createClient(${env("SUPABASE_URL")}, ${env("SUPABASE_SECRET_KEY")}).from("t").select()`
  },
  {
    provider: "weaviate",
    packages: ["weaviate-client"],
    baseUrl: "https://abc.c0.europe-west3.gcp.weaviate.cloud",
    hosts: ["abc.c0.europe-west3.gcp.weaviate.cloud"],
    code: `import weaviate from "weaviate-client"
await weaviate.connectToWeaviateCloud("https://abc.c0.europe-west3.gcp.weaviate.cloud", { authCredentials: new weaviate.ApiKey(${
      env("WEAVIATE_API_KEY")
    }), skipInitChecks: true }).then((client) => client.getMeta())`
  },
  {
    provider: "upstash-vector",
    packages: ["@upstash/vector"],
    baseUrl: "https://apt-cat-1-eu1-vector.upstash.io",
    code: `import { Index } from "@upstash/vector"; await new Index().info()`
  },
  {
    provider: "turbopuffer",
    packages: ["@turbopuffer/turbopuffer"],
    hosts: ["gcp-us-central1.turbopuffer.com"],
    code:
      `import { Turbopuffer } from "@turbopuffer/turbopuffer"; await new Turbopuffer({ region: "gcp-us-central1" }).namespaces()`
  },
  {
    provider: "astra-db",
    packages: ["@datastax/astra-db-ts"],
    baseUrl: "https://01234567-89ab-cdef-0123-456789abcdef-us-east1.apps.astra.datastax.com",
    code: `import { DataAPIClient } from "@datastax/astra-db-ts"
await new DataAPIClient(${env("ASTRA_DB_APPLICATION_TOKEN")}).db(${env("ASTRA_DB_API_ENDPOINT")}).listCollections()`
  },
  {
    provider: "meilisearch",
    packages: ["meilisearch"],
    baseUrl: "https://ms-1.fra.meilisearch.io",
    hosts: ["ms-1.fra.meilisearch.io"],
    code: `import * as sdk from "meilisearch"; const Client = sdk.Meilisearch ?? sdk.MeiliSearch
await new Client({ host: "https://ms-1.fra.meilisearch.io", apiKey: ${env("MEILISEARCH_API_KEY")} }).getStats()`
  },
  {
    provider: "typesense",
    packages: ["typesense"],
    baseUrl: "https://abc.a1.typesense.net",
    hosts: ["abc.a1.typesense.net"],
    code: `import Typesense from "typesense"
const nodes = [{ host: "abc.a1.typesense.net", port: 443, protocol: "https" }]
await new Typesense.Client({ nodes, apiKey: ${env("TYPESENSE_API_KEY")}, numRetries: 0 }).collections().retrieve()`
  },
  {
    provider: "segment",
    packages: ["@segment/public-api-sdk-typescript"],
    code: `import { configureApis } from "@segment/public-api-sdk-typescript"; await configureApis(${
      env("SEGMENT_ACCESS_TOKEN")
    }).workspaces.getWorkspace()`
  },
  {
    provider: "elasticsearch",
    packages: ["@elastic/mcp-server-elasticsearch"],
    baseUrl: "https://abc.es.eu-west-1.aws.elastic.cloud",
    hosts: ["abc.es.eu-west-1.aws.elastic.cloud"],
    code: toolCall(["mcp-server-elasticsearch"], "list_indices", { indexPattern: "*" })
  },
  {
    provider: "linode",
    packages: ["@linode/api-v4"],
    code:
      `import * as linode from "@linode/api-v4"; linode.baseRequest.defaults.headers.common = { Authorization: "Bearer " + ${
        env("LINODE_TOKEN")
      } }
linode.setToken?.(${env("LINODE_TOKEN")}); await linode.getProfile()`
  },
  {
    provider: "scaleway",
    packages: ["@scaleway/sdk"],
    code: `import * as sdk from "@scaleway/sdk"
const client = sdk.createClient({ accessKey: ${env("SCW_ACCESS_KEY")} ?? "SCWXXXXXXXXXXXXXXXXX", secretKey: ${
      env("SCW_SECRET_KEY")
    }, defaultProjectId: "00000000-0000-0000-0000-000000000000" })
await new (sdk.Accountv3 ?? sdk.Account.v3).ProjectAPI(client).listProjects()`
  }
]
