/** The `GET /proxy/routes` operation without the HTTP API layers, for the proxy, which asks for each new tunnel. */
import * as Effect from "effect/Effect"
import { Connections, type Stamp } from "../../connections/Connections.ts"
import { routesPath } from "../../domain/ResolveChannel.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import type { DaemonLog } from "../DaemonLog.ts"
import { bodyOf } from "../handlers/ProxyHandlers.ts"
import * as DirectResponse from "./DirectResponse.ts"
import { type Asker, isCurrent } from "./ResolveRoute.ts"

/**
 * Replies with the routing table, or with 304 if it still has `version`. The returned function cancels the operation.
 */
export type AskRoutes = (asker: Asker, version: string | undefined, reply: DirectResponse.Reply) => () => void

export const make: Effect.Effect<AskRoutes, never, Connections | Profiles | DaemonLog> = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const respond = yield* DirectResponse.make("GET", routesPath)

  /** The last table version sent, with the stamp of the data that it was built from. */
  let last: { readonly profile: string; readonly version: string; readonly stamp: Stamp } | undefined

  return ({ profile }, version, reply) => {
    if (
      last !== undefined && last.profile === profile && last.version === version && isCurrent(last.stamp, connections)
    ) {
      reply(304, "")
      return () => {}
    }
    const stamp = connections.knownStamp()
    return respond(
      (profile === undefined ? profiles.active : profiles.find(profile)).pipe(
        Effect.flatMap(connections.routes),
        Effect.map((table) => {
          if (profile !== undefined && stamp !== undefined) last = { profile, version: table.version, stamp }
          return table.version === version ? { status: 304, body: "" } : { status: 200, body: bodyOf(table) }
        })
      ),
      reply
    )
  }
})
