/** Generates docs/cli.schema.json: what commands print with `--json`, if it is not the response of one operation. */
import { jsonDocuments } from "../../src/cli/JsonDocuments.ts"
import { sortedJson } from "./sortedJson.ts"

export const commandOutputs = (): string =>
  sortedJson({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Output of credsvc commands with --json",
    $defs: JSON.parse(JSON.stringify(jsonDocuments).replaceAll("\"#/components/", "\"openapi.json#/components/"))
  })
