/** Why a connection to the outside was not made. */

export type DialProblem =
  | "forbidden"
  | "private_address"
  | "unresolved"
  | "unreachable"
  | "untrusted"
  /** The other side speaks none of the offered application protocols (RFC 7301 section 3.2). */
  | "protocol"
  | "hop"
  | "timeout"

export class DialError extends Error {
  readonly problem: DialProblem
  constructor(problem: DialProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** The code of a failure, else its text. */
export const describe = (error: unknown): string => {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === "string" ? code : error instanceof Error ? error.message : String(error)
}
