/** Generates the JSON documents in docs/: the HTTP interface, what commands print, and the schemas of users' files. */
import { jsonSchemaOf } from "../../src/api/JsonSchemas.ts"
import { apiDocument } from "../../src/api/OpenApiDocument.ts"
import { Config } from "../../src/config/file/ConfigFormat.ts"
import { ProviderDefinition } from "../../src/domain/definition/Provider.ts"
import { RulesFile } from "../../src/domain/rules/RulesFile.ts"
import { metadataDocument } from "../../src/flows/oauth/ClientMetadata.ts"
import { redirectUriOf } from "../../src/flows/PublicUrl.ts"
import { jsonDocuments } from "../lib/JsonDocuments.ts"

/** JSON with sorted keys, so that a file changes only if its meaning does. Arrays keep their order, which is meaningful. */
const sortedJson = (value: unknown): string =>
  `${
    JSON.stringify(
      value,
      (_, inner: unknown) =>
        typeof inner === "object" && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => a < b ? -1 : 1))
          : inner,
      2
    )
  }\n`

/** The HTTP interface, which the daemon also serves at /openapi.json. */
export const openapi = (): string => sortedJson(apiDocument)

const $schema = "https://json-schema.org/draft/2020-12/schema"

/** What commands print with `--json`, if it is not the response of one operation. */
export const commandOutputs = (): string =>
  sortedJson({
    $schema,
    title: "Output of credsvc commands with --json",
    $defs: JSON.parse(JSON.stringify(jsonDocuments).replaceAll("\"#/components/", "\"openapi.json#/components/"))
  })

/** Forbids unknown fields. The program rejects unknown fields with a parse option, which is not part of the schema itself. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== "object" || value === null) return value
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]))
  return inner.type === "object" && "properties" in inner ? { ...inner, additionalProperties: false } : inner
}

const schemaOf = (title: string, of: Parameters<typeof jsonSchemaOf>[0]) => (): string => {
  const { definitions, schema } = jsonSchemaOf(of)
  return sortedJson(closed({ $schema, title, ...schema, $defs: definitions }))
}

/** With these schemas, editors check and complete users' files. */
export const providerSchema = schemaOf("credsvc provider definition", ProviderDefinition)
export const configSchema = schemaOf("credsvc config.json", Config)
export const rulesSchema = schemaOf("credsvc rules", RulesFile)

const redirectHosts = ["127.0.0.1", "localhost"] as const

/** A client ID metadata document for daemons at the usual port. To host it, replace `client_id` with the document's URL. */
export const clientMetadata = () =>
  sortedJson(metadataDocument(
    "https://example.com/credsvc/client.json",
    redirectHosts.map((host) => redirectUriOf("http://127.0.0.1:7998", host))
  ))
