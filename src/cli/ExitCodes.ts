/** The exit codes of each command, as shown in its help. */
import * as Context from "effect/Context"

const meanings = {
  "0": "success",
  "1": "unexpected failure, or a check failed",
  "2": "invalid usage, input cancelled, or authentication failed",
  "3": "connection not found",
  "4": "provider or profile not found, or operation not allowed",
  "5": "credential missing, expired, or not refreshable",
  "6": "connection already exists",
  "7": "provider already registered",
  "8": "provider unreachable",
  "9": "daemon unavailable",
  "126": "command cannot be executed",
  "127": "command not found",
  "128+n": "command terminated by signal n",
  "…": "any other: exit code of the command"
} as const

export type ExitCodeName = keyof typeof meanings

/** The exit codes of commands that run a program. */
export type ProgramExitCode = "126" | "127" | "128+n" | "…"

/** Annotates a command with its exit codes in addition to 0, 1 and 2, which every command has. */
export class ExitCodes extends Context.Service<ExitCodes, ReadonlyArray<ExitCodeName>>()("credsvc/cli/ExitCodes") {}

interface ExitCodeDoc {
  readonly code: string
  readonly meaning: string
}

export const exitCodesOf = (annotations: Context.Context<never>): ReadonlyArray<ExitCodeDoc> => {
  const own = Context.getOrUndefined(annotations as Context.Context<ExitCodes>, ExitCodes)
  return own === undefined
    ? []
    : (["0", "1", "2", ...own] as const).map((code) => ({ code, meaning: meanings[code] }))
}
