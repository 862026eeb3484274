/**
 * How a proxy asks for credentials at the rate of its requests: `POST /credentials/resolve`, but without a head around each.
 *
 * A connection that has proved itself with the access key is upgraded (RFC 9110 section 7.8) by a GET of that route; run
 * and profile are in its head, and hold for the whole connection. Then a question is a line, the JSON body of the
 * operation, and so is its answer: the status, a space, and the JSON body. One question is under way at a time, and the
 * connection is closed for anything else, so a client falls back to the operation itself.
 */
export const resolvePath = "/credentials/resolve"

/** For `Upgrade`: a name that no browser can be made to send. */
export const resolveProtocol = "credsvc-resolve"

/** Longest question in bytes. */
export const maxQuestionBytes = 16 * 1024
