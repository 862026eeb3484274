/** The running daemon instance: its addresses, its host names, and warnings about how it is exposed. */
import * as Context from "effect/Context"
import type { Authorities } from "./Guard.ts"

export interface InstanceShape {
  /** A new ID for every start. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly host: string
  /** The port that was bound. */
  readonly port: number
  /** The external base URL of the pages and the redirect URI. Never derived from a request. */
  readonly baseUrl: URL
  readonly authorities: Authorities
  readonly accessKey: Uint8Array
  /** Warnings that `/ready` reports. */
  readonly warnings: ReadonlyArray<string>
}

export class Instance extends Context.Service<Instance, InstanceShape>()("credsvc/server/Instance") {}
