/** Finds the daemon, verifies it, starts it if allowed, and calls the typed operations of the HTTP interface. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { findAccessKey } from "../config/daemon/AccessKey.ts"
import { baseUrlText } from "../config/daemon/BaseUrl.ts"
import { Paths } from "../config/Paths.ts"
import { headerVariables, Settings } from "../config/Settings.ts"
import type { DaemonUnavailableError } from "../domain/Errors.ts"
import { unavailable } from "../domain/FailWith.ts"
import { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { type DaemonAddress, defaultHost, locateDaemon } from "./DaemonAddress.ts"
import type { ChannelResponse } from "./DaemonChannel.ts"
import {
  type DaemonConnection,
  type DaemonRequest,
  type DaemonResponse,
  type HeldResponse,
  openDaemonConnection
} from "./DaemonConnection.ts"
import type { DaemonHeaders } from "./DaemonHeaders.ts"
import { type GroupClient, groupClient } from "./GroupClient.ts"
import type { ConnectionError } from "./Handshake.ts"
import { isFrontRefusal, type Send } from "./Responses.ts"

type StartDaemon = () => Effect.Effect<void, DaemonUnavailableError>

/** Suggests how to start a daemon at this address. A client can start a daemon only on this machine. */
const howToStart = ({ loopback, startable, url }: DaemonAddress): string => {
  if (startable) return "Commands that use the daemon start it, such as: credsvc list"
  if (!loopback) return "Start the hosted daemon there, or set CREDSVC_DAEMON_URL to another address"
  const host = url.hostname === defaultHost ? "" : ` --host ${url.hostname.replace(/^\[|\]$/g, "")}`
  return `Start a daemon there with: credsvc daemon start${host} --port ${url.port || 80}`
}

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

interface Link {
  readonly address: DaemonAddress
  /** The access key at the time when the connection was opened. The first start of a daemon creates it. */
  readonly accessKey: Uint8Array | undefined
  readonly connection: DaemonConnection
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
        const ownHeaders = profile === undefined ? {} : { "credsvc-profile": profile }
        const front: DaemonHeaders | undefined = headerVariables(settings) === undefined
          ? undefined
          : (yield* Effect.promise(() => import("./DaemonHeaders.ts"))).makeDaemonHeaders(settings)
        const recovery = yield* Semaphore.make(1)
        const remoteSigner = Effect.promise(() => import("./IdentitySigner.ts")).pipe(
          Effect.flatMap(({ openSigner }) => openSigner(profile)),
          Effect.provide(Layer.mergeAll(Layer.succeed(Paths, paths), Layer.succeed(Settings, settings)))
        )
        let current: Link | undefined
        let startFailure: DaemonUnavailableError | undefined

        yield* Effect.addFinalizer(() => Effect.sync(() => current?.connection.close()))

        const open = Effect.gen(function*() {
          const address = yield* locateDaemon(settings, paths)
          const accessKey = address.loopback ? yield* findAccessKey(paths) : undefined
          const signer = address.loopback ? undefined : yield* remoteSigner
          // A daemon of this machine never gets these fields, because its listener could be another program.
          const frontHeaders = front !== undefined && address.explicit && !address.loopback ? yield* front.get : {}
          current?.connection.close()
          // The identity of a remote caller determines the profile.
          const headers = signer === undefined ? { ...frontHeaders, ...ownHeaders } : frontHeaders
          const connection = openDaemonConnection(address, { accessKey, headers, peerOwner, signer })
          current = { address, accessKey, connection }
          return current
        })

        /** Makes requests that begin at the same time share one connection: `open` closes the current one. */
        const opened = recovery.withPermits(1)(
          Effect.suspend(() => current === undefined ? open : Effect.succeed(current))
        )

        const failed = (address: DaemonAddress, error: ConnectionError) => {
          const hint = error.reason === "refused" ? `${error.message}. ${howToStart(address)}` : error.message
          return unavailable(hint, baseUrlText(address.url))
        }

        /** Finds or starts the daemon after the connection `before` has failed. Requests that wait share the result. */
        const recover = Effect.fnUntraced(function*(before: Link, error: ConnectionError, mayStart: boolean) {
          if (current !== undefined && current !== before) return startFailure ? yield* startFailure : current
          startFailure = undefined
          const moved = yield* open
          const isElsewhere = moved.address.url.href !== before.address.url.href
          const hasKeyNow = before.accessKey === undefined && moved.accessKey !== undefined
          if (isElsewhere || hasKeyNow) return moved
          const start = mayStart ? options.start : undefined
          if (error.reason === "foreign" || start === undefined || !moved.address.startable) {
            return yield* failed(before.address, error)
          }
          yield* Effect.tapError(start(), (failure) => Effect.sync(() => startFailure = failure))
          return yield* open
        }, recovery.withPermits(1))

        const connected = Effect.fnUntraced(function*<A extends DaemonResponse, R>(
          call: (connection: DaemonConnection) => Effect.Effect<A, ConnectionError, R>,
          mayStart: boolean
        ) {
          const link = current ?? (yield* opened)
          const response = yield* attempt(link, call, mayStart)
          // The reverse proxy did not forward the request, so it may be sent again.
          return isFrontRefusal(response) && (current !== link || front?.renew() === true)
            ? yield* attempt(current !== undefined && current !== link ? current : yield* open, call, mayStart)
            : response
        })

        const attempt = <A, R>(
          link: Link,
          call: (connection: DaemonConnection) => Effect.Effect<A, ConnectionError, R>,
          mayStart: boolean
        ) =>
          call(link.connection).pipe(
            Effect.catch((error) =>
              error.reason !== "refused" && error.reason !== "foreign"
                ? failed(link.address, error)
                : Effect.flatMap(
                  recover(link, error, mayStart),
                  (found) => Effect.catch(call(found.connection), (error) => failed(found.address, error))
                )
            )
          )

        const send: Send = (request) => connected((connection) => connection.send(request), true)

        const exchange: DaemonClient["Service"]["exchange"] = (request, done) => {
          const settle = (response: ChannelResponse | undefined): void => {
            if (response === undefined) Effect.runCallback(send(request), { onExit: done })
            else done(Exit.succeed(response))
          }
          if (current === undefined) settle(undefined)
          else current.connection.exchange(request, settle)
        }

        return DaemonClient.of({
          exchange,
          address: locateDaemon(settings, paths),
          of: (group) => groupClient(group, send),
          send,
          sendIfRunning: (request) => connected((connection) => connection.send(request), false),
          hold: (request, { start } = { start: true }) => connected((connection) => connection.hold(request), start)
        })
      })
    )
}
