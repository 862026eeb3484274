/**
 * Logins at a server that a test scripts, through the HTTP API of a real daemon.
 *
 * Where each threat to OAuth is tested from outside:
 *
 * | Threat | Test |
 * |---|---|
 * | PKCE, state, mix-up, redirect URI, replay, callback, URL, concurrent logins, texts | Callback.test.ts |
 * | token responses and lookups, of each flow, plain http, exposure | TokenEndpoint.test.ts |
 * | refresh, resurrection, revocation | test/connections: TokenRefresher.test.ts, Revocations.test.ts |
 * | device codes, texts and addresses | test/oauth/DeviceAuthorization.test.ts |
 * | metadata, resources | test/oauth/Discovery.test.ts, test/oauth/ProtectedResource.test.ts |
 * | registration, client ID metadata documents | Discovery.test.ts |
 * | address rules, bounds, redirects | Transport.test.ts |
 * | stampedes | test/connections/renewal/TokenRefresher.test.ts, test/postgres/Replicas.test.ts |
 * | crashes | test/connections/renewal/RefreshRequests.crashes.test.ts, test/flows/RefreshTokenFlow.crashes.test.ts |
 * | clocks | test/connections (TestClock) |
 * | pushed requests, registration, resources | test/e2e/CertifiedServer.test.ts, test/e2e/OAuth.test.ts, with a certified server |
 * | API keys | test/providers/KeyCheck.test.ts |
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  type HostileAuthorizationServer,
  type HostileOptions,
  openHostileAuthorizationServer,
  paths
} from "../support/HostileAuthorizationServer.ts"
import { type MovableClock, movableClock } from "../support/MovableClock.ts"
import { type OAuthHarness, type SessionDocument, startOAuthHarness } from "../support/OAuthHarness.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"
import type { TestDaemonOptions } from "../support/TestDaemon.ts"
import { scoped, type Site } from "../support/TestSites.ts"

export const API_HOST = "api.hostile.test"

export interface Setup {
  readonly server: HostileAuthorizationServer
  readonly harness: OAuthHarness
  /** Advances the daemon's clock. */
  readonly pass: MovableClock["pass"]
  /** Seconds since 1970 by that clock. */
  readonly now: () => number
}

/** A definition that states its endpoints; nothing is discovered. */
export const stated = (issuer: string, oauth: object = {}, more: object = {}) => ({
  name: "hostile",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code"],
  api_url: `https://${API_HOST}`,
  ...more,
  oauth: {
    authorization_url: issuer + paths.authorize,
    token_url: issuer + paths.token,
    revocation_url: issuer + paths.revoke,
    device_authorization_url: issuer + paths.device,
    client_id: "public-app",
    client_authentication: "none",
    scopes: ["read"],
    ...oauth
  }
})

/** A definition with only an issuer; everything else is discovered. */
export const discovered = (issuer: string, oauth: object = {}, more: object = {}) => ({
  name: "hostile",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code", "dcr_pkce"],
  api_url: `https://${API_HOST}`,
  ...more,
  oauth: { issuer, client_id: "public-app", client_authentication: "none", scopes: ["read"], ...oauth }
})

/** A server and a daemon that can reach it, with one definition of the server registered. */
export const setUp = (
  definition: (issuer: string) => object = stated,
  options: HostileOptions = {},
  others: ReadonlyArray<Site> = [],
  daemon: TestDaemonOptions = {}
): Effect.Effect<Setup, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* scoped(() => openHostileAuthorizationServer(options))
    const { clock, pass } = yield* movableClock
    const harness = yield* Effect.provideService(startOAuthHarness([server, ...others], daemon), Clock.Clock, clock)
    const registered = yield* harness.register(definition(server.issuer))
    if (registered.status !== 201) return yield* Effect.die(new Error(registered.body))
    return { server, harness, pass, now: () => Math.floor(clock.currentTimeMillisUnsafe() / 1000) }
  })

/** Runs the body with a server and a daemon of its own. */
export const withServer = (
  body: (setup: Setup) => Returned<unknown, Scope.Scope>,
  ...options: Parameters<typeof setUp>
) => Effect.flatMap(setUp(...options), (setup) => toEffect(body(setup)))

/** Logs in with a browser that returns with these parameters; resolves to the ended session. */
export const signIn = (
  { harness, server }: Pick<Setup, "harness" | "server">,
  options: {
    readonly login?: object
    readonly back?: Readonly<Record<string, string | undefined>>
  } = {}
): Effect.Effect<SessionDocument, Error> =>
  Effect.gen(function*() {
    const session = yield* harness.start({ provider: "hostile", ...options.login })
    yield* harness.callback(server.redirect(session.next_action.url, options.back))
    return yield* harness.ended(session.session_id)
  })

/** Starts a login that the daemon may reject; resolves to the raw response. */
export const attempt = ({ harness }: Setup, login: object = {}) =>
  harness.daemon.post("/auth/sessions", { provider: "hostile", ...login })
