/**
 * Logins that programs make themselves, inside a run: the program talks to the authorization server, and the daemon keeps what it gets.
 *
 * A program sends the code of its login through the proxy. The daemon stores the tokens of the response as a connection, and the program
 * gets phantoms, by which its later requests choose that connection. When it refreshes or revokes a phantom, the daemon responds: the
 * refresh token leaves the vault only for the daemon's own refresh.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { LoginSection } from "../../domain/definition/IssuedTokenSections.ts"
import type { OAuthProvider, ProviderName } from "../../domain/definition/Provider.ts"
import {
  type ConnectionAlreadyExistsError,
  type ConnectionNotFoundError,
  OperationNotAllowedError,
  type ProviderNotFoundError,
  type VaultUnavailableError
} from "../../domain/Errors.ts"
import { loginSectionAt } from "../../domain/injection/IssuedTokens.ts"
import {
  claimsOf,
  jwtPhantom,
  opaquePhantom,
  type PhantomName,
  phantomsIn,
  type TokenRole
} from "../../domain/injection/Phantom.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { jsonPointer, parseStrictJson } from "../../domain/text/StrictJson.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { ProgramLoginReply, ProgramLoginRequest, ProgramMessage } from "../../domain/wire/ProgramLogin.ts"
import { chosenIn, excessOf, type RunLimits } from "../../domain/wire/Run.ts"
import { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import { MIN_SECRET_LENGTH } from "../../http/scrub/SecretSpellings.ts"
import { lookUp } from "../../oauth/AccountLookup.ts"
import { OAuthHttp } from "../../oauth/OAuthHttp.ts"
import { type TokenResponse, tokenResponse } from "../../oauth/TokenEndpoint.ts"
import { sha256 } from "../../platform/Digest.ts"
import { pointed, setPointed } from "../../platform/JsonPointer.ts"
import { mediaTypeOf } from "../../platform/MediaType.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { type Provider, ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { StoreManifest, type StoreTransaction } from "../../vault/manifest/StoreManifest.ts"
import type { Access } from "../ConnectionAccess.ts"
import { ConnectionRepo, hasLogin, type StoredConnection } from "../ConnectionRepo.ts"
import type { NewConnection } from "../NewConnection.ts"
import { clientCredentials, ClientCredentialsRepo } from "../oauth/ClientCredentialsRepo.ts"
import { Issuers } from "../oauth/Issuers.ts"
import { definedServer, reachOf, tokenRequestStyle } from "../oauth/OAuthEndpoints.ts"
import { Revocations } from "../oauth/Revocations.ts"
import { lifeOf } from "../renewal/TokenLife.ts"

export type JsonObject = Readonly<Record<string, unknown>>

type LogoutError = ConnectionNotFoundError | ProviderNotFoundError | VaultUnavailableError
type SaveError =
  | ConnectionAlreadyExistsError
  | OperationNotAllowedError
  | ProviderNotFoundError
  | VaultUnavailableError

/** A login that a program has made, with the tokens to store. */
export interface ProgramLogin {
  readonly provider: ProviderName
  /** Identifies the account: equal for all logins of one account. */
  readonly id: string | undefined
  /**
   * The name under which to store the login, replacing that connection. By default the name of the same account's
   * connection, or else a free name.
   */
  readonly connection?: ConnectionName | undefined
  readonly accessToken: Redacted.Redacted<string>
  readonly refreshToken?: Redacted.Redacted<string> | undefined
  readonly idToken?: string | undefined
  readonly expiresAt?: DateTime.Utc | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly account?: TokenResponse["account"] | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: Redacted.Redacted<string> | undefined
}

/** The phantoms that a program holds in place of its tokens. */
export type Phantoms = Readonly<Partial<Record<TokenRole, string>>>

const loginId = (known: string): string => sha256(known).slice(0, 12)

const roles = ["access_token", "refresh_token", "id_token"] as const
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

const phantomOf = (section: LoginSection, login: ProgramLogin, connection: ConnectionName, role: TokenRole) => {
  const token = role === "id_token" ? login.idToken : login[role === "access_token" ? "accessToken" : "refreshToken"]
  if (token === undefined) return undefined
  const { claims: pointers, placeholder } =
    section[role === "id_token" ? "idToken" : role === "access_token" ? "accessToken" : "refreshToken"]
  const name = { role, provider: login.provider, connection, login: login.id }
  const claims = role === "id_token" || pointers.length > 0
    ? claimsOf(typeof token === "string" ? token : Redacted.value(token))
    : undefined
  if (claims === undefined) return opaquePhantom(placeholder, name)
  const kept = pointers.map((pointer) => [pointer, pointed(claims, pointer)] as const)
  return jwtPhantom(withValues({}, new Map(kept.filter(([, value]) => value !== undefined))), name)
}

const phantomsOf = (section: LoginSection, login: ProgramLogin, connection: ConnectionName): Phantoms =>
  Object.fromEntries(
    roles.flatMap((role) => {
      const phantom = phantomOf(section, login, connection, role)
      return phantom === undefined ? [] : [[role, phantom]]
    })
  )

/** The members of a JSON object or the fields of a form, each of them once; undefined for other content, unless it is empty. */
const fieldsOf = (message: ProgramMessage): JsonObject | undefined => {
  const content = Redacted.value(message.content).replace(/^\ufeff/, "")
  if (content === "") return {}
  const type = mediaTypeOf(message.contentType)
  if (type === "application/x-www-form-urlencoded") return formFields(content)
  if (type !== "application/json" && !type.endsWith("+json")) return undefined
  const document = parseStrictJson(content)
  return Result.isSuccess(document) && typeof document.success === "object" && document.success !== null
    ? document.success as JsonObject
    : undefined
}

const formFields = (text: string): JsonObject | undefined => {
  // For some servers, a semicolon separates fields, too.
  if (text.includes(";")) return undefined
  const pairs = [...new URLSearchParams(text)]
  // A name of other characters may be JSON, or a text in another encoding.
  const isForm = new Set(pairs.map(([name]) => name)).size === pairs.length &&
    pairs.every(([name]) => /^[\w.-]+$/.test(name))
  return isForm ? Object.fromEntries(pairs) : undefined
}

/** Some servers ignore the case of names, and read a dot or a hyphen as an underscore. */
const foldedName = (name: string): string => name.toLowerCase().replaceAll(/[.-]/g, "_")

/** The fields of the query and the content of a request, by folded names. Undefined if servers could read them in several ways. */
const requestFields = ({ request, target }: ProgramLoginRequest): JsonObject | undefined => {
  const query = formFields(target.split("?").slice(1).join("?"))
  const fields = fieldsOf(request)
  if (query === undefined || fields === undefined) return undefined
  const pairs = [query, fields].flatMap(Object.entries).map(([name, value]) => [foldedName(name), value] as const)
  const all = Object.fromEntries(pairs)
  // A form in a JSON text, or the reverse, for a server that ignores the media type.
  const isPlain = pairs.every(([name, value]) =>
    /^\w+$/.test(name) && Object(value) !== value && !String(value).includes("&")
  )
  return isPlain && Object.keys(all).length === pairs.length ? all : undefined
}

/** The client of a request; empty without one. */
const clientOf = (request: ProgramLoginRequest): string =>
  String(requestFields(request)?.["client_id"] ?? request.client ?? "")

/** Whether a member of a token response may be a credential, by its name or its form. The code of an error is words. */
const isTokenLike = (name: string, text: string, prefixes: ReadonlyArray<string>): boolean =>
  text.length >= 8 && (
    (/(?:token|secret|password|assertion|credential|(?:api|raw)_?key|^key|^code)$/i.test(name) &&
      !/(?:token_type|type_token)$/i.test(name) && !(name === "code" && /^[a-z_]+$/.test(text))) ||
    /eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/.test(text) ||
    prefixes.some((prefix) => text.split(prefix).slice(0, -1).some((before) => !/\w$/.test(before)))
  )

/** The JSON pointer of the first text outside `declared` that may be a credential. */
const undeclaredToken = (
  document: unknown,
  declared: ReadonlySet<string>,
  isToken: (name: string, text: string) => boolean,
  at = ""
): string | undefined => {
  if (declared.has(at)) return undefined
  if (typeof document === "string") return isToken(at.slice(at.lastIndexOf("/") + 1), document) ? at : undefined
  if (typeof document !== "object" || document === null) return undefined
  for (const [name, value] of Object.entries(document)) {
    const pointer = at + jsonPointer([name])
    // The error message must not contain a name that is a token.
    const found = isToken("", name) ? `${at}/*` : undeclaredToken(value, declared, isToken, pointer)
    if (found !== undefined) return found
  }
  return undefined
}

/** A copy of the document with other values at these pointers. */
const withValues = (document: JsonObject, values: ReadonlyMap<string, unknown>): JsonObject => {
  const copy: Record<string, unknown> = structuredClone(document)
  for (const [pointer, value] of values) setPointed(copy, pointer, value)
  return copy
}

/** Where a token response has its tokens. */
const placesOf = ({ oauth }: OAuthProvider): ReadonlyMap<TokenRole, string> =>
  new Map([
    ["access_token", oauth.tokenResponse.accessToken ?? "/access_token"],
    ["refresh_token", oauth.tokenResponse.refreshToken ?? "/refresh_token"],
    ["id_token", "/id_token"]
  ])

/** The token response with phantoms. */
const responseWith = (definition: OAuthProvider, body: JsonObject) => (phantoms: Phantoms): JsonObject => {
  const places = placesOf(definition)
  return withValues(
    body,
    new Map(roles.flatMap((role) => phantoms[role] === undefined ? [] : [[places.get(role)!, phantoms[role]]]))
  )
}

const jsonReply = (status: number, document: JsonObject): ProgramLoginReply => ({
  decision: "respond",
  status,
  contentType: "application/json",
  content: JSON.stringify(document)
})

/** Programs treat this error as the end of their login, and delete it. */
const ended = (description: string) => jsonReply(400, { error: "invalid_grant", error_description: description })

/** Claude Code and Codex keep their login after this status, and delete or repeat it after others. */
const failedForNow = (description: string) =>
  jsonReply(403, { error: "temporarily_unavailable", error_description: description })

const SEND: ProgramLoginReply = { decision: "send" }
const PASS: ProgramLoginReply = { decision: "pass" }

const refused = (message: string) => OperationNotAllowedError.of(message)

/** When the tokens expire; undefined if the server named no time. */
const expiryOf = (tokens: TokenResponse) =>
  tokens.expiresInSeconds === undefined
    ? undefined
    : DateTime.addDuration(DateTime.makeUnsafe(tokens.requestedAtMillis), Duration.seconds(tokens.expiresInSeconds))

export const makeProgramLogins = Effect.fnUntraced(function*(
  { whenReady }: Access,
  { logout, renewed, save }: {
    readonly save: (
      profile: ProfileHandle,
      connection: NewConnection,
      options: {
        readonly force: boolean
        readonly also?: Effect.Effect<void, SqlError | VaultUnavailableError, StoreTransaction>
      }
    ) => Effect.Effect<unknown, SaveError>
    readonly logout: (
      profile: ProfileHandle,
      provider: ProviderName,
      connection: ConnectionName
    ) => Effect.Effect<unknown, LogoutError>
    /** The connection with a token that is not due. */
    readonly renewed: (stored: StoredConnection) => Effect.Effect<StoredConnection, { readonly _tag: string }>
  }
) {
  const clients = yield* ClientCredentialsRepo
  const http = yield* OAuthHttp
  const issuers = yield* Issuers
  const manifest = yield* StoreManifest
  const registry = yield* ProviderRegistry
  const repo = yield* ConnectionRepo
  const revocations = yield* Revocations
  const scope = yield* Effect.scope

  const sectionOf = ({ definition }: Provider): LoginSection | undefined =>
    definition.issuesTokens.find(({ login }) => login?.endpoint === "token")?.login

  /**
   * The connection of the same account and client is replaced, and no other one: the program may be logged in to any account, and other
   * programs as other clients.
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

  /** Stores the secret of a program's client, which is not in the file that was taken over, from its first refresh. */
  const learnClient = Effect.fnUntraced(function*(
    { metadata: { oauth }, row: { profile } }: StoredConnection,
    definition: OAuthProvider,
    clientId: unknown,
    secret: unknown
  ) {
    if (oauth?.clientAuthentication !== "client_secret_post" || clientId !== oauth.clientId) return
    if (typeof secret !== "string" || secret === "") return
    const known = yield* clients.find({ profile, definition, baseUrl: null, issuer: oauth.issuer })
    // A secret that works is kept, since any program of a run may send one.
    if (known?.credentials.clientId === clientId && known.credentials.refusedAt === null) return
    yield* manifest.transact(saveClient(profile, definition, oauth.issuer, clientId, Redacted.make(secret)))
  })

  const store = Effect.fnUntraced(function*(
    profile: ProfileHandle,
    login: ProgramLogin,
    connection: ConnectionName,
    replaced: (phantoms: Phantoms) => JsonObject,
    { also = Effect.void, keptFile }: {
      /** Runs in the same transaction. */
      readonly also?: Effect.Effect<void, SqlError | VaultUnavailableError, StoreTransaction>
      /** The file of a program that keeps its login, and whose refresh token is not stored. */
      readonly keptFile?: string
    } = {}
  ) {
    const provider = yield* registry.get(login.provider)
    const { definition } = provider
    const section = sectionOf(provider)
    const server = definition.authType === "oauth2" ? definedServer(definition, null) : undefined
    if (definition.authType !== "oauth2" || section === undefined || server === undefined) {
      return yield* refused(
        `The definition of ${login.provider} does not declare a login that programs make, so none can be taken over.`
      )
    }
    const document = replaced(phantomsOf(section, login, connection))
    // Runs receive the document, so a mistake in it must not become a disclosure.
    const programResponse = JSON.stringify(document)
    const real = [login.accessToken, ...login.refreshToken === undefined ? [] : [login.refreshToken]].map(
      Redacted.value
    )
    const search = new SecretSearch(
      [...real, login.idToken ?? ""].filter(({ length }) => length >= MIN_SECRET_LENGTH),
      PLACEHOLDER
    )
    if (search.isIn(programResponse)) {
      return yield* refused(
        `The response of ${login.provider} has its tokens in further places, too, so it was not stored.`
      )
    }
    const { clientId = definition.oauth.clientId ?? "", clientSecret } = login
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

  /** Reads the login in a token response. The failure is the end of a sentence about the response. */
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
    const { accessToken, refreshToken } = tokens
    const isPlaceholder = [accessToken, refreshToken].some((token) =>
      token !== undefined && Redacted.value(token).includes(PLACEHOLDER)
    )
    if (isPlaceholder || String(idToken).includes(PLACEHOLDER)) return yield* Effect.fail("contains a placeholder")
    const login: ProgramLogin = {
      provider: definition.name,
      id: loginId(tokens.account?.id ?? known ?? Redacted.value(accessToken)),
      accessToken,
      refreshToken,
      idToken: typeof idToken === "string" && idToken !== "" ? idToken : undefined,
      expiresAt: expiryOf(tokens),
      scopes: tokens.scopes,
      account: tokens.account,
      clientId: clientId === "" ? undefined : clientId
    }
    return login
  })

  /** The login with the account that the definition looks up. Unchanged if it is known, or cannot be found. */
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

  /** Responds to the program's refresh with the placeholders that it has and the remaining lifetime of the token. */
  const refresh = Effect.fnUntraced(function*(
    profile: ProfileHandle,
    definition: OAuthProvider,
    section: LoginSection,
    { connection, login: id }: PhantomName,
    field: (name: string) => unknown
  ) {
    const provider = definition.name
    const again = `Log in again, or with: credsvc login ${provider}`
    const stored = yield* repo.findUsable({ profile, provider, name: connection })
    if (stored === undefined || !hasLogin(stored, id)) {
      const places = (yield* repo.ofProvider(provider)).filter(({ name }) => name === connection)
      for (const place of places) {
        const other = yield* repo.find({ ...place, provider })
        if (other !== undefined && hasLogin(other, id)) {
          return failedForNow(`This profile may not use the login "${connection}" of ${provider}.`)
        }
      }
      return ended(`The login "${connection}" of ${provider} was removed. ${again}`)
    }
    yield* learnClient(stored, definition, field("client_id"), field("client_secret"))
    const fresh = yield* Effect.result(renewed(stored))
    if (Result.isFailure(fresh)) {
      const isOver = fresh.failure._tag === "TokenExpiredError" || fresh.failure._tag === "CredentialMissingError"
      return isOver
        ? ended(`The login "${connection}" of ${provider} has ended. ${again}`)
        : failedForNow(`The token of ${provider} could not be refreshed. The login is kept and the refresh is retried.`)
    }
    const { metadata } = fresh.success
    const { expiresAt } = lifeOf(metadata)
    const { accessToken = "/access_token", expiresIn = "/expires_in", refreshToken = "/refresh_token" } =
      definition.oauth.tokenResponse
    const login = { id, provider, accessToken: Redacted.make(""), refreshToken: Redacted.make("") }
    const standard = () => ({
      [accessToken.slice(1)]: phantomOf(section, login, connection, "access_token"),
      [refreshToken.slice(1)]: phantomOf(section, login, connection, "refresh_token"),
      token_type: "Bearer",
      scope: metadata.scopes.join(definition.oauth.scopeSeparator)
    })
    const document: JsonObject = metadata.programResponse === undefined
      ? standard()
      : JSON.parse(metadata.programResponse)
    const left = expiresAt === null ? undefined : Math.ceil((expiresAt - (yield* Clock.currentTimeMillis)) / 1000)
    return jsonReply(
      200,
      left === undefined ? document : withValues(document, new Map([[expiresIn, Math.max(1, left)]]))
    )
  })

  /** Removes the connection and revokes its tokens. The program's logout succeeds whatever the provider responds. */
  const revoke = Effect.fnUntraced(
    function*(profile: ProfileHandle, definition: OAuthProvider, { connection: name, login }: PhantomName) {
      const stored = yield* repo.find({ profile, provider: definition.name, name })
      if (stored !== undefined && hasLogin(stored, login)) {
        const issuer = yield* Effect.result(issuers.of(stored, definition))
        const secrets = yield* repo.openSecrets(stored)
        yield* logout(profile, definition.name, name)
        const { id } = stored.metadata.account
        if (Result.isSuccess(issuer)) yield* Effect.forkIn(revocations.giveBack(issuer.success, secrets, id), scope)
      }
      return jsonReply(200, {})
    }
  )

  /** Decides about a request before it is sent. */
  const decide = Effect.fnUntraced(function*(
    profile: ProfileHandle,
    definition: OAuthProvider,
    section: LoginSection,
    given: ProgramLoginRequest,
    limits: RunLimits | undefined
  ) {
    const { host, provider } = given
    const fields = requestFields(given)
    if (fields === undefined) {
      return yield* refused(
        `A login at ${host} must be a form or a JSON object without repeated fields, so it was not sent.`
      )
    }
    const names = definition.oauth.tokenParamNames
    const field = (name: string) => fields[foldedName(Object.hasOwn(names, name) ? names[name]! : name)]
    // A preflight request of a page (CORS).
    if (given.method === "OPTIONS" && Object.keys(fields).length === 0) return PASS
    const token = field(section.endpoint === "token" ? "refresh_token" : "token")
    if (typeof token === "string" && token.includes(PLACEHOLDER)) {
      const [phantom] = phantomsIn(token)
      const isOwn = phantom?.provider === provider &&
        (section.endpoint === "revocation" ||
          (phantom.role === "refresh_token" && field("grant_type") === "refresh_token"))
      if (!isOwn || (limits !== undefined && excessOf(limits, provider, phantom.connection) !== undefined)) {
        return yield* refused(
          `The placeholder in the request to ${host} is not one of a login that this run may use there.`
        )
      }
      return yield* section.endpoint === "token"
        ? refresh(profile, definition, section, phantom, field)
        : revoke(profile, definition, phantom)
    }
    if (JSON.stringify(fields).includes(PLACEHOLDER)) {
      return yield* refused(`A placeholder cannot be exchanged for another credential at ${host}.`)
    }
    if (section.endpoint === "revocation") return PASS
    const grant = field("grant_type") ?? "authorization_code"
    if (section.clients.length > 0) {
      // Programs with other clients log in at the same server, and some grants need no client.
      const isLogin = grant === "authorization_code" || grant === DEVICE_GRANT
      const ids = new Set([field("client_id"), given.client].filter((id) => id !== undefined))
      if (isLogin && ids.size !== 1) {
        return yield* refused(`A login at ${host} must name its client_id, and only one.`)
      }
      if (!section.clients.includes(clientOf(given))) return PASS
    }
    // The program has the token of a login that was not made in a run, and the user decides whether to adopt it.
    const hasCode = field("code") !== undefined || field("device_code") !== undefined
    if (grant === "refresh_token" && !hasCode) return PASS
    if (grant !== "authorization_code" && grant !== DEVICE_GRANT) {
      return yield* refused(
        `This request would turn the login of ${provider} into another credential, so it was not sent.`
      )
    }
    return SEND
  })

  /** Stores the tokens of a response, and replaces them in it. */
  const receive = Effect.fnUntraced(function*(
    profile: ProfileHandle,
    definition: OAuthProvider,
    section: LoginSection,
    given: ProgramLoginRequest,
    response: ProgramMessage,
    connection: ConnectionName | undefined
  ) {
    const { host, provider } = given
    const unreadable = (problem: string) =>
      refused(`${host} may have issued a token ${problem}, so it is not passed on.`)
    const body = fieldsOf(response)
    if (body === undefined) return yield* unreadable("in content that is not a JSON object or a form")
    const places = placesOf(definition)
    const prefixes = [section.accessToken, section.refreshToken, definition].flatMap(({ placeholder }) => {
      const prefix = placeholder.slice(0, placeholder.indexOf(PLACEHOLDER))
      return prefix.length < 3 ? [] : [prefix]
    })
    const real = [...places.values()].map((pointer) => pointed(body, pointer)).filter((value) =>
      typeof value === "string"
    )
    const undeclared = undeclaredToken(
      body,
      new Set(places.values()),
      (name, text) =>
        isTokenLike(name, text, prefixes) || real.some((token) => token.length >= 8 && text.includes(token))
    )
    if (undeclared !== undefined) {
      return yield* unreadable(`at ${undeclared}, which the definition of ${provider} does not name`)
    }
    if (real.every((token) => token === "")) {
      return {
        decision: "respond" as const,
        contentType: mediaTypeOf(response.contentType),
        content: Redacted.value(response.content)
      }
    }
    const fields = requestFields(given) ?? {}
    const text = (name: string) => typeof fields[name] === "string" && fields[name] !== "" ? fields[name] : undefined
    const [clientId, clientSecret] = [text("client_id"), text("client_secret")]
    const read = yield* Effect.mapError(
      loginIn(definition, body, clientId),
      (problem) => unreadable(`that ${problem}`)
    )
    const login: ProgramLogin = {
      ...yield* identified(definition, section, read),
      connection,
      scopes: read.scopes ?? text("scope")?.split(" "),
      clientSecret: clientSecret === undefined ? undefined : Redacted.make(clientSecret)
    }
    const { isFree, name } = yield* nameFor(profile, login)
    if (!isFree) {
      return yield* refused(
        `The run may use only the connection "${name}" of ${provider}, which is one of another account. ` +
          "Log in outside of the run, or start it without --connection."
      )
    }
    const document = yield* store(profile, login, name, responseWith(definition, body))
    return {
      decision: "respond" as const,
      contentType: mediaTypeOf(response.contentType),
      content: mediaTypeOf(response.contentType) === "application/x-www-form-urlencoded"
        ? new URLSearchParams(document as Record<string, string>).toString()
        : JSON.stringify(document)
    }
  })

  const programLogin = Effect.fn("Connections.programLogin")(
    function*(profile: ProfileHandle, named: ProgramLoginRequest, limits: RunLimits | undefined) {
      if (limits !== undefined && limits.profile !== profile) {
        return yield* refused(`This run is limited to the profile ${limits.profile}.`)
      }
      const routed = Option.getOrUndefined(yield* registry.find(named.provider))?.definition
      // Several providers may have logins at one server, each with its own clients.
      const client = clientOf(named)
      const other = (yield* registry.list).find(({ definition, source }) =>
        source === "bundled" && loginSectionAt(definition, named)?.clients.includes(client) === true
      )
      const known = other?.definition ?? routed
      const section = known?.authType === "oauth2" ? loginSectionAt(known, named) : undefined
      if (known?.authType !== "oauth2" || section === undefined) {
        return yield* refused(`The definition of ${named.provider} declares no login at that path of ${named.host}.`)
      }
      const provider = known.name
      const given = { ...named, provider }
      const chosen = limits === undefined ? undefined : chosenIn(limits, provider)
      const excess = limits === undefined
        ? undefined
        : excessOf(limits, provider, chosen ?? defaultConnectionName)
      if (excess !== undefined) {
        // Other logins of the program are not the daemon's.
        const isPhantom = [named.target, Redacted.value(named.request.content)].some((text) =>
          text.includes(PLACEHOLDER)
        )
        return isPhantom ? yield* refused(excess) : PASS
      }
      return yield* named.response === undefined
        ? decide(profile, known, section, given, limits)
        : receive(profile, known, section, given, named.response, chosen)
    },
    whenReady
  )

  return { programLogin, logins: { loginIn, nameFor, phantomsOf, responseWith, sectionOf, store } }
})
export type ProgramLogins = Effect.Success<ReturnType<typeof makeProgramLogins>>
