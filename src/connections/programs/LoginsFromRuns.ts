/**
 * Logins that programs make themselves inside a run: the program talks to the authorization server, and the daemon
 * keeps the tokens.
 *
 * The proxy passes the program's token request to the daemon. The daemon stores the tokens of the response as a
 * connection, and gives the program phantoms, by which its later requests select that connection. When the program
 * refreshes or revokes a phantom, the daemon responds itself: the refresh token leaves the vault only for the daemon's
 * own refresh.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { loginAt } from "../../domain/injection/Capture.ts"
import { type PhantomName, phantomsIn, PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { ProgramLoginReply, ProgramLoginRequest, ProgramMessage } from "../../domain/wire/ProgramLogin.ts"
import { chosenIn, excessOf, type RunLimits } from "../../domain/wire/Run.ts"
import { setValueAt, valueAt } from "../../platform/JsonPointer.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import type { Access } from "../ConnectionAccess.ts"
import { ConnectionRepo, hasLogin } from "../ConnectionRepo.ts"
import { Issuers } from "../oauth/Issuers.ts"
import { Revocations } from "../oauth/Revocations.ts"
import { lifeOf } from "../renewal/TokenLife.ts"
import { allowed } from "../use/CredentialFailures.ts"
import {
  clientOf,
  contentFields,
  ended,
  failedForNow,
  foldedName,
  jsonReply,
  replyTo,
  requestFields
} from "./LoginMessages.ts"
import {
  errorDocument,
  type LoginPlace,
  type LoginStorage,
  phantomsOf,
  placesOf,
  tokenDocument
} from "./LoginStorage.ts"

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
/** The proxy sends the request, and passes the response to the daemon. */
const SEND: ProgramLoginReply = { captured: true }
/** The proxy sends the request, and passes the response to the program. */
const PASS: ProgramLoginReply = {}

const refusal = (message: string) => OperationNotAllowedError.of(message)

/** A refresh or a logout with a phantom, to which the daemon itself responds. */
interface PhantomUse {
  readonly phantom: PhantomName
  /** Returns a field of the request by its standard name. */
  readonly field: (name: string) => unknown
}

/** Decides on a request without a placeholder. The failure is a refusal. */
const withoutPhantom = (
  { definition: { name: provider }, section }: LoginPlace,
  given: ProgramLoginRequest,
  field: PhantomUse["field"]
): Result.Result<ProgramLoginReply, string> => {
  if (section.endpoint === "revocation") return Result.succeed(PASS)
  const grant = field("grant_type") ?? "authorization_code"
  const isLogin = grant === "authorization_code" || grant === DEVICE_GRANT
  // Programs with other client IDs log in at the same server, and some grants need no client.
  const ids = new Set([field("client_id"), given.client].filter((id) => id !== undefined))
  if (section.clients.length > 0 && isLogin && ids.size !== 1) {
    return Result.fail(`The request of a login at ${given.host} must contain exactly one client_id.`)
  }
  if (section.clients.length > 0 && !section.clients.includes(clientOf(given))) return Result.succeed(PASS)
  if (isLogin) return Result.succeed(SEND)
  // The program holds a real refresh token from a login outside of runs. The user decides whether to adopt that login.
  const hasCode = field("code") !== undefined || field("device_code") !== undefined
  return grant === "refresh_token" && !hasCode
    ? Result.succeed(PASS)
    : Result.fail(`This request would exchange the login of ${provider} for another credential, so it was not sent.`)
}

/** Decides on a request: the reply to the proxy, or a phantom that is used. The failure is a refusal. */
const decide = (
  place: LoginPlace,
  given: ProgramLoginRequest,
  limits: RunLimits | undefined
): Result.Result<PhantomUse | ProgramLoginReply, string> => {
  const { definition: { name: provider, oauth: { tokenParamNames: names } }, section: { endpoint } } = place
  const { host } = given
  const fields = requestFields(given)
  if (fields === undefined) {
    return Result.fail(
      `The login was not sent to ${host}: its fields must be in a form or a JSON object, without repetitions.`
    )
  }
  const field = (name: string) => fields[foldedName(Object.hasOwn(names, name) ? names[name]! : name)]
  const token = field(endpoint === "token" ? "refresh_token" : "token")
  if (typeof token !== "string" || !token.includes(PLACEHOLDER)) {
    return JSON.stringify(fields).includes(PLACEHOLDER)
      ? Result.fail(`A placeholder cannot be exchanged for another credential at ${host}.`)
      : withoutPhantom(place, given, field)
  }
  const [phantom] = phantomsIn(token)
  const isOwn = phantom?.provider === provider &&
    (endpoint === "revocation" || (phantom.role === "refresh_token" && field("grant_type") === "refresh_token"))
  return isOwn && excessOf(limits, provider, phantom.connection) === undefined
    ? Result.succeed({ phantom, field })
    : Result.fail(`The placeholder in the request to ${host} does not belong to a login that this run may use there.`)
}

export const makeLoginsFromRuns = Effect.fnUntraced(function*(
  { removeOwned, renewed, whenReady }: Access,
  { identified, learnClient, loginIn, nameFor, store }: LoginStorage
) {
  const manifest = yield* StoreManifest
  const issuers = yield* Issuers
  const registry = yield* ProviderRegistry
  const repo = yield* ConnectionRepo
  const revocations = yield* Revocations
  const scope = yield* Effect.scope

  /** Responds to the program's refresh with its current placeholders and the remaining lifetime of the token. */
  const refresh = Effect.fnUntraced(function*(
    place: LoginPlace,
    { field, phantom: { connection, login, provider } }: PhantomUse
  ) {
    const { definition, profile } = place
    const again = `Log in again in the program, or with: credsvc login ${provider}`
    const stored = yield* repo.findUsable({ profile, provider, name: connection })
    if (stored === undefined || !hasLogin(stored, login)) {
      const places = (yield* repo.ofProvider(provider)).filter(({ name }) => name === connection)
      const others = yield* Effect.forEach(places, (place) => repo.find({ ...place, provider }))
      return others.some((other) => other !== undefined && hasLogin(other, login))
        ? failedForNow(`This profile may not use the login "${connection}" of ${provider}.`)
        : ended(`The login "${connection}" of ${provider} was removed. ${again}`)
    }
    yield* learnClient(stored, definition, { clientId: field("client_id"), secret: field("client_secret") })
    const fresh = yield* Effect.result(renewed(stored))
    if (Result.isFailure(fresh)) {
      const isOver = fresh.failure._tag === "TokenExpiredError" || fresh.failure._tag === "CredentialMissingError"
      return isOver
        ? ended(`The login "${connection}" of ${provider} has ended. ${again}`)
        : failedForNow(
          `The token of ${provider} could not be refreshed. credsvc keeps the login and retries the refresh.`
        )
    }
    const { metadata } = fresh.success
    const { expiresAt } = lifeOf(metadata)
    const { expiresIn = "/expires_in" } = definition.oauth.tokenResponse
    const document = metadata.programResponse === undefined
      ? tokenDocument(
        place,
        { token_type: "Bearer", scope: metadata.scopes.join(definition.oauth.scopeSeparator) },
        phantomsOf(place, { access_token: "", refresh_token: "" }, { connection, login })
      )
      : JSON.parse(metadata.programResponse)
    if (expiresAt !== null) {
      const left = Math.ceil((expiresAt - (yield* Clock.currentTimeMillis)) / 1000)
      setValueAt(document, expiresIn, Math.max(1, left))
    }
    return jsonReply(document, 200)
  })

  /** Removes the connection and revokes its tokens. The program's logout succeeds whatever the provider responds. */
  const revoke = Effect.fnUntraced(function*(
    { definition, profile }: LoginPlace,
    { phantom: { connection: name, login, provider } }: PhantomUse
  ) {
    const stored = yield* repo.find({ profile, provider, name })
    if (stored !== undefined && hasLogin(stored, login)) {
      const issuer = yield* Effect.result(issuers.of(stored, definition))
      const secrets = yield* repo.openSecrets(stored)
      yield* manifest.transact(removeOwned(stored))
      const { id } = stored.metadata.account
      if (Result.isSuccess(issuer)) yield* Effect.forkIn(revocations.giveBack(issuer.success, secrets, id), scope)
    }
    return jsonReply({}, 200)
  })

  const respond = (place: LoginPlace, given: ProgramLoginRequest, limits: RunLimits | undefined) =>
    Effect.flatMap(allowed(decide(place, given, limits)), (decision) => {
      if (!("phantom" in decision)) return Effect.succeed(decision)
      return place.section.endpoint === "token" ? refresh(place, decision) : revoke(place, decision)
    })

  /** Stores the tokens of a response, and replaces them with phantoms in the response. */
  const receive = Effect.fnUntraced(function*(
    place: LoginPlace,
    given: ProgramLoginRequest,
    response: ProgramMessage,
    connection: ConnectionName | undefined
  ) {
    const { definition, profile } = place
    const { host } = given
    const body = contentFields(response)
    if (body === undefined) {
      return yield* refusal(`${host} sent content that is not a JSON object or a form, so it is not passed on.`)
    }
    if ((valueAt(body, placesOf(definition).access_token) ?? "") === "") {
      const document = errorDocument(body)
      return valueAt(document, "/error") === undefined
        ? yield* refusal(
          `The response of ${host} has neither an error nor a token where the definition of ${definition.name} expects them.`
        )
        : replyTo(response, document)
    }
    const fields = requestFields(given) ?? {}
    const text = (name: string) => typeof fields[name] === "string" && fields[name] !== "" ? fields[name] : undefined
    const request = { clientId: text("client_id"), clientSecret: text("client_secret"), scope: text("scope") }
    const read = yield* Effect.mapError(
      loginIn(definition, body, request),
      (problem) => refusal(`The response of ${host} has a login that ${problem}, so it is not passed on.`)
    )
    const login = yield* identified(definition, read)
    const { isFree, name } = yield* nameFor(profile, login, connection)
    if (!isFree) {
      return yield* refusal(
        `The run may use only the connection "${name}" of ${definition.name}, which belongs to another account. ` +
          "Log in outside of the run, or start it without --connection."
      )
    }
    return replyTo(response, yield* store(place, login, name))
  })

  /** Returns what the proxy does with a program's login, refresh or logout request, or with the response to it. */
  const programLogin = Effect.fn("Connections.programLogin")(
    function*(profile: ProfileHandle, named: ProgramLoginRequest, limits: RunLimits | undefined) {
      if (limits !== undefined && limits.profile !== profile) {
        return yield* refusal(`This run is limited to the profile ${limits.profile}.`)
      }
      const { response } = named
      // Several providers may share a login server, each with its own clients.
      const { definition } = (yield* registry.list).find(({ definition, source }) =>
        source === "bundled" && loginAt(definition, named)?.clients.includes(clientOf(named)) === true
      ) ?? (yield* registry.get(named.provider))
      const section = loginAt(definition, named)
      if (definition.authType !== "oauth2" || section === undefined) {
        return yield* refusal(`The definition of ${named.provider} declares no login at that path of ${named.host}.`)
      }
      const chosen = limits && chosenIn(limits, definition.name)
      const excess = excessOf(limits, definition.name, chosen ?? defaultConnectionName)
      if (excess !== undefined) {
        // Requests without a placeholder belong to logins that the daemon does not manage.
        const isPhantom = named.target.includes(PLACEHOLDER) ||
          Redacted.value(named.request.content).includes(PLACEHOLDER)
        return isPhantom ? yield* refusal(excess) : PASS
      }
      const place = { definition, profile, section }
      return yield* response === undefined
        ? respond(place, named, limits)
        : receive(place, named, response, chosen)
    },
    whenReady
  )

  return { programLogin }
})
