/** A home with one OAuth provider, its authorization server, and the services of one process over both. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { ClientCredentialsRepo } from "../../src/connections/ClientCredentialsRepo.ts"
import { Connections, type NewConnection } from "../../src/connections/Connections.ts"
import type { ConnectionName } from "../../src/domain/Connection.ts"
import type { ProviderName } from "../../src/domain/Provider.ts"
import type { ResolveRequest } from "../../src/domain/Resolve.ts"
import type { OAuthHttp } from "../../src/oauth/OAuthHttp.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { BundledProviders } from "../../src/providers/BundledProviders.ts"
import { fingerprint } from "../../src/providers/Fingerprint.ts"
import { ProviderRegistry } from "../../src/providers/ProviderRegistry.ts"
import { StoreManifest } from "../../src/vault/StoreManifest.ts"
import { FakeIssuer } from "./FakeIssuer.ts"
import { oauthDefinition, oauthDocument } from "./OAuthDefinition.ts"
import { dropIn, services, withHome } from "./Services.ts"

export const acme = "acme" as ProviderName
export const main = "default" as ConnectionName
export const issuerOfAcme = "https://login.acme.example"

export type Needs =
  | AuditLog
  | ClientCredentialsRepo
  | Connections
  | OAuthHttp
  | Profiles
  | ProviderRegistry
  | SqlClient.SqlClient
  | StoreManifest

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

/** The service, and shortcuts for what most tests do. */
const setUp = Effect.gen(function*() {
  const connections = yield* Connections
  const registry = yield* ProviderRegistry
  const audit = yield* AuditLog
  const clients = yield* ClientCredentialsRepo
  const manifest = yield* StoreManifest
  const sql = yield* SqlClient.SqlClient
  const profile = yield* (yield* Profiles).active

  /** A login that has just ended, with `at-0` and `rt-0`, valid for an hour. */
  const login = (
    options: Partial<NewConnection> & {
      readonly force?: boolean
      readonly seconds?: number | null
      readonly tokens?: readonly [accessToken: string, refreshToken?: string]
    } = {}
  ) =>
    Effect.gen(function*() {
      const { force = false, seconds = 3600, tokens = ["at-0", "rt-0"], ...rest } = options
      const { definition } = yield* registry.get(rest.provider ?? acme)
      const now = yield* DateTime.now
      const [accessToken, refreshToken] = tokens
      return yield* connections.save(profile, {
        provider: acme,
        connection: main,
        flow: "pkce",
        baseUrl: null,
        definitionFp: fingerprint(definition, null),
        values: { access_token: Redacted.make(accessToken), client_id: Redacted.make("client-1") },
        refreshToken: refreshToken === undefined ? undefined : Redacted.make(refreshToken),
        expiresAt: seconds === null ? undefined : DateTime.add(now, { seconds }),
        tokenType: "Bearer",
        scopes: ["read", "write"],
        oauth: binding,
        ...rest
      }, { force })
    })

  const ask = (request: Partial<ResolveRequest> = {}) =>
    connections.resolve(profile, { host: "api.acme.example", ...request }, { run: Option.some("run-of-the-test-1") })

  /** The access token that a request would get. */
  const token = (request: Partial<ResolveRequest> = {}) =>
    Effect.map(ask(request), ({ headers }) => Redacted.value(headers["Authorization"]!).replace(/^Bearer /, ""))

  const record = (connection: ConnectionName = main) => connections.get(profile, acme, connection, { reveal: false })

  const events = Effect.map(
    audit.list({ limit: 999 }),
    (entries) => entries.map(({ connection, event, status }) => `${event} ${connection ?? "-"} ${status}`)
  )
  return { connections, registry, audit, clients, manifest, sql, profile, login, ask, token, record, events }
})

export type Context = Effect.Success<typeof setUp>

/** A new process on the home. */
export const started = <A, E>(
  home: string,
  issuer: FakeIssuer,
  body: (context: Context) => Effect.Effect<A, E, Needs>
) =>
  Effect.flatMap(setUp, body).pipe(
    Effect.provide(services(home, BundledProviders.layer, issuer.layer), { local: true })
  )

export const withIssuer = <A, E>(
  body: (context: Context, issuer: FakeIssuer, home: string) => Effect.Effect<A, E, Needs>,
  document: Record<string, unknown> = oauthDocument()
) =>
  withHome((home) =>
    Effect.suspend(() => {
      dropIn(home, document as { readonly name: string })
      const issuer = new FakeIssuer()
      return started(home, issuer, (context) => body(context, issuer, home))
    })
  )

export { oauthDefinition }
