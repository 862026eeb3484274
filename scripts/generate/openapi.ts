/** docs/openapi.json: the HTTP interface, as the daemon also serves it at /openapi.json. */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../../src/api/Api.ts"
import { sortedJson } from "./sortedJson.ts"

export const openapi = (): string => sortedJson(OpenApi.fromApi(Api))
