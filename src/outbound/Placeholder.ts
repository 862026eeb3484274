/** The value that stands in a child's environment where a secret would be. */
export const PLACEHOLDER = "credsvc-proxy-managed"
