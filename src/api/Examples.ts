/** An example of the request body and of the response of each operation, for the OpenAPI description. */

interface Example {
  readonly request?: unknown
  readonly response?: unknown
}

const created = "2026-11-23T09:00:00.000Z"
const later = "2026-11-23T10:00:00.000Z"
const profile = "quiet-heron-4821"

const masterKey = {
  master_key_mode: "auto",
  master_key_source: "keyring",
  master_key_description: "OS keyring (Secret Service)"
}

const checks = {
  spec_version: { status: "ok", message: "Version 0.1.0 supports API version 1." },
  identity: { status: "ok", message: `The identity ${profile} is valid.` },
  providers: { status: "ok", message: "All provider definitions are valid." },
  connections: { status: "ok", message: "2 connections." },
  vault: { status: "ok", message: "The vault is open." },
  integrity: { status: "ok", message: "Integrity verified." }
}

const session = {
  session_id: "Zk3v0Yd1Qm8sT6uXc9bE2fG4hJ5kL7nP0qR1sT2uV3w",
  provider: "openai",
  connection: "default",
  flow: "api_key",
  status: "waiting_for_user",
  message: "Waiting for the API key.",
  error: null,
  warning: null,
  created_at: created,
  expires_at: "2026-11-23T09:10:00.000Z",
  next_action: {
    type: "enter_input",
    url: "http://127.0.0.1:7998/auth/sessions/Zk3v0Yd1Qm8sT6uXc9bE2fG4hJ5kL7nP0qR1sT2uV3w/input",
    fields: [{
      name: "api_key",
      label: "API key",
      secret: true,
      required: true,
      default: null,
      pattern: "sk-.+",
      hint: "An OpenAI key begins with sk-."
    }]
  }
}

const connection = {
  provider: "github",
  connection_name: "default",
  profile,
  auth_type: "oauth2",
  flow: "device_code",
  status: "connected",
  is_default: true,
  base_url: null,
  api_url: "https://api.github.com",
  scopes: ["repo"],
  token_type: "Bearer",
  expires_at: later,
  obtained_at: created,
  last_refresh_at: null,
  last_refresh_error: null,
  refused_at: null,
  account: { id: "583231", label: "octocat" },
  has_refresh_token: true,
  renewable: true,
  contained_only: false,
  access_token: "***REDACTED***"
}

const definition = {
  schema_version: 1,
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

const registered = { ...definition, flows: ["api_key"], source: "custom", overrides_bundled: false }

const identity = {
  name: "laptop",
  profile,
  key_id: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
  created_at: created,
  disabled_at: null
}

const grant = { provider: "openai", connection: "default", owner: profile, grantee: "team", created_at: created }

const aProfile = { handle: profile, created_at: created, active: true }

const run = {
  name: "3f9a1c7e2b",
  pid: 4821,
  started_at: created,
  profile,
  providers: ["openai"],
  connections: {},
  unmatched: "allow",
  contained: false,
  uses: [{ provider: "openai", connection: "default", last_used_at: later }],
  stopped_at: null,
  rules: [{ allow: ["GET api.openai.com/v1/**"], deny: [], readonly: false }],
  outer_rules: [],
  max_uses: null,
  expires_at: null,
  strict: false,
  frozen_at: null,
  ask: false
}

const askedQuestion = {
  id: "0b8c2f6e",
  method: "DELETE",
  host: "api.openai.com",
  path: "/v1/files/file-1",
  rules: ["DELETE api.openai.com/v1/files/file-1"],
  policies: []
}

const question = {
  ...askedQuestion,
  run: "3f9a1c7e2b",
  profile,
  asked_at: created,
  expires_at: later
}

const limited = {
  name: "ci",
  profile,
  providers: ["openai"],
  connections: {},
  unmatched: "deny",
  rules: [],
  strict: true,
  expires_at: later
}

const sandbox = { ...limited, created_at: created, rotated_at: null, frozen_at: null, status: "active" }

const access = {
  sandbox,
  token: "Vb2nR7xK4mQ9wL1tY6uI3oP8aS5dF0gH2jK4lZ7xC1v",
  certificate: "-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n"
}

const policy = {
  name: "triage",
  profile,
  rules: { allow: ["GET api.github.com/repos/acme/**"], deny: [], readonly: false },
  created_at: created,
  updated_at: later
}

const keys = {
  source: "keyring",
  description: "OS keyring (Secret Service)",
  key_id: "3f2a9c81d05b1f0c9e3f2a9c81d05b1f",
  generation: 2,
  changed_at: later,
  data_keys: 2
}

/** By operation ID. */
export const examples: Readonly<Record<string, Example>> = {
  "system.health": {
    response: { status: "ok", version: "0.1.0", api_version: 1, instance: "5b1f0c9e", exposed: false, ...masterKey }
  },
  "system.ready": { response: { status: "ok", checks, warnings: [], problems: [], ...masterKey } },
  "system.unready": {
    response: {
      status: "unhealthy",
      checks: { ...checks, vault: { status: "failed", message: "The keyring is locked." } },
      warnings: [],
      problems: ["The keyring is locked."],
      ...masterKey,
      master_key_source: null
    }
  },
  "vault.keys": { response: keys },
  "vault.rotate": { request: {}, response: { keys, rows: 14, data_keys: 1 } },
  "system.whoami": {
    response: {
      home: "/home/ada/.credsvc",
      profile,
      identity: profile,
      ...masterKey,
      daemon_url: "http://127.0.0.1:7998",
      version: "0.1.0"
    }
  },
  "auth.start": { request: { provider: "openai", connection: "default" }, response: session },
  "auth.get": { response: session },
  "auth.resume": {
    request: { data: { api_key: "sk-..." } },
    response: { ...session, status: "completed", message: "Connected to OpenAI.", next_action: { type: "none" } }
  },
  "auth.cancel": {
    response: { ...session, status: "cancelled", message: "The login was cancelled.", next_action: { type: "none" } }
  },
  "auth.submitInput": { request: { form_token: "b7Qx...", api_key: "sk-..." } },
  "connections.list": { response: { connections: [connection] } },
  "connections.get": { response: connection },
  "connections.check": {
    response: {
      provider: "github",
      connection: "default",
      outcome: "works",
      http_status: 200,
      message: "GitHub accepts the credential.",
      checked_at: later
    }
  },
  "connections.logout": {
    response: { status: "logged_out", provider: "github", connection: "default", new_default: null }
  },
  "connections.revoke": {
    response: {
      status: "revoked",
      provider: "github",
      connections: ["default"],
      provider_contacted: true,
      failures: []
    }
  },
  "connections.setDefault": { response: { status: "ok", provider: "github", default_connection: "work" } },
  "connections.setContainedOnly": {
    response: { status: "ok", provider: "github", connection: "work", contained_only: true }
  },
  "credentials.export": {
    request: { provider: "openai", format: "env" },
    response: {
      format: "env",
      variables: { OPENAI_API_KEY: "sk-..." },
      output: "OPENAI_API_KEY=sk-...\n"
    }
  },
  "credentials.resolve": {
    request: { host: "api.openai.com", path: "/v1/models" },
    response: {
      provider: "openai",
      connection: "default",
      headers: { Authorization: "Bearer sk-..." },
      query: {},
      defaults: {},
      strip: { headers: ["authorization"], query: [] },
      expires_at: null,
      issued_at: created,
      refreshable: false
    }
  },
  "credentials.scan": {
    request: { values: [{ variable: "OPENAI_API_KEY", source: ".env", value: "sk-..." }] },
    response: {
      rows: [{ provider: "openai", variable: "OPENAI_API_KEY", source: ".env", state: "drift" }],
      imported: [],
      skipped: []
    }
  },
  "providers.list": {
    response: {
      providers: [{
        name: "openai",
        display_name: "OpenAI",
        auth_type: "api_key",
        flow: "api_key",
        flows: ["api_key"],
        source: "bundled",
        overrides_bundled: false,
        hosts: ["api.openai.com"],
        variables: ["OPENAI_API_KEY"]
      }]
    }
  },
  "providers.get": { response: registered },
  "providers.register": { request: definition, response: registered },
  "providers.check": {
    request: definition,
    response: { hosts: ["api.acme.example"], variables: ["ACME_API_KEY"], overlaps: [] }
  },
  "providers.discover": {
    request: { url: "https://mcp.acme.example/mcp" },
    response: {
      provider: "mcp.acme.example",
      registered: false,
      resource: "https://mcp.acme.example/mcp",
      authorization_server: "https://login.acme.example",
      definition: {
        name: "mcp.acme.example",
        auth_type: "oauth2",
        flow: "dcr_pkce",
        hosts: ["mcp.acme.example/mcp"],
        oauth: { resource: "https://mcp.acme.example/mcp" }
      }
    }
  },
  "providers.remove": {
    response: { status: "removed", provider: "acme", connections: [{ profile, connection: "default" }] }
  },
  "proxy.routes": {
    response: {
      version: "8f14e45f",
      routes: [{
        host: "api.openai.com",
        path_prefix: null,
        provider: "openai",
        connection: "default",
        connected: true
      }],
      placeholders: [{ provider: "openai", variable: "OPENAI_API_KEY", value: "sk-credsvc-proxy-managed" }],
      base_urls: [{ provider: "openai", variable: "OPENAI_BASE_URL", value: "https://api.openai.com/v1" }]
    }
  },
  "runs.list": { response: { runs: [run], caller_inside: false, caller_runs: [] } },
  "runs.register": {
    request: { providers: ["openai"], connections: {}, unmatched: "allow", pid: 4821, contained: false },
    response: { ...run, uses: [] }
  },
  "runs.report": {
    request: {
      part: 2,
      last: false,
      missing: 0,
      entries: [[
        1_795_413_098_000,
        "GET",
        "api.openai.com",
        "/v1/models",
        200,
        0,
        1024,
        "openai",
        "default",
        null,
        null
      ]]
    },
    response: { status: "recorded" }
  },
  "runs.questions": { response: { questions: [question] } },
  "runs.ask": { request: askedQuestion, response: { outcome: "waiting" } },
  "runs.answer": { request: { answer: "once" }, response: { status: "answered", question, answer: "once" } },
  "runs.stop": { response: { status: "stopped", runs: ["3f9a1c7e2b"] } },
  "sandboxes.list": { response: { sandboxes: [sandbox] } },
  "sandboxes.create": {
    request: { name: "ci", providers: ["openai"], unmatched: "deny", expires_in: 3600 },
    response: access
  },
  "sandboxes.access": { response: access },
  "sandboxes.rotate": { response: { ...access, sandbox: { ...sandbox, rotated_at: later } } },
  "sandboxes.remove": { response: { status: "deleted", name: "ci" } },
  "sandboxes.served": {
    response: {
      version: "8f14e45f",
      sandboxes: [{
        ...limited,
        generation: 1,
        id: "0b8c2f6e",
        token_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        authority: {
          common_name: "credsvc sandbox ci",
          names: ["api.openai.com"],
          root_pem: "-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n",
          key_pem: "-----BEGIN PRIVATE KEY-----\nMIGH...\n-----END PRIVATE KEY-----\n"
        }
      }]
    }
  },
  "policies.list": { response: { policies: [policy] } },
  "policies.get": { response: policy },
  "policies.set": { request: policy.rules, response: policy },
  "policies.remove": { response: { status: "deleted", name: "triage" } },
  "audit.requests": {
    response: {
      newest: 7,
      older: null,
      entries: [{
        batch: 7,
        kind: "request",
        timestamp: "2026-11-23T06:51:38.000Z",
        run: "3f9a1c7e2b",
        identity: "quiet-heron-4821",
        provider: "openai",
        connection: "default",
        method: "GET",
        host: "api.openai.com",
        path: "/v1/models",
        status: 200,
        bytes_in: 0,
        bytes_out: 1024,
        rule: null,
        error: null,
        missing: null,
        misplaced: null
      }]
    }
  },
  "audit.list": {
    response: {
      entries: [{
        seq: 1,
        timestamp: created,
        event: "login",
        provider: "openai",
        connection: "default",
        identity: profile,
        status: "ok"
      }]
    }
  },
  "audit.verify": {
    response: {
      ok: true,
      entries: 1,
      first: 1,
      head: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      broken_at: null,
      copy: "same",
      request_batches: 7,
      problem: null
    }
  },
  "grants.list": { response: { grants: [grant] } },
  "grants.create": { request: { provider: "openai", connection: "default", grantee: "team" }, response: grant },
  "grants.withdraw": {
    response: { status: "withdrawn", provider: "openai", connection: "default", owner: profile, grantee: "team" }
  },
  "identities.list": { response: { identities: [identity] } },
  "identities.createCode": {
    request: { profile, name: "laptop" },
    response: {
      code: "k3v0yd1q-8st6xc9b-e2fg4hj5-k7np0qr1",
      name: "laptop",
      profile,
      expires_at: "2026-11-23T09:15:00.000Z"
    }
  },
  "identities.enroll": {
    request: {
      code: "k3v0yd1q-8st6xc9b-e2fg4hj5-k7np0qr1",
      public_key: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
    },
    response: identity
  },
  "identities.disable": { response: { ...identity, disabled_at: later } },
  "identities.enable": { response: identity },
  "profiles.list": { response: { active: profile, profiles: [aProfile] } },
  "profiles.create": { request: { handle: "work" }, response: { handle: "work", created_at: created, active: false } },
  "profiles.use": { response: { handle: "work", created_at: created, active: true } }
}
