/**
 * A client with the types of the OpenAPI document, which openapi-typescript writes beside this file:
 * npm install openapi-fetch
 * npx openapi-typescript node_modules/credsvc/docs/openapi.json -o openapi-types.ts
 *
 * Log in first: credsvc login anthropic.
 *
 * Prints: anthropic/default, 404 ProviderNotFoundError
 */
import createClient from "openapi-fetch"
import type { paths } from "./openapi-types.ts"

const client = createClient<paths>({ baseUrl: process.env["CREDSVC_DAEMON_URL"] ?? "http://127.0.0.1:7998" })

const { data } = await client.GET("/connections", { params: { query: { provider: "anthropic" } } })
const names = data?.connections.map(({ connection_name: name, provider }) => `${provider}/${name}`) ?? []
const { error, response } = await client.GET("/providers/{provider}", { params: { path: { provider: "nonexistent" } } })
console.log(`${names.join()}, ${response.status} ${error?.error}`)
