/** The scopes that a credential lacks according to the provider, and the command that requests them (RFC 6750 section 3.1). */
import { loginCommand } from "./LoginCommand.ts"

/** The maximum length of the list of scopes in a report of a request. */
const maxLength = 256
/** Matches a scope that is safe in a command: a provider controls the text, and a user pastes the command into a shell. */
const plainScope = /^[A-Za-z0-9][A-Za-z0-9._:/@*+-]{0,127}$/

/** The scopes in a challenge with the error `insufficient_scope`; undefined for another challenge, or without plain scopes. */
export const missingScopes = (challenge: string): ReadonlyArray<string> | undefined => {
  // Two searches, because a pattern for both conditions takes quadratic time.
  if (!/(?:^|,\s*)bearer\b/i.test(challenge) || !/\berror\s*=\s*"?insufficient_scope\b/i.test(challenge)) {
    return undefined
  }
  const [, quoted, token = ""] = /\bscope\s*=\s*(?:"([^"]{0,4096})"|([^\s,"]+))/i.exec(challenge) ?? []
  return plainScopes((quoted ?? token).split(/\s+/))
}

export const plainScopes = (scopes: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  let length = -1
  const plain = scopes.filter((scope) => plainScope.test(scope) && (length += scope.length + 1) <= maxLength)
  return plain.length === 0 ? undefined : plain
}

export const stepUpCommand = (provider: string, connection: string | null, scopes: ReadonlyArray<string>): string =>
  `${loginCommand(provider, connection)} --add-scopes ${scopes.join(",")}`
