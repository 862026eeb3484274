/** Names of providers, checked once. */
import { ProviderName } from "credsvc/api"
import * as Schema from "effect/Schema"

export const openai = Schema.decodeSync(ProviderName)("openai")
