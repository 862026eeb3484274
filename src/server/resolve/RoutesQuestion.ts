/** `GET /proxy/routes` as the proxy asks it at each new tunnel: the operation of the interface, without its layers. */
import * as Effect from "effect/Effect"
import { Connections, type Stamp } from "../../connections/Connections.ts"
import { routesPath } from "../../domain/ResolveChannel.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import type { DaemonLog } from "../DaemonLog.ts"
import { bodyOf } from "../handlers/ProxyHandlers.ts"
import * as Answering from "./Answering.ts"
import { type Asker, isCurrent } from "./ResolveRoute.ts"

/** Answers 304 when the table is that of `version`. The result abandons the question. */
export type AskRoutes = (asker: Asker, version: string | undefined, reply: Answering.Reply) => () => void

export const make: Effect.Effect<AskRoutes, never, Connections | Profiles | DaemonLog> = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const answer = yield* Answering.make("GET", routesPath)

  /** The version that a profile had last, with all that it was made from. */
  let last: { readonly profile: string; readonly version: string; readonly stamp: Stamp } | undefined

  return ({ profile }, version, reply) => {
    if (
      last !== undefined && last.profile === profile && last.version === version && isCurrent(last.stamp, connections)
    ) {
      reply(304, "")
      return () => {}
    }
    const stamp = connections.knownStamp()
    return answer(
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
