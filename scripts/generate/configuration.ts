/** Generates docs/configuration.md: the fields of `config.json`, from its schema, and the environment variables. */
import { componentNameOf, type Json, jsonSchemaOf } from "../../src/api/JsonSchemas.ts"
import { Config } from "../../src/config/file/ConfigFormat.ts"
import { variables } from "../../src/config/Variables.ts"

const { definitions, schema } = jsonSchemaOf(Config)

const resolved = (of: Json): Json => definitions[componentNameOf(of) ?? ""] ?? of

const typeOf = (of: Json): string => {
  const { const: only, enum: values, items, type } = resolved(of)
  return only !== undefined
    ? `\`${JSON.stringify(only)}\``
    : values !== undefined
    ? values.map((value: string) => `\`${value}\``).join(", ")
    : type === "array"
    ? `list of ${typeOf(items)}s`
    : type
}

const fields = (of: Json, prefix = ""): ReadonlyArray<string> =>
  Object.entries(resolved(of)["properties"] as Readonly<Record<string, Json>>).flatMap(([name, field]) => {
    if (resolved(field)["properties"] !== undefined) return fields(field, `${prefix}${name}.`)
    const row = [`| \`${prefix}${name}\` | ${typeOf(field)} | ${field["description"]} |`]
    return name === "notices" ? row.concat(fields(field["additionalProperties"], "notices.<profile>.")) : row
  })

const rows = Object.entries(variables).map(([name, [of, fallback, meaning]]) =>
  `| \`${name}\` | ${of} | ${fallback} | ${meaning} |`
)

export const configuration = (): string =>
  `# Configuration

credsvc needs no configuration. Change the defaults in \`config.json\`, with environment variables or with options. An option takes precedence over a
variable, and a variable over the file. An invalid or unknown field causes an error that names the field.

## config.json

The file is in the home of credsvc (\`~/.credsvc/config.json\`), with mode 0600. The next command and the next request to a provider use the changed
file. Editors validate and complete the file if \`$schema\` names [config.schema.json](config.schema.json) of the package.

\`\`\`json
{
  "$schema": "/usr/lib/node_modules/credsvc/docs/config.schema.json",
  "version": 1,
  "upstream": { "proxy": "http://proxy.corp:3128", "no_proxy": ["*.corp"] },
  "run": { "contain": true, "hide": ["~/notes"] }
}
\`\`\`

| Field | Type | Meaning |
|---|---|---|
${fields(schema).join("\n")}

## Variables

An empty variable counts as unset, except the variables of the master key. [hosting.md](hosting.md) and [postgresql.md](postgresql.md) use most
variables of the daemon.

| Variable | Read by | Default | Meaning |
|---|---|---|---|
${rows.join("\n")}

\`credsvc run\` sets variables for its child process: \`CREDSVC_RUN\`, which identifies the run; \`CREDSVC_CONTAINED\` in a contained run;
\`CREDSVC_CA_FILE\`, the file with its CA certificate; \`CREDSVC_BASE_URL\` with \`--base-url\`; \`CREDSVC_BROWSER_HOME\` for browsers; and the variables of providers and
HTTP clients ([clients.md](clients.md)). \`credsvc sandbox env\` prints \`CREDSVC_SANDBOX_TOKEN\`.
`
