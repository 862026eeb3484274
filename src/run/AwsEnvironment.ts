/** Keeps other AWS credentials from the child process when it gets placeholders for a key pair. */

/**
 * The variables to remove: SDKs combine a session token with any key pair, and some prefer a profile to the key pair in the
 * environment.
 */
const OTHERS = ["AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_PROFILE", "AWS_DEFAULT_PROFILE"]

/** Removes other AWS credentials from `variables`, which already contain the placeholders. Returns the notices for the user. */
export const withoutOtherKeys = (
  variables: Record<string, string>,
  placeholders: ReadonlyArray<{ readonly variable: string }>
): ReadonlyArray<string> => {
  const own = new Set(placeholders.map(({ variable }) => variable))
  if (!own.has("AWS_ACCESS_KEY_ID")) return []
  const removed = OTHERS.filter((name) => !own.has(name) && variables[name] !== undefined)
  for (const name of removed) delete variables[name]
  const profiles = removed.filter((name) => name.endsWith("PROFILE"))
  if (profiles.length === 0) return []
  const names = profiles.join(" and ")
  return [`${names} would replace the connection to AWS and is not set in this run; set AWS_REGION if needed`]
}
