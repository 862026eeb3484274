/**
 * Logins: starts, continues and finishes auth sessions.
 *
 * What a person or a provider contributes is given to the flow of the session; what comes out of it is stored here. A
 * session that has ended takes nothing any more.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { AuditLog } from "../audit/AuditLog.ts"
import { Connections } from "../connections/Connections.ts"
import {
  type AuthSession,
  type InputField,
  isFinal,
  type NextAction,
  type SessionId,
  type StartLogin
} from "../domain/AuthSession.ts"
import { type ConnectionName, defaultConnectionName } from "../domain/Connection.ts"
import {
  ConnectionAlreadyExistsError,
  InvalidRequestError,
  OperationNotAllowedError,
  type ProviderNotFoundError,
  type RequestRefusedError,
  SessionExpiredError,
  SessionNotFoundError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import type { FieldValues } from "../domain/Placement.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import type { FlowKind, ProviderDefinition, ProviderName, ProviderSource } from "../domain/Provider.ts"
import { hostsOf, resolveBaseUrl } from "../domain/Route.ts"
import { builtins, type KeyObject } from "../platform/builtins.ts"
import { fingerprint } from "../providers/Fingerprint.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { DataKeys } from "../vault/DataKeys.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { ApiKeyFlow } from "./ApiKeyFlow.ts"
import { AuthSessions, type Content, type StoredAction, type StoredSession } from "./AuthSessions.ts"
import { carriersOf } from "./Carriers.ts"
import type { Flow, FlowError, FlowEvent, FlowStep, Grant, LoginRequest } from "./Flow.ts"
import { PublicUrl } from "./PublicUrl.ts"

/** The token of a form was used before, or is not of this session: nothing was done with what came with it (A41). */
export class FormTokenError extends Schema.TaggedError<FormTokenError>()("FormTokenError", {}) {
  override get message(): string {
    return "this form was sent already, or is not of this login"
  }
}

/** What the input page of a session shows. A person decides by it whether to enter a key (A41). */
export interface InputForm {
  readonly provider: ProviderName
  readonly displayName: string
  readonly source: ProviderSource
  readonly overridesBundled: boolean
  readonly profile: ProfileHandle
  readonly connection: ConnectionName
  /** Every host that may receive the value, with its path prefix. */
  readonly hosts: ReadonlyArray<string>
  /** Where the value will stand in a request, such as `header x-api-key`. */
  readonly carriers: ReadonlyArray<string>
  readonly credentialsUrl: string | undefined
  readonly fields: ReadonlyArray<InputField>
  /** Good for one submission. */
  readonly token: string
  readonly expiresAt: DateTime.Utc
}

type Ended = SessionNotFoundError | SessionExpiredError

type Refusal =
  | Ended
  | FlowError
  | ConnectionAlreadyExistsError
  | VaultUnavailableError

const lifetime = Duration.minutes(10)
const longestWait = 30
const maxSubmissions = 64
const tokenPurpose = "credsvc/form-token/v1"

const flowNames: Readonly<Record<FlowKind, string>> = {
  api_key: "an API key",
  pkce: "OAuth in the browser",
  device_code: "a device code",
  dcr_pkce: "OAuth with dynamic registration"
}

const noAction: StoredAction = { type: "none" }

const over = (status: string) =>
  new SessionExpiredError({
    detail: `This auth session is over (${status}) and takes nothing more. Start again with: credsvc login <provider>`
  })

/** What a step means for the session. */
const opened = (
  step: Exclude<FlowStep, { readonly _tag: "Granted" }>
): Pick<Content, "action" | "message" | "state"> => {
  const { message, state } = step
  switch (step._tag) {
    case "AskInput":
      return { message, state, action: { type: "enter_input", fields: step.fields } }
    case "OpenUrl":
      return { message, state, action: { type: "open_url", url: step.url } }
    case "ShowUserCode": {
      const { interval, userCode, verificationUri, verificationUriComplete } = step
      return {
        message,
        state,
        action: { type: "show_user_code", userCode, verificationUri, verificationUriComplete, interval }
      }
    }
  }
}

export class FlowRunner extends Context.Service<FlowRunner, {
  /** Opens a session for ten minutes. An existing connection is refused here, unless it may be replaced. */
  readonly start: (
    profile: ProfileHandle,
    login: StartLogin
  ) => Effect.Effect<
    AuthSession,
    | InvalidRequestError
    | ProviderNotFoundError
    | OperationNotAllowedError
    | ConnectionAlreadyExistsError
    | FlowError
    | RequestRefusedError
    | VaultUnavailableError
  >

  /** The session as it is; with `waitSeconds`, as soon as it changes, and after 30 seconds at the latest. */
  readonly get: (
    id: SessionId,
    options?: { readonly waitSeconds?: number }
  ) => Effect.Effect<AuthSession, Ended | RequestRefusedError | VaultUnavailableError>

  /** Hands over what was asked for. A refused value leaves the session open. */
  readonly resume: (id: SessionId, data: FieldValues) => Effect.Effect<AuthSession, Refusal>

  /** Ends an open session. One that has ended stays as it is. */
  readonly cancel: (id: SessionId) => Effect.Effect<AuthSession, Ended | VaultUnavailableError>

  /** What to show a person who is to enter values, with a token of its own for each call. */
  readonly form: (
    id: SessionId
  ) => Effect.Effect<InputForm, Ended | OperationNotAllowedError | VaultUnavailableError>

  /** `resume` by way of the form. The token is spent whatever comes of it. */
  readonly submitForm: (
    id: SessionId,
    token: string,
    values: FieldValues
  ) => Effect.Effect<AuthSession, Refusal | FormTokenError>
}>()("credsvc/flows/FlowRunner") {
  /** With flows of the caller's choosing, at most one of a kind. */
  static readonly layerFlows = (flows: ReadonlyArray<Flow>): Layer.Layer<
    FlowRunner,
    never,
    | AuditLog
    | AuthSessions
    | Connections
    | DataKeys
    | ProviderRegistry
    | PublicUrl
    | StoreManifest
  > =>
    Layer.effect(
      FlowRunner,
      Effect.gen(function*() {
        const audit = yield* AuditLog
        const sessions = yield* AuthSessions
        const connections = yield* Connections
        const keys = yield* DataKeys
        const registry = yield* ProviderRegistry
        const manifest = yield* StoreManifest
        const { origin } = yield* PublicUrl
        const locks = new Map<string, { users: number; readonly lock: Semaphore.Semaphore }>()

        /** One at a time for each session: two submissions must not both be the first. */
        const exclusive = (id: SessionId) => <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              const entry = locks.get(id) ?? { users: 0, lock: Semaphore.makeUnsafe(1) }
              entry.users++
              locks.set(id, entry)
              return entry
            }),
            ({ lock }) => lock.withPermits(1)(effect),
            (entry) =>
              Effect.sync(() => {
                entry.users--
                if (entry.users === 0) locks.delete(id)
              })
          )

        const urlOf = (id: SessionId, page: "device" | "input") => `${origin}/auth/sessions/${id}/${page}`

        const nextAction = (id: SessionId, action: StoredAction): NextAction => {
          switch (action.type) {
            case "enter_input":
              return { ...action, url: urlOf(id, "input") }
            case "show_user_code":
              return { ...action, url: urlOf(id, "device") }
            default:
              return action
          }
        }

        const toSession = (id: SessionId, session: StoredSession): AuthSession => ({
          sessionId: id,
          provider: session.provider,
          connection: session.connection,
          flow: session.flow,
          status: session.status,
          message: session.content.message,
          error: session.content.error,
          createdAt: session.createdAt,
          expiresAt: session.expiresAt,
          nextAction: nextAction(id, isFinal(session.status) ? noAction : session.content.action)
        })

        /** The session, unless it is unknown or has run out of time. */
        const known = Effect.fnUntraced(function*(id: SessionId) {
          const session = yield* sessions.find(id)
          if (session === undefined) return yield* SessionNotFoundError.of()
          const now = yield* DateTime.now
          if (!isFinal(session.status) && DateTime.isGreaterThanOrEqualTo(now, session.expiresAt)) {
            return yield* SessionExpiredError.of()
          }
          return session
        })

        /** The session, if it can still be continued. */
        const open = Effect.fnUntraced(function*(id: SessionId) {
          const session = yield* known(id)
          return isFinal(session.status) ? yield* over(session.status) : session
        })

        const read = (id: SessionId) => Effect.map(known(id), (session) => toSession(id, session))

        const end = (
          session: StoredSession,
          status: "cancelled" | "completed" | "failed",
          content: Pick<Content, "error" | "message">
        ) =>
          sessions.update(session, {
            status,
            content: { ...session.content, ...content, action: noAction, state: {} }
          })

        const fail = (session: StoredSession, error: { readonly _tag: string; readonly message: string }) =>
          end(session, "failed", {
            message: "The login did not succeed.",
            error: { error: error._tag, message: error.message }
          })

        const flowOf = (definition: ProviderDefinition, kind: FlowKind) =>
          Effect.suspend(() => {
            const supported: ReadonlyArray<FlowKind> = definition.flows
            if (!supported.includes(kind)) {
              return Effect.fail(OperationNotAllowedError.of(
                `${definition.displayName} does not support a login with ${flowNames[kind]} (${kind}). ` +
                  `It supports: ${supported.join(", ")}.`
              ))
            }
            const flow = flows.find((flow) => flow.kind === kind)
            return flow === undefined
              ? Effect.fail(OperationNotAllowedError.of(
                `A login with ${flowNames[kind]} (${kind}) is not available yet in this version of credsvc.`
              ))
              : Effect.succeed(flow)
          })

        const store = (session: StoredSession, grant: Grant) =>
          connections.save(session.profile, {
            provider: session.provider,
            connection: session.connection,
            flow: session.flow,
            baseUrl: session.content.baseUrl,
            definitionFp: session.content.definitionFp,
            values: grant.values,
            refreshToken: grant.refreshToken,
            scopes: grant.scopes ?? session.content.scopes,
            tokenType: grant.tokenType,
            expiresAt: grant.expiresAt,
            account: grant.account
          }, {
            force: session.content.force,
            // In the same transaction: a session is used up exactly when its connection is there.
            also: Effect.flatMap(
              end(session, "completed", { message: `${session.provider} is connected.`, error: null }),
              (written) =>
                written
                  ? Effect.void
                  : Effect.fail(VaultUnavailableError.of("The login has changed while it was being stored. Try again."))
            )
          })

        const requestOf = Effect.fnUntraced(function*(session: StoredSession) {
          const { definition } = yield* registry.get(session.provider)
          const { baseUrl, definitionFp, scopes } = session.content
          if (fingerprint(definition, baseUrl) !== definitionFp) {
            // What the person was shown is not where the key would go (A35).
            return yield* OperationNotAllowedError.of(
              `The definition of ${session.provider} has changed during this login. Start again with: ` +
                `credsvc login ${session.provider}`
            )
          }
          return {
            profile: session.profile,
            definition,
            connection: session.connection,
            baseUrl,
            scopes
          } as LoginRequest
        }, Effect.catchTag("ProviderNotFoundError", (error) => Effect.fail(OperationNotAllowedError.of(error.message))))

        /** Gives an event to the flow and does what follows from it. Only with the session's lock. */
        const advance = Effect.fnUntraced(
          function*(id: SessionId, session: StoredSession, event: FlowEvent) {
            yield* Effect.gen(function*() {
              const request = yield* requestOf(session)
              const flow = yield* flowOf(request.definition, session.flow)
              const step = yield* flow.receive(request, session.content.state, event)
              if (step._tag === "Granted") yield* store(session, step.grant)
              else {
                yield* sessions.update(session, {
                  status: "waiting_for_user",
                  content: { ...session.content, ...opened(step) }
                })
              }
            }).pipe(
              Effect.catchTag(
                "ProviderNotFoundError",
                (error) => Effect.fail(OperationNotAllowedError.of(error.message))
              ),
              Effect.tapError((error) => {
                // The first leaves the session open; after the second its state is not known.
                if (error._tag === "InvalidRequestError" || error._tag === "VaultUnavailableError") return Effect.void
                return manifest.protect(Effect.andThen(
                  fail(session, error),
                  audit.append({
                    event: "login",
                    provider: session.provider,
                    connection: session.connection,
                    identity: session.profile,
                    status: error._tag === "AuthenticationFailedError" ? "denied" : "failed"
                  })
                ))
              })
            )
            return yield* read(id)
          }
        )

        const expectInput = (session: StoredSession) =>
          session.content.action.type === "enter_input"
            ? Effect.succeed(session.content.action.fields)
            : Effect.fail(OperationNotAllowedError.of("This login does not wait for input."))

        const start = Effect.fn("FlowRunner.start")(function*(profile: ProfileHandle, login: StartLogin) {
          const { definition } = yield* registry.get(login.provider)
          const flow = yield* flowOf(definition, login.flow ?? definition.flow)
          const connection = login.connection ?? defaultConnectionName
          const force = login.force ?? false
          const baseUrl = yield* Result.match(resolveBaseUrl(definition, login.baseUrl), {
            onFailure: (message) => Effect.fail(InvalidRequestError.of([{ path: "/base_url", message }])),
            onSuccess: Effect.succeed
          })
          if (flow.kind === "api_key" && login.scopes !== undefined && login.scopes.length > 0) {
            return yield* InvalidRequestError.of([{ path: "/scopes", message: "an API key has no scopes to ask for" }])
          }
          const scopes = login.scopes ?? (definition.authType === "oauth2" ? definition.oauth.scopes : [])
          if (!force && (yield* connections.exists(profile, login.provider, connection))) {
            return yield* ConnectionAlreadyExistsError.of(login.provider, connection)
          }
          const step = yield* flow.begin({ profile, definition, connection, baseUrl, scopes })
          if (step._tag === "Granted") {
            return yield* OperationNotAllowedError.of("This login has nothing to ask for.")
          }
          const id = yield* sessions.insert({
            profile,
            provider: login.provider,
            connection,
            flow: flow.kind,
            status: "waiting_for_user",
            expiresAt: DateTime.addDuration(yield* DateTime.now, lifetime),
            content: {
              ...opened(step),
              error: null,
              force,
              baseUrl,
              scopes,
              definitionFp: fingerprint(definition, baseUrl),
              usedTokens: []
            }
          })
          return yield* Effect.catchTag(
            read(id),
            ["SessionNotFoundError", "SessionExpiredError"],
            // It was stored a moment ago.
            Effect.die
          )
        })

        const get = Effect.fn("FlowRunner.get")(
          function*(id: SessionId, options: { readonly waitSeconds?: number } = {}) {
            const session = yield* known(id)
            const seconds = Math.min(options.waitSeconds ?? 0, longestWait)
            if (seconds <= 0 || isFinal(session.status)) return toSession(id, session)
            const left = DateTime.distance(yield* DateTime.now, session.expiresAt)
            yield* sessions.awaitChange(session, Duration.min(Duration.seconds(seconds), left))
            return yield* read(id)
          }
        )

        const resume = Effect.fn("FlowRunner.resume")(function*(id: SessionId, data: FieldValues) {
          const session = yield* open(id)
          yield* expectInput(session)
          return yield* advance(id, session, { _tag: "Input", data })
        })

        const cancel = Effect.fn("FlowRunner.cancel")(function*(id: SessionId) {
          const session = yield* known(id)
          if (!isFinal(session.status)) {
            yield* end(session, "cancelled", { message: "The login was cancelled.", error: null })
          }
          return yield* read(id)
        })

        // A token needs no memory until it is used: it vouches for itself, and survives a restart.
        const tokenMac = (key: KeyObject, session: StoredSession, nonce: string) =>
          builtins.crypto.createHmac("sha256", key).update(`${session.idHash}\n${nonce}`).digest()

        const form = Effect.fn("FlowRunner.form")(function*(id: SessionId) {
          const session = yield* open(id)
          const fields = yield* expectInput(session)
          const { definition } = yield* requestOf(session)
          const { overridesBundled, source } = yield* Effect.mapError(
            registry.get(session.provider),
            (error) => OperationNotAllowedError.of(error.message)
          )
          const nonce = builtins.crypto.randomBytes(16).toString("base64url")
          const mac = tokenMac(yield* keys.storeKey(tokenPurpose), session, nonce)
          return {
            provider: session.provider,
            displayName: definition.displayName,
            source,
            overridesBundled,
            profile: session.profile,
            connection: session.connection,
            hosts: hostsOf(definition, session.content.baseUrl).map(({ host, pathPrefix }) =>
              `${host}${pathPrefix ?? ""}`
            ),
            carriers: carriersOf(definition),
            credentialsUrl: definition.credentialsUrl,
            fields,
            token: `${nonce}.${mac.toString("base64url")}`,
            expiresAt: session.expiresAt
          }
        })

        /** The session with the token spent. */
        const spend = Effect.fnUntraced(function*(id: SessionId, session: StoredSession, token: string) {
          const [nonce = "", mac = ""] = token.split(".")
          const expected = tokenMac(yield* keys.storeKey(tokenPurpose), session, nonce)
          const given = Buffer.from(mac, "base64url")
          const { usedTokens } = session.content
          if (
            nonce.length !== 22 || given.length !== expected.length ||
            !builtins.crypto.timingSafeEqual(given, expected) || usedTokens.includes(nonce)
          ) {
            return yield* new FormTokenError()
          }
          if (usedTokens.length >= maxSubmissions) {
            const error = OperationNotAllowedError.of("There were too many attempts in this login.")
            yield* fail(session, error)
            return yield* error
          }
          yield* sessions.update(session, {
            content: { ...session.content, usedTokens: [...usedTokens, nonce] }
          })
          return yield* open(id)
        })

        const submitForm = Effect.fn("FlowRunner.submitForm")(
          function*(id: SessionId, token: string, data: FieldValues) {
            const session = yield* open(id)
            yield* expectInput(session)
            const spent = yield* spend(id, session, token)
            return yield* advance(id, spent, { _tag: "Input", data })
          }
        )

        return FlowRunner.of({
          start,
          get,
          resume: (id, data) => exclusive(id)(resume(id, data)),
          cancel: (id) => exclusive(id)(cancel(id)),
          form,
          submitForm: (id, token, values) => exclusive(id)(submitForm(id, token, values))
        })
      })
    )

  /** With the flows of this version. */
  static readonly layerNoDeps = this.layerFlows([ApiKeyFlow])

  /** With its sessions. */
  static readonly layer = this.layerNoDeps.pipe(Layer.provide(AuthSessions.layerNoDeps))
}
