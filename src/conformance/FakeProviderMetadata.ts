/** The metadata documents of a fake provider's authorization server and API (RFC 8414, RFC 9728). */
import { json, type ProviderResponse } from "./ProviderMessage.ts"

export interface ProviderEndpoints {
  readonly authorization: string
  readonly token: string
  readonly refresh: string
  readonly revocation: string | undefined
  readonly registration: string | undefined
  readonly device: string | undefined
  readonly devicePoll: string
}

/** Inserts the well-known segment into a URL (RFC 8414 section 3.1). */
const inserted = (name: string, of: string): string => {
  const { origin, pathname } = new URL(of)
  return `${origin}/.well-known/${name}${pathname === "/" ? "" : pathname.replace(/\/$/, "")}`
}

export const metadataAt = (
  url: URL,
  issuer: string,
  endpoints: ProviderEndpoints,
  resource: string | undefined
): ProviderResponse | undefined => {
  if (resource !== undefined && url.href === inserted("oauth-protected-resource", resource)) {
    return json(200, { resource, authorization_servers: [issuer] })
  }
  if (url.href !== inserted("oauth-authorization-server", issuer)) return undefined
  const { authorization, device, registration, revocation, token } = endpoints
  return json(200, {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(revocation === undefined ? {} : { revocation_endpoint: revocation }),
    ...(registration === undefined ? {} : { registration_endpoint: registration }),
    ...(device === undefined ? {} : { device_authorization_endpoint: device }),
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_post", "client_secret_basic"]
  })
}
