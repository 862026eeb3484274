/** Reports a syntactically invalid name as an unknown provider, not as a usage error. */
import * as Effect from "effect/Effect"
import { ProviderNotFoundError } from "../../domain/Errors.ts"
import { isProviderName, type ProviderName } from "../../domain/ProviderName.ts"
import { sanitizeLine } from "../output/Sanitize.ts"

export const providerName = (typed: string): Effect.Effect<ProviderName, ProviderNotFoundError> =>
  isProviderName(typed)
    ? Effect.succeed(typed as ProviderName)
    : Effect.fail(
      ProviderNotFoundError.of(
        sanitizeLine(typed).slice(0, 64),
        isProviderName(typed.toLowerCase()) ? [typed.toLowerCase()] : []
      )
    )
