/** The interface of checks that read a body while it passes. */

/** A check that throws an `UncheckableError` for a body that a server could read in another way, or that overrides the method. */
export interface BodyCheck {
  readonly write: (part: Buffer) => void
  /** Called at the end of the body. */
  readonly end: () => void
}

/** The longest name of a parameter. Longer ones are refused. */
export const MAX_NAME = 8192

export const overrideProblem = (name: string): string =>
  `${name.slice(0, 64)} asks the server for a method, host or path that the rules have not checked: remove it`

/** A request has no form in which rules can be checked. The message completes a sentence about the request. */
export class UncheckableError extends Error {}

/** The body contains other requests. A rule that names this endpoint allows them. */
export class CarriedRequestsError extends UncheckableError {
  constructor() {
    super(
      "its body contains other requests, which the rules do not check: send them one by one, or name this endpoint in a rule " +
        "without wildcards"
    )
  }
}
