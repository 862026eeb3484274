/** Recognizes failures of a PostgreSQL server that ends or refuses connections, for example while it restarts. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** Matches connection failures, and the SQLSTATEs admin_shutdown, crash_shutdown and cannot_connect_now. */
const codes = /^08|^57P0[123]$/

/** The SQLSTATE of a failure, or an empty text. */
export const sqlState = ({ reason }: SqlError): string => {
  const code = (reason.cause as { readonly code?: unknown } | undefined)?.code
  return typeof code === "string" ? code : ""
}

/** Whether the server has ended the connection. False for a server that does not respond, because it may still respond. */
export const isDisconnected = (error: SqlError): boolean =>
  codes.test(sqlState(error)) || (error.reason._tag === "ConnectionError" && error.reason.cause !== undefined)

/**
 * Checks whether a transaction has taken effect although the response to its COMMIT was lost. Returns undefined if this
 * is unknown.
 */
export const lostCommit = Context.Reference<Effect.Effect<boolean | undefined, unknown>>(
  "credsvc/platform/store/Disconnection/lostCommit",
  { defaultValue: () => Effect.succeed(undefined) }
)
