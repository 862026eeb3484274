/** The exit codes that a command may end with, as its help tells them. */
import * as Context from "effect/Context"

const meanings = {
  "0": "success",
  "1": "something unexpected went wrong, or what was checked is not in order",
  "2": "wrong usage, a cancelled question, or a login that was refused",
  "3": "there is no such connection",
  "4": "there is no such provider or profile, or it does not allow this",
  "5": "the credential is missing, has expired, or cannot be refreshed",
  "6": "the connection exists already",
  "7": "the provider is registered already",
  "8": "the provider cannot be reached",
  "9": "the daemon does not answer and cannot be started",
  "126": "the command cannot be executed",
  "127": "the command was not found",
  "128+n": "signal n ended the command",
  "…": "any other: the command's own"
} as const

export type ExitCodeName = keyof typeof meanings

/** Annotates a command with its codes, beside 0, 1 and 2, which every one has. */
export class ExitCodes extends Context.Service<ExitCodes, ReadonlyArray<ExitCodeName>>()("credsvc/cli/ExitCodes") {}

export interface ExitCodeDoc {
  readonly code: string
  readonly meaning: string
}

export const exitCodesOf = (annotations: Context.Context<never>): ReadonlyArray<ExitCodeDoc> => {
  const own = Context.getOrUndefined(annotations as Context.Context<ExitCodes>, ExitCodes)
  return own === undefined
    ? []
    : (["0", "1", "2", ...own] as const).map((code) => ({ code, meaning: meanings[code] }))
}
