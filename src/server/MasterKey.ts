/** What the daemon tells about its key-encryption key: the mode it was asked for, and the source it came from. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { MasterKeyMode, MasterKeySource } from "../domain/Health.ts"

export interface MasterKeyReport {
  readonly masterKeyMode: MasterKeyMode
  /** Null while no key could be reached. */
  readonly masterKeySource: MasterKeySource | null
  readonly masterKeyDescription: string
}

export class MasterKey extends Context.Service<MasterKey, {
  readonly report: Effect.Effect<MasterKeyReport>
}>()("credsvc/server/MasterKey") {}
