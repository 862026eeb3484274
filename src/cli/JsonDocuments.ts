/**
 * The JSON schemas of documents that commands print with `--json` and that are not the response of one operation. They
 * are composed of schemas of the interface. Only scripts and tests load this file.
 */
type Schema = Readonly<Record<string, unknown>>

/** A schema of docs/openapi.json, or one of its properties. */
const named = (name: string, property?: string): Schema => ({
  $ref: `#/components/schemas/${name}${property === undefined ? "" : `/properties/${property}`}`
})

const arrayOf = (items: Schema): Schema => ({ type: "array", items })

const text: Schema = { type: "string" }

const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  required: Object.keys(properties),
  properties,
  additionalProperties: false
})

const propertiesOf = (name: string, properties: ReadonlyArray<string>): Readonly<Record<string, Schema>> =>
  Object.fromEntries(properties.map((property) => [property, named(name, property)]))

const connections = arrayOf(named("Connection"))

const listed = arrayOf(
  object({ ...propertiesOf("ProviderSummary", ["name", "display_name", "auth_type", "flow", "source"]), connections })
)

const changedSandbox: Schema = {
  allOf: [named("Sandbox"), { type: "object", required: ["directory"], properties: { directory: text } }]
}

/** By the path of the command. */
export const jsonDocuments: Readonly<Record<string, Schema>> = {
  list: object({ bundled: listed, custom: listed }),
  inspect: object({
    definition: named("ProviderDefinition"),
    ...propertiesOf("ProviderSummary", ["source", "overrides_bundled"]),
    connections
  }),
  export: { type: "object", additionalProperties: text },
  log: {
    anyOf: [
      arrayOf(named("AuditEntry")),
      arrayOf(named("RequestEntry")),
      named("AuditVerification"),
      arrayOf(text)
    ]
  },
  "sandbox create": changedSandbox,
  "sandbox rotate": changedSandbox,
  "sandbox env": object({
    sandbox: named("SandboxName"),
    token: text,
    directory: text,
    socket: text,
    variables: { type: "object", additionalProperties: text }
  })
}
