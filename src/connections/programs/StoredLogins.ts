/** Reads logins that programs have made, and stores them as connections. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
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
import { idOf, lookUp } from "../../oauth/AccountLookup.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import { tokenResponse } from "../../oauth/TokenEndpoint.ts"
import { sha256 } from "../../platform/Digest.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { ConnectionRepo, type StoredConnection } from "../ConnectionRepo.ts"
import type { NewConnection, SaveError, SaveOptions } from "../NewConnection.ts"
import { clientCredentials, ClientCredentialsRepo, type ClientPlace } from "../oauth/ClientCredentialsRepo.ts"
import { definedServer, reachOf, tokenRequestStyle } from "../oauth/OAuthEndpoints.ts"
import type { JsonObject } from "./LoginMessages.ts"
import { phantomsOf, tokenDocument, type Tokens, tokensOf } from "./TokenDocuments.ts"

/** A login that a program has made, with the tokens to store. */
export interface ProgramLogin
  extends Pick<NewConnection, "account" | "expiresAt" | "provider" | "refreshToken" | "scopes" | "values">
{
  readonly server: NonNullable<ReturnType<typeof definedServer>>
  /** Identifies the account: equal for all logins of one account. */
  readonly id: string
  readonly tokens: Redacted.Redacted<Tokens>
  /**
   * The name for the new connection. A connection with this name is replaced. By default, the name of the connection
   * with the same account, or else a free name.
   */
  readonly connection?: ConnectionName | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: Redacted.Redacted<string> | undefined
}

/** Where programs log in: the definition and its section, and the profile that stores the logins. */
export interface LoginPlace {
  readonly definition: OAuthProvider
  readonly profile: ProfileHandle
  readonly section: LoginSection
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
    const account = login.account?.id ?? null
    const isOther = ({ metadata }: StoredConnection) =>
      account === null || metadata.account.id !== account ||
      ![undefined, metadata.oauth?.clientId].includes(login.clientId)
    const others = new Set(own.filter(isOther).map(({ row }) => row.name))
    if (login.connection !== undefined) return { name: login.connection, isFree: !others.has(login.connection) }
    let name = own.find(({ row }) => !others.has(row.name))?.row.name ?? defaultConnectionName
    for (let count = 2; others.has(name); count++) name = `login-${count}` as ConnectionName
    return { name, isFree: true }
  })

  const saveClient = (place: ClientPlace, clientId: string, clientSecret: Redacted.Redacted<string>) =>
    clients.save(
      place,
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
    const place = { profile, definition, baseUrl: null, issuer: oauth.issuer }
    const known = yield* clients.find(place)
    // A client secret that works is not replaced, because any program of a run may send another one.
    if (known?.credentials.clientId === clientId && known.credentials.refusedAt === null) return
    yield* manifest.transact(saveClient(place, oauth.clientId, Redacted.make(secret)))
  })

  /** Stores the login in a token response, and returns the response with phantoms. */
  const store = Effect.fnUntraced(function*(
    { definition, profile, section }: LoginPlace,
    login: ProgramLogin,
    connection: ConnectionName,
    body: JsonObject,
    { also = Effect.void, keptFile }: Pick<SaveOptions, "also"> & {
      /** The program's file that keeps the login. The refresh token is then not stored. */
      readonly keptFile?: string
    } = {}
  ) {
    const tokens = Redacted.value(login.tokens)
    const phantoms = phantomsOf(definition, section, tokens, { connection, login: login.id })
    const document = tokenDocument(definition, section, body, phantoms)
    // Checked for tokens, because runs receive this document, and a mistake in it would disclose them.
    const programResponse = JSON.stringify(document)
    const real = Object.values(tokens).filter(({ length }) => length >= MIN_SECRET_LENGTH)
    const search = new SecretSearch(real, PLACEHOLDER)
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
      values: login.values,
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
      also: clientSecret === undefined ? also : Effect.andThen(
        also,
        saveClient({ profile, definition, baseUrl: null, issuer: server.issuer }, clientId, clientSecret)
      )
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
    const response = yield* tokenResponse({ server, client, style: tokenRequestStyle(definition) }, body, {
      openid: false,
      refresh: false,
      sentAtMillis: yield* Clock.currentTimeMillis
    }).pipe(Effect.mapError(({ message }) => `is not valid: ${message}`))
    const { accessToken, account, expiresInSeconds, refreshToken, requestedAtMillis, scopes } = response
    const tokens = tokensOf(definition, body)
    if (Object.values(tokens).some((token) => token.includes(PLACEHOLDER))) {
      return yield* Effect.fail("contains a placeholder")
    }
    const login: ProgramLogin = {
      server,
      provider: definition.name,
      id: loginId(account.id ?? known ?? Redacted.value(accessToken)),
      tokens: Redacted.make(tokens),
      values: { access_token: accessToken },
      refreshToken,
      expiresAt: expiresInSeconds === undefined
        ? undefined
        : DateTime.add(DateTime.makeUnsafe(requestedAtMillis), { seconds: expiresInSeconds }),
      scopes,
      account,
      clientId: clientId === "" ? undefined : clientId
    }
    return login
  })

  /** Adds the account that the definition's lookup finds. Unchanged if it is known or cannot be found. */
  const identified = Effect.fnUntraced(function*(definition: OAuthProvider, login: ProgramLogin) {
    const { lookup } = definition.oauth
    if (lookup === undefined || (login.account?.id ?? null) !== null) return login
    const headers = { authorization: Redacted.make(`Bearer ${Redacted.value(login.tokens).access_token}`) }
    const accounts = yield* lookUp({ ...lookup, reach: reachOf(definition), headers, query: {} }).pipe(
      Effect.provideService(OAuthHttp, http),
      Effect.orElseSucceed(() => [])
    )
    const [account] = accounts
    if (account === undefined || accounts.length > 1) return login
    const known = idOf(account)
    const found = Object.entries(account.values).map(([name, value]) => [name, Redacted.make(value)])
    return {
      ...login,
      id: loginId(known),
      account: { id: known, label: account.label },
      values: { ...Object.fromEntries(found), ...login.values }
    }
  })

  return { identified, learnClient, loginIn, nameFor, store }
})
export type StoredLogins = Effect.Success<ReturnType<typeof makeStoredLogins>>
