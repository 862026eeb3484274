/** Generates docs/openapi.json: the HTTP interface, which the daemon also serves at /openapi.json. */
import { apiDocument } from "../../src/api/ApiDocument.ts"
import { sortedJson } from "./sortedJson.ts"

export const openapi = (): string => sortedJson(apiDocument)
