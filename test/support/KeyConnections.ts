/** A home with connections to the provider `acme` by API keys, and the service that uses them. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { Connections } from "../../src/connections/Connections.ts"
import type { ProviderName } from "../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import type { ResolveRequest } from "../../src/domain/wire/Resolve.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { keyDocument } from "./Acme.ts"
import { testsIn } from "./Fixture.ts"
import { type Services, services, withHome } from "./Services.ts"
import { storeOf, type StoreOptions, type Values } from "./StoredConnections.ts"
import { type Returned, toEffect } from "./TestBody.ts"

export const name = (text: string) => text as ConnectionName
export const provider = (text: string) => text as ProviderName
export const openai = provider("openai")

export const definition = (changes: Readonly<Record<string, unknown>> = {}) =>
  keyDocument({ api_key: { env_var: "ACME_KEY" }, ...changes })

/** The service and abbreviations for common operations. */
const setUp = Effect.gen(function*() {
  const connections = yield* Connections
  const audit = yield* AuditLog
  const profile = yield* (yield* Profiles).active
  const store = yield* storeOf(profile)
  const save = (connection: string, values: Values = { api_key: `key-of-${connection}` }, options: StoreOptions = {}) =>
    store(values, { connection: name(connection), ...options })
  const resolve = (request: Partial<ResolveRequest> = {}, run?: string) =>
    connections.resolve(profile, { host: "api.acme.example", ...request }, { run: Option.fromUndefinedOr(run) })
  const events = Effect.map(
    audit.list({ limit: 999 }),
    (entries) => entries.map(({ connection, event, provider }) => `${event} ${provider}/${connection ?? "-"}`)
  )
  return { connections, profile, save, resolve, events }
})

export type Context = Effect.Success<typeof setUp>

/** Runs the body in a new process on the home. */
export const started = <A>(
  home: string,
  body: (context: Context) => Returned<A, Services>,
  bundled = BundledProviders.layer
) => Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(Effect.provide(services(home, bundled)))

export const inHome = <A>(
  body: (context: Context, home: string) => Returned<A, Services>,
  ...definitions: ReadonlyArray<{ readonly name: string }>
) =>
  withHome(
    (home) => started(home, (context) => body(context, home)),
    ...definitions.length === 0 ? [definition()] : definitions
  )

export const { effect } = testsIn(inHome)
