/** What the daemon tells its clients about itself: where it listens, and how its start ended. */

/** `server/daemon.json`, which exists while the daemon listens. Each start has a new `instance`. */
export interface DaemonState {
  readonly pid: number
  readonly port: number
  readonly host: string
  /** A time in ISO 8601. */
  readonly started_at: string
  readonly version: string
  readonly instance: string
}

/** The only message of a background daemon to the client that started it, over the IPC channel. */
export type StartMessage =
  | { readonly ready: true; readonly url: string }
  | { readonly ready: false; readonly message: string }
