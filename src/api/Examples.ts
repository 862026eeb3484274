/** Examples for the OpenAPI description, made from the schemas of requests and responses. */
import { componentNameOf, type Json } from "./JsonSchemas.ts"

const profile = "quiet-heron-4821"
const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
const session = "Zk3v0Yd1Qm8sT6uXc9bE2fG4hJ5kL7nP0qR1sT2uV3w"

const loginPath = "/home/ada/.claude/.credentials.json"
const loginContent = "{\"claudeAiOauth\":{\"accessToken\":\"sk-ant-oat01-...\"}}"

const definition = {
  name: "acme",
  display_name: "Acme",
  auth_type: "api_key",
  flow: "api_key",
  api_url: "https://api.acme.example/v1",
  hosts: ["api.acme.example"],
  api_key: { header_name: "X-Api-Key", header_prefix: "" },
  export: { env: { api_key: "ACME_API_KEY" } },
  test_request: { method: "GET", path: "/v1/me" }
}

/** Example values by component or property. A key such as `Trust.issuer` sets a property of one component only. */
const values: Readonly<Record<string, unknown>> = {
  "AdoptLogin.content": loginContent,
  "AdoptLogin.path": loginPath,
  "AdoptedLogin.content": loginContent,
  AuthType: "api_key",
  ConnectionName: "default",
  FlowKind: "api_key",
  JsonPointer: "/claudeAiOauth/accessToken",
  IdentityName: "laptop",
  PolicyName: "triage",
  ProfileHandle: profile,
  NextAction: { type: "enter_input", url: `http://127.0.0.1:7998/auth/sessions/${session}/input`, fields: [] },
  ProviderDefinition: definition,
  ProviderDetail: { ...definition, flows: ["api_key"], source: "custom", overrides_bundled: false },
  ProviderName: "openai",
  PublicKey: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
  QuestionId: "0b8c2f6e",
  RunName: "3f9a1c7e2b",
  SandboxName: "ci",
  SessionId: session,
  SessionStatus: "waiting_for_user",
  TrustName: "shop",
  Timestamp: "2026-11-23T09:00:00.000Z",
  allow: ["GET api.openai.com/v1/**"],
  authorization_server: "https://login.acme.example",
  certificate: "-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n",
  code: "k3v0yd1q-8st6xc9b-e2fg4hj5-k7np0qr1",
  common_name: "credsvc sandbox ci",
  daemon_url: "http://127.0.0.1:7998",
  deny: [],
  display_name: "OpenAI",
  failures: [],
  file: "/var/backups/credsvc/2026-11-23.backup",
  head: digest,
  home: "/home/ada/.credsvc",
  host: "api.openai.com",
  hosts: ["api.openai.com"],
  identity: profile,
  instance: "5b1f0c9e",
  key_description: "OS keyring (Secret Service)",
  key_id: "3f2a9c81d05b1f0c9e3f2a9c81d05b1f",
  key_pem: "-----BEGIN PRIVATE KEY-----\nMIGH...\n-----END PRIVATE KEY-----\n",
  master_key_description: "OS keyring (Secret Service)",
  method: "GET",
  names: ["api.openai.com"],
  outer_rules: [],
  output: "OPENAI_API_KEY=sk-...\n",
  overlaps: [],
  path: "/v1/models",
  problems: [],
  profile,
  reason: "The value is not a key of this provider.",
  resource: "https://mcp.acme.example/mcp",
  root_pem: "-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n",
  rules: [],
  source: ".env",
  token: "Vb2nR7xK4mQ9wL1tY6uI3oP8aS5dF0gH2jK4lZ7xC1v",
  token_hash: digest,
  url: "https://mcp.acme.example/mcp",
  value: "sk-...",
  variable: "OPENAI_API_KEY",
  variables: ["OPENAI_API_KEY"],
  version: "0.1.0",
  warnings: [],
  "NewTrust.issuer": "github",
  "Trust.issuer": "https://token.actions.githubusercontent.com",
  audience: "https://credsvc.example.com",
  claims: { repository: "acme/shop", ref: "refs/heads/main" },
  keys: null,
  policies: [],
  "JobEnrollment.token": "eyJhbGciOiJSUzI1NiIs...",
  "AskedQuestion.rules": ["DELETE api.openai.com/v1/files/file-1"],
  "AuditVerification.ok": true,
  "AuthSession.message": "Waiting for the API key.",
  "ComponentStatus.message": "The check has passed.",
  "Connection.api_key": "***REDACTED***",
  "Connection.scopes": [],
  "ConnectionCheck.message": "OpenAI accepts the credential.",
  "Resolved.headers": { Authorization: "Bearer sk-..." },
  "Resolved.secrets": ["sk-..."],
  "Exported.variables": { OPENAI_API_KEY: "sk-..." },
  "LoginForm.form_token": "b7Qx...",
  "LoginInput.data": { api_key: "sk-..." },
  "NotReady.problems": ["The keyring is locked."],
  "ProgramLoginRequest.host": "auth.openai.com",
  "ProgramLoginRequest.method": "POST",
  "ProgramLoginRequest.target": "/oauth/token",
  "ProgramMessage.content": "grant_type=authorization_code&code=...",
  "ProgramMessage.content_type": "application/x-www-form-urlencoded",
  "ProxyPlaceholder.value": "sk-credsvc-proxy-managed",
  "Replica.name": "credsvc-1",
  "Replica.owner": "31297845631278946",
  "RequestEntry.status": 200,
  "RequestReport.entries": [
    [1_795_413_098_000, "GET", "api.openai.com", "/v1/models", 200, 0, 1024, "openai", "default", null, null]
  ],
  "KeepOriginal.content": "OPENAI_API_KEY=sk-...",
  "KeepOriginal.path": "/home/ada/acme/.env",
  "KeepOriginal.replaced": "OPENAI_API_KEY=sk-credsvc-proxy-managed",
  "OriginalKept.path": "/home/ada/acme/.env",
  "RestoreFile.content": loginContent,
  "RestoreFile.path": loginPath,
  "RestoredFile.path": loginPath,
  "ServedSandbox.id": "3f9a1c7e2b",
  "StrippedPlaces.headers": ["authorization"],
  "StrippedPlaces.query": [],
  "VaultKeys.description": "OS keyring (Secret Service)"
}

const over = { next_action: { type: "none" } }

/** Fields of example responses that differ for an operation, by its ID. */
export const exampleChanges: Readonly<Record<string, object>> = {
  "auth.cancel": { ...over, status: "cancelled", message: "The login was cancelled." },
  "auth.resume": { ...over, status: "completed", message: "Connected to OpenAI." }
}

/** Makes an object with the required properties, and with optional properties that have an example for this component. */
const objectOf = ({ properties, required = [] }: Json, all: Json, name: string): unknown =>
  Object.fromEntries(
    Object.entries<Json>(properties).flatMap(([property, schema]) => {
      const own = `${name}.${property}`
      const known = values[own] ?? (schema["$ref"] === undefined ? values[property] : undefined)
      return own in values || required.includes(property) ? [[property, known ?? exampleOf(schema, all, own)]] : []
    })
  )

/** Makes an example for a schema. Throws if it cannot, so that an example must be added to `values`. */
export const exampleOf = (schema: Json, all: Json, name = ""): unknown => {
  const component = componentNameOf(schema)
  if (component !== undefined) return values[component] ?? exampleOf(all[component], all, component)
  const members: ReadonlyArray<Json> = schema["oneOf"] ?? schema["anyOf"] ?? []
  if (members.length > 0) return members.some(({ type }) => type === "null") ? null : exampleOf(members[0]!, all, name)
  const { const: constant, enum: words, items, minimum = 0, properties, type } = schema
  if (constant !== undefined || words !== undefined) return constant ?? words[0]
  if (properties !== undefined) return objectOf(schema, all, name)
  if (type === "array") return [exampleOf(items, all, name)]
  if (type === "object") return {}
  if (type === "boolean") return false
  if (type === "integer" || type === "number") return Math.max(minimum, 1)
  throw new Error(`missing example for ${name}: add it to the values`)
}
