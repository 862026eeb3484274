/** Fixtures for tests of logins at the provider `acme`: the flow runner, and what it stores in a home. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { Connections } from "../../src/connections/Connections.ts"
import type { StartLogin } from "../../src/domain/wire/AuthSession.ts"
import type { ResolveRequest } from "../../src/domain/wire/Resolve.ts"
import { FlowRunner } from "../../src/flows/FlowRunner.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { acme, main } from "./Acme.ts"

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
  const resolve = (request: Partial<ResolveRequest> = {}) =>
    connections.resolve(profile, { host: "api.acme.example", ...request }, { run: Option.some("run-of-the-test-1") })
  return { runner, connections, profile, start, connection, secret, events, resolve }
})
