import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { binding } from "../domain/injection/Binding.ts"
import { sha256 } from "../platform/Digest.ts"

/** SHA-256 over everything that decides where a secret is sent. `baseUrl` is the address of the connection. */
export const fingerprint = (definition: ProviderDefinition, baseUrl?: string | null): string =>
  sha256(binding(definition, baseUrl))
