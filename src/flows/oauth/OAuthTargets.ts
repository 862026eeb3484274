/** Determines the endpoints of a login, from the definition or from the provider's metadata. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { definedEndpoints, definedServer, reachOf } from "../../connections/oauth/OAuthEndpoints.ts"
import { expandBaseUrl } from "../../domain/definition/ProviderHosts.ts"
import { EndpointUnreachableError } from "../../domain/Errors.ts"
import { type AuthorizationServer, isSameIssuer, mayTrustIssuer } from "../../oauth/AuthorizationServer.ts"
import { discover, discoverAtOrigin } from "../../oauth/Discovery.ts"
import { type OAuthError, unsafeError } from "../../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import { discoverResource } from "../../oauth/ProtectedResource.ts"
import type { OAuthLogin } from "../Flow.ts"
import { failureOf, stoppedLogin } from "../ProviderFailure.ts"
import type { OAuthTarget } from "./OAuthState.ts"

/** The time limit for all metadata documents together, because a client is waiting. */
const discoveryTime = "30 seconds"

/** How many authorization servers of a resource are tried, one after the other, until one has metadata. */
const maxServers = 3

export type Destination = Pick<OAuthLogin, "baseUrl" | "definition" | "noResource" | "scopes" | "trustIssuer">

const isAt = (origin: string, endpoint: string | undefined): endpoint is string =>
  endpoint !== undefined && new URL(endpoint).origin === origin

const isDiscoverable = ({ definition: { oauth } }: Destination): boolean =>
  oauth.issuer !== undefined || oauth.resource !== undefined

/** Adds the other issuer name that the user accepts. */
const withTrustedIssuer = (server: AuthorizationServer, trustedIssuer: string | undefined): AuthorizationServer =>
  mayTrustIssuer(server) ? { ...server, trustedIssuer } : server

/** The scope for refresh tokens. Servers that list it issue a refresh token only if it is requested. */
export const offlineScope = "offline_access"

/**
 * Adds `offline_access` to known scopes. If none are known, `offline_access` would replace the server's default scopes, so
 * nothing is added.
 */
const withOfflineAccess = (
  scopes: ReadonlyArray<string>,
  { scopesSupported = [] }: AuthorizationServer
): ReadonlyArray<string> =>
  scopes.length > 0 && scopesSupported.includes(offlineScope) && !scopes.includes(offlineScope)
    ? [...scopes, offlineScope]
    : scopes

const loginWith = {
  authorizationEndpoint: "in the browser",
  deviceAuthorizationEndpoint: "with a device code",
  tokenEndpoint: "with a refresh token"
}

type NeededEndpoint = keyof typeof loginWith

const make = Effect.gen(function*() {
  const http = yield* OAuthHttp

  const asking = <A>(login: Destination, address: string, effect: Effect.Effect<A, OAuthError, OAuthHttp>) =>
    Effect.mapError(
      Effect.provideService(effect, OAuthHttp, http),
      (error) => failureOf(login.definition, address, error)
    )

  const merged = (login: Destination, server: AuthorizationServer): AuthorizationServer => {
    const { issuer: _, ...own } = definedEndpoints(login.definition, login.baseUrl)
    if (own.tokenEndpoint === undefined) return { ...server, ...own }
    // If the definition states the endpoint that receives the client secret, other endpoints must have its origin.
    const { origin } = new URL(own.tokenEndpoint)
    const { deviceAuthorizationEndpoint, pushedAuthorizationRequestEndpoint, revocationEndpoint, ...rest } = server
    return {
      ...rest,
      ...(isAt(origin, deviceAuthorizationEndpoint) ? { deviceAuthorizationEndpoint } : {}),
      ...(isAt(origin, pushedAuthorizationRequestEndpoint) ? { pushedAuthorizationRequestEndpoint } : {}),
      ...(isAt(origin, revocationEndpoint) ? { revocationEndpoint } : {}),
      ...own
    }
  }

  const discovered = Effect.fn("OAuthTargets.discover")(function*(login: Destination) {
    const { definition: { oauth }, trustIssuer } = login
    const reach = reachOf(login.definition)
    const at = (url: string | undefined) => url === undefined ? undefined : expandBaseUrl(url, login.baseUrl)
    const address = at(oauth.resource)
    const stated = at(oauth.issuer)
    const resource = address === undefined
      ? undefined
      : yield* asking(login, address, discoverResource(address, reach, { anyResource: login.noResource }))
    const search = { tried: resource?.tried ?? [], trusted: trustIssuer }
    const servers = resource?.authorizationServers ?? []
    const accepted = [stated, trustIssuer].filter((issuer) => issuer !== undefined)
    if (
      stated !== undefined && servers.length > 0 &&
      !servers.some((server) => accepted.some((issuer) => isSameIssuer(server, issuer)))
    ) {
      const named = servers.slice(0, 3).join(", ")
      const detail = `the resource names ${named} instead of the authorization server of the definition, ${stated}`
      return yield* failureOf(login.definition, stated, unsafeError(detail, servers[0]))
    }
    const within = resource?.reach ?? reach
    const { origin, pathname } = address === undefined ? { origin: "", pathname: "" } : new URL(address)
    const place = servers.length === 0 ? `${origin}${pathname}` : origin
    const serverAt = (issuer: string) =>
      isSameIssuer(issuer, origin)
        ? asking(
          login,
          origin,
          discoverAtOrigin(place, within, { ...search, hasDefaults: resource?.isLegacy ?? false })
        )
        : asking(login, issuer, discover(issuer, within, { ...search, follows: true }))
    const [first = origin, ...others] = servers.slice(0, maxServers)
    const server = yield* stated === undefined
      // The error reports the failure of the first server.
      ? others.reduce(
        (found, issuer) => Effect.catch(found, (error) => Effect.mapError(serverAt(issuer), () => error)),
        serverAt(first)
      )
      : asking(login, stated, discover(stated, reach, search))
    const target: OAuthTarget = {
      server: withTrustedIssuer(merged(login, server), trustIssuer),
      discovered: true,
      resource: login.noResource === true ? null : resource?.resource ?? null,
      scopes: login.scopes.length > 0
        ? login.scopes
        : withOfflineAccess(resource?.scopesChallenged ?? resource?.scopesSupported ?? [], server)
    }
    return target
  }, (effect, { baseUrl, definition: { displayName, oauth } }) =>
    Effect.timeoutOrElse(effect, {
      duration: discoveryTime,
      orElse: () =>
        new EndpointUnreachableError({
          endpoint: expandBaseUrl(oauth.resource ?? oauth.issuer ?? "", baseUrl) ?? "",
          detail:
            `Discovering the login endpoints of ${displayName} took longer than ${discoveryTime}. Try again later.`
        })
    }))

  const stated = Effect.fnUntraced(function*(login: Destination) {
    const { baseUrl, definition, noResource, scopes, trustIssuer } = login
    const server = definedServer(definition, baseUrl)
    if (server === undefined) {
      return yield* failureOf(definition, "", unsafeError("the definition does not state its endpoints"))
    }
    const resource = noResource === true ? null : expandBaseUrl(definition.oauth.resource ?? "", baseUrl) || null
    const target: OAuthTarget = { server: withTrustedIssuer(server, trustIssuer), discovered: false, resource, scopes }
    return target
  })

  /** Finds the endpoints. Discovers them only if the definition omits one that the login needs. */
  const find = Effect.fn("OAuthTargets.find")(function*(login: Destination, needed: NeededEndpoint) {
    const { definition } = login
    if (definedServer(definition, login.baseUrl)?.[needed] !== undefined || !isDiscoverable(login)) {
      return yield* stated(login)
    }
    const target = yield* discovered(login)
    return target.server[needed] !== undefined
      ? target
      : yield* stoppedLogin(definition, `${definition.displayName} does not support a login ${loginWith[needed]}.`)
  })

  return {
    find,

    /** Discovers the endpoints. Endpoints that the definition states take precedence. */
    discover: (login: Destination) => isDiscoverable(login) ? discovered(login) : stated(login)
  }
})

export class OAuthTargets
  extends Context.Service<OAuthTargets, Effect.Success<typeof make>>()("credsvc/flows/OAuthTargets")
{
  static readonly layerNoDeps = Layer.effect(OAuthTargets, make)
}
