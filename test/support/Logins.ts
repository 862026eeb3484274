/** Fixtures for tests of logins at the provider `acme`: the flow runner, and what it stores in a home. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { Connections } from "../../src/connections/Connections.ts"
import type { StartLogin } from "../../src/domain/AuthSession.ts"
import type { ConnectionName } from "../../src/domain/Connection.ts"
import type { ProviderName } from "../../src/domain/Provider.ts"
import { FlowRunner } from "../../src/flows/FlowRunner.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"

export const acme = "acme" as ProviderName
export const main = "default" as ConnectionName

/** The user's input to a form. */
export const entered = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

export const loginContext = Effect.gen(function*() {
  const runner = yield* FlowRunner
  const connections = yield* Connections
  const audit = yield* AuditLog
  const profile = yield* (yield* Profiles).active
  const start = (login: Partial<StartLogin> = {}) => runner.start(profile, { provider: acme, ...login })
  const connection = connections.get(profile, acme, main, { reveal: true })
  /** A secret of the connection, in clear text. */
  const secret = (field: "accessToken" | "apiKey") =>
    Effect.map(connection, ({ [field]: value }) => value && Redacted.value(value))
  const events = Effect.map(
    audit.list({ limit: 999 }),
    (entries) => entries.map(({ event, status }) => `${event} ${status}`)
  )
  return { runner, connections, profile, start, connection, secret, events }
})

export const tagOf = <A, R>(effect: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
