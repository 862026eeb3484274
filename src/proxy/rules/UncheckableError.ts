/** A request has no form in which rules could be checked. The message completes a sentence about the request. */
export class UncheckableError extends Error {}
