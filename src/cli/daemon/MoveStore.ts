/** Moves the store in this process. Supplied by the entry point, because `cli` may not import `server`. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SettingsError } from "../../config/Settings.ts"
import type { OperationNotAllowedError, VaultUnavailableError } from "../../domain/Errors.ts"

export interface MovedStore {
  readonly rows: number
  /** The file or the database that has the store now. */
  readonly place: string
  /** The renamed file that had the store. Null if it was in PostgreSQL. */
  readonly leftover: string | null
}

export class MoveStore extends Context.Service<MoveStore, {
  readonly move: (
    to: "file" | "postgresql"
  ) => Effect.Effect<MovedStore, OperationNotAllowedError | VaultUnavailableError | SettingsError>
}>()("credsvc/cli/MoveStore") {}
