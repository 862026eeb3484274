/** Reports a syntactically invalid name as an unknown provider, not as a usage error. */
import * as Effect from "effect/Effect"
import type { ProviderNotFoundError } from "../../../domain/Errors.ts"
import { failWith } from "../../../domain/FailWith.ts"
import { isProviderName } from "../../../domain/wire/Names.ts"
import type { ProviderName } from "../../../domain/wire/ProviderName.ts"
import { sanitizeLine } from "../../output/Sanitize.ts"

export const providerName = (typed: string): Effect.Effect<ProviderName, ProviderNotFoundError> =>
  isProviderName(typed)
    ? Effect.succeed(typed as ProviderName)
    : failWith(({ ProviderNotFoundError }) =>
      ProviderNotFoundError.of(
        sanitizeLine(typed).slice(0, 64),
        isProviderName(typed.toLowerCase()) ? [typed.toLowerCase()] : []
      )
    )
