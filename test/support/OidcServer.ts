/**
 * A certified authorization server (`oidc-provider`) over TLS, with an API that accepts its tokens.
 *
 * It is strict where real servers are lenient: refresh tokens rotate, reusing one ends its grant, and there is no grace
 * period for a lost response. Signing in needs no password, only a user who submits the forms (`user`).
 */
import type * as Http from "node:http"
import { type ClientMetadata, type Configuration, type KoaContextWithOIDC, Provider } from "oidc-provider"
import { builtins } from "../../src/platform/builtins.ts"
import { makeOidcStore } from "./OidcStore.ts"
import { openProtectedApi } from "./ProtectedApi.ts"
import { openSite } from "./TestSites.ts"
import { makeUserAgent } from "./UserAgent.ts"

/** A request that the server has processed, whether or not its response was delivered. */
export interface OidcRequest {
  /** `token`, `device_authorization`, `registration`, `client_delete`, `revocation`, `pushed_authorization_request`, … */
  readonly route: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly authorization: string | undefined
  readonly status: number
  /** The arrival time in milliseconds, on the clock of `performance.now`. */
  readonly at: number
}

/** What happens to the next requests: `drop_reply` processes one and closes the connection instead of responding. */
export type Intercept = (path: string) => "pass" | "drop_reply" | Promise<"pass" | "drop_reply">

export interface OidcServerOptions {
  readonly host?: string
  readonly apiHost?: string
  /** The lifetime in seconds. */
  readonly accessTokenLifetime?: number
  readonly rotate?: boolean
  /** The redirect URI of `hostedClient`, whose daemon is on a server. */
  readonly hostedRedirectUri?: string
}

export const SCOPES = ["openid", "offline_access", "read", "write"]

/** Loopback redirects of native clients match at every port (RFC 8252 section 7.3). */
const redirectUris = ["http://127.0.0.1/auth/callback/oauth", "http://localhost/auth/callback/oauth"]
const grantTypes = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]

export const confidentialClient = { client_id: "confidential-app", client_secret: "s3cret-of-the-confidential-app" }
export const publicClient = { client_id: "public-app" }
export const hostedClient = { client_id: "hosted-app" }

/** Clients without a user: one with a secret that needs percent-encoding, and one with a key. */
export const secretService = { client_id: "service:app", client_secret: "s3cret of the service/app+" }
export const keyService = { client_id: "key-service" }

const serviceKey = builtins.crypto.generateKeyPairSync("rsa", { modulusLength: 2048 })
/** The key in PEM. */
export const serviceKeyText = serviceKey.privateKey.export({ format: "pem", type: "pkcs8" }).toString()

const service = {
  application_type: "web",
  redirect_uris: [],
  response_types: [],
  grant_types: ["client_credentials"]
} satisfies Partial<ClientMetadata>

/** The definition of a provider `Acme` at the server with its default hosts. `oauth` extends or changes its section. */
export const applicationAt = (name: string, oauth: object = {}) => ({
  schema_version: 1,
  name,
  display_name: "Acme",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code"],
  api_url: "https://api.example.test",
  credentials_url: "https://acme.example/apps",
  oauth: { issuer: "https://as.example.test", scopes: ["openid", "offline_access", "read"], ...oauth }
})

const application = {
  application_type: "native",
  redirect_uris: redirectUris,
  grant_types: grantTypes,
  response_types: ["code"]
} satisfies Partial<ClientMetadata>

const page = (body: string): string => `<!DOCTYPE html><html lang="en"><title>Test server</title><body>${body}</body>`

const configuration = (options: OidcServerOptions): Configuration => ({
  adapter: makeOidcStore(),
  clients: [
    { ...application, ...confidentialClient, token_endpoint_auth_method: "client_secret_basic" },
    { ...application, ...publicClient, token_endpoint_auth_method: "none" },
    ...options.hostedRedirectUri === undefined ? [] : [{
      ...application,
      ...hostedClient,
      application_type: "web" as const,
      redirect_uris: [options.hostedRedirectUri],
      token_endpoint_auth_method: "none" as const
    }],
    { ...service, ...secretService, token_endpoint_auth_method: "client_secret_basic" },
    {
      ...service,
      ...keyService,
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [serviceKey.publicKey.export({ format: "jwk" }) as never] }
    }
  ],
  clientDefaults: { id_token_signed_response_alg: "ES256" },
  clockTolerance: 0,
  clientBasedCORS: () => false,
  cookies: { keys: [builtins.crypto.randomBytes(16).toString("hex")] },
  jwks: {
    keys: [
      builtins.crypto.generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }) as never
    ]
  },
  scopes: SCOPES,
  findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  rotateRefreshToken: options.rotate ?? true,
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  expiresWithSession: () => false,
  ttl: {
    AccessToken: options.accessTokenLifetime ?? 3600,
    AuthorizationCode: 60,
    DeviceCode: 600,
    Grant: 86_400,
    IdToken: 600,
    Interaction: 600,
    RefreshToken: 86_400,
    Session: 600
  },
  renderError: (ctx, out) => {
    ctx.type = "html"
    ctx.body = page(`<p>${out.error}: ${out.error_description ?? ""}</p>`)
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    rpInitiatedLogout: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId },
    registration: { enabled: true },
    registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
    pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_ctx, resource) => ({
        scope: "read write",
        audience: resource,
        accessTokenFormat: "opaque"
      })
    },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: (ctx, form) => void (ctx.body = page(form)),
      userCodeConfirmSource: (ctx, form) => void (ctx.body = page(form)),
      successSource: (ctx) => void (ctx.body = page("<p>The device is signed in.</p>"))
    }
  }
})

const ACCOUNT = "ada"

/**
 * Shows one form unless no interaction is necessary. Signs in and consents to everything when the form is submitted.
 */
const interact = async (
  provider: Provider,
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  asks: boolean
) => {
  const { grantId, params, uid } = await provider.interactionDetails(request, response)
  if (asks && request.method !== "POST") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
    response.end(page(
      `<form method="post" action="/interaction/${uid}"><input type="hidden" name="decision" value="allow">` +
        `<button type="submit">Allow ${String(params["client_id"]).replaceAll(/[^\w-]/g, "")}</button></form>`
    ))
    return
  }
  let form = ""
  for await (const chunk of request) form += String(chunk)
  if (new URLSearchParams(form).get("decision") === "deny") {
    await provider.interactionFinished(request, response, { error: "access_denied", error_description: "Ada said no" })
    return
  }
  const existing = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = existing ?? new provider.Grant({ accountId: ACCOUNT, clientId: String(params["client_id"]) })
  const scope = String(params["scope"] ?? "")
  grant.addOIDCScope(scope)
  for (const resource of [params["resource"] ?? []].flat()) grant.addResourceScope(String(resource), scope)
  await provider.interactionFinished(request, response, {
    login: { accountId: ACCOUNT },
    consent: { grantId: await grant.save() }
  })
}

const present = (params: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))

export type OidcServer = Awaited<ReturnType<typeof openOidcServer>>

export const openOidcServer = async (options: OidcServerOptions = {}) => {
  const host = options.host ?? "as.example.test"
  const issuer = `https://${host}`
  const provider = new Provider(issuer, configuration(options))

  const requests: Array<OidcRequest> = []
  let reused = 0
  provider.on("grant.error", (_ctx, error) => {
    if ((error as { error_detail?: string }).error_detail === "refresh token already used") reused++
  })
  provider.use(async (ctx, next) => {
    const at = performance.now()
    const fate = await server.intercept(ctx.path)
    await next()
    const oidc = (ctx as Partial<KoaContextWithOIDC>).oidc
    requests.push({
      route: oidc?.route ?? ctx.path,
      method: ctx.method,
      params: present({ ...oidc?.params, ...oidc?.body }),
      authorization: ctx.get("authorization") || undefined,
      status: ctx.status,
      at
    })
    if (fate === "drop_reply") {
      ctx.respond = false
      ctx.req.destroy()
    }
  })

  const serve = provider.callback()
  const site = await openSite([host], (request, response) => {
    if (request.url?.startsWith("/interaction/") === true) {
      interact(provider, request, response, !server.redirectsAtOnce).catch((error: Error) => response.destroy(error))
    } else void serve(request, response)
  })
  const api = await openProtectedApi({
    host: options.apiHost ?? "api.example.test",
    authorizationServers: [issuer],
    scopes: ["read", "write"],
    // Tests must not depend on the time that a token takes to arrive on a busy machine.
    accepts: async (token) =>
      await provider.AccessToken.find(token, { ignoreExpiration: true }) !== undefined ||
      await provider.ClientCredentials.find(token, { ignoreExpiration: true }) !== undefined
  })

  const server = {
    issuer,
    site,
    api,
    sites: [site, api],
    user: makeUserAgent([site]),
    provider,
    requests,
    tokenRequests: (grantType: string) =>
      requests.filter(({ params, route }) => route === "token" && params["grant_type"] === grantType),
    /** Refresh tokens that were presented a second time. Each ended a grant. */
    reused: () => reused,
    refreshToken: async (value: string) => {
      const token = await provider.RefreshToken.find(value, { ignoreExpiration: true })
      return token === undefined ? "unknown" : token.consumed === undefined ? "valid" : "used"
    },
    intercept: (() => "pass") as Intercept,
    /** Redirects back immediately, as for a user who is signed in and has consented before. */
    redirectsAtOnce: false,
    close: async () => {
      await Promise.all([site.close(), api.close()])
    }
  }
  return server
}
