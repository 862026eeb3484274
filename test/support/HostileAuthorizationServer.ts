/**
 * An authorization server that behaves correctly until a test scripts one of its responses.
 *
 * Its own responses are the minimum for a login. Every token contains `canary` and a number, so that a search finds
 * leaks. It does not check codes and refresh tokens: tests examine the requests.
 */
import { openScriptedSite, type Received, type Reply, type ScriptedSite, type Step } from "./ScriptedSite.ts"
import { makeAuthority, type TestAuthority } from "./TestCertificates.ts"

export const paths = {
  metadata: "/.well-known/oauth-authorization-server",
  openid: "/.well-known/openid-configuration",
  authorize: "/authorize",
  token: "/token",
  device: "/device",
  register: "/register",
  revoke: "/revoke",
  push: "/par"
} as const

export interface HostileOptions {
  readonly authority?: TestAuthority
  readonly host?: string
  /** Members of the metadata document. `undefined` removes one. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The lifetime that the tokens state, in seconds. */
  readonly expiresIn?: number
  readonly script?: Readonly<Record<string, Step>>
}

export interface HostileAuthorizationServer extends ScriptedSite {
  readonly authority: TestAuthority
  readonly issuer: string
  /** The metadata document as served, with further changes. */
  readonly metadata: (changes?: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** A valid token response with new tokens, with changes. `undefined` removes a member. */
  readonly tokens: (changes?: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** The redirect of a browser that consents to everything, with changes to the parameters. */
  readonly redirect: (authorizationUrl: string, changes?: Readonly<Record<string, string | undefined>>) => string
}

const set = (target: URLSearchParams, changes: Readonly<Record<string, string | undefined>>): void => {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) target.delete(name)
    else target.set(name, value)
  }
}

export const openHostileAuthorizationServer = async (
  options: HostileOptions = {}
): Promise<HostileAuthorizationServer> => {
  const authority = options.authority ?? makeAuthority()
  const host = options.host ?? "as.hostile.test"
  const issuer = `https://${host}`
  let issued = 0

  const metadata = (changes: Readonly<Record<string, unknown>> = {}) => ({
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    device_authorization_endpoint: issuer + paths.device,
    registration_endpoint: issuer + paths.register,
    revocation_endpoint: issuer + paths.revoke,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    authorization_response_iss_parameter_supported: true,
    ...options.metadata,
    ...changes
  })

  const tokens = (changes: Readonly<Record<string, unknown>> = {}) => {
    issued++
    return {
      access_token: `canary-at-${issued}`,
      token_type: "Bearer",
      expires_in: options.expiresIn ?? 3600,
      refresh_token: `canary-rt-${issued}`,
      ...changes
    }
  }

  const redirect = (authorizationUrl: string, changes: Readonly<Record<string, string | undefined>> = {}) => {
    const { searchParams } = new URL(authorizationUrl)
    const back = new URL(searchParams.get("redirect_uri") ?? "")
    set(back.searchParams, {
      code: "canary-code",
      state: searchParams.get("state") ?? undefined,
      iss: issuer,
      ...changes
    })
    return back.href
  }

  const register = (request: Received): Reply => ({
    status: 201,
    body: {
      client_id: "registered-client",
      client_id_issued_at: 1,
      ...JSON.parse(request.body),
      registration_client_uri: `${issuer}${paths.register}/registered-client`,
      registration_access_token: "canary-registration"
    }
  })

  const site = await openScriptedSite(authority, [host], {
    [paths.metadata]: () => ({ body: metadata() }),
    [paths.authorize]: ({ query }) => ({
      status: 302,
      headers: { location: redirect(`${issuer}${paths.authorize}?${query.toString()}`) }
    }),
    [paths.token]: () => ({ body: tokens(), headers: { "cache-control": "no-store" } }),
    [paths.device]: {
      body: {
        device_code: "canary-device-code",
        user_code: "WDJB-MJHT",
        verification_uri: `${issuer}/activate`,
        expires_in: 600
      }
    },
    [paths.register]: register,
    [`${paths.register}/registered-client`]: { status: 204 },
    [paths.revoke]: { status: 200 },
    [paths.push]: { status: 201, body: { request_uri: "urn:ietf:params:oauth:request_uri:canary", expires_in: 60 } },
    ...options.script
  })
  return { ...site, authority, issuer, metadata, tokens, redirect }
}
