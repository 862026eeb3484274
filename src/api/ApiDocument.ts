/** The OpenAPI document. The build replaces this module with its value, because the conversion is much code. */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "./Api.ts"

export const apiDocument: object = OpenApi.fromApi(Api)
