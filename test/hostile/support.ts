/**
 * Logins at a server that a test scripts, through the HTTP API of a real daemon.
 *
 * Where each threat to OAuth is tested from outside:
 *
 * | Threat | Test |
 * |---|---|
 * | PKCE, state, mix-up, redirect URI, replay, callback, URL, concurrent logins, texts | Callback.test.ts |
 * | token response, scopes, client authentication, ID token, plain http, exposure | TokenResponse.test.ts |
 * | refresh, resurrection, revocation | Refresh.test.ts, Revocation.test.ts |
 * | device codes, texts and addresses | Device.test.ts |
 * | registration, resources, metadata | Discovery.test.ts |
 * | address rules, bounds, redirects | Transport.test.ts |
 * | stampedes | Stampede.test.ts, test/connections/Stampede.test.ts |
 * | crashes | test/connections/CrashSweep.test.ts |
 * | clocks | test/connections (TestClock) |
 * | pushed requests, registration, resources | test/e2e/OAuth.test.ts, with a certified server |
 * | API keys | test/flows/ApiKeyFlow.test.ts |
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
