/**
 * Decides whether a connection may be used with the current definition, which must not send the credential anywhere
 * that the definition of the login did not, and must not show more of it.
 */
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import type { StoredConnection } from "../ConnectionRepo.ts"

const fingerprints = new WeakMap<Provider["definition"], Map<string | null, string>>()

/** The fingerprint of a definition. Cached, because computing it costs more than the rest of a lookup. */
export const fingerprintOf = ({ definition }: Pick<Provider, "definition">, baseUrl: string | null): string => {
  let known = fingerprints.get(definition)
  if (known === undefined) fingerprints.set(definition, known = new Map())
  let found = known.get(baseUrl)
  if (found === undefined) known.set(baseUrl, found = fingerprint(definition, baseUrl))
  return found
}

const changedSentence = (provider: string, connection: string): string =>
  `The definition of ${provider} has changed since this login, or credsvc now compares more of it, so the credential is not used. ` +
  `Log in again with: ${loginCommand(provider, connection, true)}`

const goneSentence = (provider: string): string =>
  `The provider ${provider} is no longer registered, so the credential is not used. Register it again, or log out.`

/** The reason why a connection cannot be used, or undefined if it can be used. */
export const obstacleOf = ({ metadata, row }: StoredConnection, provider: Provider | undefined): string | undefined => {
  if (provider === undefined) return goneSentence(row.provider)
  // A bundled definition is as trustworthy as the program: a release that adds a host must not invalidate logins.
  if (metadata.definitionSource === "bundled" && provider.source === "bundled") return undefined
  return fingerprintOf(provider, metadata.baseUrl) === row.definition_fp
    ? undefined
    : changedSentence(row.provider, row.name)
}
