/** Calls the typed operations of the daemon's HTTP interface. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Paths } from "../config/Paths.ts"
import { Settings } from "../config/Settings.ts"
import type { DaemonUnavailableError } from "../domain/Errors.ts"
import { unavailable } from "../domain/FailWith.ts"
import { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { type DaemonAddress, locateDaemon } from "./DaemonAddress.ts"
import type { ChannelResponse } from "./DaemonChannel.ts"
import type { DaemonConnection, DaemonRequest, DaemonResponse, HeldResponse } from "./DaemonConnection.ts"
import { connectionFailure, type DaemonLink, makeDaemonLinks } from "./DaemonLink.ts"
import { type GroupClient, groupClient } from "./GroupClient.ts"
import type { ConnectionError } from "./Handshake.ts"
import { isFrontRefusal, type Send } from "./Responses.ts"

export interface ClientOptions {
  /** Whether to start the daemon if none runs. If false, requests fail instead. */
  readonly start?: boolean | undefined
  /** The path of `credsvc.js`, the program that runs the daemon. */
  readonly entry?: string | undefined
  readonly profile?: string | undefined
}

const noProgram = "The daemon is not running, and this program does not know how to start it, because it is bundled. " +
  "Set the option `entry` to the path of dist/credsvc.js in the package credsvc, or start the daemon yourself."

/** The path of the credsvc program in this package; undefined in a bundle. */
const ownProgram = (): string | undefined => {
  try {
    const candidates = ["../credsvc.js", "../cli/main.ts"].map((file) => fileURLToPath(new URL(file, import.meta.url)))
    return candidates.find((file) => fs.existsSync(file))
  } catch {
    // A bundler has removed the address of this module.
    return undefined
  }
}

export class DaemonClient extends Context.Service<DaemonClient, {
  /** The daemon's configured or recorded address. Does not start it. */
  readonly address: Effect.Effect<DaemonAddress, DaemonUnavailableError>

  /** The typed operations of one group of the interface: `client.of(ConnectionsGroup).get({ params })`. */
  readonly of: <Group extends HttpApiGroup.Constraint>(group: Group) => GroupClient<Group>

  readonly send: Send

  /** Like `send`, but does not start the daemon. */
  readonly sendIfRunning: Send

  /**
   * Sends a request whose response stays open after its first line, until the scope closes. With `start: false`, does
   * not start the daemon.
   */
  readonly hold: (
    request: DaemonRequest,
    options?: { readonly start: boolean }
  ) => Effect.Effect<HeldResponse, DaemonUnavailableError, Scope.Scope>

  /**
   * Like `send`, for each proxied request: cheaper for `resolve` and the routing table, not logged, and repeated with
   * `send` when it fails. Use it only for idempotent requests. Callback-based, because a fiber per request would add a
   * third to its cost.
   */
  readonly exchange: (
    request: DaemonRequest,
    done: (exit: Exit.Exit<ChannelResponse, DaemonUnavailableError>) => void
  ) => void
}>()("credsvc/client/DaemonClient") {
  /**
   * A client of the daemon that `CREDSVC_HOME` and `CREDSVC_DAEMON_URL` select. Unless `start` is false, it starts the daemon
   * when none responds. A bundled program must set `entry`.
   */
  static readonly layer = (options: ClientOptions = {}) =>
    Layer.unwrap(Effect.gen(function*() {
      const context = { settings: yield* Settings, paths: yield* Paths, peerOwner: yield* PeerOwner }
      const start = Effect.gen(function*() {
        const entry = options.entry ?? ownProgram()
        if (entry === undefined) return yield* unavailable(noProgram)
        const { startDaemon } = yield* Effect.promise(() => import("./Autostart.ts"))
        yield* startDaemon(context, entry)
      })
      return DaemonClient.layerNoDeps({
        profile: options.profile,
        start: options.start === false ? undefined : () => start
      })
    })).pipe(Layer.provide(Paths.layerNoDeps), Layer.provide([Settings.layer, PeerOwner.layer]))

  /** `start` is called when no daemon listens at an address that allows a start. `profile` overrides the settings. */
  static readonly layerNoDeps = (options: {
    readonly start?: (() => Effect.Effect<void, DaemonUnavailableError>) | undefined
    readonly profile?: string | undefined
  } = {}) =>
    Layer.effect(
      DaemonClient,
      Effect.gen(function*() {
        const settings = yield* Settings
        const paths = yield* Paths
        const profile = options.profile ?? Option.getOrUndefined(settings.profile)
        const links = yield* makeDaemonLinks(profile, options.start)

        const connected = Effect.fnUntraced(function*<A extends DaemonResponse, R>(
          call: (connection: DaemonConnection) => Effect.Effect<A, ConnectionError, R>,
          options: { readonly start: boolean }
        ) {
          const link = yield* links.connected
          const response = yield* attempt(link, call, options)
          // The reverse proxy did not forward the request, so it may be sent again.
          const renewed = isFrontRefusal(response) ? yield* links.renewedAfter(link) : undefined
          return renewed === undefined ? response : yield* attempt(renewed, call, options)
        })

        const attempt = <A, R>(
          link: DaemonLink,
          call: (connection: DaemonConnection) => Effect.Effect<A, ConnectionError, R>,
          options: { readonly start: boolean }
        ) =>
          call(link.connection).pipe(
            Effect.catch((error) =>
              error.reason !== "refused" && error.reason !== "foreign"
                ? connectionFailure(link.address, error)
                : Effect.flatMap(
                  links.recover(link, error, options),
                  (found) => Effect.catch(call(found.connection), (error) => connectionFailure(found.address, error))
                )
            )
          )

        const send: Send = (request) => connected((connection) => connection.send(request), { start: true })

        const exchange: DaemonClient["Service"]["exchange"] = (request, done) => {
          const settle = (response: ChannelResponse | undefined): void => {
            if (response === undefined) Effect.runCallback(send(request), { onExit: done })
            else done(Exit.succeed(response))
          }
          const link = links.current()
          if (link === undefined) settle(undefined)
          else link.connection.exchange(request, settle)
        }

        return DaemonClient.of({
          exchange,
          address: locateDaemon(settings, paths),
          of: (group) => groupClient(group, send),
          send,
          sendIfRunning: (request) => connected((connection) => connection.send(request), { start: false }),
          hold: (request, options = { start: true }) => connected((connection) => connection.hold(request), options)
        })
      })
    )
}
