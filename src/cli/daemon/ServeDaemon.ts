/** Runs the daemon in this process. Supplied by the entry point, because `cli` may not import `server`. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LogFormat, SettingsError } from "../../config/Settings.ts"
import type { DaemonUnavailableError, OperationNotAllowedError } from "../../domain/Errors.ts"

export interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly logFormat: LogFormat | undefined
  /** A further Unix socket, for a server in front of the daemon, and the group that may connect to it. */
  readonly front: { readonly path: string; readonly group: string | undefined } | undefined
  /** The files of the certificate and of its key, if the daemon serves TLS. */
  readonly tls: { readonly cert: string | undefined; readonly key: string | undefined }
  /** How long to serve after SIGTERM while `/ready` fails. */
  readonly drainSeconds: number | undefined
  /** Called once the daemon listens, unless a parent process waits for that. */
  readonly onReady: (running: { readonly url: string }) => void
}

export class ServeDaemon extends Context.Service<ServeDaemon, {
  readonly serve: (
    options: ServeOptions
  ) => Effect.Effect<void, DaemonUnavailableError | OperationNotAllowedError | SettingsError>
}>()("credsvc/cli/ServeDaemon") {}
