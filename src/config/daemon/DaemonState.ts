/** What the daemon tells its clients about itself: where it listens, and how its start ended. */
import * as Schema from "effect/Schema"
import { Timestamp } from "../../domain/wire/Timestamp.ts"
import { wire } from "../../domain/wire/Wire.ts"

/** `server/daemon.json`, which exists while the daemon listens. Each start has a new `instance`. */
export const DaemonState = wire({
  pid: Schema.Int,
  port: Schema.Int,
  host: Schema.String,
  startedAt: Timestamp,
  version: Schema.String,
  instance: Schema.String
})
export type DaemonState = typeof DaemonState.Type

export const decodeDaemonState = Schema.decodeUnknownEffect(DaemonState)

/** The only message of a background daemon to the client that started it, over the IPC channel. */
export type StartMessage =
  | { readonly ready: true; readonly url: string }
  | { readonly ready: false; readonly message: string }
