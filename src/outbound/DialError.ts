/** Why an upstream connection could not be opened. */

type DialProblem =
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

/** The code of an error or, without one, its message. */
export const describeError = (error: unknown): string => {
  const { code, message = error } = Object(error)
  return typeof code === "string" ? code : String(message)
}
