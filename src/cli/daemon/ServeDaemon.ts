/**
 * Runs the daemon in this process. The entry point supplies it, so that the command line itself depends only on the
 * daemon's clients.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Paths } from "../../config/Paths.ts"
import type { Settings } from "../../config/Settings.ts"
import type { DaemonUnavailableError, OperationNotAllowedError } from "../../domain/Errors.ts"
import type { PeerOwner } from "../../platform/PeerOwner.ts"

export interface ServeOptions {
  readonly host: string
  readonly port: number
  /** Called once the daemon listens, unless a parent process waits for that. */
  readonly onReady: (running: { readonly url: string }) => void
}

export class ServeDaemon extends Context.Service<ServeDaemon, {
  /** Serves until the process is asked to stop. */
  readonly serve: (
    options: ServeOptions
  ) => Effect.Effect<void, DaemonUnavailableError | OperationNotAllowedError, Settings | Paths | PeerOwner>
}>()("credsvc/cli/ServeDaemon") {}
