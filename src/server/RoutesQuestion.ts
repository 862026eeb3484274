/** `GET /proxy/routes` as the proxy asks it at each new tunnel: the operation of the interface, without its layers. */
import * as Effect from "effect/Effect"
import { Connections } from "../connections/Connections.ts"
import { routesPath } from "../domain/ResolveChannel.ts"
import { Profiles } from "../profiles/Profiles.ts"
import * as Answering from "./Answering.ts"
import type { DaemonLog } from "./DaemonLog.ts"
import { bodyOf } from "./ProxyHandlers.ts"
import type { Asker } from "./ResolveRoute.ts"

/** Answers 304 when the table is that of `version`. The result abandons the question. */
export type AskRoutes = (asker: Asker, version: string | undefined, reply: Answering.Reply) => () => void

export const make: Effect.Effect<AskRoutes, never, Connections | Profiles | DaemonLog> = Effect.gen(function*() {
  const connections = yield* Connections
  const profiles = yield* Profiles
  const answer = yield* Answering.make("GET", routesPath)

  return ({ profile }, version, reply) =>
    answer(
      (profile === undefined ? profiles.active : profiles.find(profile)).pipe(
        Effect.flatMap(connections.routes),
        Effect.map((table) =>
          table.version === version ? { status: 304, body: "" } : { status: 200, body: bodyOf(table) }
        )
      ),
      reply
    )
})
