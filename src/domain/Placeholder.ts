/** The value that stands in for a secret in the environment of a child process, and marks a placeholder as one. */
export const PLACEHOLDER = "credsvc-proxy-managed"
