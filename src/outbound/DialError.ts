/** Why an upstream connection could not be opened. */

export type DialProblem =
  | "forbidden"
  | "private_address"
  | "unresolved"
  | "unreachable"
  | "untrusted"
  /** The upstream supports none of the offered ALPN protocols (RFC 7301 section 3.2). */
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

export const describeError = (error: unknown): string => {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === "string" ? code : error instanceof Error ? error.message : String(error)
}
