/** The rows of sandboxes, with sealed secrets and limits, and their form for clients. */
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { RuleSets } from "../domain/rules/RuleSchemas.ts"
import { ConnectionName } from "../domain/wire/Connection.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import { Unmatched } from "../domain/wire/Run.ts"
import { type Sandbox, type SandboxAccess, SandboxName, type ServedSandbox } from "../domain/wire/Sandbox.ts"
import { Timestamp, withDefault } from "../domain/wire/Wire.ts"
import { sha256 } from "../platform/Digest.ts"
import { jsonContent, makeSealedRepo } from "../vault/SealedRepo.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

/** The sealed part of a row. */
const Content = Schema.Struct({
  providers: Schema.Array(ProviderName),
  connections: Schema.Record(Schema.String, ConnectionName),
  unmatched: Unmatched,
  // Sandboxes of earlier versions lack the fields that have a default.
  rules: withDefault(RuleSets, []),
  strict: withDefault(Schema.Boolean, false),
  rotatedAt: Schema.NullOr(Timestamp),
  frozenAt: withDefault(Schema.NullOr(Timestamp), null),
  token: Secret,
  authority: Schema.Struct({
    commonName: Schema.String,
    names: Schema.Array(Schema.String),
    rootPem: Schema.String,
    keyPem: Secret
  })
})
export type Content = typeof Content.Type

const Row = Schema.Struct({
  record_id: Schema.String,
  profile: ProfileHandle,
  name: SandboxName,
  generation: Schema.Int,
  created_at: Timestamp,
  expires_at: Timestamp,
  sealed: Schema.Uint8Array
})
export type Row = typeof Row.Type

/** A row with its secrets. */
export interface Stored {
  readonly row: Omit<Row, "sealed">
  readonly content: Content
}

export const makeSandboxRepo = makeSealedRepo({
  table: "sandboxes",
  key: ["record_id"],
  row: Row,
  contents: { sealed: jsonContent("sandbox", Content) },
  names: ({ expires_at, name, profile }) => ({
    profile,
    provider: "sandbox",
    connection: name,
    // The expiry time is authenticated together with the secret.
    definitionFp: DateTime.formatIso(expires_at)
  })
})

export const isExpired = (row: Pick<Row, "expires_at">, now: DateTime.Utc): boolean =>
  row.expires_at.epochMilliseconds <= now.epochMilliseconds

const commonOf = ({ content, row }: Stored) => ({
  name: row.name,
  profile: row.profile,
  providers: content.providers,
  connections: content.connections,
  unmatched: content.unmatched,
  rules: content.rules,
  strict: content.strict,
  expiresAt: row.expires_at
})

export const toSandbox = (stored: Stored, now: DateTime.Utc): Sandbox => ({
  ...commonOf(stored),
  createdAt: stored.row.created_at,
  rotatedAt: stored.content.rotatedAt,
  frozenAt: stored.content.frozenAt,
  status: isExpired(stored.row, now) ? "expired" : "active"
})

export const toAccess = (stored: Stored, now: DateTime.Utc): SandboxAccess => ({
  sandbox: toSandbox(stored, now),
  token: stored.content.token,
  certificate: stored.content.authority.rootPem
})

/** Returns the data that a proxy needs to serve the sandbox. */
export const toServed = (stored: Stored): ServedSandbox => ({
  ...commonOf(stored),
  generation: stored.row.generation,
  id: stored.row.record_id,
  tokenHash: sha256(Redacted.value(stored.content.token)),
  authority: stored.content.authority
})
