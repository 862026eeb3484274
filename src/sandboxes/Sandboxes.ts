/**
 * Manages sandboxes: sealed rows with a token, limits and a certificate authority of the same lifetime.
 *
 * Only a proxy uses the authority and the digest of the token. The token itself is stored, because a new container needs
 * it as well; reading it is audited.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { AuditLog } from "../audit/AuditLog.ts"
import * as CertificateAuthority from "../certificates/CertificateAuthority.ts"
import { Connections } from "../connections/Connections.ts"
import { patternSuffix } from "../domain/definition/HostPattern.ts"
import {
  ConnectionNotFoundError,
  InvalidRequestError,
  OperationNotAllowedError,
  type ProviderNotFoundError,
  type VaultUnavailableError
} from "../domain/Errors.ts"
import { RuleSets } from "../domain/rules/RuleSchemas.ts"
import { joinRules } from "../domain/rules/RuleSet.ts"
import type { AuditEvent } from "../domain/wire/AuditEntry.ts"
import { ConnectionName } from "../domain/wire/Connection.ts"
import { defaultConnectionName } from "../domain/wire/Names.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import { type SandboxKey, Unmatched } from "../domain/wire/Run.ts"
import {
  type NewSandbox,
  type Sandbox,
  type SandboxAccess,
  SandboxName,
  type ServedSandboxes
} from "../domain/wire/Sandbox.ts"
import { Timestamp } from "../domain/wire/Timestamp.ts"
import { withDefault } from "../domain/wire/Wire.ts"
import { builtins } from "../platform/builtins.ts"
import { sha256 } from "../platform/Digest.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { json, makeSealedRepo } from "../vault/SealedRepo.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

/** The sealed part of a row. */
const Content = Schema.Struct({
  providers: Schema.Array(ProviderName),
  connections: Schema.Record(Schema.String, ConnectionName),
  unmatched: Unmatched,
  // Absent from sandboxes of earlier versions.
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
type Content = typeof Content.Type

const Row = Schema.Struct({
  record_id: Schema.String,
  profile: ProfileHandle,
  name: SandboxName,
  generation: Schema.Int,
  created_at: Timestamp,
  expires_at: Timestamp,
  sealed: Schema.Uint8Array
})
type Row = typeof Row.Type

interface Stored {
  readonly row: Omit<Row, "sealed">
  readonly content: Content
}

const makeRepo = makeSealedRepo({
  table: "sandboxes",
  key: ["record_id"],
  row: Row,
  contents: { sealed: json("sandbox", Content) },
  names: ({ expires_at, name, profile }) => ({
    profile,
    provider: "sandbox",
    connection: name,
    // The time of expiry is authenticated with the secret.
    definitionFp: DateTime.formatIso(expires_at)
  })
})

const TOKEN_BYTES = 32

const newToken = () => Redacted.make(builtins.crypto.randomBytes(TOKEN_BYTES).toString("base64url"))

const unknown = (name: SandboxName) =>
  OperationNotAllowedError.of(`Unknown sandbox "${name}". List the sandboxes with: credsvc sandbox list`)

const isExpired = (row: Pick<Row, "expires_at">, now: DateTime.Utc): boolean =>
  row.expires_at.epochMilliseconds <= now.epochMilliseconds

const toSandbox = ({ content, row }: Stored, now: DateTime.Utc): Sandbox => ({
  name: row.name,
  profile: row.profile,
  providers: content.providers,
  connections: content.connections,
  unmatched: content.unmatched,
  rules: content.rules,
  strict: content.strict,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  rotatedAt: content.rotatedAt,
  frozenAt: content.frozenAt,
  status: isExpired(row, now) ? "expired" : "active"
})

const toAccess = (stored: Stored, now: DateTime.Utc): SandboxAccess => ({
  sandbox: toSandbox(stored, now),
  token: stored.content.token,
  certificate: stored.content.authority.rootPem
})

export class Sandboxes extends Context.Service<Sandboxes, {
  /** The sandboxes of a profile by name, including expired ones. */
  readonly list: (profile: ProfileHandle) => Effect.Effect<ReadonlyArray<Sandbox>, VaultUnavailableError>

  /** Creates a sandbox, in place of an expired one of the same name. Deletes all expired sandboxes. */
  readonly create: (
    profile: ProfileHandle,
    request: NewSandbox
  ) => Effect.Effect<
    SandboxAccess,
    | ConnectionNotFoundError
    | InvalidRequestError
    | OperationNotAllowedError
    | ProviderNotFoundError
    | VaultUnavailableError
  >

  /** Reads the token. The audit log records it first. */
  readonly access: (
    profile: ProfileHandle,
    name: SandboxName
  ) => Effect.Effect<SandboxAccess, OperationNotAllowedError | VaultUnavailableError>

  /** Replaces the token. */
  readonly rotate: (
    profile: ProfileHandle,
    name: SandboxName
  ) => Effect.Effect<SandboxAccess, OperationNotAllowedError | VaultUnavailableError>

  readonly remove: (
    profile: ProfileHandle,
    name: SandboxName
  ) => Effect.Effect<void, OperationNotAllowedError | VaultUnavailableError>

  /** Keeps a sandbox of this profile from getting credentials until it gets another token. */
  readonly freeze: (profile: ProfileHandle, key: SandboxKey) => Effect.Effect<void, VaultUnavailableError>

  /** When a sandbox of this profile was frozen. Null if it was not, or has another token. */
  readonly frozenAt: (
    profile: ProfileHandle,
    key: SandboxKey
  ) => Effect.Effect<DateTime.Utc | null, VaultUnavailableError>

  /**
   * What a proxy needs to serve the active sandboxes of all profiles, or of one; undefined if it has not changed since
   * `version`. The audit log records it for the profile of the caller.
   */
  readonly served: (
    caller: ProfileHandle,
    version: string | undefined,
    only?: ProfileHandle
  ) => Effect.Effect<ServedSandboxes | undefined, VaultUnavailableError>
}>()("credsvc/sandboxes/Sandboxes") {
  static readonly layerNoDeps = Layer.effect(
    Sandboxes,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const manifest = yield* StoreManifest
      const repo = yield* makeRepo
      const audit = yield* AuditLog
      const connections = yield* Connections

      const entryOf = (event: AuditEvent, identity: ProfileHandle, name: SandboxName | null) => ({
        event,
        provider: null,
        connection: name,
        identity,
        status: "ok" as const
      })

      const record = (...entry: Parameters<typeof entryOf>) => audit.append(entryOf(...entry))

      const recordAccess = (identity: ProfileHandle, name: SandboxName | null) =>
        audit.appendRepeatable(entryOf("sandbox-access", identity, name))

      const open = (row: Row) => Effect.map(repo.open(row, "sealed"), (content): Stored => ({ row, content }))

      const rowNamed = (name: SandboxName) => repo.row(sql`WHERE name = ${name}`)

      const own = Effect.fnUntraced(function*(profile: ProfileHandle, name: SandboxName) {
        const row = yield* rowNamed(name)
        return row?.profile === profile ? row : yield* unknown(name)
      })

      const active = Effect.fnUntraced(function*(profile: ProfileHandle, name: SandboxName, now: DateTime.Utc) {
        const row = yield* own(profile, name)
        if (!isExpired(row, now)) return row
        return yield* OperationNotAllowedError.of(
          `The sandbox "${name}" expired at ${DateTime.formatIso(row.expires_at)}. ` +
            `Create it again with: credsvc sandbox create ${name} --provider <name>`
        )
      })

      const deleteExpired = Effect.fnUntraced(function*(now: DateTime.Utc) {
        for (const row of yield* repo.rows(sql``)) {
          if (!isExpired(row, now)) continue
          yield* repo.remove(row)
          yield* record("sandbox-delete", row.profile, row.name)
        }
      })

      /** The names that the certificate authority may certify: the hosts of the providers. Checks the request. */
      const namesFor = Effect.fnUntraced(function*(profile: ProfileHandle, request: NewSandbox) {
        const { routes } = yield* connections.routes(profile)
        for (const provider of request.providers) {
          if (routes.some((route) => route.provider === provider)) continue
          // Some providers have routes only with a connection. This fails for an unknown one.
          yield* connections.list(profile, provider)
          return yield* ConnectionNotFoundError.of(provider, defaultConnectionName)
        }
        for (const [provider, name] of Object.entries(request.connections ?? {})) {
          const owner = request.providers.find((each) => each === provider)
          if (owner === undefined) {
            return yield* InvalidRequestError.of([{
              path: `/connections/${provider}`,
              message: `${provider} is not one of the providers of the sandbox`
            }])
          }
          if (!(yield* connections.exists(profile, owner, name))) return yield* ConnectionNotFoundError.of(owner, name)
        }
        const hosts = routes.filter((route) => request.providers.includes(route.provider)).map((route) => route.host)
        return [...new Set(hosts.map((host) => patternSuffix(host.replace(/:\d+$/, ""))))]
      })

      const list = Effect.fn("Sandboxes.list")(function*(profile: ProfileHandle) {
        const now = yield* DateTime.now
        const found = yield* repo.rows(sql`WHERE profile = ${profile} ORDER BY name`)
        return (yield* Effect.forEach(found, open)).map((stored) => toSandbox(stored, now))
      })

      const create = Effect.fn("Sandboxes.create")(function*(profile: ProfileHandle, request: NewSandbox) {
        const names = yield* namesFor(profile, request)
        const now = yield* DateTime.now
        const expires = DateTime.add(now, { seconds: request.expiresIn })
        const content: Content = {
          providers: [...new Set(request.providers)],
          connections: request.connections ?? {},
          unmatched: request.unmatched ?? "allow",
          rules: joinRules(request.rules ?? [], []),
          strict: request.strict ?? false,
          rotatedAt: null,
          frozenAt: null,
          token: newToken(),
          authority: storedAuthority(names, now, expires)
        }
        const row = {
          record_id: builtins.crypto.randomBytes(16).toString("hex"),
          profile,
          name: request.name,
          generation: 1,
          created_at: now,
          expires_at: expires
        }
        yield* manifest.transact(Effect.gen(function*() {
          yield* deleteExpired(now)
          if ((yield* rowNamed(request.name)) !== undefined) {
            return yield* OperationNotAllowedError.of(
              `The sandbox "${request.name}" already exists. Delete it with: credsvc sandbox delete ${request.name}`
            )
          }
          yield* repo.insert(row, { sealed: content })
          yield* record("sandbox-create", profile, request.name)
        }))
        return toAccess({ row, content }, now)
      })

      const access = Effect.fn("Sandboxes.access")(function*(profile: ProfileHandle, name: SandboxName) {
        const now = yield* DateTime.now
        const stored = yield* open(yield* active(profile, name, now))
        yield* recordAccess(profile, name)
        return toAccess(stored, now)
      })

      const rotate = Effect.fn("Sandboxes.rotate")(function*(profile: ProfileHandle, name: SandboxName) {
        const now = yield* DateTime.now
        return yield* manifest.transact(Effect.gen(function*() {
          const { content: before, row } = yield* open(yield* active(profile, name, now))
          const content = { ...before, token: newToken(), rotatedAt: now, frozenAt: null }
          const next = { ...row, generation: row.generation + 1 }
          yield* repo.replace(row, next, { sealed: content })
          yield* record("sandbox-rotate", profile, name)
          return toAccess({ row: next, content }, now)
        }))
      })

      const remove = Effect.fn("Sandboxes.remove")(function*(profile: ProfileHandle, name: SandboxName) {
        yield* manifest.transact(Effect.gen(function*() {
          yield* repo.remove(yield* own(profile, name))
          yield* record("sandbox-delete", profile, name)
        }))
      })

      const served = Effect.fn("Sandboxes.served")(function*(
        caller: ProfileHandle,
        known: string | undefined,
        only?: ProfileHandle
      ) {
        const now = yield* DateTime.now
        const found = (yield* repo.rows(sql`ORDER BY name`)).filter((row) =>
          !isExpired(row, now) && (only === undefined || row.profile === only)
        )
        const version = sha256(JSON.stringify(found.map((row) => [row.record_id, row.generation]))).slice(0, 32)
        if (version === known) return undefined
        const sandboxes = yield* Effect.forEach(found, open)
        yield* recordAccess(caller, null)
        return {
          version,
          sandboxes: sandboxes.map(({ content, row }) => ({
            name: row.name,
            profile: row.profile,
            providers: content.providers,
            connections: content.connections,
            unmatched: content.unmatched,
            rules: content.rules,
            strict: content.strict,
            expiresAt: row.expires_at,
            generation: row.generation,
            id: row.record_id,
            tokenHash: sha256(Redacted.value(content.token)),
            authority: content.authority
          }))
        }
      })

      /** The sandbox of a profile with this token. Undefined if it was deleted or has another one. */
      const withToken = Effect.fnUntraced(function*(profile: ProfileHandle, { generation, id }: SandboxKey) {
        const row = yield* repo.row(
          sql`WHERE profile = ${profile} AND record_id = ${id} AND generation = ${generation}`
        )
        return row === undefined ? undefined : yield* open(row)
      })

      const freeze = Effect.fn("Sandboxes.freeze")(function*(profile: ProfileHandle, key: SandboxKey) {
        const now = yield* DateTime.now
        yield* manifest.transact(Effect.gen(function*() {
          const stored = yield* withToken(profile, key)
          if (stored === undefined || stored.content.frozenAt !== null) return
          yield* repo.replace(stored.row, stored.row, { sealed: { ...stored.content, frozenAt: now } })
        }))
      })

      const frozenAt = (profile: ProfileHandle, key: SandboxKey) =>
        Effect.map(withToken(profile, key), (stored) => stored?.content.frozenAt ?? null)

      return Sandboxes.of({ list, create, access, rotate, remove, served, freeze, frozenAt })
    })
  )
}

const storedAuthority = (names: ReadonlyArray<string>, created: DateTime.Utc, expires: DateTime.Utc) => {
  const { keyPem, ...authority } = CertificateAuthority.create(
    names,
    created.epochMilliseconds,
    expires.epochMilliseconds
  )
  return { ...authority, keyPem: Redacted.make(keyPem) }
}
