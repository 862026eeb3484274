/** The input forms of logins: what they show, and their single-use tokens. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { hostsOf } from "../../domain/definition/ProviderHosts.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { placementLines } from "../../domain/injection/PlacementText.ts"
import { hostAndPrefix } from "../../domain/injection/Route.ts"
import { builtins, type KeyObject } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import { DataKeys } from "../../vault/keys/DataKeys.ts"
import { AuthSessions, type StoredAction, type StoredSession } from "./AuthSessions.ts"
import { LoginProgress } from "./LoginProgress.ts"

/** The form token was already used or belongs to another session; the submitted values were ignored. */
export class FormTokenError extends Schema.TaggedError<FormTokenError>()("FormTokenError", {}) {
  override get message(): string {
    return "this form was already submitted, or belongs to another login"
  }
}

type EnterInput = Extract<StoredAction, { readonly type: "enter_input" }>

const maxSubmissions = 64

const make = Effect.gen(function*() {
  const keys = yield* DataKeys
  const progress = yield* LoginProgress
  const sessions = yield* AuthSessions

  const show = Effect.fn("InputForms.show")(function*(session: StoredSession, action: EnterInput) {
    const { fields, reason, recipient, redirectUri } = action
    const { definition, scopes } = yield* progress.requestOf(session)
    const { overridesBundled, source } = yield* progress.providerOf(session)
    return {
      provider: session.provider,
      flow: session.flow,
      displayName: definition.displayName,
      source,
      overridesBundled,
      profile: session.profile,
      connection: session.name,
      /** All hosts that may receive the credential, with their path prefixes. */
      hosts: hostsOf(definition, session.content.baseUrl).map(hostAndPrefix),
      carriers: placementLines(definition),
      credentialsUrl: definition.credentialsUrl,
      notes: definition.notes,
      /** The host to which the values are sent, if it is not one of `hosts`. */
      recipient,
      redirectUri,
      /** The scopes that the login requests; empty if the server chooses them. */
      scopes,
      reason,
      fields,
      token: issueToken(yield* keys.storeKey(tokenPurpose), session.id_hash),
      expiresAt: session.expires_at
    }
  })

  /** Uses up the form token, whether or not the values are then accepted, and returns the session. */
  const spend = Effect.fn("InputForms.spend")(function*(session: StoredSession, token: string) {
    const nonce = nonceOf(yield* keys.storeKey(tokenPurpose), session.id_hash, token)
    const { usedTokens } = session.content
    if (nonce === undefined || usedTokens.includes(nonce)) return yield* new FormTokenError()
    if (usedTokens.length >= maxSubmissions) {
      const error = OperationNotAllowedError.of("This login had too many attempts. Start a new login.")
      yield* progress.fail(session, error)
      return yield* error
    }
    const spent = yield* sessions.update(session, {
      content: { ...session.content, usedTokens: [...usedTokens, nonce] }
    })
    return spent ?? (yield* new FormTokenError())
  })

  return { show, spend }
})

export type InputForm = Effect.Success<ReturnType<InputForms["Service"]["show"]>>

export class InputForms extends Context.Service<InputForms, Effect.Success<typeof make>>()("credsvc/flows/InputForms") {
  static readonly layerNoDeps = Layer.effect(InputForms, make)
}

const tokenPurpose = "credsvc/form-token/v1"

const macOf = (key: KeyObject, session: string, nonce: string): Buffer =>
  builtins.crypto.createHmac("sha256", key).update(`${session}\n${nonce}`).digest()

/**
 * Creates a form token for one submission. `session` is the hash of the session ID. A MAC authenticates the token, so only used tokens
 * are stored, and tokens survive a restart.
 */
const issueToken = (key: KeyObject, session: string): string => {
  const nonce = builtins.crypto.randomBytes(16).toString("base64url")
  return `${nonce}.${macOf(key, session, nonce).toString("base64url")}`
}

/** Returns the nonce to record when the token is used, or undefined if the token does not belong to the session. */
const nonceOf = (key: KeyObject, session: string, token: string): string | undefined => {
  const [nonce = "", mac = ""] = token.split(".")
  const expected = macOf(key, session, nonce)
  const given = Buffer.from(mac, "base64url")
  return nonce.length === 22 && isSameSecret(given, expected)
    ? nonce
    : undefined
}
