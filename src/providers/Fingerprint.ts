import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { binding } from "../domain/injection/Binding.ts"
import { builtins } from "../platform/builtins.ts"

/** SHA-256 in hexadecimal over everything that decides where a secret is sent. `baseUrl` is that of the connection. */
export const fingerprint = (definition: ProviderDefinition, baseUrl?: string | null): string =>
  builtins.crypto.createHash("sha256").update(binding(definition, baseUrl)).digest("hex")
