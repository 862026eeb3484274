/**
 * The JSON schemas of documents that commands print with `--json` and that are not the response of one operation. They
 * are composed of schemas of the interface.
 */
import { outcomes } from "../../src/proxy/Explanation.ts"

type Schema = Readonly<Record<string, unknown>>

/** A schema of docs/openapi.json, or one of its properties. */
const named = (name: string, property?: string): Schema => ({
  $ref: `#/components/schemas/${name}${property === undefined ? "" : `/properties/${property}`}`
})

const arrayOf = (items: Schema): Schema => ({ type: "array", items })

const text: Schema = { type: "string" }
const texts = arrayOf(text)
const boolean: Schema = { type: "boolean" }
const count: Schema = { type: "integer", minimum: 0 }

const oneOf = (...values: ReadonlyArray<string>): Schema => ({ enum: values })

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] })

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
  object({
    ...propertiesOf("ProviderSummary", ["name", "display_name", "auth_type", "flow", "source", "checked"]),
    connections
  })
)

const changedSandbox: Schema = {
  allOf: [named("Sandbox"), { type: "object", required: ["directory"], properties: { directory: text } }]
}

const startedDaemon = (...statuses: ReadonlyArray<string>) =>
  object({ status: oneOf(...statuses), url: text, pid: orNull(count) })

/** A refusal by the rules of a run, with a rule that would allow the request. */
const refusedRequest = object({ method: text, host: text, path: text, rule: orNull(text), allow: orNull(text) })

const explanation = {
  method: text,
  url: text,
  outcome: oneOf(...outcomes),
  provider: orNull(named("ProviderName")),
  connection: orNull(named("ConnectionName")),
  rule: orNull(text),
  variables: arrayOf(object({ name: text, value: text })),
  refused: orNull(refusedRequest),
  message: text
}

const testedClient: Schema = {
  anyOf: [
    { ...object({ client: text, status: oneOf("works"), option: text }), required: ["client", "status"] },
    object({ client: text, status: oneOf("fails"), detail: text, fix: text }),
    object({ client: text, status: oneOf("absent") })
  ]
}

/** The state of one connection at its provider. */
const probe = object({
  ...propertiesOf("ConnectionCheck", ["provider", "connection", "http_status", "message"]),
  outcome: { anyOf: [named("CheckOutcome"), oneOf("unusable")] },
  checked_at: orNull(named("ConnectionCheck", "checked_at"))
})

/** The schemas of JSON documents by the path of the command. */
export const jsonDocuments: Readonly<Record<string, Schema>> = {
  scan: {
    anyOf: [
      named("ScanReport"),
      object({ ...propertiesOf("ScanReport", ["rows", "imported", "skipped"]), replaced: texts }),
      object({ restored: texts })
    ]
  },
  login: { anyOf: [named("Connection"), named("RestoredFile")] },
  list: object({ bundled: listed, custom: listed }),
  inspect: object({
    definition: named("ProviderDefinition"),
    ...propertiesOf("ProviderSummary", ["source", "overrides_bundled"]),
    connections
  }),
  explain: { anyOf: [object(explanation), object({ ...explanation, login: text })] },
  approve: { anyOf: [named("QuestionList"), named("QuestionAnswered")] },
  doctor: {
    anyOf: [
      {
        anyOf: [named("Ready"), named("NotReady")],
        properties: { probes: arrayOf(probe) }
      },
      object({ status: oneOf("ok", "failed"), clients: arrayOf(testedClient), notices: texts }),
      object({
        status: oneOf("ok", "failed"),
        default: boolean,
        problem: orNull(text),
        opens_low_ports: boolean,
        writable: texts,
        hidden: texts,
        private: texts
      })
    ]
  },
  ui: object({ url: text, opened: boolean }),
  "recipes show": {
    type: "object",
    required: ["name", "description", "programs"],
    properties: { name: text, description: text, programs: texts }
  },
  register: object({
    definition: named("ProviderDefinition"),
    ...propertiesOf("ProviderSummary", ["source", "overrides_bundled"]),
    ...propertiesOf("ProviderClaims", ["hosts", "variables", "overlaps"])
  }),
  "provider test": object({
    flows: arrayOf(object({
      provider: named("ProviderName"),
      flow: named("FlowKind"),
      checks: arrayOf(object({ name: text, problem: orNull(text) }))
    }))
  }),
  "daemon serve": startedDaemon("listening"),
  "daemon start": startedDaemon("started", "running"),
  "daemon restart": startedDaemon("restarted", "started"),
  "daemon stop": object({ status: oneOf("stopped", "not_running"), pid: orNull(count) }),
  "daemon status": object({
    running: boolean,
    health: orNull(named("Health")),
    pid: orNull(count),
    pid_file: orNull(text),
    log_file: orNull(text),
    url: text
  }),
  "daemon logs": texts,
  "admin restore": object({
    rows: count,
    epoch: count,
    audit_entries: count,
    request_batches: count,
    place: orNull(text),
    kept: orNull(text)
  }),
  export: { type: "object", additionalProperties: text },
  log: { anyOf: [arrayOf(named("AuditEntry")), texts] },
  "log requests": arrayOf(named("RequestEntry")),
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
