/**
 * Denies secrets to commands inside a run, which should use them only through the proxy.
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
import { OperationNotAllowedError, type VaultUnavailableError } from "../../domain/Errors.ts"
import { CurrentProfile, type ProfileHandle } from "../../domain/Profile.ts"
import { RunRegistry } from "../runs/RunRegistry.ts"

export type Asked = Pick<AuditRecord, "event" | "provider" | "connection">

/** The connection of the current request. */
export const currentSocket: Effect.Effect<Net.Socket, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ source }) => (source as Http.IncomingMessage).socket
)

export class ChildRefusal extends Context.Service<ChildRefusal, {
  /** Fails and records the denial if the caller is inside a run. */
  readonly showing: (
    asked: Asked
  ) => Effect.Effect<
    void,
    OperationNotAllowedError | VaultUnavailableError,
    CurrentProfile | HttpServerRequest.HttpServerRequest
  >

  /** The same for `resolve` without the id of a registered run. `asked` runs only before a denial. */
  readonly resolving: <E>(
    socket: Net.Socket,
    profile: ProfileHandle,
    asked: Effect.Effect<Asked, E>
  ) => Effect.Effect<void, E | OperationNotAllowedError | VaultUnavailableError>
}>()("credsvc/server/ChildRefusal") {
  static readonly layerNoDeps: Layer.Layer<ChildRefusal, never, AuditLog | RunRegistry> = Layer.effect(
    ChildRefusal,
    Effect.gen(function*() {
      const audit = yield* AuditLog
      const runs = yield* RunRegistry

      const deny = Effect.fnUntraced(function*<E>(identity: ProfileHandle, asked: Effect.Effect<Asked, E>) {
        yield* audit.append({ ...yield* asked, identity, status: "denied" })
        return yield* OperationNotAllowedError.of(
          "Commands inside credsvc run cannot read credentials: the proxy adds them to outgoing requests. " +
            "Run this command outside of the run."
        )
      })

      const resolving = <E>(socket: Net.Socket, profile: ProfileHandle, asked: Effect.Effect<Asked, E>) =>
        Effect.flatMap(runs.isInside(socket), (isInside) => isInside ? deny(profile, asked) : Effect.void)

      return ChildRefusal.of({
        showing: (asked) =>
          Effect.flatMap(
            currentSocket,
            (socket) => Effect.flatMap(CurrentProfile, (profile) => resolving(socket, profile, Effect.succeed(asked)))
          ),
        resolving
      })
    })
  )
}
