/** The daemon in this process, supplied by the entry: the command line itself knows only its clients' side. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"

export interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly reload: boolean
  /** From whoever started this process, in place of the environment's. */
  readonly masterKey: Redacted.Redacted<string> | undefined
  /** Called when it listens. */
  readonly onListening: (url: string) => Effect.Effect<void>
}

export class ServeDaemon extends Context.Service<ServeDaemon, {
  /** Serves until it is interrupted. */
  readonly serve: (options: ServeOptions) => Effect.Effect<never, VaultUnavailableError | OperationNotAllowedError>
}>()("credsvc/cli/ServeDaemon") {}
