/**
 * Keeps a child of `credsvc run` from asking the daemon for the secret that `run` keeps from it.
 *
 * A speed bump and no boundary: a program of the same user that wants to hide where it comes from can. What it stops is
 * the agent that simply calls `credsvc export`, and it leaves a trace of that in the audit log.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { AuditLog, type AuditRecord } from "../../audit/AuditLog.ts"
import { runMark } from "../../config/RunMark.ts"
import { OperationNotAllowedError, type VaultUnavailableError } from "../../domain/Errors.ts"
import { CurrentProfile } from "../../domain/Profile.ts"
import { endsOf } from "../../platform/PeerOwner.ts"
import { PeerProcess } from "../../platform/PeerProcess.ts"
import { PeerAdmission } from "./PeerAdmission.ts"

export type Asked = Pick<AuditRecord, "event" | "provider" | "connection">

export class ChildRefusal extends Context.Service<ChildRefusal, {
  /** Fails, and records that, when a child of a run asks for a secret to be shown. */
  readonly showing: (
    asked: Asked
  ) => Effect.Effect<
    void,
    OperationNotAllowedError | VaultUnavailableError,
    CurrentProfile | HttpServerRequest.HttpServerRequest
  >

  /** The same for `resolve`, which the proxy of a run inside another run may call: it has proved what it is. */
  readonly resolving: (
    asked: Asked
  ) => Effect.Effect<
    void,
    OperationNotAllowedError | VaultUnavailableError,
    CurrentProfile | HttpServerRequest.HttpServerRequest
  >

  /** Whether `resolving` is known to succeed on this connection, without looking anything up. */
  readonly mayResolve: (socket: Net.Socket) => boolean
}>()("credsvc/server/ChildRefusal") {
  static readonly layerNoDeps: Layer.Layer<ChildRefusal, never, AuditLog | PeerAdmission | PeerProcess> = Layer.effect(
    ChildRefusal,
    Effect.gen(function*() {
      const audit = yield* AuditLog
      const admission = yield* PeerAdmission
      const processes = yield* PeerProcess
      const children = new WeakMap<Net.Socket, boolean>()

      const isChild = (socket: Net.Socket): Effect.Effect<boolean> =>
        Effect.suspend(() => {
          const known = children.get(socket)
          if (known !== undefined) return Effect.succeed(known)
          const ends = endsOf(socket)
          if (ends === undefined) return Effect.succeed(false)
          return Effect.tap(
            processes.hasInherited(runMark, ends.remote, ends.local),
            (answer) => Effect.sync(() => children.set(socket, answer))
          )
        })

      const socketOf = Effect.map(
        HttpServerRequest.HttpServerRequest,
        ({ source }) => (source as Http.IncomingMessage).socket
      )

      const showing = Effect.fnUntraced(function*(asked: Asked) {
        if (!(yield* isChild(yield* socketOf))) return
        yield* audit.append({ ...asked, identity: yield* CurrentProfile, status: "denied" })
        return yield* OperationNotAllowedError.of(
          "A command inside credsvc run is not shown credentials: its requests get them on their way out. " +
            "Ask from outside of the run."
        )
      })

      return ChildRefusal.of({
        showing,
        resolving: (asked) =>
          Effect.flatMap(socketOf, (socket) => admission.hasProved(socket) ? Effect.void : showing(asked)),
        mayResolve: (socket) => admission.hasProved(socket) || children.get(socket) === false
      })
    })
  )
}
