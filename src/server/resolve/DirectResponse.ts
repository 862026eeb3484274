/** Runs an operation outside the HTTP API layers and produces the status and body that those layers would send. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { published, type PublishedError } from "../../domain/Errors.ts"
import { builtins } from "../../platform/builtins.ts"
import { DaemonLog, describeCause } from "../DaemonLog.ts"
import { unexpectedProblem } from "../http/Refusals.ts"

export interface DirectResponse {
  readonly status: number
  readonly body: string
}

export type Reply = (status: number, body: string) => void

/**
 * Runs the operation and calls `reply` once, synchronously if possible. The returned function interrupts the
 * operation; `reply` is not called after that.
 */
export type Respond = (operation: Effect.Effect<DirectResponse, PublishedError>, reply: Reply) => () => void

const errorEncoders = new Map<string, (error: unknown) => unknown>(
  published.map((errorClass) => [
    errorClass.identifier,
    Schema.encodeUnknownSync(errorClass as unknown as Schema.Codec<unknown>)
  ])
)

/** Creates the function that runs one operation. The log names the operation by `method` and `route`. */
export const make = (method: string, route: string): Effect.Effect<Respond, never, DaemonLog> =>
  Effect.map(DaemonLog, (log) => {
    const unexpected = (cause: Cause.Cause<unknown>): string => {
      const id = builtins.crypto.randomBytes(8).toString("hex")
      log.write("error", "unexpected", { id, method, route, cause: describeCause(cause) })
      return JSON.stringify(unexpectedProblem(id))
    }

    return (operation, reply) => {
      const fiber = Effect.runFork(operation)
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit)) return reply(exit.value.status, exit.value.body)
        const error = Cause.findErrorOption(exit.cause)
        if (Option.isSome(error) && errorEncoders.has(error.value._tag)) {
          reply(error.value.status, JSON.stringify(errorEncoders.get(error.value._tag)?.(error.value)))
        } else if (!Cause.hasInterruptsOnly(exit.cause)) reply(500, unexpected(exit.cause))
      })
      return () => fiber.interruptUnsafe()
    }
  })
