/** What a provider definition says about OAuth, in the terms of the `oauth` room. */
import { type OAuthProvider, type RequestFormat } from "../domain/Provider.ts"
import { expandBaseUrl } from "../domain/Route.ts"
import { builtins } from "../platform/builtins.ts"

/** Where requests of this definition may go. Addresses it names itself may be private ones that the settings allow. */
export const reachOf = ({ allowInsecureLoopback }: OAuthProvider) => ({
  allowLoopback: allowInsecureLoopback === true,
  publicOnly: false
})

const expanded = (definition: OAuthProvider, baseUrl: string | null) => {
  const { oauth } = definition
  const at = (url: string | undefined) => url === undefined ? undefined : expandBaseUrl(url, baseUrl)
  return {
    issuer: at(oauth.issuer),
    authorizationEndpoint: at(oauth.authorizationUrl),
    tokenEndpoint: at(oauth.tokenUrl),
    deviceAuthorizationEndpoint: at(oauth.deviceAuthorizationUrl),
    deviceTokenEndpoint: at(oauth.deviceTokenUrl),
    revocationEndpoint: at(oauth.revocationUrl),
    registrationEndpoint: at(oauth.registrationUrl)
  }
}

const present = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }

/**
 * The endpoints that the definition states itself; they stand before discovered ones. Without an issuer of its own the
 * origin of the token endpoint names the server, undefined when discovery has to tell.
 */
export const definedEndpoints = (definition: OAuthProvider, baseUrl: string | null) => {
  const endpoints = expanded(definition, baseUrl)
  const { tokenEndpoint } = endpoints
  const issuer = endpoints.issuer ?? (tokenEndpoint === undefined ? undefined : new URL(tokenEndpoint).origin)
  return present({ ...endpoints, issuer })
}

/** The server as the definition describes it in full; undefined when something is left to discovery. */
export const definedServer = (definition: OAuthProvider, baseUrl: string | null) => {
  const { issuer, tokenEndpoint, ...endpoints } = definedEndpoints(definition, baseUrl)
  if (issuer === undefined || tokenEndpoint === undefined) return undefined
  return {
    issuer,
    issuerKnown: definition.oauth.issuer !== undefined,
    tokenEndpoint,
    ...endpoints,
    requirePushedAuthorizationRequests: false,
    issParameterSupported: false,
    clientIdMetadataDocumentSupported: false,
    reach: reachOf(definition)
  }
}

/** The server as refreshes see it: with an endpoint of their own where the definition names one. */
export const refreshServer = (definition: OAuthProvider, baseUrl: string | null) => {
  const server = definedServer(definition, baseUrl)
  const { refreshUrl } = definition.oauth
  const endpoint = refreshUrl === undefined ? undefined : expandBaseUrl(refreshUrl, baseUrl)
  return server === undefined || endpoint === undefined ? server : { ...server, tokenEndpoint: endpoint }
}

/** How this provider wants its token requests, and where its answers keep things. */
export const tokenRequestStyle = ({ oauth }: OAuthProvider, format: RequestFormat = oauth.tokenRequestFormat) => ({
  format,
  params: oauth.tokenParams,
  pointers: oauth.tokenResponse,
  scopeSeparator: oauth.scopeSeparator
})

/**
 * SHA-256 in hexadecimal over everything that decides where a client secret goes. Hosts of the API are no part of it: a
 * release may add one without every person being asked for the client again.
 */
export const clientFingerprint = (definition: OAuthProvider, baseUrl: string | null): string => {
  const endpoints = definedEndpoints(definition, baseUrl)
  const text = JSON.stringify([
    "credsvc/client-binding/v1",
    definition.name,
    ...[
      endpoints.issuer,
      endpoints.tokenEndpoint,
      endpoints.deviceAuthorizationEndpoint,
      endpoints.deviceTokenEndpoint,
      endpoints.revocationEndpoint,
      endpoints.registrationEndpoint,
      definition.oauth.resource,
      definition.oauth.refreshUrl
    ].map((endpoint) => endpoint ?? null)
  ])
  return builtins.crypto.createHash("sha256").update(text).digest("hex")
}
