/** The header field with the id of a request, as nginx and other servers in front send it. */
export const requestIdHeader = "x-request-id"

/** The form of an id, which is written to logs and terminals. */
export const requestIdForm = /^[\w.-]{8,64}$/
