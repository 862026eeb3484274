/**
 * A client that @hey-api/openapi-ts 0.95 generates beside this file, with `npx @hey-api/openapi-ts` and this `openapi-ts.config.mjs`:
 *
 * export default {
 *   input: "node_modules/credsvc/docs/openapi.json",
 *   output: { path: "hey-api-client", module: { extension: ".ts" }, importFileExtension: ".ts" },
 *   plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"]
 * }
 *
 * Log in first: credsvc login anthropic.
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
