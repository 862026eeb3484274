/** Requests access tokens with the stored values of a connection, as its definition declares. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ClientAuthentication, isStoredGrant, type OAuthProvider } from "../../domain/definition/Provider.ts"
import { expandBaseUrl } from "../../domain/definition/ProviderHosts.ts"
import {
  type DeclaredRequest,
  grantValues,
  plainGrantValues,
  type StoredGrant,
  storedGrantOf
} from "../../domain/definition/StoredGrants.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import { signAssertion } from "../../oauth/Assertion.ts"
import { type AuthorizationServer, withoutExtensions } from "../../oauth/AuthorizationServer.ts"
import { requestByAssertion, requestByClient, requestByDeclaration } from "../../oauth/GrantTokenRequests.ts"
import { formParameters, type OAuthClient } from "../../oauth/OAuthClient.ts"
import { type OAuthError, type OAuthUnsafe, unsafeError } from "../../oauth/OAuthErrors.ts"
import type { OAuthHttp, OAuthRequest } from "../../oauth/OAuthHttp.ts"
import type { Grant, TokenRequestStyle, TokenResponse } from "../../oauth/TokenEndpoint.ts"
import type { Secrets, StoredConnection } from "../ConnectionRepo.ts"
import type { Issuer } from "../oauth/Issuers.ts"
import { bindingTo } from "../oauth/OAuthBinding.ts"
import { definedEndpoints, reachOf, tokenRequestStyle } from "../oauth/OAuthEndpoints.ts"
import { fill, fillAll, fillDocument, segment, type Values } from "./GrantTemplates.ts"

type TokenIssuer = Issuer & Pick<Grant, "revokes">

/** The data for the token requests of a connection. */
export interface GrantContext {
  readonly definition: OAuthProvider
  readonly grant: StoredGrant
  readonly baseUrl: string | null
  readonly scopes: ReadonlyArray<string>
  /** The values that `readGrantFields` returned. */
  readonly values: FieldValues
}

/** The values for templates: all of them except the private key. */
const valuesWithoutKey = ({ grant, values }: Pick<GrantContext, "grant" | "values">): Values =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => grant.kind !== "jwt_bearer" || name !== grant.section.privateKey)
      .map(([name, value]) => [name, Redacted.value(value)])
  )

const addressOf = (template: string | undefined, context: Omit<GrantContext, "scopes">): string | undefined => {
  const address = template === undefined ? undefined : expandBaseUrl(template, context.baseUrl)
  return address === undefined ? undefined : fill(address, valuesWithoutKey(context), segment)
}

const endpointTemplate = ({ definition, grant }: Pick<GrantContext, "definition" | "grant">): string | undefined => {
  switch (grant.kind) {
    case "token_request":
      return grant.section.url
    case "jwt_bearer":
      return grant.section.request?.url ?? grant.section.tokenUrl ?? definition.oauth.tokenUrl
    case "client_credentials":
      return grant.section.tokenUrl ?? definition.oauth.tokenUrl
  }
}

/**
 * Returns the host that receives the values of a login, or undefined if it needs a base URL and the login has
 * none.
 */
export const grantHost = (
  definition: OAuthProvider,
  grant: StoredGrant,
  baseUrl: string | null
): string | undefined => {
  const address = expandBaseUrl(endpointTemplate({ definition, grant }) ?? "", baseUrl)
  return address === undefined || address === "" ? undefined : address.split("/", 3)[2]
}

/** The authentication method of the grant, else of the definition. The definition's `none` is only for browser logins. */
const authenticationOf = ({ definition, grant }: GrantContext): ClientAuthentication => {
  if (grant.kind !== "client_credentials") return "none"
  const shared = definition.oauth.clientAuthentication
  return grant.section.clientAuthentication ??
    (shared === undefined || shared === "none" ? "client_secret_basic" : shared)
}

/** The client ID for connections whose token requests contain no client ID. */
const noClient = "credsvc"

const grantClient = (context: GrantContext): OAuthClient => {
  const { client_id: id, client_secret: secret } = context.values
  return {
    clientId: id === undefined ? noClient : Redacted.value(id),
    clientSecret: context.grant.kind === "client_credentials" ? secret : undefined,
    authentication: authenticationOf(context)
  }
}

const grantServer = (context: GrantContext): AuthorizationServer | undefined => {
  const { baseUrl, definition } = context
  const tokenEndpoint = addressOf(endpointTemplate(context), context)
  if (tokenEndpoint === undefined || !URL.canParse(tokenEndpoint)) return undefined
  return {
    issuer: new URL(tokenEndpoint).origin,
    issuerKnown: false,
    tokenEndpoint,
    revocationEndpoint: definedEndpoints(definition, baseUrl).revocationEndpoint,
    ...withoutExtensions,
    reach: reachOf(definition)
  }
}

/** The style of a token request. Omits the parameters of the definition, which are for its other flows. */
const styleOf = (definition: OAuthProvider): TokenRequestStyle => ({ ...tokenRequestStyle(definition), params: {} })

/** The issuer of the tokens, or undefined if the URL of the token endpoint cannot be completed. */
export const grantIssuer = (context: GrantContext): Issuer | undefined => {
  const server = grantServer(context)
  const client = grantClient(context)
  return server === undefined ? undefined : {
    server,
    client,
    style: styleOf(context.definition),
    binding: bindingTo(server, client)
  }
}

/** The values other than the access token that requests to the API may carry. */
export const plainValuesOf = ({ grant, values }: Pick<GrantContext, "grant" | "values">): FieldValues =>
  Object.fromEntries(
    plainGrantValues(grant).flatMap((name) => values[name] === undefined ? [] : [[name, values[name]]])
  )

/** The filled parameters. Those that contain a secret are redacted, so that no error repeats them. */
const parametersOf = (templates: Readonly<Record<string, string>>, { grant }: GrantContext, values: Values) => {
  const secrets = grantValues(grant).filter(({ secret }) => secret).map(({ name }) => `{${name}}`)
  return Object.fromEntries(
    Object.entries(fillAll(templates, values)).map(([name, text]) => [
      name,
      secrets.some((place) => templates[name]!.includes(place)) ? Redacted.make(text) : text
    ])
  )
}

const scopeOf = ({ definition, scopes }: GrantContext): string | undefined =>
  scopes.length === 0 ? undefined : scopes.join(definition.oauth.scopeSeparator)

const templateValues = (context: GrantContext, endpoint: string): Values => ({
  ...valuesWithoutKey(context),
  scope: scopeOf(context),
  base_url: context.baseUrl ?? undefined,
  token_url: endpoint
})

/** The parameter `scope`, unless a template of the section contains the scopes. */
const scopeParameter = (context: GrantContext, templates: ReadonlyArray<string>) => {
  const scope = scopeOf(context)
  return scope === undefined || templates.some((template) => template.includes("{scope}")) ? {} : { scope }
}

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const bodyOf = ({ body, format }: DeclaredRequest, context: GrantContext, values: Values) => {
  if (body === undefined) return {}
  const kinds = new Map(grantValues(context.grant).map(({ kind, name }) => [name, kind]))
  const filledBody = fillDocument(body, values, kinds) as Readonly<Record<string, unknown>>
  const text = format === "json"
    ? JSON.stringify(filledBody)
    : formParameters(fillAll(body as Readonly<Record<string, string>>, values)).toString()
  return { body: Redacted.make(text) }
}

const declaredRequest = Effect.fnUntraced(
  function*(request: DeclaredRequest, context: GrantContext, url: string, values: Values) {
    const { basic, body, format, headers, method } = request
    const own = Object.fromEntries(
      Object.entries(fillAll(headers, values)).map(([name, value]) => [name.toLowerCase(), value])
    )
    if (Object.values(own).some((value) => !/^[\u0020-\u007e]*$/.test(value))) {
      return yield* unsafeError("a value contains a character that is not allowed in a header field")
    }
    const { authorization = undefined, ...others } = own
    const pair = basic === undefined ? undefined : [fill(basic.username, values), fill(basic.password, values)]
    if (pair?.[0]?.includes(":") === true) return yield* unsafeError("the user name for HTTP Basic contains a colon")
    const credential = pair === undefined ? authorization : `Basic ${base64(`${pair[0] ?? ""}:${pair[1] ?? ""}`)}`
    const outgoing: OAuthRequest = {
      method,
      url,
      headers: {
        accept: "application/json",
        ...(body === undefined
          ? {}
          : { "content-type": format === "json" ? "application/json" : "application/x-www-form-urlencoded" }),
        ...others
      },
      ...(credential === undefined ? {} : { authorization: Redacted.make(credential) }),
      ...bodyOf(request, context, values)
    }
    return outgoing
  }
)

const secretsOf = ({ grant, values }: GrantContext): ReadonlyArray<Redacted.Redacted<string>> =>
  grantValues(grant).flatMap(({ name, secret }) => secret && values[name] !== undefined ? [values[name]] : [])

/** The email address of the impersonated user or of the service account, if an assertion names one. */
export const assertedEmail = ({ grant, values }: GrantContext): string | undefined => {
  if (grant.kind !== "jwt_bearer") return undefined
  const { iss, sub } = fillAll(grant.section.claims, valuesWithoutKey({ grant, values }))
  return [sub, iss].find((text) => text !== undefined && /^[^@\s]+@[^@\s]+$/.test(text))
}

const assertionOf = Effect.fnUntraced(function*(context: GrantContext, endpoint: string): Effect.fn.Return<
  Redacted.Redacted<string>,
  OAuthUnsafe
> {
  const { grant, values } = context
  const key = grant.kind === "jwt_bearer" ? values[grant.section.privateKey] : undefined
  if (grant.kind !== "jwt_bearer" || key === undefined) return yield* unsafeError("the private key is missing")
  const { algorithm, assertionLifetime, claims, header } = grant.section
  const names = templateValues(context, endpoint)
  return yield* signAssertion({
    algorithm,
    privateKey: key,
    header: fillAll(header, names),
    claims: fillAll(claims, names),
    lifetimeSeconds: assertionLifetime
  })
})

const send = Effect.fnUntraced(function*(context: GrantContext, { client, revokes, server, style }: TokenIssuer) {
  const { grant } = context
  const endpoint = server.tokenEndpoint!
  const values = templateValues(context, endpoint)
  const secrets = secretsOf(context)
  switch (grant.kind) {
    case "client_credentials": {
      const { grantType, params } = grant.section
      const parameters = { ...scopeParameter(context, Object.values(params)), ...parametersOf(params, context, values) }
      return yield* requestByClient({ server, client, style, revokes, grantType, parameters })
    }
    case "token_request": {
      const request = yield* declaredRequest(grant.section, context, endpoint, values)
      return yield* requestByDeclaration({ server, client, style, revokes, request, secrets })
    }
    case "jwt_bearer": {
      const { claims, params, request } = grant.section
      const assertion = yield* assertionOf(context, endpoint)
      if (request === undefined) {
        const templates = [...Object.values(claims), ...Object.values(params)]
        const parameters = { ...scopeParameter(context, templates), ...parametersOf(params, context, values) }
        return yield* requestByAssertion({ server, client, style, revokes, assertion, parameters })
      }
      const known = { ...values, assertion: Redacted.value(assertion) }
      const outgoing = yield* declaredRequest(request, context, endpoint, known)
      const all = [...secrets, assertion]
      return yield* requestByDeclaration({ server, client, style, revokes, request: outgoing, secrets: all })
    }
  }
})

/** Requests an access token. A request invalidates no credential, so it may be repeated if its outcome is unknown. */
export const requestToken = (
  context: GrantContext,
  issuer: TokenIssuer
): Effect.Effect<TokenResponse, OAuthError, OAuthHttp> =>
  // A stored grant needs no refresh token, so it is not kept.
  Effect.map(send(context, issuer), ({ refreshToken: _refreshToken, ...response }) => ({
    ...response,
    // A lifetime in the response takes precedence over the one in the definition.
    expiresInSeconds: response.expiresInSeconds ?? context.grant.section.tokenLifetime
  }))

/** The data for the token requests of a stored connection, or undefined for connections of other flows. */
export const contextOf = (
  { metadata, row }: StoredConnection,
  definition: OAuthProvider,
  { grantValues: values }: Secrets
): GrantContext | undefined => {
  const grant = isStoredGrant(row.flow) ? storedGrantOf(definition.oauth, row.flow) : undefined
  return grant === undefined || values === undefined
    ? undefined
    : { definition, grant, baseUrl: metadata.baseUrl, scopes: metadata.requestedScopes ?? [], values }
}

/** Adds the client secret, which a stored grant keeps among its values. */
export const withStoredSecret = (client: OAuthClient, { grantValues }: Secrets): OAuthClient => {
  const secret = client.authentication === "none" ? undefined : grantValues?.["client_secret"]
  return secret === undefined ? client : { ...client, clientSecret: secret }
}
