/** Stores auth sessions under the hash of their ID, with sealed content, so that the database holds no bearer value. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { FlowKind, ProviderName } from "../domain/definition/Provider.ts"
import { RequestRefusedError, type VaultUnavailableError } from "../domain/Errors.ts"
import { InputField, isFinal, SessionId, SessionStatus } from "../domain/wire/AuthSession.ts"
import { ConnectionName } from "../domain/wire/Connection.ts"
import { CredentialCommand } from "../domain/wire/CredentialCommand.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { Timestamp } from "../domain/wire/Timestamp.ts"
import { wire } from "../domain/wire/Wire.ts"
import { builtins } from "../platform/builtins.ts"
import { LeaseOwner } from "../platform/LeaseOwner.ts"
import { StoreChanges } from "../platform/StoreChanges.ts"
import { loginDuration, logins } from "../telemetry/Metrics.ts"
import { sealedTable } from "../vault/SealedTable.ts"
import type { SecretIdentity } from "../vault/SecretIdentity.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import { Vault } from "../vault/Vault.ts"

/** The next action, without URLs of this daemon, which may change with a restart. */
export const StoredAction = Schema.Union([
  Schema.Struct({ type: Schema.Literal("none") }),
  /** The flow is at work, and continues after a crash. */
  Schema.Struct({ type: Schema.Literal("proceed") }),
  Schema.Struct({
    type: Schema.Literal("enter_input"),
    fields: Schema.Array(InputField),
    redirectUri: Schema.NullOr(Schema.String),
    reason: Schema.NullOr(Schema.String),
    recipient: Schema.NullOr(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("open_url"), url: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("show_user_code"),
    userCode: Schema.String,
    verificationUri: Schema.String,
    verificationUriComplete: Schema.NullOr(Schema.String),
    interval: Schema.Number
  })
])
export type StoredAction = typeof StoredAction.Type

export const StartedAt = Schema.Literals(["client", "dashboard"])
export type StartedAt = typeof StartedAt.Type

const Content = wire({
  /** The database holds only its hash. */
  sessionId: SessionId,
  startedAt: StartedAt,
  message: Schema.String,
  error: Schema.NullOr(Schema.Struct({ error: Schema.String, message: Schema.String })),
  warning: Schema.NullOr(Schema.String),
  action: StoredAction,
  state: Schema.Json,
  force: Schema.Boolean,
  containedOnly: Schema.optionalKey(Schema.Boolean),
  baseUrl: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String),
  command: Schema.optionalKey(CredentialCommand),
  definitionFp: Schema.String,
  /** Form tokens already submitted; each is valid once. */
  usedTokens: Schema.Array(Schema.String),
  /** The daemon that changed the session last, as the owner of a lease. Set when the session is stored. */
  owner: Schema.optionalKey(Schema.String)
})
export type Content = typeof Content.Type

const contentJson = Schema.fromJsonString(Content)
const encodeContent = Schema.encodeEffect(contentJson)
const decodeContent = Schema.decodeUnknownEffect(contentJson)

const Row = Schema.Struct({
  id_hash: Schema.String,
  profile: ProfileHandle,
  provider: ProviderName,
  name: ConnectionName,
  flow: FlowKind,
  status: SessionStatus,
  expires_at: Timestamp,
  created_at: Timestamp,
  generation: Schema.Int,
  sealed: Schema.Uint8Array
})
type Row = typeof Row.Type

const rows = rowsOf(Row)
const statuses = rowsOf(Schema.Struct({ status: SessionStatus }))

export interface StoredSession {
  readonly idHash: string
  readonly profile: ProfileHandle
  readonly provider: ProviderName
  readonly connection: ConnectionName
  readonly flow: FlowKind
  readonly status: SessionStatus
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  readonly generation: number
  readonly content: Content
}

export type NewSession = Omit<StoredSession, "idHash" | "createdAt" | "generation" | "content"> & {
  readonly content: Omit<Content, "sessionId">
}

export interface SessionChange {
  readonly status?: SessionStatus
  readonly content?: Content
  readonly expiresAt?: DateTime.Utc
  readonly callbackState?: Redacted.Redacted<string>
}

/** Open logins of a profile. Another profile must be able to log in meanwhile. */
const maxLive = 32
const maxWaiters = 8
/** How long an expired session is kept, so that it can be reported as expired instead of unknown. */
const remembered = Duration.hours(1)

const identityOf = (row: Pick<Row, "generation" | "id_hash" | "name" | "profile" | "provider">): SecretIdentity => ({
  profile: row.profile,
  provider: row.provider,
  connection: row.name,
  field: "session",
  recordId: row.id_hash,
  generation: row.generation,
  definitionFp: ""
})

const hashOf = (capability: string): string => builtins.crypto.createHash("sha256").update(capability).digest("hex")

/** None begins with `-`, so that programs do not take the ID for an option. */
export const drawSessionId = (): SessionId => {
  const id = builtins.crypto.randomBytes(32).toString("base64url")
  return id.startsWith("-") ? drawSessionId() : SessionId.make(id)
}

const refused = (detail: string) => new RequestRefusedError({ detail })

interface Waiting {
  count: number
  readonly changed: Deferred.Deferred<void>
}

export class AuthSessions extends Context.Service<AuthSessions, {
  /** Stores a new session under an ID of 32 random bytes. At most 32 of a profile may be open at a time. */
  readonly insert: (
    session: NewSession
  ) => Effect.Effect<StoredSession, RequestRefusedError | VaultUnavailableError>

  readonly find: (id: SessionId) => Effect.Effect<StoredSession | undefined, VaultUnavailableError>

  readonly findByState: (state: string) => Effect.Effect<StoredSession | undefined, VaultUnavailableError>

  readonly unfinished: Effect.Effect<ReadonlyArray<StoredSession>, VaultUnavailableError>

  /** Compare-and-swap; undefined if the session has changed since it was read. */
  readonly update: (
    session: StoredSession,
    change: SessionChange
  ) => Effect.Effect<StoredSession | undefined, VaultUnavailableError>

  /** At most 8 callers may wait for one session. */
  readonly awaitChange: (session: StoredSession, time: Duration.Duration) => Effect.Effect<void, RequestRefusedError>
}>()("credsvc/flows/AuthSessions") {
  static readonly layerNoDeps = Layer.effect(
    AuthSessions,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const manifest = yield* StoreManifest
      const vault = yield* Vault
      const changes = yield* StoreChanges
      const { own: owner } = yield* LeaseOwner
      yield* vault.addTable(sealedTable("auth_sessions", ["id_hash"], Row, (row) => ({ sealed: identityOf(row) })))
      const waiting = new Map<string, Waiting>()

      const seal = Effect.fnUntraced(function*(row: Parameters<typeof identityOf>[0], content: Content) {
        const text = yield* Effect.orDie(encodeContent({ ...content, owner }))
        return yield* vault.seal(identityOf(row), Redacted.make(text))
      })

      const open = Effect.fnUntraced(function*(row: Row) {
        const text = yield* vault.open(identityOf(row), row.sealed)
        const content = yield* Effect.orDie(decodeContent(Redacted.value(text)))
        return {
          idHash: row.id_hash,
          profile: row.profile,
          provider: row.provider,
          connection: row.name,
          flow: row.flow,
          status: row.status,
          createdAt: row.created_at,
          expiresAt: row.expires_at,
          generation: row.generation,
          content
        } satisfies StoredSession
      })

      const read = Effect.fnUntraced(function*(idHash: string) {
        yield* manifest.ready
        const [row] = yield* rows(sql`SELECT * FROM auth_sessions WHERE id_hash = ${idHash}`)
        return row === undefined ? undefined : yield* open(row)
      })

      const findByState = Effect.fnUntraced(function*(state: string) {
        yield* manifest.ready
        const [row] = yield* rows(sql`SELECT * FROM auth_sessions WHERE state_hash = ${hashOf(state)}`)
        return row === undefined ? undefined : yield* open(row)
      })

      const unfinished = Effect.gen(function*() {
        yield* manifest.ready
        const found = yield* rows(sql`SELECT * FROM auth_sessions ORDER BY created_at`)
        return yield* Effect.forEach(found.filter(({ status }) => !isFinal(status)), open)
      })

      const recordLogin = ({ createdAt, flow, status }: StoredSession) =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.sync(() => {
            logins.record(context, [flow, status], 1)
            loginDuration.record(context, [flow, status], (Date.now() - DateTime.toEpochMillis(createdAt)) / 1000)
          })
        )

      const wake = (idHash: string): void => {
        const entry = waiting.get(idHash)
        waiting.delete(idHash)
        if (entry !== undefined) Deferred.doneUnsafe(entry.changed, Effect.void)
      }

      yield* Effect.acquireRelease(
        Effect.sync(() =>
          changes.onAnnounced("session", (idHash) => {
            for (const changed of idHash === undefined ? [...waiting.keys()] : [idHash]) wake(changed)
          })
        ),
        (unsubscribe) => Effect.sync(unsubscribe)
      )

      const insert = Effect.fn("AuthSessions.insert")(function*(session: NewSession) {
        const now = yield* DateTime.now
        const sessionId = drawSessionId()
        const stored: StoredSession = {
          ...session,
          idHash: hashOf(sessionId),
          createdAt: now,
          generation: 1,
          content: { ...session.content, sessionId }
        }
        const row = {
          id_hash: stored.idHash,
          profile: stored.profile,
          provider: stored.provider,
          name: stored.connection,
          flow: stored.flow,
          status: stored.status,
          expires_at: DateTime.formatIso(stored.expiresAt),
          created_at: DateTime.formatIso(now),
          updated_at: DateTime.formatIso(now),
          generation: stored.generation
        }
        yield* manifest.transact(Effect.gen(function*() {
          yield* sql`DELETE FROM auth_sessions
              WHERE expires_at < ${DateTime.formatIso(DateTime.subtractDuration(now, remembered))}`
          const open = yield* statuses(
            sql`SELECT status FROM auth_sessions WHERE profile = ${row.profile} AND expires_at > ${row.created_at}`
          )
          if (open.filter(({ status }) => !isFinal(status)).length >= maxLive) {
            return yield* refused(
              `${maxLive} logins are already open. Finish or cancel one of them, or wait until they expire.`
            )
          }
          const sealed = yield* seal(row, stored.content)
          yield* sql`INSERT INTO auth_sessions ${sql.insert({ ...row, state_hash: null, sealed })}`
          yield* changes.announce("session", row.id_hash)
        }))
        return stored
      })

      const update = Effect.fn("AuthSessions.update")(function*(session: StoredSession, change: SessionChange) {
        const { callbackState, ...changed } = change
        const next: StoredSession = { ...session, ...changed, generation: session.generation + 1 }
        const row = {
          id_hash: next.idHash,
          profile: next.profile,
          provider: next.provider,
          name: next.connection,
          generation: next.generation
        }
        const columns = {
          generation: next.generation,
          status: next.status,
          expires_at: DateTime.formatIso(next.expiresAt),
          updated_at: DateTime.formatIso(yield* DateTime.now),
          ...(callbackState === undefined ? {} : { state_hash: hashOf(Redacted.value(callbackState)) })
        }
        return yield* manifest.transact(Effect.gen(function*() {
          const sealed = yield* seal(row, next.content)
          const written = yield* sql`UPDATE auth_sessions SET ${sql.update({ ...columns, sealed })}
              WHERE id_hash = ${session.idHash} AND generation = ${session.generation} RETURNING id_hash`
          yield* changes.announce("session", session.idHash)
          yield* sql.afterCommit(Effect.sync(() => wake(session.idHash)))
          if (written.length !== 1) return undefined
          if (isFinal(next.status)) yield* sql.afterCommit(recordLogin(next))
          return next
        }))
      })

      const awaitChange = (session: StoredSession, time: Duration.Duration) =>
        Effect.acquireUseRelease(
          Effect.suspend(() => {
            const entry = waiting.get(session.idHash) ?? { count: 0, changed: Deferred.makeUnsafe<void>() }
            if (entry.count >= maxWaiters) {
              return Effect.fail(refused(`${maxWaiters} requests are already waiting for this login.`))
            }
            entry.count++
            waiting.set(session.idHash, entry)
            return Effect.succeed(entry)
          }),
          ({ changed }) =>
            // The session may have changed between the caller's read and this point.
            Effect.flatMap(
              Effect.orElseSucceed(read(session.idHash), () => undefined),
              (now) =>
                now?.generation === session.generation
                  ? Effect.asVoid(Effect.timeoutOption(Deferred.await(changed), time))
                  : Effect.void
            ),
          (entry) =>
            Effect.sync(() => {
              entry.count--
              if (entry.count === 0 && waiting.get(session.idHash) === entry) waiting.delete(session.idHash)
            })
        )

      return AuthSessions.of({
        insert,
        find: (id) => read(hashOf(id)),
        findByState,
        unfinished,
        update,
        awaitChange
      })
    })
  )
}
