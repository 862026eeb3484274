/**
 * A client that @hey-api/openapi-ts has generated, with `output.module.extension` set to ".ts":
 * npx @hey-api/openapi-ts -i node_modules/credsvc/docs/openapi.json -o hey-api-client
 *
 * Prints: anthropic/default, 404 ProviderNotFoundError
 */
import { client } from "./hey-api-client/client.gen.ts"
import { connectionsList, providersGet } from "./hey-api-client/sdk.gen.ts"

client.setConfig({ baseUrl: process.env["CREDSVC_DAEMON_URL"] ?? "http://127.0.0.1:7998" })

const { data } = await connectionsList({ query: { provider: "anthropic" } })
const names = data?.connections.map(({ connection_name: name, provider }) => `${provider}/${name}`) ?? []
const { error, response } = await providersGet({ path: { provider: "nonexistent" } })
console.log(`${names.join()}, ${response?.status} ${error?.error}`)
