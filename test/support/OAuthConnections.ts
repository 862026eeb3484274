/** A home with one OAuth provider, its authorization server, and the services of one process that use them. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { ClientCredentialsRepo } from "../../src/connections/oauth/ClientCredentialsRepo.ts"
import type { ConnectionName } from "../../src/domain/wire/Connection.ts"
import type { ResolveRequest } from "../../src/domain/wire/Resolve.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { ProviderRegistry } from "../../src/providers/ProviderRegistry.ts"
import { acme, main, oauthDocument } from "./Acme.ts"
import { FakeIssuer } from "./FakeIssuer.ts"
import { type Services, services, withHome } from "./Services.ts"
import { storeOf, type StoreOptions } from "./StoredConnections.ts"
import { type Returned, settle, toEffect } from "./TestBody.ts"
import { testStore } from "./TestStore.ts"

export const issuerOfAcme = "https://login.acme.example"

export type Needs = Services | Scope.Scope

export const binding = {
  issuer: issuerOfAcme,
  tokenEndpoint: `${issuerOfAcme}/token`,
  revocationEndpoint: `${issuerOfAcme}/revoke`,
  resource: null,
  clientId: "client-1",
  clientAuthentication: "none",
  discovered: false,
  publicOnly: false
} as const

/** Waits for the stored token of a refresh. The store writes on threads, which the test's clock does not wait for. */
export const untilRefreshed = <E, R>(
  record: Effect.Effect<{ readonly lastRefreshAt?: DateTime.Utc | null | undefined }, E, R>
) =>
  Effect.repeat(Effect.andThen(settle, record), {
    until: ({ lastRefreshAt }) => lastRefreshAt !== null && lastRefreshAt !== undefined
  })

/** The service, and shortcuts for what most tests do. */
const setUp = Effect.gen(function*() {
  const connections = yield* Connections
  const registry = yield* ProviderRegistry
  const audit = yield* AuditLog
  const clients = yield* ClientCredentialsRepo
  const sql = yield* SqlClient.SqlClient
  const profile = yield* (yield* Profiles).active
  const store = yield* storeOf(profile)

  /** A login that has just ended, with `at-0` and `rt-0`, valid for an hour. */
  const login = (
    { seconds = 3600, tokens = ["at-0", "rt-0"], ...options }: StoreOptions & {
      readonly seconds?: number | null
      readonly tokens?: readonly [accessToken: string, refreshToken?: string]
    } = {}
  ) =>
    Effect.gen(function*() {
      const now = yield* DateTime.now
      const [accessToken, refreshToken] = tokens
      return yield* store({ access_token: accessToken, client_id: "client-1" }, {
        flow: "pkce",
        refreshToken: refreshToken === undefined ? undefined : Redacted.make(refreshToken),
        expiresAt: seconds === null ? undefined : DateTime.add(now, { seconds }),
        tokenType: "Bearer",
        scopes: ["read", "write"],
        oauth: binding,
        ...options
      })
    })

  /** A login whose access token has expired. */
  const expiredLogin = Effect.andThen(login(), TestClock.adjust("2 hours"))

  const resolve = (request: Partial<ResolveRequest> = {}) =>
    connections.resolve(profile, { host: "api.acme.example", ...request }, { run: Option.some("run-of-the-test-1") })

  /** The access token that a request would get. */
  const token = (request: Partial<ResolveRequest> = {}) =>
    Effect.map(resolve(request), ({ headers }) => Redacted.value(headers["Authorization"]!).replace(/^Bearer /, ""))

  const record = (connection: ConnectionName = main) => connections.get(profile, acme, connection, { reveal: false })

  const events = Effect.map(
    audit.list({ limit: 999 }),
    (entries) => entries.map(({ connection, event, status }) => `${event} ${connection ?? "-"} ${status}`)
  )
  return { connections, registry, clients, sql, profile, login, expiredLogin, resolve, token, record, events }
})

export type Context = Effect.Success<typeof setUp>

/** A new process on the home, with the store of that home or another one. */
export const started = <A>(
  home: string,
  issuer: FakeIssuer,
  body: (context: Context) => Returned<A, Needs>,
  store = testStore
) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(
    Effect.provide(services(home, BundledProviders.layer, issuer.layer, store), { local: true })
  )

export const withIssuer = <A>(
  body: (context: Context, issuer: FakeIssuer, home: string) => Returned<A, Needs>,
  document = oauthDocument()
) =>
  withHome((home) => {
    const issuer = new FakeIssuer()
    return started(home, issuer, (context) => body(context, issuer, home))
  }, document)
