/** Fixtures for tests of OAuth logins at the provider `acme`, whose servers a script plays. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { ClientCredentialsRepo } from "../../src/connections/oauth/ClientCredentialsRepo.ts"
import type { AuthSession, StartLogin } from "../../src/domain/wire/AuthSession.ts"
import { acme, main, oauthDocument } from "./Acme.ts"
import { type FakeOAuthHttp, type Reply, type Script, scripted } from "./FakeOAuthHttp.ts"
import { loginContext } from "./Logins.ts"
import { logins, withHome } from "./Services.ts"
import { redacted } from "./StoredConnections.ts"
import { type Returned, toEffect } from "./TestBody.ts"

export const token = "https://login.acme.example/token"
export const device = "https://login.acme.example/device"

export const definition = (oauth: object = {}, changes: object = {}) =>
  oauthDocument({
    display_name: "Acme",
    flows: ["pkce", "device_code", "dcr_pkce"],
    credentials_url: "https://acme.example/apps",
    ...changes,
    oauth: { device_authorization_url: device, revocation_url: null, scopes: ["read", "write"], ...oauth }
  })

/** An authorization server that is discovered through its metadata. */
export const issuer = "https://as.acme.example"
export const metadataUrl = `${issuer}/.well-known/oauth-authorization-server`
export const undefinedEndpoints = { authorization_url: null, token_url: null, device_authorization_url: null }

export const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  revocation_endpoint: `${issuer}/revoke`,
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
  authorization_response_iss_parameter_supported: true
}

export const tokens = (change: object = {}): Reply => ({
  body: { access_token: "at-1", token_type: "Bearer", refresh_token: "rt-CANARY", expires_in: 3600, ...change }
})

export const rejected = (error: string, status = 400): Reply => ({ status, body: { error } })

export const client = redacted({ client_id: "cid", client_secret: "CANARY-SECRET" })

/** The URL that the browser is sent to. */
export const addressOf = ({ nextAction }: AuthSession): URL => {
  if (nextAction.type !== "open_url") throw new Error(`the next action is ${nextAction.type}`)
  return new URL(nextAction.url)
}

export const fieldsOf = ({ nextAction }: AuthSession) => nextAction.type === "enter_input" ? nextAction.fields : []

const setUp = Effect.gen(function*() {
  const context = yield* loginContext
  const { connections, profile, runner, start } = context
  const clients = yield* ClientCredentialsRepo
  /** Starts a login, enters the client if asked for it, and continues to the authorization server. */
  const toBrowser = (login: Partial<StartLogin> = {}) =>
    Effect.flatMap(
      start(login),
      (session) =>
        session.nextAction.type === "enter_input" ? runner.resume(session.sessionId, client) : Effect.succeed(session)
    )
  /** Does what the browser does when the provider redirects it back. */
  const finish = (session: AuthSession, query = "code=c-1") =>
    Effect.map(
      runner.callback(`?state=${addressOf(session).searchParams.get("state") ?? ""}&${query}`),
      ({ session }) => session
    )
  const signIn = (login: Partial<StartLogin> = {}) => Effect.flatMap(start({ force: true, ...login }), finish)
  const open = (record: Readonly<Record<string, Redacted.Redacted<string>>> = {}) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, Redacted.value(value)]))
  const resolve = Effect.map(
    context.resolve(),
    ({ defaults, headers, query }) => ({ headers: open(headers), query: open(query), defaults: open(defaults) })
  )
  const refresh = Effect.flatMap(DateTime.now, (rejected) => context.resolve({ rejected }))
  const exists = connections.exists(profile, acme, main)
  const stored = Effect.map(clients.list(profile, acme), (all) => all.map(({ credentials }) => credentials))
  return { ...context, exists, finish, refresh, resolve, signIn, stored, toBrowser }
})

export type Context = Effect.Success<typeof setUp>

/** A new process on the home. */
export const started = <A>(
  home: string,
  http: FakeOAuthHttp,
  body: (context: Context) => Returned<A, Scope.Scope>,
  at?: string
) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(
    Effect.provide(logins(home, http.layer, at), { local: true })
  )

export const inHomeOf =
  (document: { readonly name: string; readonly [field: string]: unknown }) =>
  <A>(script: Script, body: (context: Context, http: FakeOAuthHttp, home: string) => Returned<A, Scope.Scope>) =>
    withHome((home) => {
      const http = scripted(script)
      return started(home, http, (context) => body(context, http, home))
    }, document)
