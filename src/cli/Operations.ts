/** The operations of the daemon that a command stands for, as its documentation says. */
import * as Context from "effect/Context"

export class CalledOperations
  extends Context.Service<CalledOperations, ReadonlyArray<string>>()("credsvc/cli/CalledOperations")
{}

/** The operation whose response a command prints with `--json`. */
export class PrintedOperation extends Context.Service<PrintedOperation, string>()("credsvc/cli/PrintedOperation") {}

export const calledBy = (annotations: Context.Context<never>): ReadonlyArray<string> =>
  Context.getOrUndefined(annotations as Context.Context<CalledOperations>, CalledOperations) ?? []

export const printedBy = (annotations: Context.Context<never>): string | undefined =>
  Context.getOrUndefined(annotations as Context.Context<PrintedOperation>, PrintedOperation)
