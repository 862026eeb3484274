/**
 * Checks whether the peer of a connection runs as the user who owns the daemon.
 *
 * The check runs once per connection. A credsvc client proves itself with the access key in its first request, which
 * is cheap. For other clients the daemon looks up the socket's owner in the kernel's socket table; their first
 * request waits for the result.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Net from "node:net"
import { clientHeader, endpointOf, helloWindow, isClientHello } from "../../config/AccessKey.ts"
import { isLoopbackLiteral } from "../../platform/Loopback.ts"
import { endsOf, PeerOwner } from "../../platform/PeerOwner.ts"

/** The parts of a connection's first request that can prove who the client is. */
interface Introduction {
  readonly target: string
  readonly rawHeaders: ReadonlyArray<string>
}

const handshake = /^\/health\?nonce=([0-9a-f]{32,128})$/

const helloOf = (rawHeaders: ReadonlyArray<string>): string | undefined => {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === clientHeader) return rawHeaders[at + 1]
  }
  return undefined
}

export class PeerAdmission extends Context.Service<PeerAdmission, {
  /** Whether the connection is already admitted, as it is for all but the first request. */
  readonly isAdmitted: (socket: Net.Socket) => boolean

  /** Whether the peer of an admitted connection is a process of the daemon's user, as far as the connection tells. */
  readonly isLocal: (socket: Net.Socket) => boolean

  readonly hasProved: (socket: Net.Socket) => boolean

  /** Checks the peer. If the result is false, close the connection without a response. */
  readonly admit: (socket: Net.Socket, introduction: Introduction) => Effect.Effect<boolean>
}>()("credsvc/server/PeerAdmission") {
  /** Admits every peer as local: for platforms other than Linux, or when the check is disabled. */
  static readonly layerOff: Layer.Layer<PeerAdmission> = Layer.succeed(
    PeerAdmission,
    PeerAdmission.of({
      isAdmitted: () => true,
      isLocal: () => true,
      hasProved: () => true,
      admit: () => Effect.succeed(true)
    })
  )

  static readonly layerNoDeps = (options: {
    readonly accessKey: Uint8Array
    readonly port: number
    readonly startedAt: number
    /** Whether other machines can reach the daemon. Then every peer is admitted, and those of other users are not local. */
    readonly exposed: boolean
  }): Layer.Layer<PeerAdmission, never, PeerOwner> =>
    Layer.effect(
      PeerAdmission,
      Effect.gen(function*() {
        const owner = yield* PeerOwner
        const admitted = new WeakSet<Net.Socket>()
        const local = new WeakSet<Net.Socket>()
        const proved = new WeakSet<Net.Socket>()
        const lookups = new WeakMap<Net.Socket, Effect.Effect<boolean>>()
        const usedNonces = new Map<string, number>()

        const isFresh = (nonce: string, now: number): boolean => {
          for (const [used, at] of usedNonces) {
            // The map is ordered by time, so the first nonce that is still within the window ends the loop.
            if (now - at <= 2 * helloWindow) break
            usedNonces.delete(used)
          }
          if (usedNonces.has(nonce)) return false
          usedNonces.set(nonce, now)
          return true
        }

        const proves = (socket: Net.Socket, { rawHeaders, target }: Introduction): boolean => {
          const nonce = handshake.exec(target)?.[1]
          const hello = nonce === undefined ? undefined : helloOf(rawHeaders)
          if (nonce === undefined || hello === undefined) return false
          const now = Date.now()
          const endpoint = endpointOf(socket.localAddress, options.port)
          return isClientHello(options.accessKey, hello, { ...options, endpoint, nonce, now }) && isFresh(nonce, now)
        }

        const lookUp = (socket: Net.Socket): Effect.Effect<boolean> =>
          Effect.suspend(() => {
            const ends = endsOf(socket)
            if (ends === undefined) return Effect.succeed(false)
            const ownership = options.exposed && !isLoopbackLiteral(ends.remote.address.replace(/^::ffff:/i, ""))
              ? Effect.succeed("other" as const)
              : owner.peer(ends.remote, ends.local)
            return Effect.map(ownership, (found) => {
              if (found === "own") local.add(socket)
              const isAdmitted = found === "own" || options.exposed
              if (isAdmitted) admitted.add(socket)
              return isAdmitted
            })
          })

        return PeerAdmission.of({
          isAdmitted: (socket) => admitted.has(socket),
          isLocal: (socket) => local.has(socket),
          hasProved: (socket) => proved.has(socket),
          admit: (socket, introduction) =>
            Effect.suspend(() => {
              if (admitted.has(socket)) return Effect.succeed(true)
              if (proves(socket, introduction)) {
                admitted.add(socket)
                local.add(socket)
                proved.add(socket)
                return Effect.succeed(true)
              }
              const running = lookups.get(socket)
              if (running !== undefined) return running
              return Effect.flatMap(Effect.cached(lookUp(socket)), (lookup) => {
                lookups.set(socket, lookup)
                return lookup
              })
            })
        })
      })
    )
}
