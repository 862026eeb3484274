/** Replaces a secret in the environment of a child process. Every placeholder contains this text. */
export const PLACEHOLDER = "credsvc-proxy-managed"
