/** Translates the OAuth section of a provider definition into the terms of the `oauth` room. */
import type { OAuthProvider, RequestFormat } from "../../domain/definition/Provider.ts"
import { expandBaseUrl, regionAt } from "../../domain/definition/ProviderHosts.ts"
import { withoutExtensions } from "../../oauth/AuthorizationServer.ts"
import { sha256 } from "../../platform/Digest.ts"

/** The allowed addresses of hosts that the definition itself names. They may be private if the settings allow it. */
export const reachOf = ({ allowInsecureLoopback }: OAuthProvider) => ({
  allowLoopback: allowInsecureLoopback === true,
  publicOnly: false
})

/** Returns the fields that have a value, so that spreading them overrides nothing with `undefined`. */
const present = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }

/**
 * The endpoints that the definition states, which take precedence over discovered ones. Without an issuer, the origin
 * of the token endpoint identifies the server.
 */
export const definedEndpoints = (definition: OAuthProvider, baseUrl: string | null) => {
  const { oauth } = definition
  const region = regionAt(definition, baseUrl)
  const at = (url: string | undefined) => url === undefined ? undefined : expandBaseUrl(url, baseUrl)
  const tokenEndpoint = at(oauth.tokenUrl)
  return present({
    issuer: at(oauth.issuer) ?? (tokenEndpoint === undefined ? undefined : new URL(tokenEndpoint).origin),
    authorizationEndpoint: at(region?.authorizationUrl ?? oauth.authorizationUrl),
    tokenEndpoint,
    deviceAuthorizationEndpoint: at(oauth.deviceAuthorizationUrl),
    deviceTokenEndpoint: at(oauth.deviceTokenUrl),
    revocationEndpoint: at(region?.revocationUrl ?? oauth.revocationUrl),
    registrationEndpoint: at(oauth.registrationUrl)
  })
}

/** The server that the definition states, or undefined if an endpoint is missing, so that discovery is needed. */
export const definedServer = (definition: OAuthProvider, baseUrl: string | null) => {
  const { issuer, tokenEndpoint, ...endpoints } = definedEndpoints(definition, baseUrl)
  if (issuer === undefined || tokenEndpoint === undefined) return undefined
  return {
    issuer,
    issuerKnown: definition.oauth.issuer !== undefined,
    tokenEndpoint,
    ...endpoints,
    ...withoutExtensions,
    reach: reachOf(definition)
  }
}

export const refreshServer = (definition: OAuthProvider, baseUrl: string | null) => {
  const server = definedServer(definition, baseUrl)
  const { refreshUrl } = definition.oauth
  const endpoint = refreshUrl === undefined ? undefined : expandBaseUrl(refreshUrl, baseUrl)
  return server === undefined || endpoint === undefined ? server : { ...server, tokenEndpoint: endpoint }
}

export const tokenRequestStyle = ({ oauth }: OAuthProvider, format: RequestFormat = oauth.tokenRequestFormat) => ({
  format,
  params: oauth.tokenParams,
  pointers: oauth.tokenResponse,
  scopeSeparator: oauth.scopeSeparator,
  names: oauth.tokenParamNames,
  userAgent: oauth.userAgent,
  revocationAuthentication: oauth.revocationClientAuthentication,
  revocationNames: oauth.revocationParamNames
})

export const refreshRequestStyle = (definition: OAuthProvider) => ({
  ...tokenRequestStyle(definition),
  params: definition.oauth.refreshParams ?? definition.oauth.tokenParams
})

/**
 * SHA-256 in hexadecimal of everything that determines where a client secret is sent. Excludes API hosts, so that a
 * release can add one without prompting every user for the client credentials again.
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
  return sha256(text)
}
