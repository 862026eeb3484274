/**
 * The identities of remote callers: public keys that were bound to profiles with one-time codes. Each request of a
 * caller reads the row of its identity, so the next request of a disabled identity is refused.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { AuditLog } from "../audit/AuditLog.ts"
import { OperationNotAllowedError, type VaultUnavailableError } from "../domain/Errors.ts"
import type { AuditEvent } from "../domain/wire/AuditEntry.ts"
import {
  codeLifetime,
  type Enrollment,
  type Identity,
  IdentityName,
  type NewEnrollmentCode
} from "../domain/wire/Identity.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { Job } from "../domain/wire/Trust.ts"
import { Timestamp } from "../domain/wire/Wire.ts"
import { setNewest } from "../platform/BoundedMap.ts"
import { thumbprint } from "../platform/Ed25519.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import { drawCode, formatCode, hashSecret, parseCode } from "./EnrollmentCodes.ts"

const enrolledRows = rowsOf(Schema.Struct({
  key_id: Schema.String,
  profile: ProfileHandle,
  name: IdentityName,
  public_key: Schema.String,
  created_at: Timestamp,
  disabled_at: Schema.NullOr(Timestamp),
  job: Schema.NullOr(Schema.fromJsonString(Job)),
  token_hash: Schema.NullOr(Schema.String)
}))

/** An enrolled key. */
interface EnrolledKey {
  readonly identity: Identity
  /** The `x` of the public key's JWK. */
  readonly publicKey: string
  /** The digest of the token that has enrolled the key; null unless it is the key of a job. */
  readonly tokenHash: string | null
}

/** Reads the enrolled keys that a WHERE or ORDER BY clause selects. */
export const enrolledKeys = (
  sql: SqlClient.SqlClient,
  selection: Fragment
): Effect.Effect<ReadonlyArray<EnrolledKey>, VaultUnavailableError> =>
  Effect.map(
    enrolledRows(sql`
      SELECT identities.*, job, token_hash FROM identities
      LEFT JOIN job_tokens ON job_tokens.name = identities.name ${selection}`),
    (rows) =>
      rows.map((row) => ({
        identity: {
          name: row.name,
          profile: row.profile,
          keyId: row.key_id,
          createdAt: row.created_at,
          disabledAt: row.disabled_at,
          job: row.job
        },
        publicKey: row.public_key,
        tokenHash: row.token_hash
      }))
  )

/** Stores an enabled identity. */
export const insertIdentity = (
  sql: SqlClient.SqlClient,
  { createdAt, keyId, name, profile }: Identity,
  publicKey: string
) =>
  sql`INSERT INTO identities ${
    sql.insert({
      key_id: keyId,
      profile,
      name,
      public_key: publicKey,
      created_at: DateTime.formatIso(createdAt),
      disabled_at: null
    })
  }`

const CodeRow = Schema.Struct({
  code_id: Schema.String,
  profile: ProfileHandle,
  name: IdentityName,
  secret_hash: Schema.String,
  failures: Schema.Int,
  expires_at: Timestamp
})
type CodeRow = typeof CodeRow.Type

const codeRows = rowsOf(CodeRow)

/** Finds the row of an unused code, without checking its secret. */
const findCode = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, id: string) {
  const [row] = yield* codeRows(sql`SELECT * FROM enrollment_codes WHERE code_id = ${id}`)
  return row !== undefined && DateTime.isGreaterThan(row.expires_at, yield* DateTime.now) ? row : undefined
})

const deleteCode = (sql: SqlClient.SqlClient, id: string) => sql`DELETE FROM enrollment_codes WHERE code_id = ${id}`

/** A code becomes invalid after this many wrong secrets. */
const maxFailures = 5

const countFailure = (sql: SqlClient.SqlClient, { code_id: id, failures }: CodeRow) =>
  failures + 1 >= maxFailures
    ? deleteCode(sql, id)
    : sql`UPDATE enrollment_codes SET failures = ${failures + 1} WHERE code_id = ${id}`

const nameRows = rowsOf(Schema.Struct({ name: Schema.String }))

const invalidCode = () =>
  OperationNotAllowedError.of(
    "The enrollment code is invalid, has expired, or was already used. " +
      "Ask the administrator for another code: credsvc admin enroll-code <profile>"
  )

const enrollmentConflict = ({ keyId, name, profile }: Identity, newKeyId: string) =>
  OperationNotAllowedError.of(
    keyId === newKeyId
      ? `This key is already enrolled as "${name}" for the profile ${profile}. ` +
        "To enroll another key, select another profile of this machine with --profile."
      : `Identity "${name}" already exists. Ask the administrator for a code with another name.`
  )

const unknownIdentity = (name: IdentityName) =>
  OperationNotAllowedError.of(`Unknown identity "${name}". List the identities with: credsvc admin identities`)

/** The maximum number of identities that are cached. */
const maxCached = 10_000

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const audit = yield* AuditLog
  const profiles = yield* Profiles

  const record = (event: AuditEvent, identity: ProfileHandle, name: IdentityName, status: "ok" | "denied" = "ok") =>
    audit.append({ event, connection: name, identity, status })

  /** Enrolled keys, each with the revision of the table when its row was read. */
  const cache = new Map<string, { readonly revision: number; readonly enrolled: EnrolledKey }>()

  /** Finds the identity of a key. Returns undefined if the key is not enrolled. */
  const find = Effect.fnUntraced(function*(keyId: string) {
    yield* manifest.verified("manifest")
    const cached = cache.get(keyId)
    if (cached?.revision === manifest.revisionOf("identities")) return cached.enrolled
    yield* manifest.verified("rows")
    const revision = manifest.revisionOf("identities")
    const [enrolled] = yield* enrolledKeys(sql, sql`WHERE key_id = ${keyId}`)
    if (enrolled !== undefined) setNewest(cache, keyId, { revision, enrolled }, maxCached)
    return enrolled
  })

  /** Lists all identities by name. */
  const list = Effect.map(
    Effect.andThen(manifest.verified("rows"), enrolledKeys(sql, sql`ORDER BY identities.name`)),
    (keys) => keys.map(({ identity }) => identity)
  )

  /** The name of the profile, followed by a number if an identity or a code already has that name. */
  const freeName = Effect.fnUntraced(function*(profile: ProfileHandle) {
    const rows = yield* nameRows(sql`SELECT name FROM identities UNION SELECT name FROM enrollment_codes`)
    const taken = new Set(rows.map(({ name }) => name))
    for (let number = 1;; number++) {
      const name = number === 1 ? profile : `${profile.slice(0, 58)}-${number}`
      if (!taken.has(name)) return IdentityName.make(name)
    }
  })

  /** Creates a code, which replaces an earlier code for the same name. The administrator is the profile that requests it. */
  const createCode = Effect.fn("Identities.createCode")(function*(
    administrator: ProfileHandle,
    { expiresIn = codeLifetime.standard, name: requested, profile }: NewEnrollmentCode
  ) {
    yield* profiles.find(profile)
    const now = yield* DateTime.now
    const expiresAt = DateTime.add(now, { seconds: expiresIn })
    const code = drawCode()
    const name = yield* manifest.transact(Effect.gen(function*() {
      yield* sql`DELETE FROM enrollment_codes WHERE expires_at <= ${DateTime.formatIso(now)}`
      const name = requested ?? (yield* freeName(profile))
      const taken = yield* enrolledKeys(sql, sql`WHERE identities.name = ${name}`)
      if (taken.length > 0) {
        return yield* OperationNotAllowedError.of(`Identity "${name}" already exists. Choose another name with --name.`)
      }
      yield* sql`DELETE FROM enrollment_codes WHERE name = ${name}`
      yield* sql`INSERT INTO enrollment_codes ${
        sql.insert({
          code_id: code.id,
          profile,
          name,
          secret_hash: hashSecret(code.secret),
          failures: 0,
          created_at: DateTime.formatIso(now),
          expires_at: DateTime.formatIso(expiresAt)
        })
      }`
      yield* record("enrollment-code-create", administrator, name)
      return name
    }))
    return { code: Redacted.make(formatCode(code)), name, profile, expiresAt }
  })

  /** Fails unless a code with this ID is valid. Writes nothing, so that strangers cannot keep the store busy. */
  const requireCode = Effect.fnUntraced(function*(code: Enrollment["code"]) {
    const parts = parseCode(Redacted.value(code))
    yield* manifest.verified("rows")
    if (parts === undefined || (yield* findCode(sql, parts.id)) === undefined) return yield* invalidCode()
  })

  /** Stores the identity of a code in place of the code. Returns why it cannot. */
  const bindKey = Effect.fnUntraced(function*({ code_id: codeId, name, profile }: CodeRow, publicKey: string) {
    const keyId = thumbprint(publicKey)
    const [conflict] = yield* enrolledKeys(sql, sql`WHERE key_id = ${keyId} OR identities.name = ${name}`)
    if (conflict !== undefined) return enrollmentConflict(conflict.identity, keyId)
    yield* deleteCode(sql, codeId)
    const identity: Identity = { name, profile, keyId, createdAt: yield* DateTime.now, disabledAt: null, job: null }
    yield* insertIdentity(sql, identity, publicKey)
    yield* record("identity-enroll", profile, name)
    return identity
  })

  /**
   * Binds a key to the profile of the code, and uses up the code. The caller must already have proved that it has the key.
   * The transaction returns a refusal instead of failing, so that it commits the count of wrong secrets.
   */
  const enroll = Effect.fn("Identities.enroll")(function*({ code, publicKey }: Enrollment) {
    const parts = parseCode(Redacted.value(code))
    if (parts === undefined) return yield* invalidCode()
    const outcome = yield* manifest.transact(Effect.gen(function*() {
      const row = yield* findCode(sql, parts.id)
      if (row === undefined) return invalidCode()
      if (row.secret_hash === hashSecret(parts.secret)) return yield* bindKey(row, publicKey)
      yield* countFailure(sql, row)
      yield* record("identity-enroll", row.profile, row.name, "denied")
      return invalidCode()
    }))
    return outcome instanceof OperationNotAllowedError ? yield* outcome : outcome
  })

  const setEnabled = (enabled: boolean) =>
    Effect.fn("Identities.setEnabled")(function*(administrator: ProfileHandle, name: IdentityName) {
      const now = yield* DateTime.now
      return yield* manifest.transact(Effect.gen(function*() {
        const [enrolled] = yield* enrolledKeys(sql, sql`WHERE identities.name = ${name}`)
        if (enrolled === undefined) return yield* unknownIdentity(name)
        const { identity } = enrolled
        if (enabled === (identity.disabledAt === null)) return identity
        const disabledAt = enabled ? null : now
        yield* sql`UPDATE identities SET ${
          sql.update({ disabled_at: disabledAt === null ? null : DateTime.formatIso(disabledAt) })
        } WHERE key_id = ${identity.keyId}`
        yield* record(enabled ? "identity-enable" : "identity-disable", administrator, name)
        return { ...identity, disabledAt }
      }))
    })

  return { list, find, createCode, requireCode, enroll, enable: setEnabled(true), disable: setEnabled(false) }
})

export class Identities
  extends Context.Service<Identities, Effect.Success<typeof make>>()("credsvc/callers/Identities")
{
  static readonly layerNoDeps = Layer.effect(Identities, make)
}
