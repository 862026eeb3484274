/** The header field with the ID of a request, which nginx and other front servers send. */
export const requestIdHeader = "x-request-id"

/** The accepted form of an ID, which is safe in logs and on terminals. */
export const requestIdForm = /^[\w.-]{8,64}$/
