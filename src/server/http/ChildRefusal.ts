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

const noReading = "read credentials: the proxy adds them to outgoing requests."
const noCommand = "register a credential command, which the daemon would run without the limits of the run."
const noLifting = "remove the limitation of a connection to contained runs."

export class ChildRefusal extends Context.Service<ChildRefusal, {
  /** Fails and records the denial if the caller is inside a run. */
  readonly showing: (
    asked: Asked
  ) => Effect.Effect<
    void,
    OperationNotAllowedError | VaultUnavailableError,
    CurrentProfile | HttpServerRequest.HttpServerRequest
  >

  /** Like `showing`, for a request that would make the daemon run a program outside of the run. */
  readonly registering: (
    asked: Asked
  ) => Effect.Effect<
    void,
    OperationNotAllowedError | VaultUnavailableError,
    CurrentProfile | HttpServerRequest.HttpServerRequest
  >

  /** Like `showing`, for a login that would remove the limitation of a connection to contained runs. */
  readonly lifting: (
    asked: Asked
  ) => Effect.Effect<
    void,
    OperationNotAllowedError | VaultUnavailableError,
    CurrentProfile | HttpServerRequest.HttpServerRequest
  >

  /** Like `showing`, for `resolve` without the id of a registered run. `asked` is evaluated only for a denial. */
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

      const refuse = Effect.fnUntraced(function*<E>(
        rule: string,
        socket: Net.Socket,
        identity: ProfileHandle,
        asked: Effect.Effect<Asked, E>
      ) {
        if (!(yield* runs.isInside(socket))) return
        yield* audit.append({ ...yield* asked, identity, status: "denied" })
        return yield* OperationNotAllowedError.of(
          `Commands inside credsvc run cannot ${rule} Run this command outside of the run.`
        )
      })

      const refuseCurrent = Effect.fnUntraced(function*(rule: string, asked: Asked) {
        yield* refuse(rule, yield* currentSocket, yield* CurrentProfile, Effect.succeed(asked))
      })

      return ChildRefusal.of({
        showing: (asked) => refuseCurrent(noReading, asked),
        registering: (asked) => refuseCurrent(noCommand, asked),
        lifting: (asked) => refuseCurrent(noLifting, asked),
        resolving: (socket, profile, asked) => refuse(noReading, socket, profile, asked)
      })
    })
  )
}
