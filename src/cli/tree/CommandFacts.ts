/** Annotations in the declaration of a command, for its help, the documents and completion. */
import * as Context from "effect/Context"
import type { OperationId, PublishedErrorName } from "../../api/Operations.ts"

export const exitCodeMeanings = {
  "0": "success",
  "1": "unexpected failure, or a check failed",
  "2": "invalid usage, input cancelled, or authentication failed",
  "3": "connection not found",
  "4": "provider or profile not found, or operation not allowed",
  "5": "credential missing, expired, refused, or not refreshable",
  "6": "connection already exists",
  "7": "provider already registered",
  "8": "provider unreachable",
  "9": "daemon unavailable",
  "126": "command cannot be executed",
  "127": "command not found",
  "128+n": "command terminated by signal n",
  "…": "any other: exit code of the command"
} as const

/** The exit codes of commands that run a program. */
export type ProgramExitCode = "126" | "127" | "128+n" | "…"

const fact = <A>(name: string, absent: A) => Context.Reference<A>(`credsvc/cli/${name}`, { defaultValue: () => absent })

/** The exit codes in addition to 0, 1 and 2, which every command has, or undefined for a group of commands. */
export const ExitCodes = fact<ReadonlyArray<keyof typeof exitCodeMeanings> | undefined>("ExitCodes", undefined)

/** The operations that a command calls. */
export const CalledOperations = fact<ReadonlyArray<OperationId>>("CalledOperations", [])

/** The published errors with which a command fails by itself, regardless of the response of the daemon. */
export const OwnErrors = fact<ReadonlyArray<PublishedErrorName>>("OwnErrors", [])

/** The operation whose response a command prints with `--json`. */
export const PrintedOperation = fact<OperationId | undefined>("PrintedOperation", undefined)

/** What a command prints with `--json` if it is not the response of one operation; completes "With --json:". */
export const PrintedDocument = fact<string | undefined>("PrintedDocument", undefined)

/** Whether the variadic argument of a command is the command line of a program that it starts. */
export const StartsProgram = fact("StartsProgram", false)

/** The exit codes of a command with their meanings, as shown in its help. */
export const exitCodesOf = (annotations: Context.Context<never>) => {
  const own = Context.get(annotations, ExitCodes)
  return own === undefined
    ? []
    : (["0", "1", "2", ...own] as const).map((code) => ({ code, meaning: exitCodeMeanings[code] }))
}

/** The groups of commands that the help shows without `--all`. `help --all` shows all. */
export const firstGroups = ["Start", "Look", "Agents and containers"] as const
