/** Generates docs/openapi.json: the HTTP interface, which the daemon also serves at /openapi.json. */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../../src/api/Api.ts"
import { sortedJson } from "./sortedJson.ts"

export const openapi = (): string => sortedJson(OpenApi.fromApi(Api))
