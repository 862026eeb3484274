/**
 * The daemon as the MCP server uses it: operations that cannot return a secret, and results without the parts of a login
 * that only its user needs.
 *
 * No other module of the server may call the daemon. A test checks that.
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { ValuesOf } from "../../api/Operations.ts"
import { call } from "../api/OperationCall.ts"
import { insideRuns } from "../run/OuterRuns.ts"
import { inProfile, readTable } from "../run/RoutesFromDaemon.ts"

/** The parts of a connection without its secret, which the daemon also redacts. */
const ofConnection = [
  "provider",
  "connection_name",
  "status",
  "is_default",
  "base_url",
  "expires_at",
  "last_refresh_error",
  "refused_at",
  "account"
] as const

/** The parts of a login without the provider's authorization URL, which contains `state`, and without a device's user code. */
const ofLogin = ["session_id", "status", "expires_at", "error", "warning"] as const

/** The operations of the tools, with the profile and the limits of the outer runs of this program. */
export type DaemonView = Effect.Success<typeof daemonView>

export type ShownConnection = Effect.Success<DaemonView["connections"]>[number]

export type ShownLogin = Effect.Success<ReturnType<DaemonView["login"]>>

/** The operations for one tool call. Each call reads the limits again, because runs start and end between calls. */
export const daemonView = Effect.map(insideRuns, ({ limits, profile }) => {
  const inRun = inProfile(profile)
  return {
    limits,
    whoami: inRun(call("system.whoami")),
    routes: inRun(readTable),
    providers: Effect.map(inRun(call("providers.list")), ({ providers }) => providers),
    connections: Effect.map(
      inRun(call("connections.list")),
      ({ connections }) => connections.map((connection) => Struct.pick(connection, ofConnection))
    ),
    startLogin: (login: Pick<ValuesOf<"auth.start">, "provider" | "connection" | "force" | "base_url">) =>
      Effect.map(inRun(call("auth.start", login)), Struct.pick(ofLogin)),
    /** The state of a login. Waits for a change of it, for at most this many seconds. */
    login: (id: string, waitSeconds: number) =>
      inRun(call("auth.get", { session_id: id, ...(waitSeconds > 0 ? { wait: String(waitSeconds) } : {}) })).pipe(
        Effect.map(Struct.pick(ofLogin)),
        // The daemon deletes a session an hour after it has expired.
        Effect.catchTag(["SessionExpiredError", "SessionNotFoundError"], () =>
          Effect.succeed({
            session_id: id,
            status: "expired" as const,
            expires_at: null,
            error: null,
            warning: null
          }))
      )
  }
})
