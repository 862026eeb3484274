/** Discovers the authorization servers of a protected resource (RFC 9728), as MCP clients do. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { safeUrl } from "./Endpoint.ts"
import { names } from "./Members.ts"
import * as Messages from "./Messages.ts"
import * as Metadata from "./Metadata.ts"
import { type OAuthUnavailable, type OAuthUnsafe, unsafe } from "./OAuthErrors.ts"
import type { OAuthHttp, Reach } from "./OAuthHttp.ts"
import { isScope } from "./ServerText.ts"
import * as WwwAuthenticate from "./WwwAuthenticate.ts"

export interface ProtectedResource {
  /** The `resource` parameter (RFC 8707), spelled exactly as in the metadata. */
  readonly resource: string
  /** Empty if the resource has no metadata: then use `discoverAtOrigin`. */
  readonly authorizationServers: ReadonlyArray<string>
  readonly scopesSupported?: ReadonlyArray<string>
  /** The scopes in the challenge of the resource, which take precedence over `scopesSupported`. */
  readonly scopesChallenged?: ReadonlyArray<string>
  readonly reach: Reach
}

/** A request that requires a token and changes nothing. */
const probe = Redacted.make(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }))

const noChallenge = { challenge: undefined, reach: undefined }

/** A timeout or a malformed response counts as no challenge. */
const challengeOf = (url: string, reach: Reach) =>
  Messages.send(reach, {
    method: "POST",
    url,
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: probe
  }).pipe(
    Effect.map((response) => ({
      challenge: response.status === 401
        ? WwwAuthenticate.parse(response.headers["www-authenticate"] ?? "").find(({ scheme }) => scheme === "bearer")
        : undefined,
      reach: Metadata.reachFrom(reach, response)
    })),
    Effect.catchTag("OAuthUnavailable", (error) =>
      error.reason === "timeout" || error.reason === "malformed" ? Effect.succeed(noChallenge) : Effect.fail(error))
  )

const isParent = (parent: string, path: string): boolean => {
  const base = parent.replace(/\/$/, "")
  return path === base || path.startsWith(`${base}/`)
}

/** Same origin, and the same path or a parent of it: otherwise a server could obtain a token for another resource. */
const speaksFor = (resource: unknown, server: URL, reach: Reach): resource is string => {
  const url = safeUrl(resource, reach)
  return url !== undefined && url.origin === server.origin && isParent(url.pathname, server.pathname) &&
    (url.search === "" || url.search === server.search)
}

const described = (server: URL, scopesChallenged: ReadonlyArray<string> | undefined) => (document: Metadata.Document) =>
  Effect.gen(function*() {
    const { body, reach, url } = document
    const { resource } = body
    if (!speaksFor(resource, server, { allowLoopback: true, publicOnly: false })) {
      return yield* unsafe(
        `the metadata at ${new URL(url).host} describes a resource other than ${server.host}${server.pathname}`
      )
    }
    const authorizationServers = names(body["authorization_servers"])?.filter((issuer) =>
      safeUrl(issuer, reach) !== undefined
    ) ?? []
    if (authorizationServers.length === 0) {
      return yield* unsafe(`the metadata of ${server.host} names no usable authorization server`)
    }
    const scopesSupported = names(body["scopes_supported"])
    return {
      resource,
      authorizationServers,
      ...(scopesSupported === undefined ? {} : { scopesSupported }),
      ...(scopesChallenged === undefined ? {} : { scopesChallenged }),
      reach
    } as ProtectedResource
  })

/**
 * Tries the URL in the challenge, then the well-known URLs of path and root. Metadata of another resource ends the
 * search.
 */
export const discoverResource = (
  resourceUrl: string,
  reach: Reach
): Effect.Effect<ProtectedResource, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.gen(function*() {
    const server = safeUrl(resourceUrl, reach)
    if (server === undefined) return yield* unsafe("the resource is not an allowed https URL")
    const challenged = yield* challengeOf(server.href, reach)
    const scope = challenged.challenge?.parameters.get("scope")
    const scopesChallenged = scope?.split(" ").filter(isScope)
    const wanted = described(server, scopesChallenged)
    const pointer = challenged.challenge?.parameters.get("resource_metadata")
    if (pointer !== undefined) {
      const named = challenged.reach ?? reach
      // Behind a TLS proxy the address may have the scheme http. The well-known addresses are the server's own.
      const address = safeUrl(pointer, named)
      const found = yield* Metadata.first(address === undefined ? [] : [address.href], named, [], wanted)
      if (found !== undefined) return found
    }
    const name = "oauth-protected-resource"
    const places = [Metadata.inserted(server, name), Metadata.inserted(new URL(server.origin), name)]
    const found = yield* Metadata.first([...new Set(places)], reach, [], wanted)
    return found ?? {
      resource: resourceUrl,
      authorizationServers: [],
      ...(scopesChallenged === undefined ? {} : { scopesChallenged }),
      reach: challenged.reach ?? reach
    }
  })
