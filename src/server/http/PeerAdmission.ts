/**
 * Determines which client is at the other end of a connection, once per connection.
 *
 * A credsvc client proves the access key of the home in its first request. If only this machine can reach the daemon, the
 * kernel's socket table may also show that a client without a proof is a process of the daemon's user. Its first request waits
 * for the result. An exposed daemon admits every connection, but only a proof makes a connection local.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Net from "node:net"
import { clientHeader, endsOfDaemon, helloWindow, isClientHello } from "../../config/daemon/AccessKey.ts"
import { ExpiringSet } from "../../platform/ExpiringSet.ts"
import { endsOf, PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { headerFieldsOf } from "./Guard.ts"

/** The parts of a connection's first request that can prove who the client is. */
interface Introduction {
  readonly target: string
  readonly rawHeaders: ReadonlyArray<string>
}

/** Looks up which user owns the client process. Returns undefined if the connection has already ended. */
export const ownerOf = (owner: PeerOwner["Service"], socket: Net.Socket) =>
  Effect.suspend(() => {
    const ends = endsOf(socket)
    return ends === undefined ? Effect.undefined : owner.peer(ends.remote, ends.local)
  })

const handshake = /^\/health\?nonce=([0-9a-f]{32,128})$/

interface Options {
  readonly accessKey: Uint8Array
  readonly startedAt: number
  /** Whether a peer without a proof must be a process of the daemon's user. Otherwise every peer is admitted. */
  readonly checksOwner: boolean
}

const make = Effect.fnUntraced(function*(options: Options) {
  const owner = yield* PeerOwner
  const admitted = new WeakSet<Net.Socket>()
  const proved = new WeakSet<Net.Socket>()
  const lookups = new WeakMap<Net.Socket, Effect.Effect<boolean>>()
  // Keeps each nonce one millisecond longer than a proof with it stays valid.
  const usedNonces = new ExpiringSet(2 * helloWindow + 1)

  const proves = (socket: Net.Socket, { rawHeaders, target }: Introduction): boolean => {
    const nonce = handshake.exec(target)?.[1]
    const hello = nonce === undefined ? undefined : headerFieldsOf(rawHeaders).get(clientHeader)
    if (nonce === undefined || hello === undefined) return false
    const now = Date.now()
    const expected = { nonce, ends: endsOfDaemon(socket), now, startedAt: options.startedAt }
    if (!isClientHello(options.accessKey, hello, expected) || usedNonces.has(nonce, now)) return false
    usedNonces.add(nonce, now)
    return true
  }

  const lookUp = (socket: Net.Socket): Effect.Effect<boolean> =>
    Effect.map(ownerOf(owner, socket), (found) => {
      if (found === "own") admitted.add(socket)
      return found === "own"
    })

  return {
    /** Whether the connection is already admitted. This is true for every request but the first. */
    isAdmitted: (socket: Net.Socket) => admitted.has(socket),
    /** Whether the peer has proved the access key of the home. */
    hasProved: (socket: Net.Socket) => proved.has(socket),
    /** Checks the peer. If the result is false, close the connection without a response. */
    admit: (socket: Net.Socket, introduction: Introduction): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        if (admitted.has(socket)) return Effect.succeed(true)
        if (proves(socket, introduction)) proved.add(socket)
        if (proved.has(socket) || !options.checksOwner) {
          admitted.add(socket)
          return Effect.succeed(true)
        }
        const running = lookups.get(socket)
        if (running !== undefined) return running
        return Effect.flatMap(Effect.cached(lookUp(socket)), (lookup) => {
          lookups.set(socket, lookup)
          return lookup
        })
      })
  }
})

export class PeerAdmission extends Context.Service<PeerAdmission, Effect.Success<ReturnType<typeof make>>>()(
  "credsvc/server/PeerAdmission"
) {
  static readonly layerNoDeps = (options: Options) => Layer.effect(PeerAdmission, make(options))
}
