/** Provides a command's handler with the daemon: starts it if necessary, and records every request in the debug log. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Serving, StartContext } from "../../client/Autostart.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { Send } from "../../client/Responses.ts"
import { Paths } from "../../config/Paths.ts"
import { Settings } from "../../config/Settings.ts"
import { ownFile } from "../../platform/process/OwnProgram.ts"
import { PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { callSite, ClientLog } from "../home/ClientLog.ts"

/** Starts the daemon; without `serving`, on the address of the previous daemon. */
export const startDaemon = (context: StartContext, serving?: Serving) =>
  Effect.flatMap(
    Effect.promise(() => import("../../client/Autostart.ts")),
    (autostart) => autostart.startDaemon(context, ownFile(), serving)
  )

// Removes the ID of an auth session, which is a capability, and the query, which may contain anything.
const loggable = (path: string): string =>
  path.replace(/\?.*$/s, "").replace(/^(\/auth\/sessions\/)[^/]+/, "$1:session_id")

const loggedClient = Layer.effect(
  DaemonClient,
  Effect.gen(function*() {
    const client = yield* DaemonClient
    const log = yield* ClientLog
    const here = callSite("send")
    const send: Send = Effect.fnUntraced(function*(request) {
      const began = yield* Clock.currentTimeMillis
      const what = `${request.method} ${loggable(request.path)}`
      const response = yield* client.send(request).pipe(
        Effect.tapError((error) => log.debug(here, `${what}: ${error.detail}`))
      )
      // Not logged, because a proxy asks before each connection whether something has changed.
      if (response.status === 304) return response
      yield* log.debug(here, `${what}: ${response.status} in ${(yield* Clock.currentTimeMillis) - began} ms`)
      return response
    })
    return DaemonClient.of({ ...client, send })
  })
)

interface AccessOptions {
  /** Whether to start the daemon. If false, requests fail while none is running. */
  readonly start?: boolean
  readonly profile?: string | undefined
}

const clientLayer = (options: AccessOptions) =>
  Layer.unwrap(Effect.gen(function*() {
    const context = { settings: yield* Settings, paths: yield* Paths, peerOwner: yield* PeerOwner }
    const log = yield* ClientLog
    const here = callSite("start")
    return DaemonClient.layerNoDeps({
      profile: options.profile,
      start: options.start === false ?
        undefined :
        () => startDaemon(context).pipe(Effect.flatMap(({ url }) => log.debug(here, `the daemon listens at ${url}`)))
    })
  }))

/** A client that neither starts the daemon nor logs its requests, for a command that polls. */
export const pollingClientLayer = clientLayer({ start: false })

export const provideDaemon = (options: AccessOptions = {}) =>
  Effect.provide(loggedClient.pipe(Layer.provide(clientLayer(options)), Layer.provideMerge(PeerOwner.layer)))
