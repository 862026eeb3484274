/** Reads logins that programs have made, and stores them as connections. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { LoginSection } from "../../domain/definition/IssuedTokenSections.ts"
import type { OAuthProvider } from "../../domain/definition/Provider.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import { MIN_SECRET_LENGTH } from "../../http/scrub/SecretSpellings.ts"
import { lookUp } from "../../oauth/AccountLookup.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import { type TokenResponse, tokenResponse } from "../../oauth/TokenEndpoint.ts"
import { sha256 } from "../../platform/Digest.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { ConnectionRepo, type StoredConnection } from "../ConnectionRepo.ts"
import type { NewConnection, SaveError, SaveOptions } from "../NewConnection.ts"
import { clientCredentials, ClientCredentialsRepo } from "../oauth/ClientCredentialsRepo.ts"
import { definedServer, reachOf, tokenRequestStyle } from "../oauth/OAuthEndpoints.ts"
import type { JsonObject } from "./LoginMessages.ts"
import { type LoginTokens, phantomsOf, tokenDocument } from "./TokenDocuments.ts"

/** A login that a program has made, with the tokens to store. */
export interface ProgramLogin extends LoginTokens {
  readonly server: NonNullable<ReturnType<typeof definedServer>>
  /**
   * The name for the new connection. A connection with this name is replaced. By default, the name of the connection
   * with the same account, or else a free name.
   */
  readonly connection?: ConnectionName | undefined
  readonly expiresAt?: DateTime.Utc | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly account?: TokenResponse["account"] | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: Redacted.Redacted<string> | undefined
}

const loginId = (known: string): string => sha256(known).slice(0, 12)

export const makeStoredLogins = Effect.fnUntraced(function*(
  save: (
    profile: ProfileHandle,
    connection: NewConnection,
    options: SaveOptions
  ) => Effect.Effect<unknown, SaveError>
) {
  const clients = yield* ClientCredentialsRepo
  const http = yield* OAuthHttp
  const manifest = yield* StoreManifest
  const repo = yield* ConnectionRepo

  /**
   * Returns the name of the connection with the same account and client, which is replaced, or else a free name: other
   * connections may belong to other accounts, or to programs with other clients.
   */
  const nameFor = Effect.fnUntraced(function*(profile: ProfileHandle, login: ProgramLogin) {
    const own = yield* repo.list(profile, login.provider)
    const named = own.find(({ row }) => row.name === login.connection)
    const account = login.account?.id ?? null
    const isSame = ({ metadata }: StoredConnection) =>
      account !== null && metadata.account.id === account &&
      [undefined, metadata.oauth?.clientId].includes(login.clientId)
    if (login.connection !== undefined) return { name: login.connection, isFree: named === undefined || isSame(named) }
    const same = own.find(isSame)
    if (same !== undefined) return { name: same.row.name, isFree: true }
    const names = new Set<string>(own.map(({ row }) => row.name))
    let name = defaultConnectionName
    for (let count = 2; names.has(name); count++) name = `login-${count}` as ConnectionName
    return { name, isFree: true }
  })

  const saveClient = (
    profile: ProfileHandle,
    definition: OAuthProvider,
    issuer: string,
    clientId: string,
    clientSecret: Redacted.Redacted<string>
  ) =>
    clients.save(
      { profile, definition, baseUrl: null, issuer },
      clientCredentials({ clientId, clientSecret, authentication: "client_secret_post", source: "entered" })
    )

  /** Stores the client secret from a program's first refresh, because the adopted file does not contain it. */
  const learnClient = Effect.fnUntraced(function*(
    { metadata: { oauth }, row: { profile } }: StoredConnection,
    definition: OAuthProvider,
    clientId: unknown,
    secret: unknown
  ) {
    if (oauth?.clientAuthentication !== "client_secret_post" || clientId !== oauth.clientId) return
    if (typeof secret !== "string" || secret === "") return
    const known = yield* clients.find({ profile, definition, baseUrl: null, issuer: oauth.issuer })
    // A client secret that works is not replaced, because any program of a run may send another one.
    if (known?.credentials.clientId === clientId && known.credentials.refusedAt === null) return
    yield* manifest.transact(saveClient(profile, definition, oauth.issuer, clientId, Redacted.make(secret)))
  })

  /** Stores the login in a token response, and returns the response with phantoms. */
  const store = Effect.fnUntraced(function*(
    profile: ProfileHandle,
    definition: OAuthProvider,
    section: LoginSection,
    login: ProgramLogin,
    connection: ConnectionName,
    body: JsonObject,
    { also = Effect.void, keptFile }: Pick<SaveOptions, "also"> & {
      /** The program's file that keeps the login. The refresh token is then not stored. */
      readonly keptFile?: string
    } = {}
  ) {
    const document = tokenDocument(definition, section, body, phantomsOf(section, login, connection))
    // Checked for tokens, because runs receive this document, and a mistake in it would disclose them.
    const programResponse = JSON.stringify(document)
    const real = [login.accessToken, login.refreshToken, login.idToken].flatMap((token) =>
      token === undefined ? [] : [Redacted.value(token)]
    )
    const search = new SecretSearch(real.filter(({ length }) => length >= MIN_SECRET_LENGTH), PLACEHOLDER)
    if (search.isIn(programResponse)) {
      return yield* OperationNotAllowedError.of(
        `The response of ${login.provider} has its tokens in additional places, where credsvc would not replace them, so it was not stored.`
      )
    }
    const { clientId = definition.oauth.clientId ?? "", clientSecret, server } = login
    const authentication = clientSecret === undefined
      ? definition.oauth.clientAuthentication ?? "none"
      : "client_secret_post"
    yield* save(profile, {
      provider: login.provider,
      connection,
      flow: definition.flow,
      baseUrl: null,
      definitionFp: fingerprint(definition, null),
      scopes: login.scopes,
      tokenType: "Bearer",
      expiresAt: login.expiresAt,
      account: login.account,
      values: { access_token: login.accessToken },
      refreshToken: keptFile === undefined ? login.refreshToken : undefined,
      grantValues: undefined,
      programResponse,
      keptFile,
      oauth: {
        issuer: server.issuer,
        tokenEndpoint: server.tokenEndpoint,
        revocationEndpoint: server.revocationEndpoint ?? null,
        resource: null,
        clientId,
        clientAuthentication: authentication,
        discovered: false,
        publicOnly: false
      }
    }, {
      force: true,
      also: clientSecret === undefined
        ? also
        : Effect.andThen(also, saveClient(profile, definition, server.issuer, clientId, clientSecret))
    })
    return document
  })

  /** Reads the login in a token response. The failure ends a sentence about the response. */
  const loginIn = Effect.fnUntraced(function*(
    definition: OAuthProvider,
    body: JsonObject,
    clientId = "",
    /** Identifies the login if its account is unknown. */
    known?: string
  ) {
    const server = definedServer(definition, null)
    if (server === undefined) return yield* Effect.fail("the daemon cannot continue to use")
    const client = { clientId, authentication: "none" as const }
    const tokens = yield* tokenResponse({ server, client, style: tokenRequestStyle(definition) }, body, {
      openid: false,
      refresh: false,
      sentAtMillis: yield* Clock.currentTimeMillis
    }).pipe(Effect.mapError(({ message }) => `is not valid: ${message}`))
    const idToken = body["id_token"]
    const { accessToken, expiresInSeconds, refreshToken, requestedAtMillis } = tokens
    const isPlaceholder = [accessToken, refreshToken].some((token) =>
      token !== undefined && Redacted.value(token).includes(PLACEHOLDER)
    )
    if (isPlaceholder || String(idToken).includes(PLACEHOLDER)) return yield* Effect.fail("contains a placeholder")
    const login: ProgramLogin = {
      server,
      provider: definition.name,
      id: loginId(tokens.account?.id ?? known ?? Redacted.value(accessToken)),
      accessToken,
      refreshToken,
      idToken: typeof idToken === "string" && idToken !== "" ? Redacted.make(idToken) : undefined,
      expiresAt: expiresInSeconds === undefined
        ? undefined
        : DateTime.addDuration(DateTime.makeUnsafe(requestedAtMillis), Duration.seconds(expiresInSeconds)),
      scopes: tokens.scopes,
      account: tokens.account,
      clientId: clientId === "" ? undefined : clientId
    }
    return login
  })

  /** Adds the account that the definition's lookup finds. Unchanged if it is known or cannot be found. */
  const identified = Effect.fnUntraced(function*(
    definition: OAuthProvider,
    { account: at }: LoginSection,
    login: ProgramLogin
  ) {
    if (at === undefined || (login.account?.id ?? null) !== null) return login
    const headers = { authorization: Redacted.make(`Bearer ${Redacted.value(login.accessToken)}`) }
    const { id, label, url } = at
    const found = yield* Effect.option(
      Effect.provideService(
        lookUp({ reach: reachOf(definition), url, headers, query: {}, label, values: { id } }),
        OAuthHttp,
        http
      )
    )
    const account = Option.getOrUndefined(found)?.[0]
    if (account === undefined) return login
    const { values: { id: known = "" } } = account
    return { ...login, id: loginId(known), account: { id: known, label: account.label } }
  })

  return { identified, learnClient, loginIn, nameFor, store }
})
export type StoredLogins = Effect.Success<ReturnType<typeof makeStoredLogins>>
