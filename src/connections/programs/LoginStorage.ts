/**
 * Reads logins that programs have made, stores them as connections, and builds the token responses that the programs get instead
 * of the provider's responses. Such a response contains only members that are named here or in the definition, with values that
 * do not have the form of a token.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { LoginSection } from "../../domain/definition/IssuedTokenSections.ts"
import type { OAuthProvider } from "../../domain/definition/Provider.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import {
  jwtPhantom,
  opaquePhantom,
  type PhantomName,
  PLACEHOLDER,
  type TokenRole
} from "../../domain/injection/Placeholder.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import { MIN_SECRET_LENGTH } from "../../http/scrub/SecretSpellings.ts"
import { idOf, lookUp } from "../../oauth/AccountLookup.ts"
import { claimsOf } from "../../oauth/IdToken.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import { tokenResponse } from "../../oauth/TokenEndpoint.ts"
import { sha256 } from "../../platform/Digest.ts"
import { setValueAt, valueAt } from "../../platform/JsonPointer.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { ConnectionRepo, type StoredConnection } from "../ConnectionRepo.ts"
import type { NewConnection, SaveError, SaveOptions } from "../NewConnection.ts"
import { clientCredentials, ClientCredentialsRepo, type ClientPlace } from "../oauth/ClientCredentialsRepo.ts"
import { bindingTo, type OAuthBinding } from "../oauth/OAuthBinding.ts"
import { definedServer, reachOf, tokenRequestStyle } from "../oauth/OAuthEndpoints.ts"
import type { JsonObject } from "./LoginMessages.ts"

/** Where programs log in: the definition and its section, and the profile that stores the logins. */
export interface LoginPlace {
  readonly definition: OAuthProvider
  readonly profile: ProfileHandle
  readonly section: LoginSection
}

/** Tokens of a login, or the phantoms that a program holds in their place. */
export type Tokens = Readonly<Partial<Record<TokenRole, string>>>

/** Members of token and error responses whose values consist of words and numbers. */
const STANDARD = [
  "/token_type",
  "/scope",
  "/expires_in",
  "/refresh_token_expires_in",
  "/type",
  "/error",
  "/error/type",
  "/error/code",
  "/error/param",
  "/error/message",
  "/error_description",
  "/interval"
]

const WORD = /^(?:[A-Za-z]{0,24}|[a-z]{0,3}\d{1,10})$/
/** A word, or a part of a UUID, another ID or an address. */
const NAME = /^[A-Za-z0-9]{0,32}$/

/** Copies members, without the parts of strings that may be tokens. The characters that are kept cannot form an escape sequence. */
const membersAt = (from: JsonObject, pointers: ReadonlyArray<string>, part: RegExp) => {
  const isPlain = (text: string) =>
    /^[\w.,:;'"()@+/-]+$/.test(text) && text.split(/[^A-Za-z0-9]+/).every((each) => part.test(each))
  const members: Record<string, unknown> = {}
  for (const pointer of pointers) {
    const value = valueAt(from, pointer)
    const plain = typeof value === "string" ? value.split(" ").filter(isPlain).join(" ") : value
    if (typeof plain !== "object" && plain !== undefined && plain !== "") setValueAt(members, pointer, plain)
  }
  return members
}

/** The response to a program if the provider's response contains no token. */
export const errorDocument = (body: JsonObject): JsonObject => membersAt(body, STANDARD, WORD)

/** Returns the pointers to the tokens in a token response. */
export const placesOf = ({ oauth: { tokenResponse } }: OAuthProvider): Readonly<Record<TokenRole, string>> => ({
  access_token: tokenResponse.accessToken ?? "/access_token",
  refresh_token: tokenResponse.refreshToken ?? "/refresh_token",
  id_token: "/id_token"
})

/** Lists the values with their roles. */
export const entriesOf = (tokens: Tokens) => Object.entries(tokens) as ReadonlyArray<[TokenRole, string]>

/** Returns the tokens in a token response. */
export const tokensOf = (definition: OAuthProvider, body: JsonObject): Tokens =>
  Object.fromEntries(
    entriesOf(placesOf(definition)).map(([role, place]) => [role, valueAt(body, place)] as const)
      .filter(([, token]) => typeof token === "string" && token !== "")
  )

export const phantomsOf = (
  { definition, section: { members, refreshPlaceholder } }: LoginPlace,
  tokens: Tokens,
  of: Omit<PhantomName, "provider" | "role">
): Tokens =>
  Object.fromEntries(
    entriesOf(tokens).map(([role, token]) => {
      const name = { ...of, role, provider: definition.name }
      const claims = role === "refresh_token" ? undefined : claimsOf(token)
      if (claims !== undefined) return [role, jwtPhantom(membersAt(claims, members, NAME), name)]
      const own = role === "access_token" ? definition.placeholder : refreshPlaceholder
      return [role, opaquePhantom(role === "id_token" ? PLACEHOLDER : own, name)]
    })
  )

/** The response to a program, with phantoms instead of the provider's tokens. */
export const tokenDocument = ({ definition, section }: LoginPlace, body: JsonObject, phantoms: Tokens) => {
  const { accountId, accountLabel } = definition.oauth.tokenResponse
  const names = [accountId, accountLabel, ...section.members].filter((pointer) => pointer !== undefined)
  const document = { ...membersAt(body, STANDARD, WORD), ...membersAt(body, names, NAME) }
  for (const [role, phantom] of entriesOf(phantoms)) setValueAt(document, placesOf(definition)[role], phantom)
  return document
}

/** A login that a program has made. */
export interface ProgramLogin {
  /** Identifies the account: equal for all logins of one account. */
  readonly id: string
  /** The token response of the login. */
  readonly response: Redacted.Redacted<JsonObject>
  readonly clientSecret?: Redacted.Redacted<string> | undefined
  /** What is stored, in addition to the name and the response with phantoms. */
  readonly stored: Omit<NewConnection, "connection" | "oauth"> & { readonly oauth: OAuthBinding }
}

const loginId = (known: string): string => sha256(known).slice(0, 12)

/**
 * Reads the login in a token response. The failure ends a sentence about the response. `request`: the parameters of the program's
 * request. `keptFile`: the program's file that keeps the login, so that its refresh token is not stored.
 */
const loginIn = Effect.fnUntraced(function*(
  definition: OAuthProvider,
  body: JsonObject,
  request: Readonly<Partial<Record<"clientId" | "clientSecret" | "scope", string | undefined>>> = {},
  keptFile?: string
) {
  const server = definedServer(definition, null)
  if (server === undefined) return yield* Effect.fail("the daemon cannot use")
  const { clientId = definition.oauth.clientId ?? "", clientSecret, scope } = request
  const client = { clientId, authentication: "none" as const }
  const secretMethod = clientSecret === undefined ? undefined : "client_secret_post" as const
  const authentication = secretMethod ?? definition.oauth.clientAuthentication ?? "none"
  const response = yield* tokenResponse({ server, client, style: tokenRequestStyle(definition) }, body, {
    openid: false,
    refresh: false,
    sentAtMillis: yield* Clock.currentTimeMillis
  }).pipe(Effect.mapError(({ message }) => `is not valid: ${message}`))
  const { accessToken, account, expiresInSeconds, refreshToken, requestedAtMillis, scopes } = response
  if (Object.values(tokensOf(definition, body)).some((token) => token.includes(PLACEHOLDER))) {
    return yield* Effect.fail("contains a placeholder")
  }
  const login: ProgramLogin = {
    // The file identifies a login whose account is unknown.
    id: loginId(account.id ?? keptFile ?? Redacted.value(accessToken)),
    response: Redacted.make(body),
    clientSecret: clientSecret === undefined ? undefined : Redacted.make(clientSecret),
    stored: {
      provider: definition.name,
      flow: definition.flow,
      baseUrl: null,
      definitionFp: fingerprint(definition, null),
      scopes: scopes ?? scope?.split(" "),
      tokenType: "Bearer",
      expiresAt: expiresInSeconds === undefined
        ? undefined
        : DateTime.add(DateTime.makeUnsafe(requestedAtMillis), { seconds: expiresInSeconds }),
      account,
      values: { access_token: accessToken },
      refreshToken: keptFile === undefined ? refreshToken : undefined,
      grantValues: undefined,
      oauth: bindingTo(server, { clientId, authentication })
    }
  }
  return login
})

export const makeLoginStorage = Effect.fnUntraced(function*(
  save: (profile: ProfileHandle, connection: NewConnection, options: SaveOptions) => Effect.Effect<unknown, SaveError>
) {
  const clients = yield* ClientCredentialsRepo
  const http = yield* OAuthHttp
  const manifest = yield* StoreManifest
  const repo = yield* ConnectionRepo

  /**
   * Returns `chosen`, even if it is taken, else the name of the connection with the same account and client, which is
   * replaced, or a free name. Other connections may belong to other accounts, or to programs with other clients.
   */
  const nameFor = Effect.fnUntraced(
    function*(profile: ProfileHandle, { stored: { account, oauth, provider } }: ProgramLogin, chosen?: ConnectionName) {
      const id = account?.id ?? null
      const isSame = ({ metadata }: StoredConnection) =>
        id !== null && metadata.account.id === id && metadata.oauth?.clientId === oauth.clientId
      const own = yield* repo.list(profile, provider)
      const taken = new Set(own.filter((each) => !isSame(each)).map(({ row }) => row.name))
      let name = chosen ?? own.find(isSame)?.row.name ?? defaultConnectionName
      for (let count = 2; taken.has(name) && name !== chosen; count++) name = `login-${count}` as ConnectionName
      return { name, isFree: !taken.has(name) }
    }
  )

  const saveClient = (place: ClientPlace, clientId: string, clientSecret: Redacted.Redacted<string>) =>
    clients.save(
      place,
      clientCredentials({ clientId, clientSecret, authentication: "client_secret_post", source: "entered" })
    )

  /** Stores the client secret from a program's first refresh, because the adopted file does not contain it. */
  const learnClient = Effect.fnUntraced(function*(
    { metadata: { oauth }, row: { profile } }: StoredConnection,
    definition: OAuthProvider,
    { clientId, secret }: { readonly clientId: unknown; readonly secret: unknown }
  ) {
    if (oauth?.clientAuthentication !== "client_secret_post" || clientId !== oauth.clientId) return
    if (typeof secret !== "string" || secret === "") return
    const place = { profile, definition, baseUrl: null, issuer: oauth.issuer }
    const known = yield* clients.find(place)
    // A client secret that works is not replaced, because any program of a run may send another one.
    if (known?.credentials.clientId === clientId && known.credentials.refusedAt === null) return
    yield* manifest.transact(saveClient(place, oauth.clientId, Redacted.make(secret)))
  })

  /** Stores a login, and returns its token response with phantoms. */
  const store = Effect.fnUntraced(function*(
    place: LoginPlace,
    { clientSecret, id, response, stored }: ProgramLogin,
    connection: ConnectionName,
    also: SaveOptions["also"] = Effect.void
  ) {
    const { definition, profile } = place
    const tokens = tokensOf(definition, Redacted.value(response))
    const phantoms = phantomsOf(place, tokens, { connection, login: id })
    const document = tokenDocument(place, Redacted.value(response), phantoms)
    // Checked for tokens, because runs receive this document, and a mistake in it would disclose them.
    const programResponse = JSON.stringify(document)
    const real = Object.values(tokens).filter(({ length }) => length >= MIN_SECRET_LENGTH)
    if (new SecretSearch(real, PLACEHOLDER).isIn(programResponse)) {
      return yield* OperationNotAllowedError.of(
        `The response of ${stored.provider} has its tokens in additional places, where credsvc would not replace them, so the login was not stored.`
      )
    }
    const { clientId, issuer } = stored.oauth
    const client = { profile, definition, baseUrl: null, issuer }
    yield* save(profile, { ...stored, connection, programResponse }, {
      force: true,
      also: clientSecret === undefined ? also : Effect.andThen(also, saveClient(client, clientId, clientSecret))
    })
    return document
  })

  /** Adds the account that the definition's lookup finds. Returns the login unchanged if its account is known or not found. */
  const identified = Effect.fnUntraced(function*(definition: OAuthProvider, login: ProgramLogin) {
    const { lookup } = definition.oauth
    const { account: { id = null } = {}, values } = login.stored
    if (lookup === undefined || id !== null) return login
    const headers = { authorization: Redacted.make(`Bearer ${Redacted.value(values["access_token"]!)}`) }
    const [account, ...others] = yield* lookUp({ ...lookup, reach: reachOf(definition), headers, query: {} }).pipe(
      Effect.provideService(OAuthHttp, http),
      Effect.orElseSucceed(() => [])
    )
    if (account === undefined || others.length > 0) return login
    const known = idOf(account)
    const found = Object.entries(account.values).map(([name, value]) => [name, Redacted.make(value)] as const)
    const stored = {
      ...login.stored,
      account: { id: known, label: account.label },
      values: { ...Object.fromEntries(found), ...values }
    }
    return { ...login, id: loginId(known), stored }
  })

  return { identified, learnClient, loginIn, nameFor, store }
})
export type LoginStorage = Effect.Success<ReturnType<typeof makeLoginStorage>>
