/**
 * Reports how a command failed: the message, where it is printed, and the exit code.
 *
 * With `--json` a failure is one document on stdout, `{"error", "message", …}` with the fields of its class; otherwise a message
 * on stderr. A usage error is a failure like any other and exits with code 2. For an unexpected error only the name is printed,
 * because its text may contain a secret.
 */
import * as Cause from "effect/Cause"
import type * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import { ExitCode } from "../../domain/ExitCode.ts"
import type { Output } from "./Output.ts"

export type Printer = Output["Service"]

interface Failure {
  readonly error: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly exitCode: number
}

/** Exits with this code after all resources are released. The command has already printed its messages. */
export class Exited {
  readonly _tag = "Exited"
  readonly exitCode: number
  constructor(exitCode: number) {
    this.exitCode = exitCode
  }
}

const shared = new Set("_tag type title status detail error instance name message stack cause".split(" "))

// Messages of these errors come from the engine or the operating system, and never contain processed data.
const tellable = (error: Error): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError ||
  ("syscall" in error && "code" in error) || error.name === "OutputError" || "_tag" in error

/** Replaces the header that the daemon names with the variable that the user set. */
const withoutHeader = (message: string): string => message.replace(/^Credsvc-Profile:/, "CREDSVC_PROFILE:")

const describe = (error: unknown): Failure => {
  if (Predicate.isObject(error) && typeof error["_tag"] === "string") {
    const message = typeof error["detail"] === "string" && error["detail"] !== "" ? error["detail"] : error["message"]
    return {
      error: error["_tag"],
      message: typeof message === "string" && message !== "" ? withoutHeader(message) : error["_tag"],
      fields: Object.fromEntries(
        Object.entries(error).filter(([key, value]) => !shared.has(key) && !key.startsWith("~") && value !== "")
      ),
      exitCode: Runtime.getErrorExitCode(error)
    }
  }
  const name = error instanceof Error ? error.name : typeof error
  const reason = error instanceof Error && tellable(error) ? `${name}: ${error.message}` : name
  return {
    error: "UnexpectedError",
    message: `Unexpected failure (${reason}). For details, see the debug log: credsvc log --raw`,
    fields: {},
    exitCode: ExitCode.unexpected
  }
}

export const printFailure = (output: Printer, failure: Failure, hint?: string): Effect.Effect<void> =>
  output.json
    ? output.document({ error: failure.error, message: failure.message, ...failure.fields })
    : output.fail(failure.message, hint)

const isShowHelp = (error: unknown): error is CliError.ShowHelp =>
  Predicate.isObject(error) && error["_tag"] === "ShowHelp"

/** Prints a failure and returns the exit code. `signal` is the exit code if a signal stopped the process. */
export const report = (
  output: Printer,
  cause: Cause.Cause<unknown>,
  signal: number | undefined
): Effect.Effect<number> => {
  if (Cause.hasInterruptsOnly(cause)) {
    const exitCode = signal ?? ExitCode.unexpected
    const failure = { error: "InterruptedError", message: "Interrupted.", fields: {}, exitCode }
    return Effect.as(output.json ? printFailure(output, failure) : Effect.void, exitCode)
  }
  const error = Cause.squash(cause)
  if (error instanceof Exited) return Effect.succeed(error.exitCode)
  // The presenter has already printed the help or the usage error.
  if (isShowHelp(error)) return Effect.succeed(error.errors.length > 0 ? ExitCode.usage : ExitCode.success)
  const failure = describe(error)
  return Effect.as(printFailure(output, failure), failure.exitCode)
}
