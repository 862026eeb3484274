/**
 * Moves the logins in programs' files into the vault, and restores these files and others that contain placeholders.
 *
 * The vault has the tokens and the original before the command line replaces the file, and the command line restores the
 * file before the vault deletes the original. So after a crash at any point, repeating the request completes the work. A
 * login belongs either to the program or to the daemon, never to both, because a refresh token works once.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { OAuthProvider } from "../../domain/definition/Provider.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { holdsPlaceholder, phantomsIn, PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { exactPlaceholders } from "../../domain/injection/Placement.ts"
import { readLoginText } from "../../domain/text/LoginText.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { AdoptLogin, KeepOriginal, LoginPlaces, RestoreFile } from "../../domain/wire/OriginalFile.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { claimsOf } from "../../oauth/IdToken.ts"
import { sha256 } from "../../platform/Digest.ts"
import { setValueAt, stringsAt, valueAt } from "../../platform/JsonPointer.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import { sqlUnavailable } from "../../vault/StoreFailures.ts"
import type { Access } from "../ConnectionAccess.ts"
import { isContainedOnly } from "../ConnectionRecord.ts"
import { ConnectionRepo, hasLogin, loginOf, type StoredConnection } from "../ConnectionRepo.ts"
import { definedServer } from "../oauth/OAuthEndpoints.ts"
import { makeRefreshLeases } from "../renewal/RefreshLeases.ts"
import type { JsonObject } from "./LoginMessages.ts"
import { entriesOf, type LoginPlace, type LoginStorage, phantomsOf, placesOf, type Tokens } from "./LoginStorage.ts"
import { makeOriginalFiles } from "./OriginalFiles.ts"

const refusal = (message: string) => OperationNotAllowedError.of(message)

/** The default connection name for a login whose file the user keeps: `kept-codex` for `~/.codex/auth.json`. */
const keptName = (path: string): ConnectionName => {
  const directory = path.split(/[\\/]/).at(-2) ?? ""
  return `kept-${directory.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 50)}` as ConnectionName
}

const readLogin = (text: string, { access, identity, refresh }: LoginPlaces) => {
  const document = readLoginText(text)
  if (document === undefined) return undefined
  const roles = [["access_token", access], ["refresh_token", [refresh]], ["id_token", [identity]]] as const
  const found = roles.flatMap(([role, patterns]) =>
    stringsAt(document, patterns).map(([place, token]) => ({ role, place, token }))
  )
  const present = found.filter(({ token }) => token !== "")
  const tokens: Tokens = Object.fromEntries(present.map(({ role, token }) => [role, token]))
  const isReal = present.some(({ token }) => !token.includes(PLACEHOLDER))
  const problem = present.some(({ role, token }) => tokens[role] !== token)
    ? "has the logins of several accounts"
    : isReal && present.some(({ token }) => token.includes(PLACEHOLDER))
    ? "has both tokens and placeholders"
    : undefined
  return { document, found, tokens, isReal, problem }
}
type LoginFile = NonNullable<ReturnType<typeof readLogin>>

/** Returns the login as a token response of its provider. A string describes the problem with the file and ends a sentence. */
const responseOf = (
  definition: OAuthProvider,
  { document, isReal, tokens }: LoginFile,
  places: LoginPlaces,
  now: number
): JsonObject | string => {
  const { access_token: access, refresh_token: refresh } = tokens
  if (access === undefined) return "has no access token (a login with an API key has none)"
  if (!isReal) {
    return "has placeholders of a login that the vault no longer has (restore the file with --undo, or log in again)"
  }
  const at = (place: string | undefined) => place === undefined ? undefined : valueAt(document, place)
  const { oauth } = definition
  const own = { issuer: definedServer(definition, null)?.issuer, client: oauth.clientId }
  for (const part of ["issuer", "client"] as const) {
    const value = at(places[part]) || own[part]
    if (value !== own[part]) return `has a login of another ${part}, ${JSON.stringify(value)}`
  }
  const expires = at(places.expires) ?? claimsOf(access)?.["exp"]
  const expiresAt = typeof expires !== "number" ? undefined : expires < 1e11 ? expires * 1000 : expires
  if (expiresAt !== undefined && expiresAt <= now && refresh === undefined) {
    return "has an access token that has expired, and no refresh token"
  }
  const scopes = at(places.scopes)
  const { accountId, expiresIn = "/expires_in", scope = "/scope" } = oauth.tokenResponse
  const members: ReadonlyArray<readonly [pointer: string | undefined, value: unknown]> = [
    ...entriesOf(placesOf(definition)).map(([role, place]) => [place, tokens[role]] as const),
    [expiresIn, expiresAt === undefined ? undefined : Math.max(1, Math.floor((expiresAt - now) / 1000))],
    [scope, Array.isArray(scopes) ? scopes.join(oauth.scopeSeparator) : scopes],
    [accountId, at(places.account)]
  ]
  const body: Record<string, unknown> = { token_type: "Bearer" }
  for (const [pointer, value] of members) {
    if (pointer !== undefined && value !== undefined) setValueAt(body, pointer, value)
  }
  return body
}

/** Returns a file with phantoms instead of its tokens. The failure ends a sentence about the file. */
const withPhantoms = ({ document, found, tokens }: LoginFile, phantoms: Tokens): Result.Result<string, string> => {
  const replaced = structuredClone(document)
  for (const { place, role } of found) {
    if (phantoms[role] !== undefined) setValueAt(replaced, place, phantoms[role])
  }
  // JSON is YAML, too.
  const text = `${JSON.stringify(replaced, null, 2)}\n`
  return Object.values(tokens).some((token) => text.includes(token))
    ? Result.fail("has its tokens in additional places, where credsvc would not replace them")
    : Result.succeed(text)
}

const makeAdoption = Effect.fnUntraced(function*({ whenReady }: Access, { loginIn, nameFor, store }: LoginStorage) {
  const originals = yield* makeOriginalFiles
  const registry = yield* ProviderRegistry
  const repo = yield* ConnectionRepo

  /** Whether the vault still has this login under this name. */
  const isStored = ({ definition, profile }: LoginPlace, name: ConnectionName, login: string | undefined) =>
    Effect.map(
      repo.findUsable({ profile, provider: definition.name, name }),
      (found) => found !== undefined && hasLogin(found, login)
    )

  /** Finds the original of a file whose login was taken over before, and the connection that still has this login. */
  const earlierOf = Effect.fnUntraced(function*(place: LoginPlace, given: LoginFile, { content, path }: AdoptLogin) {
    const before = yield* sqlUnavailable(originals.find(place.profile, path))
    const login = before?.login?.provider === place.definition.name ? before.login : undefined
    const own = login && (yield* isStored(place, login.connection, login.id)) ? login.connection : undefined
    // A program empties its file when its refresh fails. An interrupted restore leaves placeholders without a connection.
    const isOriginal = before !== undefined &&
      (given.isReal ? before.original === Redacted.value(content) : own !== undefined || before.returned === true)
    return isOriginal ? { original: before.original, own } : undefined
  })

  /** Returns the name under which to store a login. Refuses to replace another connection, unless `force` is set. */
  const nameToStore = Effect.fnUntraced(function*(
    { definition: { name: provider }, profile }: LoginPlace,
    login: Parameters<LoginStorage["nameFor"]>[1],
    { connection, force = false, keep = false, path }: AdoptLogin
  ) {
    const { isFree, name } = yield* nameFor(profile, login, connection ?? (keep ? keptName(path) : undefined))
    // A connection that was not stored by --keep may have a refresh token, which --keep would delete.
    const replaced = keep ? yield* repo.find({ profile, provider, name }) : undefined
    const isReplaceable = replaced === undefined
      ? keep || isFree
      : !replaced.metadata.hasRefreshToken && loginOf(replaced) === login.id
    if (isReplaceable || force) return name
    const what = keep ? "not the one that --keep stored for this file" : "for another account"
    return yield* refusal(
      `The connection "${name}" of ${provider} is ${what}. Replace it with --force, or choose another --connection.`
    )
  })

  /** Stores the login in a program's file, and returns the content that is to replace it. May be repeated. */
  return Effect.fn("Connections.adoptLogin")(function*(profile: ProfileHandle, request: AdoptLogin) {
    const { content, keep = false, path, places } = request
    const { provider } = places
    const { definition } = yield* registry.get(provider)
    const section = definition.issuesTokens.find(({ login }) => login?.endpoint === "token")?.login
    if (definition.authType !== "oauth2" || section === undefined) {
      return yield* refusal(
        `The definition of ${provider} does not declare logins of programs, so credsvc cannot take one over.`
      )
    }
    const place = { definition, profile, section }
    const problem = (text: string) => refusal(`${path} ${text}, so its login was not taken over.`)
    const given = readLogin(Redacted.value(content), places)
    if (given === undefined) {
      return yield* problem("is neither a JSON document nor YAML with only unquoted one-line values")
    }
    if (given.problem !== undefined) return yield* problem(given.problem)
    const [phantom] = phantomsIn(given.tokens.access_token ?? "")
    if (phantom?.provider === provider && (yield* isStored(place, phantom.connection, phantom.login))) {
      return { provider, connection: phantom.connection, content }
    }
    const earlier = yield* earlierOf(place, given, request)
    const source = earlier === undefined ? given : readLogin(earlier.original, places) ?? given
    const body = responseOf(definition, source, places, yield* Clock.currentTimeMillis)
    if (typeof body === "string") return yield* problem(body)
    const login = yield* Effect.mapError(
      loginIn(definition, body, {}, keep ? path : undefined),
      (reason) => problem(`has a login that ${reason}`)
    )
    // The daemon may have refreshed the connection, so the tokens of the file must not replace newer ones.
    const own = keep ? undefined : earlier?.own
    const name = own ?? (yield* nameToStore(place, login, request))
    const phantoms = phantomsOf(place, source.tokens, { connection: name, login: login.id })
    const text = yield* Effect.mapError(
      Effect.fromResult(withPhantoms({ ...given, tokens: source.tokens }, phantoms)),
      problem
    )
    if (own === undefined) {
      const putOriginal = originals.put(profile, path, {
        original: earlier?.original ?? Redacted.value(content),
        replaced: sha256(text),
        login: { provider, connection: name, id: login.id }
      })
      yield* store(place, login, name, keep ? undefined : putOriginal)
    }
    return { provider, connection: name, content: Redacted.make(text) }
  }, whenReady)
})

export const makeLoginsFromFiles = Effect.fnUntraced(function*(access: Access, logins: LoginStorage) {
  const { removeOwned, record, whenReady } = access
  const leases = yield* makeRefreshLeases
  const manifest = yield* StoreManifest
  const originals = yield* makeOriginalFiles
  const registry = yield* ProviderRegistry
  const repo = yield* ConnectionRepo

  /** Seals the content of a file before placeholders replace the keys in it. */
  const keepOriginal = Effect.fn("Connections.keepOriginal")(
    function*(profile: ProfileHandle, { content, path, replaced }: KeepOriginal) {
      const before = yield* originals.find(profile, path)
      const text = Redacted.value(content)
      const isContinued = before !== undefined && before.replaced === sha256(text)
      if (before !== undefined && !isContinued && text !== before.original) {
        const exact = (yield* registry.list).flatMap(({ definition }) => exactPlaceholders(definition))
        if (holdsPlaceholder(text, exact)) {
          return yield* refusal(
            `${path} has changed since its keys were replaced. Copy the changes to another file, ` +
              "then restore this file with: credsvc scan --undo --force"
          )
        }
      }
      yield* originals.put(profile, path, {
        original: isContinued ? before.original : text,
        replaced: sha256(Redacted.value(replaced))
      })
      return { path }
    },
    manifest.transact,
    whenReady
  )

  /** Removes the connection of a login whose file is restored, so that only the program owns the login. */
  const release = Effect.fnUntraced(
    function*(stored: StoredConnection, original: string, { force = false, path }: RestoreFile) {
      const { name, provider, record_id: id } = stored.row
      if (isContainedOnly(stored, Option.getOrUndefined(yield* registry.find(provider)))) {
        return yield* refusal(`The connection "${name}" of ${provider} is for contained runs only.`)
      }
      if (yield* leases.isUnfinished(id)) {
        return yield* refusal(`The token of ${provider} is being refreshed. Try again in a minute.`)
      }
      const { refreshToken, values } = yield* repo.openSecrets(stored)
      const token = refreshToken ?? values["access_token"]
      if (token === undefined || original.includes(Redacted.value(token))) {
        // The program owns the login again. If the daemon kept it, too, both would send the same refresh token.
        yield* removeOwned(stored)
      } else if (!force) {
        return yield* refusal(
          `The daemon has refreshed the login, so the original tokens no longer work. With --force, ${path} gets its ` +
            "original content, and the program has to log in again."
        )
      }
    }
  )

  /**
   * Returns the original content of a file, and removes the connection of the login in it. Once the file has that
   * content, a second call of this function removes the original from the vault.
   */
  const restoreFile = Effect.fn("Connections.restoreFile")(
    function*(profile: ProfileHandle, request: RestoreFile) {
      const { content, force = false, path } = request
      const before = yield* originals.find(profile, path)
      if (before === undefined) return { status: "unknown" as const, path }
      const { login, original, replaced } = before
      const present = Redacted.value(content)
      const found = login && (yield* repo.find({ profile, provider: login.provider, name: login.connection }))
      const stored = found !== undefined && hasLogin(found, login?.id) ? found : undefined
      const isOriginal = present === original
      if (!isOriginal && !force && sha256(present) !== replaced) {
        return yield* refusal(
          `${path} has changed since its credentials were replaced. With --force, it gets its original content and loses the changes.`
        )
      }
      if (login !== undefined && stored === undefined && before.returned !== true && !isOriginal && !force) {
        return yield* refusal(
          `Cannot restore "${path}": its login was removed from the vault after credsvc took it over. To write the original ` +
            `file back anyway, with the tokens that it had, use --force.`
        )
      }
      if (stored !== undefined) yield* release(stored, original, request)
      if (isOriginal) {
        yield* originals.remove(profile, path)
        return { status: "restored" as const, path }
      }
      yield* originals.put(profile, path, { ...before, returned: true })
      yield* record("restore-file", profile, login?.provider ?? null, login?.connection ?? null)
      return { status: "write" as const, path, content: Redacted.make(original) }
    },
    manifest.transact,
    whenReady
  )

  return { adoptLogin: yield* makeAdoption(access, logins), keepOriginal, restoreFile }
})
