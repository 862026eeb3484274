/** A request has no form in which rules could be checked. The message completes a sentence about the request. */
export class UncheckableError extends Error {}

/** The body has other requests in it. A rule that names this endpoint allows them. */
export class CarriedRequestsError extends UncheckableError {
  constructor() {
    super(
      "its body has other requests in it, which the rules do not see: send them one by one, or name this endpoint in a rule " +
        "without wildcards"
    )
  }
}
