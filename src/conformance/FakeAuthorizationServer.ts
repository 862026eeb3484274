/**
 * A fake authorization server that behaves as a provider definition states. It is as strict as real servers: codes and refresh
 * tokens are valid only once, the redirect URI is compared byte by byte, and the code verifier must match.
 */
import type { ClientAuthentication, OAuthProvider, RequestFormat } from "../domain/definition/Provider.ts"
import { expandBaseUrl } from "../domain/definition/ProviderHosts.ts"
import { builtins } from "../platform/builtins.ts"
import { setValueAt } from "../platform/JsonPointer.ts"
import { headerValues, json, type ProviderRequest, type ProviderResponse } from "./ProviderMessage.ts"
import { authenticationOf, type SampleGrant, tokenAddress } from "./SampleGrant.ts"

interface Client {
  readonly id: string
  readonly secret: string | undefined
  readonly authentication: ClientAuthentication
  readonly redirectUris: ReadonlyArray<string> | undefined
}

interface Code {
  readonly client: string
  readonly redirectUri: string
  readonly challenge: string | undefined
  readonly scope: string
}

type Parameters = Readonly<Record<string, string>>

const token = (kind: string): string => `${kind}-${builtins.crypto.randomBytes(12).toString("hex")}`

const refusal = (error: string, description: string, status = 400): ProviderResponse =>
  json(status, { error, error_description: description })

/** The parameters by their names in RFC 6749. Ignores the standard name of a parameter that the definition renames. */
const standard = (parameters: Parameters, names: Parameters): Parameters => {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(parameters)) if (!Object.hasOwn(names, name)) found[name] = value
  for (const [name, own] of Object.entries(names)) if (parameters[own] !== undefined) found[name] = parameters[own]
  return found
}

const lifetimeSeconds = 3600

/** An authorization server that is played for one definition. */
export class FakeAuthorizationServer {
  readonly definition: OAuthProvider
  readonly baseUrl: string | null
  readonly issuer: string
  /** The client that the user has registered manually, for logins that ask for client credentials. */
  readonly entered: Client
  private readonly clients = new Map<string, Client>()
  private readonly codes = new Map<string, Code>()
  private readonly devices = new Map<string, { readonly client: string; readonly scope: string; polls: number }>()
  private readonly accessTokens = new Set<string>()
  private readonly refreshTokens = new Map<string, string>()
  private client: string | undefined
  /** The credentials that the user enters for a flow that stores them. */
  readonly sample: SampleGrant | undefined

  constructor(definition: OAuthProvider, baseUrl: string | null, sample?: SampleGrant) {
    this.definition = definition
    this.baseUrl = baseUrl
    this.sample = sample
    const { clientAuthentication, clientId, issuer, resource, tokenUrl } = definition.oauth
    const authentication = clientAuthentication ?? (clientId === undefined ? "client_secret_post" : "none")
    this.entered = this.addClient(clientId ?? "client-of-a-person", authentication, "secret-of-a-person")
    if (sample !== undefined) {
      const { client_id: id = "credsvc", client_secret: secret } = sample.values
      this.client = this.addClient(id, authenticationOf(definition, sample), secret).id
    }
    const known = this.at(tokenUrl) ?? (sample && tokenAddress(definition, sample, baseUrl))
    this.issuer = this.at(issuer) ??
      (known === undefined ? `https://login.${new URL(this.at(resource)!).host}` : new URL(known).origin)
  }

  /** Registers a client. The client of a stored grant revokes its tokens. */
  private addClient(id: string, authentication: ClientAuthentication, secret?: string): Client {
    const isPublic = authentication === "none"
    const client = { id, secret: isPublic ? undefined : secret, authentication, redirectUris: undefined }
    this.clients.set(id, client)
    return client
  }

  private at(url: string | undefined): string | undefined {
    return url === undefined ? undefined : expandBaseUrl(url, this.baseUrl)
  }

  /** The endpoints in the definition, or invented endpoints if the definition relies on discovery. */
  get endpoints() {
    const { oauth } = this.definition
    const invented = (name: string) => `${this.issuer.replace(/\/$/, "")}/check/${name}`
    const token = this.at(oauth.tokenUrl)
    const discovered = token === undefined && this.sample === undefined
    return {
      authorization: this.at(oauth.authorizationUrl) ?? invented("authorize"),
      token: token ?? invented("token"),
      refresh: this.at(oauth.refreshUrl) ?? token ?? invented("token"),
      revocation: this.at(oauth.revocationUrl) ?? (discovered ? invented("revoke") : undefined),
      registration: this.at(oauth.registrationUrl) ?? (discovered ? invented("register") : undefined),
      device: this.at(oauth.deviceAuthorizationUrl),
      devicePoll: this.at(oauth.deviceTokenUrl) ?? token ?? invented("token")
    }
  }

  get accessToken(): string | undefined {
    return [...this.accessTokens].at(-1)
  }

  get clientInUse(): string {
    return this.client ?? this.entered.id
  }

  get hasTokens(): boolean {
    return this.accessTokens.size > 0 || this.refreshTokens.size > 0
  }

  /** The values of the first account that a lookup finds. */
  get account(): Parameters {
    const values = this.definition.oauth.lookup?.values ?? {}
    return Object.fromEntries(Object.keys(values).map((name) => [name, `${name.replaceAll("_", "-")}-1`]))
  }

  private lookup(request: ProviderRequest): ProviderResponse {
    const { lookup } = this.definition.oauth
    const carried = [...request.headers.map(([, value]) => value), request.url.search]
    if (!carried.some((text) => [...this.accessTokens].some((token) => text.includes(token)))) {
      return { status: 401, headers: {}, body: "" }
    }
    const account = (number: number) => {
      const item = {}
      if (lookup?.label !== undefined) setValueAt(item, lookup.label, `Account ${number}`)
      for (const [name, pointer] of Object.entries(lookup?.values ?? {})) {
        const value = `${name.replaceAll("_", "-")}-${number}`
        setValueAt(item, pointer, name === "base_url" ? this.baseUrl ?? "https://tenant.example.com" : value)
      }
      return item
    }
    const accounts = [account(1), account(2)]
    if (lookup?.items === undefined) return json(200, accounts[0]!)
    if (lookup.items === "") return json(200, accounts)
    const body = {}
    setValueAt(body, lookup.items, accounts)
    return json(200, body)
  }

  /** Returns a refresh token that the user obtained without credsvc. */
  existingRefreshToken(): string {
    const refreshToken = token("refresh")
    this.refreshTokens.set(refreshToken, "")
    return refreshToken
  }

  /** Makes the API reject every access token issued so far. */
  endAccessTokens(): void {
    this.accessTokens.clear()
  }

  /** Acts as a browser whose user consents. Returns the URL of the redirect, or the problem as text. */
  consent(address: string): URL | string {
    const url = new URL(address)
    const { authorizationParamNames, authorizationParams, codeParam, pkce, scopeSeparator } = this.definition.oauth
    const asked = standard(Object.fromEntries(url.searchParams), authorizationParamNames)
    const client = this.clients.get(asked["client_id"] ?? "")
    if (!address.startsWith(this.endpoints.authorization)) return "the browser was sent to an unexpected URL"
    if (client === undefined) return "the authorization request has an unknown client_id"
    if (asked["response_type"] !== "code") return "the authorization request does not ask for a code"
    if ((asked["state"] ?? "").length < 8) return "the authorization request has no state of at least 8 characters"
    const redirectUri = asked["redirect_uri"] ?? ""
    const expected = `http://${this.definition.oauth.redirectHost}:`
    if (!redirectUri.startsWith(expected)) return `the redirect URI does not begin with ${expected}`
    if (client.redirectUris?.includes(redirectUri) === false) return "the redirect URI is not registered"
    if (pkce !== (asked["code_challenge_method"] === "S256")) {
      return pkce ? "the authorization request has no S256 code challenge" : "the server rejects the code challenge"
    }
    for (const [name, value] of Object.entries(authorizationParams)) {
      if (asked[name] !== value) return `the authorization request lacks the parameter ${name} of the definition`
    }
    const scope = asked["scope"] ?? ""
    const scopes = this.definition.oauth.scopes.join(scopeSeparator)
    if (scope !== scopes) return "the scopes of the authorization request differ from the definition"
    const code = token("code")
    this.codes.set(code, { client: client.id, redirectUri, challenge: asked["code_challenge"], scope })
    const back = new URL(redirectUri)
    back.search = new URLSearchParams({ [codeParam ?? "code"]: code, state: asked["state"]! }).toString()
    return back
  }

  answer(request: ProviderRequest): ProviderResponse | undefined {
    const { device, devicePoll, refresh, registration, revocation, token } = this.endpoints
    const address = `${request.url.origin}${request.url.pathname}`
    const isAt = (endpoint: string | undefined) => endpoint !== undefined && address === endpoint.split("?")[0]
    const { baseUrl, definition, sample } = this
    if (sample !== undefined && isAt(tokenAddress(definition, sample, baseUrl))) {
      return this.issue(sample.grant.section.scopes.join(definition.oauth.scopeSeparator))
    }
    if (request.method === "GET") {
      return isAt(this.at(definition.oauth.lookup?.url))
        ? this.lookup(request)
        : metadataAt(request.url, this.issuer, this.endpoints, this.at(definition.oauth.resource))
    }
    if (isAt(registration)) return this.register(request)
    if (isAt(device)) return this.authorizeDevice(request)
    if (!isAt(token) && !isAt(refresh) && !isAt(devicePoll) && !isAt(revocation)) return undefined
    const { deviceClientAuthentication, deviceTokenRequest, revocationParamNames: names, tokenRequestFormat } =
      definition.oauth
    const parameters = isAt(revocation) && names !== undefined
      ? this.parametersOf(request, "json", names)
      : this.parametersOf(request, tokenRequestFormat) ??
        this.parametersOf(request, deviceTokenRequest ?? tokenRequestFormat)
    if (parameters === undefined) return refusal("invalid_request", "the body has the wrong format")
    const grant = parameters["grant_type"]
    if (grant === undefined && isAt(revocation)) return this.revoke(request, parameters)
    const isPoll = grant === "urn:ietf:params:oauth:grant-type:device_code"
    const client = this.authenticated(request, parameters, isPoll ? deviceClientAuthentication : undefined)
    if (typeof client === "string") return refusal("invalid_client", client, 401)
    if (grant === "authorization_code" && isAt(token)) return this.redeem(client, parameters)
    if (grant === "refresh_token" && isAt(refresh)) return this.refresh(client, parameters)
    if (isPoll && isAt(devicePoll)) return this.redeemDevice(client, parameters)
    return refusal("unsupported_grant_type", "this endpoint does not support the grant")
  }

  private parametersOf(
    request: ProviderRequest,
    format: RequestFormat,
    names: Parameters = this.definition.oauth.tokenParamNames
  ): Parameters | undefined {
    const [type = ""] = headerValues(request, "content-type")
    const expected = format === "form" ? "application/x-www-form-urlencoded" : "application/json"
    if (!type.startsWith(expected)) return undefined
    return standard(
      format === "form"
        ? Object.fromEntries(new URLSearchParams(request.body))
        : JSON.parse(request.body) as Parameters,
      names
    )
  }

  /** Authenticates the client (RFC 6749 section 2.3). */
  private authenticated(request: ProviderRequest, parameters: Parameters, own?: ClientAuthentication): Client | string {
    const [authorization] = headerValues(request, "authorization")
    const basic = authorization === undefined ? undefined : /^Basic (.+)$/.exec(authorization)?.[1]
    const [id, secret] = basic === undefined
      ? [parameters["client_id"], parameters["client_secret"]]
      : atob(basic).split(":").map((part) => decodeURIComponent(part.replaceAll("+", " ")))
    const client = this.clients.get(id ?? "")
    if (client === undefined) return "unknown client"
    const inBody = secret === undefined ? "none" : "client_secret_post"
    const used = basic === undefined ? inBody : "client_secret_basic"
    const expected = own ?? client.authentication
    if (used !== expected) return `the client authenticates by ${used} instead of ${expected}`
    return secret === client.secret ? client : "the client secret is wrong"
  }

  private register(request: ProviderRequest): ProviderResponse {
    const asked = JSON.parse(request.body) as Readonly<Record<string, unknown>>
    const redirectUris = asked["redirect_uris"] as ReadonlyArray<string>
    const client: Client = { id: token("client"), secret: undefined, authentication: "none", redirectUris }
    this.clients.set(client.id, client)
    return json(201, { ...asked, client_id: client.id, token_endpoint_auth_method: "none" })
  }

  private authorizeDevice(request: ProviderRequest): ProviderResponse {
    const { deviceTokenRequest, scopeSeparator, scopes, tokenRequestFormat } = this.definition.oauth
    const parameters = this.parametersOf(request, deviceTokenRequest ?? tokenRequestFormat)
    if (parameters === undefined) return refusal("invalid_request", "the body has the wrong format")
    const client = this.clients.get(parameters["client_id"] ?? "") ?? this.authenticated(request, parameters)
    if (typeof client === "string") return refusal("invalid_client", client, 401)
    const scope = parameters["scope"] ?? ""
    if (scope !== scopes.join(scopeSeparator)) return refusal("invalid_scope", "the scopes differ from the definition")
    const deviceCode = token("device")
    this.devices.set(deviceCode, { client: client.id, scope, polls: 0 })
    return json(200, {
      device_code: deviceCode,
      user_code: "BCDF-GHJK",
      verification_uri: `${new URL(this.endpoints.devicePoll).origin}/device`,
      expires_in: 600,
      interval: 1
    })
  }

  private redeem(client: Client, parameters: Parameters): ProviderResponse {
    const code = this.codes.get(parameters["code"] ?? "")
    this.codes.delete(parameters["code"] ?? "")
    if (code === undefined || code.client !== client.id) return refusal("invalid_grant", "unknown code")
    if (parameters["redirect_uri"] !== code.redirectUri) {
      return refusal("invalid_grant", "the redirect URI differs from the authorization request")
    }
    const hash = builtins.crypto.createHash("sha256").update(parameters["code_verifier"] ?? "")
      .digest(this.definition.oauth.codeChallengeEncoding)
    if (code.challenge !== undefined && hash !== code.challenge) {
      return refusal("invalid_grant", "the code verifier does not match the code challenge")
    }
    return this.lacking(parameters) ?? this.grant(client, code.scope)
  }

  private redeemDevice(client: Client, parameters: Parameters): ProviderResponse {
    const device = this.devices.get(parameters["device_code"] ?? "")
    if (device === undefined || device.client !== client.id) return refusal("invalid_grant", "unknown code")
    // Simulates a user who takes a moment to enter the code.
    if (device.polls++ === 0) return refusal("authorization_pending", "the user has not entered the code yet")
    this.devices.delete(parameters["device_code"]!)
    return this.grant(client, device.scope)
  }

  private refresh(client: Client, parameters: Parameters): ProviderResponse {
    const given = parameters["refresh_token"] ?? ""
    const scope = this.refreshTokens.get(given)
    if (scope === undefined) return refusal("invalid_grant", "unknown refresh token")
    this.refreshTokens.delete(given)
    const { refreshParams, tokenParams } = this.definition.oauth
    return this.lacking(parameters, refreshParams ?? tokenParams) ?? this.grant(client, scope)
  }

  private lacking(
    parameters: Parameters,
    expected: Parameters = this.definition.oauth.tokenParams
  ): ProviderResponse | undefined {
    const missing = Object.entries(expected).find(([name, value]) => parameters[name] !== value)
    return missing === undefined ? undefined : refusal("invalid_request", `the parameter ${missing[0]} is missing`)
  }

  private grant(client: Client, scope: string): ProviderResponse {
    this.client = client.id
    const refreshToken = token("refresh")
    this.refreshTokens.set(refreshToken, scope)
    return this.issue(scope, refreshToken)
  }

  private issue(scope: string, refreshToken?: string): ProviderResponse {
    const { tokenResponse: pointers } = this.definition.oauth
    const accessToken = token("access")
    this.accessTokens.add(accessToken)
    const expiry = new Date(Date.now() + lifetimeSeconds * 1000).toISOString()
    const body: Record<string, unknown> = {}
    setValueAt(body, pointers.accessToken ?? "/access_token", accessToken)
    if (refreshToken !== undefined) setValueAt(body, pointers.refreshToken ?? "/refresh_token", refreshToken)
    setValueAt(body, pointers.tokenType ?? "/token_type", "Bearer")
    const expiresIn = pointers.expiresIn ?? "/expires_in"
    setValueAt(body, expiresIn, expiresIn.endsWith("_at") ? expiry : lifetimeSeconds)
    if (scope !== "") setValueAt(body, pointers.scope ?? "/scope", scope)
    if (pointers.accountId !== undefined) setValueAt(body, pointers.accountId, "account-1")
    if (pointers.accountLabel !== undefined) setValueAt(body, pointers.accountLabel, "An account")
    if (pointers.baseUrl !== undefined) setValueAt(body, pointers.baseUrl, this.baseUrl ?? "https://tenant.example.com")
    return json(200, body)
  }

  /** Revokes a token (RFC 7009). Revoking an unknown token succeeds. Revoking a refresh token also ends its access tokens. */
  private revoke(request: ProviderRequest, parameters: Parameters): ProviderResponse {
    const client = this.authenticated(request, parameters, this.definition.oauth.revocationClientAuthentication)
    if (typeof client === "string") return refusal("invalid_client", client, 401)
    const given = parameters["token"] ?? parameters["refresh_token"] ?? parameters["access_token"] ?? ""
    if (this.refreshTokens.delete(given)) this.accessTokens.clear()
    if (this.accessTokens.delete(given) && parameters["token"] === undefined) this.refreshTokens.clear()
    return { status: 200, headers: {}, body: "" }
  }
}

/** Inserts the well-known segment into a URL (RFC 8414 section 3.1). */
const inserted = (name: string, of: string): string => {
  const { origin, pathname } = new URL(of)
  return `${origin}/.well-known/${name}${pathname === "/" ? "" : pathname.replace(/\/$/, "")}`
}

/** The metadata at a well-known URL of the server or of the protected resource (RFC 8414, RFC 9728). */
const metadataAt = (
  url: URL,
  issuer: string,
  endpoints: FakeAuthorizationServer["endpoints"],
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
