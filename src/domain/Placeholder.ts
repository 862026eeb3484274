/**
 * Replaces a secret in the environment of a child process. Every placeholder contains this text, except the exact
 * placeholders of providers whose tools check the alphabet or the length of a key.
 */
export const PLACEHOLDER = "credsvc-proxy-managed"

/** Whether the text contains a placeholder. `exact` lists the exact placeholders of the provider. */
export const holdsPlaceholder = (text: string, exact: ReadonlyArray<string>): boolean =>
  text.includes(PLACEHOLDER) || exact.some((value) => text.includes(value))
