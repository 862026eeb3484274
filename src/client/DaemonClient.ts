/**
 * The daemon, as its clients see it: found, trusted, started when it may be, and called through the typed operations of
 * the HTTP interface.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { findAccessKey } from "../config/AccessKey.ts"
import { Paths } from "../config/Paths.ts"
import { Settings } from "../config/Settings.ts"
import { DaemonUnavailableError } from "../domain/Errors.ts"
import { PeerOwner } from "../platform/PeerOwner.ts"
import { type DaemonAddress, locateDaemon } from "./DaemonAddress.ts"
import type { ChannelAnswer } from "./DaemonChannel.ts"
import {
  type ConnectionError,
  type DaemonConnection,
  type DaemonRequest,
  openDaemonConnection
} from "./DaemonConnection.ts"
import { type GroupClient, groupClient, type Send } from "./GroupClient.ts"

/** Starts this home's daemon and answers once it listens, or fails with what it said. */
export type StartDaemon = () => Effect.Effect<void, DaemonUnavailableError>

interface Link {
  readonly address: DaemonAddress
  readonly connection: DaemonConnection
}

export class DaemonClient extends Context.Service<DaemonClient, {
  /** Where the daemon is, or would be. Asking does not start it. */
  readonly address: Effect.Effect<DaemonAddress, DaemonUnavailableError>

  /** The typed operations of one group of the interface: `client.of(ConnectionsGroup).get({ params })`. */
  readonly of: <Group extends HttpApiGroup.Constraint>(group: Group) => GroupClient<Group>

  /** One request as it is, for routes that are not operations. */
  readonly send: Send

  /**
   * As `send`, for the path of every proxied request: cheaper, not logged, and sent again by `send` when it fails. So
   * only for requests that may be sent twice.
   */
  readonly exchange: (request: DaemonRequest) => Effect.Effect<ChannelAnswer, DaemonUnavailableError>
}>()("credsvc/client/DaemonClient") {
  /**
   * `start` is called when nothing listens at an address that is ours to choose; without it, that is a failure.
   * `profile` replaces the profile of the settings.
   */
  static readonly layerNoDeps = (options: {
    readonly start?: StartDaemon | undefined
    readonly profile?: string | undefined
  } = {}) =>
    Layer.effect(
      DaemonClient,
      Effect.gen(function*() {
        const settings = yield* Settings
        const paths = yield* Paths
        const peerOwner = yield* PeerOwner
        const profile = options.profile ?? Option.getOrUndefined(settings.profile)
        const profileHeader: Record<string, string> = profile === undefined ? {} : { "credsvc-profile": profile }
        let current: Link | undefined

        yield* Effect.addFinalizer(() => Effect.sync(() => current?.connection.close()))

        const open = Effect.gen(function*() {
          const address = yield* locateDaemon(settings, paths)
          const accessKey = address.loopback ? yield* findAccessKey(paths) : undefined
          current?.connection.close()
          current = { address, connection: openDaemonConnection(address, { accessKey, peerOwner }) }
          return current
        })

        const unavailable = (address: DaemonAddress, error: ConnectionError) => {
          const hint = error.reason === "refused"
            ? `${error.message}. Start the daemon with: credsvc daemon start`
            : error.message
          return new DaemonUnavailableError({ url: address.url.origin, detail: hint })
        }

        const send: Send = Effect.fnUntraced(function*(request) {
          const outgoing = { ...request, headers: { ...profileHeader, ...request.headers } }
          const link = current ?? (yield* open)
          return yield* link.connection.send(outgoing).pipe(
            Effect.catch((error) => {
              if (error.reason !== "refused") return Effect.fail(unavailable(link.address, error))
              // It may have been restarted on another port, or never been started.
              return Effect.gen(function*() {
                const moved = yield* open
                if (moved.address.url.href === link.address.url.href) {
                  if (options.start === undefined || !moved.address.startable) {
                    return yield* Effect.fail(unavailable(link.address, error))
                  }
                  yield* options.start()
                }
                const again = yield* open
                return yield* again.connection.send(outgoing).pipe(
                  Effect.mapError((error) => unavailable(again.address, error))
                )
              })
            })
          )
        })

        const exchange = (request: DaemonRequest): Effect.Effect<ChannelAnswer, DaemonUnavailableError> => {
          if (current === undefined) return send(request)
          const outgoing = { ...request, headers: { ...profileHeader, ...request.headers } }
          return Effect.flatMap(
            current.connection.exchange(outgoing),
            (answer) => answer === undefined ? send(request) : Effect.succeed(answer)
          )
        }

        return DaemonClient.of({
          exchange,
          address: locateDaemon(settings, paths),
          of: (group) => groupClient(group, send),
          send
        })
      })
    )
}
