/**
 * Denies secrets to child processes of `credsvc run`, which should use them only through the proxy.
 *
 * This is a safeguard, not a security boundary: a program of the same user can hide its origin. It stops an agent
 * that simply calls `credsvc export`, and records the attempt in the audit log.
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
  /** Fails and records the denial if a child process of a run asks to reveal a secret. */
  readonly showing: (
    asked: Asked
  ) => Effect.Effect<
    void,
    OperationNotAllowedError | VaultUnavailableError,
    CurrentProfile | HttpServerRequest.HttpServerRequest
  >

  /**
   * The same for `resolve`, except that a proxy nested in another run may call it after proving that it has the
   * access key. `asked` runs only before a denial.
   */
  readonly resolving: <E>(
    asked: Effect.Effect<Asked, E>
  ) => Effect.Effect<
    void,
    E | OperationNotAllowedError | VaultUnavailableError,
    CurrentProfile | HttpServerRequest.HttpServerRequest
  >

  /** Whether `resolving` is known to succeed on this connection, without a lookup. */
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
            (isChild) => Effect.sync(() => children.set(socket, isChild))
          )
        })

      const socketOf = Effect.map(
        HttpServerRequest.HttpServerRequest,
        ({ source }) => (source as Http.IncomingMessage).socket
      )

      const deny = Effect.fnUntraced(function*<E>(asked: Effect.Effect<Asked, E>) {
        yield* audit.append({ ...yield* asked, identity: yield* CurrentProfile, status: "denied" })
        return yield* OperationNotAllowedError.of(
          "Commands inside credsvc run cannot read credentials: the proxy adds them to outgoing requests. " +
            "Run this command outside of the run."
        )
      })

      const refuseChild = <E>(socket: Net.Socket, asked: Effect.Effect<Asked, E>) =>
        Effect.flatMap(isChild(socket), (child) => child ? deny(asked) : Effect.void)

      return ChildRefusal.of({
        showing: (asked) => Effect.flatMap(socketOf, (socket) => refuseChild(socket, Effect.succeed(asked))),
        resolving: (asked) =>
          Effect.flatMap(socketOf, (socket) => admission.hasProved(socket) ? Effect.void : refuseChild(socket, asked)),
        mayResolve: (socket) => admission.hasProved(socket) || children.get(socket) === false
      })
    })
  )
}
