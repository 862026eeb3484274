/** What the declaration of a command says about it: the operations that it calls, its errors, output and arguments. */
import * as Context from "effect/Context"

export class CalledOperations
  extends Context.Service<CalledOperations, ReadonlyArray<string>>()("credsvc/cli/CalledOperations")
{}

/** The published errors with which a command fails by itself, whatever the daemon responds. */
export class OwnErrors extends Context.Service<OwnErrors, ReadonlyArray<string>>()("credsvc/cli/OwnErrors") {}

/** The operation whose response a command prints with `--json`. */
export class PrintedOperation extends Context.Service<PrintedOperation, string>()("credsvc/cli/PrintedOperation") {}

/** What a command prints with `--json` if it is not the response of one operation; completes "With --json:". */
export class PrintedDocument extends Context.Service<PrintedDocument, string>()("credsvc/cli/PrintedDocument") {}

/** Marks a command whose variadic argument is the command line of a program that it starts. */
export class ProgramArguments extends Context.Service<ProgramArguments, true>()("credsvc/cli/ProgramArguments") {}

export const startsProgram = (annotations: Context.Context<never>): boolean =>
  Context.getOrUndefined(annotations as Context.Context<ProgramArguments>, ProgramArguments) === true

export const calledBy = (annotations: Context.Context<never>): ReadonlyArray<string> =>
  Context.getOrUndefined(annotations as Context.Context<CalledOperations>, CalledOperations) ?? []

export const ownErrorsOf = (annotations: Context.Context<never>): ReadonlyArray<string> =>
  Context.getOrUndefined(annotations as Context.Context<OwnErrors>, OwnErrors) ?? []

export const printedBy = (annotations: Context.Context<never>): string | undefined =>
  Context.getOrUndefined(annotations as Context.Context<PrintedOperation>, PrintedOperation)

export const documentOf = (annotations: Context.Context<never>): string | undefined =>
  Context.getOrUndefined(annotations as Context.Context<PrintedDocument>, PrintedDocument)
