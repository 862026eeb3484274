/** The running daemon instance: its addresses, its host names, and warnings about how it is exposed. */
import * as Context from "effect/Context"
import type { Authorities } from "./Guard.ts"

interface InstanceShape {
  readonly id: string
  readonly startedAt: number
  readonly host: string
  readonly port: number
  /** The external base URL of the pages and the redirect URI. Never derived from a request. */
  readonly baseUrl: URL
  readonly authorities: Authorities
  readonly accessKey: Uint8Array
  readonly warnings: ReadonlyArray<string>
}

export class Instance extends Context.Service<Instance, InstanceShape>()("credsvc/server/Instance") {}
