/**
 * Auth sessions as they are stored, and the waiting for their changes.
 *
 * A session is found by the hash of its id, so that the database holds no capability; what it is about is sealed. It
 * survives a restart of the daemon, and is forgotten some time after it has expired.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import { InputField, isFinal, type SessionId, type SessionStatus } from "../domain/AuthSession.ts"
import type { ConnectionName } from "../domain/Connection.ts"
import { RequestRefusedError, type VaultUnavailableError } from "../domain/Errors.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import type { FlowKind, ProviderName } from "../domain/Provider.ts"
import { wire } from "../domain/Wire.ts"
import { builtins } from "../platform/builtins.ts"
import { storeUnavailable } from "../vault/MasterKey.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { type SecretIdentity, Vault } from "../vault/Vault.ts"

/** What has to happen next, without the addresses of this daemon, which may be others tomorrow. */
export const StoredAction = Schema.Union([
  Schema.Struct({ type: Schema.Literal("none") }),
  Schema.Struct({ type: Schema.Literal("enter_input"), fields: Schema.Array(InputField) }),
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

const Content = wire({
  message: Schema.String,
  error: Schema.NullOr(Schema.Struct({ error: Schema.String, message: Schema.String })),
  action: StoredAction,
  /** The flow's own; emptied when the session ends. */
  state: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Boolean, Schema.Null])),
  force: Schema.Boolean,
  baseUrl: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String),
  definitionFp: Schema.String,
  /** Form tokens that have been sent: each is good for one try. */
  usedTokens: Schema.Array(Schema.String)
})
export type Content = typeof Content.Type

const contentJson = Schema.fromJsonString(Content)
const encodeContent = Schema.encodeEffect(contentJson)
const decodeContent = Schema.decodeUnknownEffect(contentJson)

interface Row {
  readonly id_hash: string
  readonly profile: ProfileHandle
  readonly provider: ProviderName
  readonly name: ConnectionName
  readonly flow: FlowKind
  readonly status: SessionStatus
  readonly expires_at: string
  readonly created_at: string
  readonly generation: number
  readonly sealed: Uint8Array
}

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

export type NewSession = Omit<StoredSession, "idHash" | "createdAt" | "generation">

const maxLive = 32
const maxWaiters = 8
/** How long an expired session is still known, to be told from one that never was. */
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

const hashOf = (id: SessionId): string => builtins.crypto.createHash("sha256").update(id).digest("hex")

const refused = (detail: string) => new RequestRefusedError({ detail })

interface Waiting {
  count: number
  readonly changed: Deferred.Deferred<void>
}

export class AuthSessions extends Context.Service<AuthSessions, {
  /** Stores a new session under an id of 32 random bytes. At most 32 may be open at a time (A23). */
  readonly insert: (
    session: NewSession
  ) => Effect.Effect<SessionId, RequestRefusedError | VaultUnavailableError>

  readonly find: (id: SessionId) => Effect.Effect<StoredSession | undefined, VaultUnavailableError>

  /**
   * Writes the next generation of what was read, and wakes whoever waits for it. Joins the transaction of the caller.
   * False when it has changed meanwhile.
   */
  readonly update: (
    session: StoredSession,
    change: Partial<Pick<StoredSession, "content" | "status">>
  ) => Effect.Effect<boolean, VaultUnavailableError>

  /** Returns when the session changes, or after that time. At most 8 may wait for one session (A23). */
  readonly awaitChange: (session: StoredSession, time: Duration.Duration) => Effect.Effect<void, RequestRefusedError>
}>()("credsvc/flows/AuthSessions") {
  static readonly layerNoDeps: Layer.Layer<AuthSessions, never, SqlClient.SqlClient | StoreManifest | Vault> = Layer
    .effect(
      AuthSessions,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const manifest = yield* StoreManifest
        const vault = yield* Vault
        const waiting = new Map<string, Waiting>()

        const mapped = <A, E>(effect: Effect.Effect<A, E>) =>
          Effect.mapError(
            effect,
            (error) => error instanceof SqlError ? storeUnavailable(error) : error as Exclude<E, SqlError>
          )

        const seal = Effect.fnUntraced(function*(row: Omit<Row, "sealed">, content: Content) {
          const text = yield* Effect.orDie(encodeContent(content))
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
            createdAt: DateTime.makeUnsafe(row.created_at),
            expiresAt: DateTime.makeUnsafe(row.expires_at),
            generation: row.generation,
            content
          } satisfies StoredSession
        })

        const read = Effect.fnUntraced(function*(idHash: string) {
          yield* manifest.ready
          const [row] = yield* sql<Row>`SELECT * FROM auth_sessions WHERE id_hash = ${idHash}`
          return row === undefined ? undefined : yield* open(row)
        })

        const wake = (idHash: string) =>
          Effect.suspend(() => {
            const entry = waiting.get(idHash)
            waiting.delete(idHash)
            return entry === undefined ? Effect.void : Deferred.succeed(entry.changed, undefined)
          })

        const insert = Effect.fn("AuthSessions.insert")(function*(session: NewSession) {
          const now = yield* DateTime.now
          const id = builtins.crypto.randomBytes(32).toString("base64url") as SessionId
          const row = {
            id_hash: hashOf(id),
            profile: session.profile,
            provider: session.provider,
            name: session.connection,
            flow: session.flow,
            status: session.status,
            expires_at: DateTime.formatIso(session.expiresAt),
            created_at: DateTime.formatIso(now),
            updated_at: DateTime.formatIso(now),
            generation: 1
          }
          yield* manifest.protect(Effect.gen(function*() {
            yield* sql`DELETE FROM auth_sessions
              WHERE expires_at < ${DateTime.formatIso(DateTime.subtractDuration(now, remembered))}`
            const open = yield* sql<{ readonly status: SessionStatus }>`
              SELECT status FROM auth_sessions WHERE expires_at > ${row.created_at}`
            if (open.filter(({ status }) => !isFinal(status)).length >= maxLive) {
              return yield* refused(
                `${maxLive} logins are open already. Finish or cancel one of them, or wait until they expire.`
              )
            }
            const sealed = yield* seal(row, session.content)
            yield* sql`INSERT INTO auth_sessions ${sql.insert({ ...row, state_hash: null, sealed })}`
          }))
          return id
        }, mapped)

        const update = Effect.fn("AuthSessions.update")(
          function*(session: StoredSession, change: Partial<Pick<StoredSession, "content" | "status">>) {
            const now = yield* DateTime.now
            const row = {
              id_hash: session.idHash,
              profile: session.profile,
              provider: session.provider,
              name: session.connection,
              flow: session.flow,
              status: change.status ?? session.status,
              expires_at: DateTime.formatIso(session.expiresAt),
              created_at: DateTime.formatIso(session.createdAt),
              generation: session.generation + 1
            }
            const sealed = yield* seal(row, change.content ?? session.content)
            return yield* manifest.protect(Effect.gen(function*() {
              const { generation, status } = row
              const written = yield* sql`UPDATE auth_sessions SET ${
                sql.update({ generation, status, sealed, updated_at: DateTime.formatIso(now) })
              } WHERE id_hash = ${session.idHash} AND generation = ${session.generation} RETURNING id_hash`
              yield* sql.afterCommit(wake(session.idHash))
              return written.length === 1
            }))
          },
          mapped
        )

        const awaitChange = (session: StoredSession, time: Duration.Duration) =>
          Effect.acquireUseRelease(
            Effect.suspend(() => {
              const entry = waiting.get(session.idHash) ?? { count: 0, changed: Deferred.makeUnsafe<void>() }
              if (entry.count >= maxWaiters) {
                return Effect.fail(refused(`${maxWaiters} requests are waiting for this login already.`))
              }
              entry.count++
              waiting.set(session.idHash, entry)
              return Effect.succeed(entry)
            }),
            ({ changed }) =>
              // It may have changed between the caller's reading and this.
              Effect.flatMap(
                Effect.orElseSucceed(mapped(read(session.idHash)), () => undefined),
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
          find: (id) => mapped(read(hashOf(id))),
          update,
          awaitChange
        })
      })
    )
}
