/**
 * Generates documents from values of the program. With --check it writes nothing, and fails if a document is outdated.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { architecture } from "./generate/architecture.ts"
import { clientTable } from "./generate/clients.ts"
import { configuration } from "./generate/configuration.ts"
import { errors } from "./generate/errors.ts"
import { events } from "./generate/events.ts"
import { clientMetadata, commandOutputs, configSchema, openapi, providerSchema, rulesSchema } from "./generate/json.ts"
import { providerFields } from "./generate/provider-fields.ts"
import { providers } from "./generate/providers.ts"
import { replaceBetween } from "./generate/replaceBetween.ts"
import { sdkTable } from "./generate/sdks.ts"

const root = path.join(import.meta.dirname, "..")

const documents: Readonly<Record<string, () => string | Promise<string>>> = {
  "docs/architecture.md": architecture,
  "docs/client.json": clientMetadata,
  "docs/clients.md": () => replaceBetween("docs/clients.md", { clients: clientTable(), sdks: sdkTable() }),
  "docs/cli.md": () => import("./generate/cli.ts").then(({ cli }) => cli()),
  "docs/cli.schema.json": commandOutputs,
  "docs/config.schema.json": configSchema,
  "docs/configuration.md": configuration,
  "docs/credsvc.1": () => import("./generate/man.ts").then(({ man }) => man()),
  "docs/errors.md": errors,
  "docs/events.md": events,
  "docs/openapi.json": openapi,
  "docs/provider-fields.md": providerFields,
  "docs/provider.schema.json": providerSchema,
  "docs/providers.md": providers,
  "docs/rules.schema.json": rulesSchema
}

const checks = process.argv.includes("--check")
for (const [file, make] of Object.entries(documents)) {
  const target = path.join(root, file)
  const text = await make()
  const current = fs.existsSync(target) ? fs.readFileSync(target, "utf8") : undefined
  if (current === text) continue
  if (checks) {
    console.error(`${file} is not what the program says; run: npm run generate`)
    process.exitCode = 1
  } else {
    fs.mkdirSync(path.dirname(target), { recursive: true })
    fs.writeFileSync(target, text)
    console.log(`wrote ${file}`)
  }
}
