/** Discovers the authorization servers of a protected resource (RFC 9728), as MCP clients do. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Messages from "./Messages.ts"
import * as Metadata from "./Metadata.ts"
import { lackingError, type OAuthUnavailable, type OAuthUnsafe, unsafeError } from "./OAuthErrors.ts"
import type { OAuthHttp, OAuthResponse, Reach } from "./OAuthHttp.ts"
import { asHttps, isScope, member, nameList, plainText, safeUrl } from "./ServerValues.ts"
import * as WwwAuthenticate from "./WwwAuthenticate.ts"

export interface ProtectedResource {
  /** The value of the `resource` parameter (RFC 8707), spelled exactly as in the metadata. */
  readonly resource: string
  /** The authorization servers that the resource names. If the list is empty, use `discoverAtOrigin`. */
  readonly authorizationServers: ReadonlyArray<string>
  /** Whether the resource requires a token but has no metadata, as in the 2025-03-26 revision of the MCP specification. */
  readonly isLegacy: boolean
  readonly scopesSupported?: ReadonlyArray<string> | undefined
  /** The scopes in the challenge of the resource. They take precedence over `scopesSupported`. */
  readonly scopesChallenged: ReadonlyArray<string> | undefined
  readonly reach: Reach
  /** The URLs without a usable document, with the reasons. */
  readonly tried: ReadonlyArray<string>
}

/** A request that requires a token and changes nothing. */
const PROBE_BODY = Redacted.make(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }))

/** The same URL with a slash at the end, if the response redirects there. Some servers do so before they require a token. */
const withTrailingSlash = (server: URL, { headers: { location = "" }, status }: OAuthResponse): URL | undefined => {
  if (status < 300 || status >= 400 || server.pathname.endsWith("/") || !URL.canParse(location, server.href)) {
    return undefined
  }
  const next = new URL(server)
  next.pathname += "/"
  return new URL(location, server).pathname === next.pathname ? next : undefined
}

/** The URL of the metadata in a challenge (RFC 9728 section 5.1), if any, also under a name that only some servers use. */
const pointerOf = ({ parameters }: WwwAuthenticate.Challenge): string | undefined =>
  parameters.get("resource_metadata") ?? parameters.get("resource_metadata_uri")

interface Challenged {
  /** The URL that responded with the challenge. */
  readonly place: URL
  readonly challenge: WwwAuthenticate.Challenge | undefined
  readonly demandsToken: boolean
  readonly reach: Reach
}

/** Requests the challenge: preferably one that points to metadata. A timeout or a malformed response counts as a demand for a token. */
const challengeOf = (
  place: URL,
  reach: Reach
): Effect.Effect<Challenged, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Messages.send(reach, {
    method: "POST",
    url: place.href,
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: PROBE_BODY
  }).pipe(
    Effect.flatMap((response) => {
      const named = Metadata.reachFrom(reach, response)
      const next = withTrailingSlash(place, response)
      if (next !== undefined) return challengeOf(next, named)
      const challenges = response.status < 400 ? [] : WwwAuthenticate.parse(response.headers["www-authenticate"] ?? "")
        .filter(({ scheme }) => scheme === "bearer")
      return Effect.succeed({
        place,
        challenge: challenges.find((one) => pointerOf(one) !== undefined) ?? challenges[0],
        demandsToken: response.status === 401 || response.status === 403,
        reach: named
      })
    }),
    Effect.catchTag("OAuthUnavailable", (error) =>
      error.reason === "timeout" || error.reason === "malformed"
        ? Effect.succeed({ place, challenge: undefined, demandsToken: true, reach })
        : Effect.fail(error))
  )

const isParent = (parent: string, path: string): boolean => {
  const base = parent.replace(/\/$/, "")
  return path === base || path.startsWith(`${base}/`)
}

/** Whether the resource has the URL of the server or of a parent path. Otherwise a server could obtain a token for another resource. */
const speaksFor = (resource: unknown, server: URL, reach: Reach): resource is string => {
  const url = safeUrl(asHttps(resource), reach)
  return url !== undefined && url.origin === server.origin && isParent(url.pathname, server.pathname) &&
    (url.search === "" || url.search === server.search)
}

const textOf = (value: unknown): string => plainText(value) ?? "none"

interface ResourceSearch {
  /** Accepts metadata of another resource, for a login without a resource indicator. */
  readonly anyResource?: boolean | undefined
}

const resourceIn = (
  server: URL,
  scopesChallenged: ReadonlyArray<string> | undefined,
  { anyResource = false }: ResourceSearch
) =>
({ body, reach, url }: Metadata.Document): Effect.Effect<Omit<ProtectedResource, "tried"> | undefined, OAuthUnsafe> => {
  const servers = [member(body, "authorization_servers") ?? []].flat().map(asHttps)
  const stated = member(body, "resource")
  if (stated === undefined && servers.length === 0) return Effect.undefined
  // A document at the origin of the server can describe only a resource that the server itself names.
  const resource = stated ?? (new URL(url).origin === server.origin ? server.href : undefined)
  if (!speaksFor(resource, server, { allowLoopback: true, publicOnly: false }) && !anyResource) {
    return Effect.fail(lackingError(
      "resource",
      `the metadata at ${new URL(url).host} describes the resource "${textOf(resource)}" instead of "${server.href}"`
    ))
  }
  const authorizationServers = nameList(servers)?.filter((issuer) => safeUrl(issuer, reach) !== undefined) ?? []
  if (servers.length > 0 && authorizationServers.length === 0) {
    const named = servers.slice(0, 3).map(textOf).join(", ")
    return Effect.fail(unsafeError(`the metadata of ${server.host} names no usable authorization server, but ${named}`))
  }
  return Effect.succeed({
    resource: typeof resource === "string" ? resource : server.href,
    authorizationServers,
    isLegacy: false,
    scopesSupported: nameList(body["scopes_supported"]),
    scopesChallenged,
    reach
  })
}

/**
 * Tries the URL in the challenge, then the well-known URLs of the path and of the root, and the one below the path.
 * Metadata of another resource ends the search.
 */
export const discoverResource = (
  resourceUrl: string,
  reach: Reach,
  { anyResource = false }: ResourceSearch = {}
): Effect.Effect<ProtectedResource, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.gen(function*() {
    const server = safeUrl(resourceUrl, reach)
    if (server === undefined) return yield* unsafeError("the resource is not an allowed https URL")
    const { challenge, demandsToken, place, reach: named } = yield* challengeOf(server, reach)
    const scopes = challenge?.parameters.get("scope")?.split(" ").filter(isScope) ?? []
    const scopesChallenged = scopes.length === 0 ? undefined : scopes
    const pointer = challenge && pointerOf(challenge)
    const address = pointer === undefined ? undefined : safeUrl(asHttps(pointer), named)?.href
    const unused = pointer !== undefined && address === undefined ? `${textOf(pointer)} (not an allowed https URL)` : []
    const name = "oauth-protected-resource"
    const places = [
      ...(address === undefined ? [] : [address]),
      Metadata.wellKnownUrl(server, name),
      Metadata.wellKnownUrl(place, name),
      `${server.origin}/.well-known/${name}`,
      `${server.origin}${server.pathname.replace(/\/$/, "")}/.well-known/${name}${server.search}`
    ]
    const search = yield* Metadata.searchDocuments(
      [...new Set(places)],
      named,
      resourceIn(server, scopesChallenged, { anyResource })
    )
    const { failure } = search
    const tried = [unused, search.tried].flat()
    if (search.found !== undefined) return { ...search.found, tried }
    // Some servers respond with 500 to unknown URLs. The authorization server's own metadata decides.
    const isBroken = failure?._tag === "OAuthUnavailable" && failure.reason === "server_error"
    if (failure !== undefined && !isBroken) return yield* failure
    return {
      resource: resourceUrl,
      authorizationServers: [],
      isLegacy: demandsToken && !isBroken,
      scopesChallenged,
      reach: isBroken ? named : search.reach,
      tried
    }
  })
