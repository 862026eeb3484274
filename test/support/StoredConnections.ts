/** Connections, stored as a login stores them. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Connections } from "../../src/connections/Connections.ts"
import type { NewConnection } from "../../src/connections/NewConnection.ts"
import type { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import { fingerprint } from "../../src/providers/Fingerprint.ts"
import { ProviderRegistry } from "../../src/providers/ProviderRegistry.ts"
import { acme, main } from "./Acme.ts"

/** Values in clear text. */
export type Values = Readonly<Record<string, string>>

export const redacted = (values: Values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

export const revealed = (values: NewConnection["values"]): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.value(value)]))

export type StoreOptions = Partial<Omit<NewConnection, "values">> & { readonly force?: boolean }

/** A function that stores a connection with the provider's current definition. */
export const storeOf = (profile: ProfileHandle) =>
  Effect.gen(function*() {
    const connections = yield* Connections
    const registry = yield* ProviderRegistry
    return Effect.fnUntraced(function*(values: Values, { force = false, ...options }: StoreOptions = {}) {
      const { provider = acme, baseUrl = null } = options
      const { definition } = yield* registry.get(provider)
      return yield* connections.save(profile, {
        provider,
        connection: main,
        flow: definition.flow,
        baseUrl,
        definitionFp: fingerprint(definition, baseUrl),
        ...options,
        values: redacted(values)
      }, { force })
    })
  })
