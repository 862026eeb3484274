import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { binding } from "../domain/injection/CredentialBinding.ts"
import { sha256 } from "../platform/Digest.ts"

/**
 * The SHA-256 digest of everything that determines where a secret is sent, and what is shown of it. `baseUrl` is the base URL
 * of the connection.
 */
export const fingerprint = (definition: ProviderDefinition, baseUrl?: string | null): string =>
  sha256(binding(definition, baseUrl))
