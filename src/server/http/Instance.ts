/** This start of the daemon: where it can be reached, by which names, and what about that is worth a warning. */
import * as Context from "effect/Context"
import type { Authorities } from "./Guard.ts"

export interface InstanceShape {
  /** New with every start. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly host: string
  /** The port in fact bound. */
  readonly port: number
  /** The external address: of the pages and of the redirect URI. Never taken from a request. */
  readonly baseUrl: URL
  readonly authorities: Authorities
  readonly accessKey: Uint8Array
  /** Sentences for `/ready`. */
  readonly warnings: ReadonlyArray<string>
}

export class Instance extends Context.Service<Instance, InstanceShape>()("credsvc/server/Instance") {}
