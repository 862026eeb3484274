/** Stores auth sessions under the hash of their ID, with sealed content, so that the database contains no usable session ID. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { FlowKind, ProviderName, RedirectHost } from "../../domain/definition/Provider.ts"
import { RequestRefusedError } from "../../domain/Errors.ts"
import { InputField, isFinal, SessionId, SessionStatus } from "../../domain/wire/AuthSession.ts"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { CredentialCommand } from "../../domain/wire/CredentialCommand.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { Timestamp, wire } from "../../domain/wire/Wire.ts"
import { builtins } from "../../platform/builtins.ts"
import { sha256 } from "../../platform/Digest.ts"
import { LeaseOwner } from "../../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../../platform/store/StoreChanges.ts"
import { loginDuration, logins } from "../../telemetry/Metrics.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { jsonContent, makeSealedRepo } from "../../vault/SealedRepo.ts"
import { rowsOf } from "../../vault/StoreRows.ts"

/** The next action, without URLs of this daemon, which may change with a restart. */
export const StoredAction = Schema.Union([
  Schema.Struct({ type: Schema.Literal("none") }),
  /** The flow is working, and continues after a crash. */
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
  /** The ID, which the database contains only as a hash. */
  sessionId: SessionId,
  startedAt: StartedAt,
  message: Schema.String,
  error: Schema.NullOr(Schema.Struct({ error: Schema.String, message: Schema.String })),
  warning: Schema.NullOr(Schema.String),
  action: StoredAction,
  state: Schema.Json,
  force: Schema.Boolean,
  containedOnly: Schema.optional(Schema.Boolean),
  baseUrl: Schema.NullOr(Schema.String),
  redirectHost: Schema.optional(RedirectHost),
  clientId: Schema.optional(Schema.String),
  scopes: Schema.Array(Schema.String),
  noResource: Schema.optional(Schema.Boolean),
  trustIssuer: Schema.optional(Schema.String),
  command: Schema.optional(CredentialCommand),
  definitionFp: Schema.String,
  /** The form tokens that were already submitted. Each token is valid only once. */
  usedTokens: Schema.Array(Schema.String),
  /** The name by which leases identify the daemon that last changed the session. Set when the session is stored. */
  owner: Schema.optionalKey(Schema.String)
})
export type Content = typeof Content.Type

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

const statuses = rowsOf(Schema.Struct({ status: SessionStatus }))

export interface StoredSession extends Omit<Row, "sealed"> {
  readonly content: Content
}

interface NewSession extends Pick<Row, "expires_at" | "flow" | "name" | "profile" | "provider" | "status"> {
  readonly content: Omit<Content, "sessionId">
}

export interface SessionChange extends Partial<Pick<StoredSession, "content" | "expires_at" | "status">> {
  readonly callbackState?: Redacted.Redacted<string>
}

/** The maximum number of open logins of one profile, so that other profiles can log in meanwhile. */
const maxLive = 32
const maxWaiters = 8
/** How long an expired session is kept, so that it can be reported as expired instead of unknown. */
const keptAfterExpiry = Duration.hours(1)

const makeRepo = makeSealedRepo({
  table: "auth_sessions",
  key: ["id_hash"],
  row: Row,
  contents: { sealed: jsonContent("session", Content) },
  names: ({ name, profile, provider }) => ({ profile, provider, connection: name })
})

/** Creates a random ID that does not begin with `-`, so that programs do not take it for an option. */
export const drawSessionId = (): SessionId => {
  const id = builtins.crypto.randomBytes(32).toString("base64url")
  return id.startsWith("-") ? drawSessionId() : SessionId.make(id)
}

const tooMany = (detail: string) => new RequestRefusedError({ detail })

interface Waiting {
  count: number
  readonly changed: Deferred.Deferred<void>
}

const recordLogin = ({ created_at: createdAt, flow, status }: Omit<Row, "sealed">) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.sync(() => {
      logins.record(context, [flow, status], 1)
      loginDuration.record(context, [flow, status], (Date.now() - DateTime.toEpochMillis(createdAt)) / 1000)
    })
  )

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const changes = yield* StoreChanges
  const { own: owner } = yield* LeaseOwner
  const repo = yield* makeRepo
  const waiting = new Map<string, Waiting>()

  const openRow = (row: Row) =>
    Effect.map(repo.open(row, "sealed"), (content): StoredSession => {
      const { sealed: _, ...unsealed } = row
      return { ...unsealed, content }
    })

  const sealedContent = (content: Content) => ({ sealed: { ...content, owner } })

  const find = Effect.fnUntraced(function*(column: "id_hash" | "state_hash", hash: string) {
    const row = yield* repo.row(sql`WHERE ${sql(column)} = ${hash}`)
    return row === undefined ? undefined : yield* openRow(row)
  })

  const unfinished = Effect.flatMap(
    repo.rows(sql`ORDER BY created_at`),
    (found) => Effect.forEach(found.filter(({ status }) => !isFinal(status)), openRow)
  )

  const wake = (idHash: string): void => {
    const entry = waiting.get(idHash)
    waiting.delete(idHash)
    if (entry !== undefined) Deferred.doneUnsafe(entry.changed, Effect.void)
  }

  yield* changes.onAnnounced("session", (idHash) => {
    for (const changed of idHash === undefined ? [...waiting.keys()] : [idHash]) wake(changed)
  })

  /** Stores a new session under an ID of 32 random bytes. At most 32 sessions of a profile may be open at a time. */
  const insert = Effect.fn("AuthSessions.insert")(function*(session: NewSession) {
    const now = yield* DateTime.now
    const sessionId = drawSessionId()
    const { content: given, ...columns } = session
    const content = { ...given, sessionId }
    const row = { ...columns, id_hash: sha256(sessionId), created_at: now, generation: 1 }
    const at = DateTime.formatIso(now)
    yield* manifest.transact(Effect.gen(function*() {
      yield* sql`DELETE FROM auth_sessions
          WHERE expires_at < ${DateTime.formatIso(DateTime.subtractDuration(now, keptAfterExpiry))}`
      const sessions = yield* statuses(
        sql`SELECT status FROM auth_sessions WHERE profile = ${row.profile} AND expires_at > ${at}`
      )
      if (sessions.filter(({ status }) => !isFinal(status)).length >= maxLive) {
        return yield* tooMany(
          `${maxLive} logins are already open. Finish or cancel one of them, or wait until they expire.`
        )
      }
      yield* repo.insert(row, sealedContent(content))
      yield* changes.announce("session", row.id_hash)
    }))
    return { ...row, content }
  })

  /** Updates the session by compare-and-swap. Returns undefined if it has changed since it was read. */
  const update = Effect.fn("AuthSessions.update")(function*(session: StoredSession, change: SessionChange) {
    const { callbackState, ...changed } = change
    const { content, ...row } = { ...session, ...changed, generation: session.generation + 1 }
    const others = callbackState === undefined ? {} : { state_hash: sha256(Redacted.value(callbackState)) }
    return yield* manifest.transact(Effect.gen(function*() {
      const isWritten = yield* repo.replace(session, row, sealedContent(content), others)
      yield* changes.announce("session", session.id_hash)
      yield* sql.afterCommit(Effect.sync(() => wake(session.id_hash)))
      if (!isWritten) return undefined
      if (isFinal(row.status)) yield* sql.afterCommit(recordLogin(row))
      return { ...row, content }
    }))
  })

  /** Ends the session, and drops what its flow needs. Like `update`. */
  const end = (
    session: StoredSession,
    status: Extract<SessionStatus, "cancelled" | "completed" | "expired" | "failed">,
    content: Pick<Content, "error" | "message"> & Partial<Pick<Content, "warning">>
  ) => update(session, { status, content: { ...session.content, ...content, action: { type: "none" }, state: {} } })

  /** Waits until the session changes or the time is over. At most 8 callers may wait for one session. */
  const awaitChange = (session: StoredSession, time: Duration.Duration) =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const entry = waiting.get(session.id_hash) ?? { count: 0, changed: Deferred.makeUnsafe<void>() }
        if (entry.count >= maxWaiters) {
          return Effect.fail(tooMany(`${maxWaiters} requests are already waiting for this login.`))
        }
        entry.count++
        waiting.set(session.id_hash, entry)
        return Effect.succeed(entry)
      }),
      ({ changed }) =>
        // The session may have changed between the caller's read and this point.
        Effect.flatMap(
          Effect.orElseSucceed(find("id_hash", session.id_hash), () => undefined),
          (now) =>
            now?.generation === session.generation
              ? Effect.asVoid(Effect.timeoutOption(Deferred.await(changed), time))
              : Effect.void
        ),
      (entry) =>
        Effect.sync(() => {
          entry.count--
          if (entry.count === 0 && waiting.get(session.id_hash) === entry) waiting.delete(session.id_hash)
        })
    )

  return {
    insert,
    find: (id: SessionId) => find("id_hash", sha256(id)),
    findByState: (state: string) => find("state_hash", sha256(state)),
    unfinished,
    update,
    end,
    awaitChange
  }
})

export class AuthSessions
  extends Context.Service<AuthSessions, Effect.Success<typeof make>>()("credsvc/flows/AuthSessions")
{
  static readonly layerNoDeps = Layer.effect(AuthSessions, make)
}
