/**
 * Logins at a server that a test scripts, through the HTTP API of a real daemon.
 *
 * Where each requirement of the OAuth part is proven from outside:
 *
 * | Requirement | Test |
 * |---|---|
 * | B1 PKCE, B2 state, B3 and B4 mix-up, B5 redirect URI, B6 replay, B7 and B8 callback, B32 URL, B36 rivals, B37 and B38 text | Callback.test.ts |
 * | B9 token response, B10 scopes, B27 client authentication, B28 ID token, B33 http, B39 exposure, A25 | TokenResponse.test.ts |
 * | B14 to B16 refresh, B31 resurrection, B29 and B30 revocation | Refresh.test.ts, Revocation.test.ts |
 * | B18 and B19 device codes, A13 and A14 texts and addresses | Device.test.ts |
 * | B20 to B25 registration and resources, B26 metadata | Discovery.test.ts |
 * | A31 to A34 transport | Transport.test.ts |
 * | B11, B12 stampedes | Stampede.test.ts, test/connections/Stampede.test.ts |
 * | B13 crashes | test/connections/CrashSweep.test.ts |
 * | B17 clocks | test/connections (TestClock) |
 * | B34 pushed requests, B21, B22, B25 | test/e2e/OAuth.test.ts, with a certified server |
 * | B35 keys | test/flows/ApiKeyFlow.test.ts |
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
import { scoped, type Site } from "../support/TestSites.ts"

export const API_HOST = "api.hostile.test"

export interface Stage {
  readonly server: HostileAuthorizationServer
  readonly harness: OAuthHarness
  /** Sets the daemon's clock forward. */
  readonly pass: MovableClock["pass"]
  /** Seconds of that clock since 1970. */
  readonly now: () => number
}

/** Endpoints in the definition; nothing is discovered. */
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

/** The issuer alone: everything else is discovered. */
export const discovered = (issuer: string, oauth: object = {}, more: object = {}) => ({
  name: "hostile",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code", "dcr_pkce"],
  api_url: `https://${API_HOST}`,
  ...more,
  oauth: { issuer, client_id: "public-app", client_authentication: "none", scopes: ["read"], ...oauth }
})

/** A server and a daemon that can reach it, with one definition of it registered. */
export const stage = (
  definition: (issuer: string) => object = stated,
  options: HostileOptions = {},
  others: ReadonlyArray<Site> = []
): Effect.Effect<Stage, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* scoped(() => openHostileAuthorizationServer(options))
    const { clock, pass } = yield* movableClock
    const harness = yield* Effect.provideService(startOAuthHarness([server, ...others]), Clock.Clock, clock)
    const registered = yield* harness.register(definition(server.issuer))
    if (registered.status !== 201) return yield* Effect.die(new Error(registered.body))
    return { server, harness, pass, now: () => Math.floor(clock.currentTimeMillisUnsafe() / 1000) }
  })

/** Logs in with a browser that comes back with these parameters; the session as it ended. */
export const signIn = (
  { harness, server }: Pick<Stage, "harness" | "server">,
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

/** Starts a login that the daemon may refuse; the answer as it came. */
export const attempt = ({ harness }: Stage, login: object = {}) =>
  harness.daemon.request("/auth/sessions", { method: "POST", body: { provider: "hostile", ...login } })
