/** Discovers an authorization server by its issuer (RFC 8414, OpenID Connect Discovery 1.0). */
import * as Effect from "effect/Effect"
import { type AuthorizationServer, isSameIssuer, withoutExtensions } from "./AuthorizationServer.ts"
import * as Metadata from "./Metadata.ts"
import { lackingError, type OAuthUnavailable, type OAuthUnsafe, unsafeError } from "./OAuthErrors.ts"
import type { OAuthHttp, Reach } from "./OAuthHttp.ts"
import { asHttps, member, nameList, plainText, safeUrl } from "./ServerValues.ts"

/** Reads the metadata. A single unusable endpoint makes the whole document untrustworthy. */
const serverOf = (
  issuer: string,
  { body, reach }: Metadata.Document
): Effect.Effect<AuthorizationServer, OAuthUnsafe> =>
  Effect.gen(function*() {
    const endpoint = (name: string) =>
      Metadata.optionalEndpoint(asHttps(body[`${name}_endpoint`]), `${name.replaceAll("_", " ")} endpoint`, reach)
    return {
      issuer,
      issuerKnown: true,
      authorizationEndpoint: yield* endpoint("authorization"),
      tokenEndpoint: yield* endpoint("token"),
      deviceAuthorizationEndpoint: yield* endpoint("device_authorization"),
      revocationEndpoint: yield* endpoint("revocation"),
      registrationEndpoint: yield* endpoint("registration"),
      pushedAuthorizationRequestEndpoint: yield* endpoint("pushed_authorization_request"),
      requirePushedAuthorizationRequests: body["require_pushed_authorization_requests"] === true,
      issParameterSupported: body["authorization_response_iss_parameter_supported"] === true,
      codeChallengeMethods: nameList(body["code_challenge_methods_supported"]),
      tokenEndpointAuthMethods: nameList(body["token_endpoint_auth_methods_supported"]),
      grantTypes: nameList(body["grant_types_supported"]),
      scopesSupported: nameList(body["scopes_supported"]),
      clientIdMetadataDocumentSupported: body["client_id_metadata_document_supported"] === true,
      reach
    }
  })

/**
 * Lists the metadata URLs in the order of the MCP authorization specification of 2026-07-28, followed by the URLs that
 * some servers with a path use instead.
 */
const addressesOf = (issuer: URL): ReadonlyArray<string> => {
  const [oauth, openid] = ["oauth-authorization-server", "openid-configuration"] as const
  const base = new URL(issuer.href.replace(/\/$/, ""))
  const inserted = [Metadata.wellKnownUrl(base, oauth), Metadata.wellKnownUrl(base, openid)]
  return base.pathname === "/"
    ? inserted
    : [
      ...inserted,
      `${base.href}/.well-known/${openid}`,
      `${base.href}/.well-known/${oauth}`,
      `${base.origin}/.well-known/${oauth}`
    ]
}

const parseIssuer = (issuer: string, reach: Reach): Effect.Effect<URL, OAuthUnsafe> => {
  const url = safeUrl(issuer, reach)
  return url === undefined || url.search !== ""
    ? Effect.fail(unsafeError("the issuer of the authorization server is not an allowed https URL"))
    : Effect.succeed(url)
}

interface Search {
  /** Another issuer name that the user accepts. */
  readonly trusted?: string | undefined
  /** The URLs that were tried before, with the reasons, for the error. */
  readonly tried?: ReadonlyArray<string>
  /** Whether a document may point to another issuer, whose own document then describes the server. */
  readonly follows?: boolean
}

/**
 * Discovers a server by its issuer, which the document must name, so that no server can speak for another (RFC 8414 section 3.3). The
 * resulting issuer is spelled as in the document, because the server uses that spelling elsewhere, too.
 */
export const discover = (
  issuer: string,
  reach: Reach,
  { follows = false, tried: before = [], trusted }: Search = {}
): Effect.Effect<AuthorizationServer, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.gen(function*() {
    const url = yield* parseIssuer(issuer, reach)
    const addresses = addressesOf(url)
    const { declined: [another], found, reach: within, tried } = yield* Metadata.firstDocument(
      addresses,
      reach,
      (document) => {
        const named = asHttps(document.body["issuer"])
        if (isSameIssuer(named, issuer)) return serverOf(named, document)
        // Atlassian names the origin as the issuer of each path. Only the owner of the origin controls the first two addresses.
        const isOfOrigin = addresses.indexOf(document.url) < 2 && isSameIssuer(named, url.origin)
        return isOfOrigin || (trusted !== undefined && isSameIssuer(named, trusted))
          ? serverOf(issuer, document)
          : Effect.undefined
      }
    )
    if (found !== undefined) return found
    const all = [...before, ...tried]
    if (another === undefined) return yield* unsafeError(noMetadata(url, all))
    const other = plainText(asHttps(another.body["issuer"])) ?? "none"
    if (follows && safeUrl(other, within) !== undefined) {
      return yield* discoverNamedIssuer({ place: url, asked: issuer, issuer: other }, within, { tried: all, trusted })
    }
    return yield* unsafeError(
      `the metadata at ${url.host} names an issuer other than the requested one: "${other}" instead of "${issuer}"`,
      other
    )
  })

const noMetadata = ({ host }: URL, tried: ReadonlyArray<string>): string =>
  `${host} publishes no authorization server metadata; tried ${tried.join(", ")}`

interface OriginSearch extends Pick<Search, "tried" | "trusted"> {
  /** Whether the server requires a token, and may have the default endpoints of the MCP specification of 2025-03-26. */
  readonly hasDefaults?: boolean
}

/** Reads a document at the origin of a resource, or that of another issuer which the document names. */
const serverAtOrigin = (url: URL, { tried: before = [], trusted }: OriginSearch) =>
(
  document: Metadata.Document,
  tried: ReadonlyArray<string>
): Effect.Effect<AuthorizationServer | undefined, OAuthUnavailable | OAuthUnsafe, OAuthHttp> => {
  const stated = member(document.body, "issuer")
  const issuer = typeof stated === "string" ? asHttps(stated) : undefined
  const named = safeUrl(issuer, document.reach)
  if (issuer !== undefined && named?.origin === url.origin) return serverOf(issuer, document)
  if (trusted !== undefined && isSameIssuer(issuer, trusted)) return serverOf(url.origin, document)
  if (issuer !== undefined && named !== undefined) {
    const search = { tried: [...before, ...tried], trusted }
    return discoverNamedIssuer({ place: url, asked: url.origin, issuer }, document.reach, search)
  }
  return stated === undefined && member(document.body, "authorization_endpoint") === undefined
    ? Effect.undefined
    : Effect.fail(unsafeError(
      `the issuer "${plainText(issuer) ?? ""}" in the metadata at ${url.host} is not an allowed https URL`
    ))
}

/**
 * Discovers the server of a resource at the resource's origin, if the resource names no server or names that origin. A document there
 * may name an issuer at another origin, whose document must name that issuer, too. The address may have the path of a resource,
 * because some servers have a document for each path.
 */
export const discoverAtOrigin = (
  address: string,
  reach: Reach,
  { hasDefaults = false, tried: before = [], trusted }: OriginSearch = {}
): Effect.Effect<AuthorizationServer, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.gen(function*() {
    const url = yield* parseIssuer(address, reach)
    const { found, reach: within, tried } = yield* Metadata.firstDocument(
      [...new Set([...addressesOf(url).slice(0, 2), ...addressesOf(new URL(url.origin))])],
      reach,
      serverAtOrigin(url, { tried: before, trusted })
    )
    if (found !== undefined) return found
    const all = [...before, ...tried]
    if (trusted !== undefined) return yield* discover(trusted, reach, { tried: all })
    if (!hasDefaults) return yield* lackingError("issuer", noMetadata(url, all))
    return {
      issuer: url.origin,
      issuerKnown: true,
      authorizationEndpoint: `${url.origin}/authorize`,
      tokenEndpoint: `${url.origin}/token`,
      registrationEndpoint: `${url.origin}/register`,
      ...withoutExtensions,
      codeChallengeMethods: ["S256"],
      reach: within
    }
  })

/** Discovers an issuer that a document names. Some such issuers have no document, so the error says that the user may accept the issuer. */
const discoverNamedIssuer = (
  { asked, issuer, place }: { readonly place: URL; readonly asked: string; readonly issuer: string },
  reach: Reach,
  search: Search
) =>
  Effect.mapError(discover(issuer, reach, search), (error) => {
    const names = `the metadata at ${place.host} names the issuer "${plainText(issuer)}" instead of "${asked}"`
    const other = error._tag === "OAuthUnsafe" ? error.otherIssuer : undefined
    return unsafeError(`${names}, and ${error.detail}`, other ?? issuer)
  })
