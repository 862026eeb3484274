/** The running daemon instance: its addresses, its host names, and warnings about how it is exposed. */
import * as Context from "effect/Context"
import type * as MutableRef from "effect/MutableRef"
import type { Authorities } from "./Guard.ts"

interface InstanceShape {
  readonly id: string
  readonly startedAt: number
  readonly host: string
  readonly port: number
  /** The external base URL of the pages and the redirect URI, without a slash at the end. Never derived from a request. */
  readonly baseUrl: string
  /** The path of the base URL, with which request targets may begin. Empty at the root. */
  readonly mountPath: string
  readonly authorities: Authorities
  /** Whether other machines can reach the daemon. Then their requests must be signed. */
  readonly exposed: boolean
  readonly accessKey: Uint8Array
  /** Whether the daemon is about to stop. It still serves, but load balancers should send requests elsewhere. */
  readonly stopping: MutableRef.MutableRef<boolean>
  /** Warns about how the daemon is exposed, and about problems with its certificate. */
  readonly warnings: () => ReadonlyArray<string>
}

export class Instance extends Context.Service<Instance, InstanceShape>()("credsvc/server/Instance") {}
