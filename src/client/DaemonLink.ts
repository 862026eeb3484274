/** Finds the daemon, keeps one connection to it, and recovers if the daemon has moved, has another key, or does not run. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { findAccessKey } from "../config/daemon/AccessKey.ts"
import { baseUrlText } from "../config/daemon/DaemonUrl.ts"
import { Paths } from "../config/Paths.ts"
import { headerVariables, Settings } from "../config/Settings.ts"
import type { DaemonUnavailableError } from "../domain/Errors.ts"
import { unavailable } from "../domain/FailWith.ts"
import { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { type DaemonAddress, defaultHost, locateDaemon } from "./DaemonAddress.ts"
import { type DaemonConnection, openDaemonConnection } from "./DaemonConnection.ts"
import type { DaemonHeaders } from "./DaemonHeaders.ts"
import type { ConnectionError } from "./Handshake.ts"

export interface DaemonLink {
  readonly address: DaemonAddress
  /** The access key at the time when the connection was opened. The first start of a daemon creates it. */
  readonly accessKey: Uint8Array | undefined
  readonly connection: DaemonConnection
}

/** Suggests how to start a daemon at this address. A client can start a daemon only on this machine. */
const howToStart = ({ loopback, startable, url }: DaemonAddress): string => {
  if (startable) return "Commands that use the daemon start it, such as: credsvc list"
  if (!loopback) return "Start the hosted daemon there, or set CREDSVC_DAEMON_URL to another address"
  const host = url.hostname === defaultHost ? "" : ` --host ${url.hostname.replace(/^\[|\]$/g, "")}`
  return `Start a daemon there with: credsvc daemon start${host} --port ${url.port || 80}`
}

export const connectionFailure = (address: DaemonAddress, error: ConnectionError) => {
  const hint = error.reason === "refused" ? `${error.message}. ${howToStart(address)}` : error.message
  return unavailable(hint, baseUrlText(address.url))
}

/** Opens connections for a profile. `start` is called when no daemon listens at an address that allows a start. */
export const makeDaemonLinks = Effect.fnUntraced(function*(
  profile: string | undefined,
  start: (() => Effect.Effect<void, DaemonUnavailableError>) | undefined
) {
  const settings = yield* Settings
  const paths = yield* Paths
  const peerOwner = yield* PeerOwner
  const ownHeaders = profile === undefined ? {} : { "credsvc-profile": profile }
  const front: DaemonHeaders | undefined = headerVariables(settings) === undefined
    ? undefined
    : (yield* Effect.promise(() => import("./DaemonHeaders.ts"))).makeDaemonHeaders(settings)
  const recovery = yield* Semaphore.make(1)
  const remoteSigner = Effect.promise(() => import("./IdentitySigner.ts")).pipe(
    Effect.flatMap(({ openSigner }) => openSigner(profile)),
    Effect.provide(Layer.mergeAll(Layer.succeed(Paths, paths), Layer.succeed(Settings, settings)))
  )
  let current: DaemonLink | undefined
  let startFailure: DaemonUnavailableError | undefined

  yield* Effect.addFinalizer(() => Effect.sync(() => current?.connection.close()))

  const open = Effect.gen(function*() {
    const address = yield* locateDaemon(settings, paths)
    const accessKey = address.loopback ? yield* findAccessKey(paths) : undefined
    const signer = address.loopback ? undefined : yield* remoteSigner
    // A daemon of this machine never gets these fields, because its listener could be another program.
    const frontHeaders = front !== undefined && address.explicit && !address.loopback ? yield* front.get : {}
    current?.connection.closeIdle()
    // The identity of a remote caller determines the profile.
    const headers = signer === undefined ? { ...frontHeaders, ...ownHeaders } : frontHeaders
    const connection = openDaemonConnection(address, { accessKey, headers, peerOwner, signer })
    current = { address, accessKey, connection }
    return current
  })

  /** Makes requests that begin at the same time share one connection: `open` closes the current one. */
  const openFirst = recovery.withPermits(1)(
    Effect.suspend(() => current === undefined ? open : Effect.succeed(current))
  )

  return {
    current: (): DaemonLink | undefined => current,
    connected: Effect.suspend(() => current === undefined ? openFirst : Effect.succeed(current)),

    /** Returns a link with which to repeat a request that a reverse proxy has refused; undefined if nothing has changed. */
    renewedAfter: Effect.fnUntraced(function*(refused: DaemonLink) {
      if (current !== undefined && current !== refused) return current
      return current !== refused || front !== undefined && (yield* front.renew) ? yield* open : undefined
    }, recovery.withPermits(1)),

    /** Finds or starts the daemon after the connection `before` has failed. Requests that wait share the result. */
    recover: Effect.fnUntraced(function*(
      before: DaemonLink,
      error: ConnectionError,
      options: { readonly start: boolean }
    ) {
      if (current !== undefined && current !== before) return startFailure ? yield* startFailure : current
      startFailure = undefined
      const moved = yield* open
      const isElsewhere = moved.address.url.href !== before.address.url.href
      const hasKeyNow = before.accessKey === undefined && moved.accessKey !== undefined
      if (isElsewhere || hasKeyNow) return moved
      if (error.reason === "foreign" || !options.start || start === undefined || !moved.address.startable) {
        return yield* connectionFailure(before.address, error)
      }
      yield* Effect.tapError(start(), (failure) => Effect.sync(() => startFailure = failure))
      return yield* open
    }, recovery.withPermits(1))
  }
})
