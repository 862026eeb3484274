/** A provider's name as typed. One that no provider can have is an unknown provider, not wrong usage. */
import * as Effect from "effect/Effect"
import { ProviderNotFoundError } from "../../domain/Errors.ts"
import { isProviderName, type ProviderName } from "../../domain/ProviderName.ts"
import { sanitizeLine } from "../output/Text.ts"

export const providerName = (typed: string): Effect.Effect<ProviderName, ProviderNotFoundError> =>
  isProviderName(typed)
    ? Effect.succeed(typed as ProviderName)
    : Effect.fail(
      ProviderNotFoundError.of(
        sanitizeLine(typed).slice(0, 64),
        isProviderName(typed.toLowerCase()) ? [typed.toLowerCase()] : []
      )
    )
