/**
 * The daemon as the MCP server uses it: operations that cannot return a secret, and results without the parts of a login
 * that only its user needs.
 *
 * No other module of the server may use the daemon's client. A test checks that.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import { AuthGroup } from "../../api/AuthGroup.ts"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { ProvidersGroup } from "../../api/ProvidersGroup.ts"
import { ProxyGroup } from "../../api/ProxyGroup.ts"
import { SystemGroup } from "../../api/SystemGroup.ts"
import type { DaemonClient } from "../../client/DaemonClient.ts"
import { groupClient } from "../../client/GroupClient.ts"
import type { Send } from "../../client/Responses.ts"
import type { PublishedError } from "../../domain/Errors.ts"
import type { AuthSession, SessionId, SessionStatus } from "../../domain/wire/AuthSession.ts"
import type { Connection, ConnectionName } from "../../domain/wire/Connection.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import { insideRuns, type OuterLimits } from "../run/OuterRuns.ts"

const shownFields = [
  "provider",
  "connectionName",
  "status",
  "isDefault",
  "baseUrl",
  "expiresAt",
  "lastRefreshError",
  "refusedAt",
  "account"
] as const

/** A connection without its secret, which the daemon also redacts. */
export type ShownConnection = Pick<Connection, (typeof shownFields)[number]>

/** A login without the provider's authorization URL, which contains `state`, and without a device's user code. */
export interface ShownLogin {
  readonly id: SessionId
  readonly status: SessionStatus
  readonly expiresAt: AuthSession["expiresAt"] | null
  readonly failure: string | null
  readonly warning: string | null
}

interface LoginRequest {
  readonly provider: ProviderName
  readonly connection: ConnectionName
  /** Whether to replace an existing connection of this name. */
  readonly force: boolean
  readonly baseUrl: string | null
}

/** The operations of the tools, with the profile and the limits of the outer runs of this program. */
export type DaemonView = ReturnType<typeof viewOf>

const viewOf = (send: Send, limits: OuterLimits) => {
  const auth = groupClient(AuthGroup, send)
  return {
    limits,
    /** The profile, and the URL of the daemon's pages. */
    whoami: Effect.map(
      groupClient(SystemGroup, send).whoami(),
      ({ daemonUrl, profile }) => ({ profile, url: daemonUrl })
    ),
    routes: groupClient(ProxyGroup, send).routes(),
    providers: Effect.map(groupClient(ProvidersGroup, send).list(), ({ providers }) => providers),
    connections: Effect.map(
      groupClient(ConnectionsGroup, send).list(),
      ({ connections }) => connections.map((connection): ShownConnection => Struct.pick(connection, shownFields))
    ),
    startLogin: ({ baseUrl, ...login }: LoginRequest) =>
      Effect.map(auth.start({ payload: { ...login, ...(baseUrl === null ? {} : { baseUrl }) } }), shownLogin),
    /** Waits for a change, for at most this many seconds. */
    login: (id: SessionId, waitSeconds: number) =>
      auth.get({ params: { session_id: id }, query: waitSeconds > 0 ? { wait: String(waitSeconds) } : {} }).pipe(
        Effect.map(shownLogin),
        // The daemon deletes a session an hour after it has expired.
        Effect.catchTag(["SessionExpiredError", "SessionNotFoundError"], () => Effect.succeed(expired(id)))
      )
  }
}

export class McpDaemon extends Context.Service<McpDaemon, {
  /** The operations for one tool call. Each call reads the limits again, because runs start and end between calls. */
  readonly view: Effect.Effect<DaemonView, PublishedError>
}>()("credsvc/cli/McpDaemon") {
  static readonly layerNoDeps = Layer.effect(
    McpDaemon,
    Effect.map(Effect.context<DaemonClient>(), (context) =>
      McpDaemon.of({
        view: Effect.map(Effect.provideContext(insideRuns, context), ({ limits, send }) => viewOf(send, limits))
      }))
  )
}

const expired = (id: SessionId): ShownLogin => ({
  id,
  status: "expired",
  expiresAt: null,
  failure: null,
  warning: null
})

const shownLogin = ({ error, expiresAt, sessionId, status, warning }: AuthSession): ShownLogin => ({
  id: sessionId,
  status,
  expiresAt,
  failure: error?.message ?? null,
  warning
})
