/**
 * Selects the client of a login. The order is that of the MCP authorization specification: the stored client, the client in the
 * definition, a client ID metadata document, a newly registered client, and finally a client that the user enters.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ConfigFile } from "../../config/file/ConfigFile.ts"
import {
  type ClientCredentials,
  clientCredentials,
  ClientCredentialsRepo,
  type StoredClient
} from "../../connections/oauth/ClientCredentialsRepo.ts"
import { allowsPublicClients, type ClientAuthentication, type OAuthProvider } from "../../domain/definition/Provider.ts"
import type { AuthorizationServer } from "../../oauth/AuthorizationServer.ts"
import * as ClientRegistration from "../../oauth/ClientRegistration.ts"
import { isEncodedInHeader, type OAuthClient } from "../../oauth/OAuthClient.ts"
import type { OAuthRejected } from "../../oauth/OAuthErrors.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import type { OAuthLogin } from "../Flow.ts"
import { failureOf, stoppedLogin } from "../ProviderFailure.ts"
import type { LoginClient, OAuthTarget } from "./OAuthState.ts"

/**
 * The authentication method of the registration, else of the definition, else one that the server metadata allows. The
 * default in metadata is Basic (RFC 8414 section 2).
 */
const authenticationOf = (
  { oauth }: OAuthProvider,
  { discovered, server }: OAuthTarget,
  credentials: ClientCredentials
): ClientAuthentication => {
  if (credentials.authentication !== null) return credentials.authentication
  if (credentials.clientSecret === undefined && allowsPublicClients(oauth)) return "none"
  if (oauth.clientAuthentication !== undefined) return oauth.clientAuthentication
  const methods = server.tokenEndpointAuthMethods ?? (discovered ? ["client_secret_basic"] : ["client_secret_post"])
  const hasPost = methods.includes("client_secret_post")
  // Some servers do not decode the credentials in the header, which matters only for unusual characters.
  return methods.includes("client_secret_basic") && !(hasPost && isEncodedInHeader(credentials))
    ? "client_secret_basic"
    : "client_secret_post"
}

/** Completes a client with the authentication method for the server. */
export const loginClient = (
  definition: OAuthProvider,
  target: OAuthTarget,
  credentials: ClientCredentials,
  { unproven }: Pick<LoginClient, "unproven">
): LoginClient => ({ credentials, authentication: authenticationOf(definition, target, credentials), unproven })

/** The client in the terms of the `oauth` room. */
export const oauthClient = ({ authentication, credentials: { clientId, clientSecret } }: LoginClient): OAuthClient => ({
  clientId,
  authentication,
  clientSecret
})

const isUrl = (clientId: string): boolean => clientId.startsWith("https://")

/** Whether the server reads client ID metadata documents. A client with a document has no secret. */
const readsDocuments = (
  { clientIdMetadataDocumentSupported, tokenEndpointAuthMethods = ["none"] }: AuthorizationServer
): boolean => clientIdMetadataDocumentSupported && tokenEndpointAuthMethods.includes("none")

/**
 * Returns the first client ID that the server supports, if any. A metadata document needs a server that announces support for
 * such documents.
 */
const namedClient = (
  clientIds: ReadonlyArray<string | undefined>,
  server: AuthorizationServer
): ClientCredentials | undefined => {
  const clientId = clientIds.find((each) => each !== undefined && (!isUrl(each) || readsDocuments(server)))
  return clientId === undefined
    ? undefined
    : clientCredentials({ clientId, authentication: "none", source: "metadata_document" })
}

const isUsable = ({ credentials }: StoredClient, login: OAuthLogin, now: DateTime.Utc): boolean =>
  // A client with a metadata document is determined again, because the definition may name another document by now.
  credentials.source !== "metadata_document" &&
  credentials.refusedAt === null &&
  (credentials.secretExpiresAt === null || DateTime.isLessThan(now, credentials.secretExpiresAt)) &&
  // The server accepts a registered client only with the redirect URI of its registration.
  (credentials.source !== "registered" || credentials.redirectUri === login.redirectUri ||
    credentials.redirectUri === login.redirectFallback)

/** Whether a server refuses to register the redirect URI. Some servers have no error code for this. */
const refusesRedirect = ({ description = "", error }: OAuthRejected): boolean =>
  error === "invalid_redirect_uri" || /redirect/i.test(description)

/**
 * Whether the server may have rejected, or failed at, a member of the registration. Keycloak reports policy rejections as
 * `insufficient_scope`.
 */
const mayRefuseMember = ({ error }: OAuthRejected): boolean =>
  ["insufficient_scope", "invalid_client_metadata", "invalid_scope", "server_error"].includes(error)

/** A client, or the reason why the user must enter one. The reason may be undefined. */
export type FoundClient = LoginClient | { readonly askBecause: string | undefined }

const placeOf = ({ baseUrl, definition, profile }: OAuthLogin, { server }: OAuthTarget) => ({
  profile,
  definition,
  baseUrl,
  issuer: server.issuer
})

type RegistrationOptions = Pick<ClientRegistration.RegistrationRequest, "device">

const make = Effect.gen(function*() {
  const config = yield* ConfigFile
  const repo = yield* ClientCredentialsRepo
  const manifest = yield* StoreManifest
  const http = yield* OAuthHttp

  const find = Effect.fn("LoginClients.find")(function*(login: OAuthLogin, target: OAuthTarget) {
    const { clientId, definition } = login
    if (clientId !== undefined) {
      const named = namedClient([clientId], target.server)
      if (named !== undefined) return loginClient(definition, target, named, { unproven: true })
      return yield* stoppedLogin(
        definition,
        `${target.server.issuer} does not announce that it accepts client ID metadata documents, so ` +
          `${clientId} was not used. Log in without --client-id.`
      )
    }
    const stored = yield* repo.find(placeOf(login, target))
    const now = yield* DateTime.now
    if (stored !== undefined && isUsable(stored, login, now)) {
      return loginClient(definition, target, stored.credentials, { unproven: false })
    }
    // If the settings cannot be read, the login will not send any request, so the failure is ignored here.
    const settings = yield* Effect.option(config.read)
    const isDoubted = stored?.credentials.refusedAt !== null && stored?.credentials.clientId === login.ownClientId
    const clientIds = [
      definition.oauth.clientId,
      Option.getOrUndefined(settings)?.clientId,
      ...(isDoubted ? [] : [login.ownClientId])
    ]
    const named = namedClient(clientIds, target.server)
    return named === undefined ? undefined : loginClient(definition, target, named, { unproven: true })
  })

  const register = Effect.fn("LoginClients.register")(
    function*(login: OAuthLogin, target: OAuthTarget, { device }: RegistrationOptions) {
      const at = (redirectUri: string, options: { readonly bare?: boolean } = {}) =>
        ClientRegistration.register({
          server: target.server,
          clientName: "credsvc",
          redirectUri,
          scopes: target.scopes,
          device,
          ...options
        }).pipe(
          Effect.map((registration) => ({ ...registration, redirectUri })),
          Effect.provideService(OAuthHttp, http)
        )
      const { redirectFallback: fallback = login.redirectUri } = login
      const registered = yield* Effect.catchTag(
        at(login.redirectUri),
        "OAuthRejected",
        (error) => {
          if (fallback !== login.redirectUri && refusesRedirect(error)) return at(fallback)
          // Registers without optional members. The authorization request names the scopes in any case.
          return mayRefuseMember(error) ? at(login.redirectUri, { bare: true }) : Effect.fail(error)
        }
      )
      const { authentication, clientId, clientSecret, management, redirectUri, secretExpiresAtMillis } = registered
      const credentials = clientCredentials({
        clientId,
        clientSecret,
        authentication,
        source: "registered",
        redirectUri,
        secretExpiresAt: secretExpiresAtMillis === null ? null : DateTime.makeUnsafe(secretExpiresAtMillis),
        registration: management
      })
      yield* manifest.transact(repo.save(placeOf(login, target), credentials))
      return loginClient(login.definition, target, credentials, { unproven: true })
    }
  )

  /** Finds a client or registers one, which is stored immediately, so that later logins can use it even if this login fails. */
  const obtain = Effect.fnUntraced(function*(
    login: OAuthLogin,
    target: OAuthTarget,
    options: RegistrationOptions = {}
  ) {
    const known = yield* find(login, target)
    if (known !== undefined) return known
    const { definition } = login
    const endpoint = target.server.registrationEndpoint
    if (endpoint === undefined) {
      return {
        askBecause: `${definition.displayName} does not support dynamic client registration.` +
          (readsDocuments(target.server)
            ? " It accepts the URL of a client ID metadata document: log in with --client-id <url>."
            : "")
      }
    }
    return yield* register(login, target, options).pipe(
      Effect.catchTags({
        // Some servers register only known clients, and reject other clients with various errors.
        OAuthRejected: (error) => Effect.succeed({ askBecause: failureOf(definition, "", error).message }),
        OAuthUnavailable: (error) => Effect.fail(failureOf(definition, endpoint, error)),
        OAuthUnsafe: (error) => Effect.fail(failureOf(definition, "", error))
      })
    )
  })

  /** Makes the next login obtain another client, unless a login with this client succeeds first. */
  const doubt = Effect.fn("LoginClients.doubt")(
    function*(login: OAuthLogin, target: OAuthTarget, { credentials }: LoginClient) {
      const stored = (yield* repo.find(placeOf(login, target)))?.credentials
      const own = credentials.clientId === login.ownClientId ? credentials : undefined
      const doubted = stored?.clientId === credentials.clientId ? stored : own
      if (doubted === undefined) return
      yield* repo.save(placeOf(login, target), { ...doubted, refusedAt: yield* DateTime.now })
    },
    manifest.transact
  )

  return {
    find: (login: OAuthLogin, target: OAuthTarget) =>
      Effect.map(find(login, target), (client) => client ?? { askBecause: undefined }),
    obtain,
    doubt
  }
})

export class LoginClients
  extends Context.Service<LoginClients, Effect.Success<typeof make>>()("credsvc/flows/LoginClients")
{
  static readonly layerNoDeps = Layer.effect(LoginClients, make)
}
