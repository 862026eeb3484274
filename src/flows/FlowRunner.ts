/**
 * Runs logins: starts, continues and finishes auth sessions.
 *
 * Input from the user or the provider is passed to the flow of the session, one event at a time. A session that has
 * ended accepts no input. A session that waits for the user or polls the provider survives a restart of the daemon.
 * Daemons that share a store can each handle any step of a login, and take over the logins of a daemon that has ended.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { Connections } from "../connections/Connections.ts"
import { reachOf } from "../connections/oauth/OAuthEndpoints.ts"
import { Revocations } from "../connections/oauth/Revocations.ts"
import { type FlowKind, isStoredGrant, type ProviderDefinition } from "../domain/definition/Provider.ts"
import { namesResource } from "../domain/definition/ProviderFields.ts"
import { resolveBaseUrl } from "../domain/definition/ProviderHosts.ts"
import { storedGrantOf } from "../domain/definition/StoredGrants.ts"
import {
  AuthenticationFailedError,
  ConnectionAlreadyExistsError,
  InvalidRequestError,
  OperationNotAllowedError,
  type Problem,
  type ProviderNotFoundError,
  type RequestRefusedError,
  SessionExpiredError,
  SessionNotFoundError,
  type VaultUnavailableError
} from "../domain/Errors.ts"
import type { FieldValues } from "../domain/injection/Placement.ts"
import { loginCommand } from "../domain/text/LoginCommand.ts"
import {
  type AuthSession,
  isFinal,
  type NextAction,
  type SessionId,
  type StartLogin
} from "../domain/wire/AuthSession.ts"
import { defaultConnectionName } from "../domain/wire/Names.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { stateOf } from "../oauth/AuthorizationResponse.ts"
import { safeUrl } from "../oauth/SafeUrl.ts"
import { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import { fingerprint } from "../providers/Fingerprint.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import type { FlowError, FlowEvent } from "./Flow.ts"
import { Flows } from "./Flows.ts"
import { PublicUrl, redirectUriOf } from "./PublicUrl.ts"
import { AuthSessions, type StartedAt, type StoredAction, type StoredSession } from "./sessions/AuthSessions.ts"
import { makeDevicePolling } from "./sessions/DevicePolling.ts"
import { type FormTokenError, type InputForm, InputForms } from "./sessions/InputForms.ts"
import { LoginProgress, stepTime } from "./sessions/LoginProgress.ts"

type Failure = SessionNotFoundError | SessionExpiredError | VaultUnavailableError

type Refusal = Failure | FlowError | ConnectionAlreadyExistsError

const longestWait = 30
/** The pause before a recovery, so that several announcements about logins trigger only one recovery. */
const recoveryPause = Duration.seconds(1)

/** The reason why a login with this flow cannot request scopes. */
const fixedScopes: { readonly [Kind in FlowKind]?: string } = {
  api_key: "API keys have no scopes",
  assume_role: "the policies of the role set the permissions",
  refresh_token: "a refresh token already has its scopes",
  credential_command: "a credential command chooses its own scopes"
}

const interruptedLogin = ({ name, provider }: StoredSession) =>
  new AuthenticationFailedError({
    provider,
    detail: "The daemon stopped during this login, and the provider's response is lost. Start again " +
      `with: ${loginCommand(provider, name)}`
  })

const endedSession = (status: string) =>
  new SessionExpiredError({
    detail:
      `This auth session has ended (${status}) and accepts no more input. Start again with: credsvc login <provider>`
  })

const defaultScopes = (definition: ProviderDefinition, kind: FlowKind): ReadonlyArray<string> =>
  definition.authType === "api_key"
    ? []
    : isStoredGrant(kind)
    ? storedGrantOf(definition.oauth, kind)?.section.scopes ?? []
    : definition.oauth.scopes

const issuerProblem = (definition: ProviderDefinition, kind: FlowKind, issuer: string): string | undefined =>
  definition.authType !== "oauth2" || isStoredGrant(kind) ||
    (definition.oauth.issuer === undefined && definition.oauth.resource === undefined)
    ? "has no effect: this login does not compare issuers"
    : safeUrl(issuer, reachOf(definition)) === undefined
    ? "must be an https URL"
    : undefined

/** Lists the options of a login that have no effect in its flow, and a missing one that the flow requires. */
const optionProblems = (
  definition: ProviderDefinition,
  kind: FlowKind,
  { clientId, command, noResource, redirectHost, scopes, trustIssuer }: StartLogin,
  asked: StartLogin,
  publicUrl: string
): ReadonlyArray<Problem> => {
  const isBrowserFlow = kind === "pkce" || kind === "dcr_pkce"
  const problems: ReadonlyArray<readonly [path: string, message: string | false | undefined]> = [
    [asked.addScopes === undefined ? "/scopes" : "/add_scopes", !!scopes?.length && fixedScopes[kind]],
    [
      "/no_resource",
      noResource === true && !namesResource(definition, kind) &&
      "has no effect: this login does not send a resource"
    ],
    ["/trust_issuer", trustIssuer !== undefined && issuerProblem(definition, kind, trustIssuer)],
    [
      "/command",
      command === undefined
        ? kind === "credential_command" && "is required by the flow credential_command"
        : kind !== "credential_command" && "is allowed only with the flow credential_command"
    ],
    [
      "/client_id",
      clientId !== undefined && !isBrowserFlow && kind !== "device_code" &&
      "has no effect: this login does not contact an authorization server"
    ],
    [
      "/redirect_host",
      redirectHost !== undefined && (isBrowserFlow
        ? redirectUriOf(publicUrl, "localhost") === redirectUriOf(publicUrl, "127.0.0.1") &&
          `has no effect: the redirect URI begins with the URL of this daemon, ${publicUrl}`
        : "has no effect: this login does not use the browser")
    ]
  ]
  return problems.flatMap(([path, message]) => typeof message === "string" ? [{ path, message }] : [])
}

export class FlowRunner extends Context.Service<FlowRunner, {
  /** Opens a session for ten minutes. Fails if the connection exists, unless the request allows its replacement. */
  readonly start: (profile: ProfileHandle, login: StartLogin, startedAt?: StartedAt) => Effect.Effect<
    AuthSession,
    | InvalidRequestError
    | ProviderNotFoundError
    | OperationNotAllowedError
    | ConnectionAlreadyExistsError
    | FlowError
    | RequestRefusedError
    | VaultUnavailableError
  >

  /** Returns the session. With `waitSeconds`, returns as soon as it changes, and after 30 seconds at the latest. */
  readonly get: (
    id: SessionId,
    options?: { readonly waitSeconds?: number }
  ) => Effect.Effect<AuthSession, Failure | RequestRefusedError>

  /** Fails if the session belongs to another profile, as if the session were unknown. */
  readonly belongsTo: (id: SessionId, profile: ProfileHandle) => Effect.Effect<void, Failure>

  /** Where the login was started. The browser returns there when the login has ended. */
  readonly startedAt: (id: SessionId) => Effect.Effect<StartedAt, Failure>

  /**
   * Submits the requested values, or the redirect URL as `callback` while the user is at the provider. Invalid values
   * leave the session open.
   */
  readonly resume: (id: SessionId, data: FieldValues) => Effect.Effect<AuthSession, Refusal>

  /** Ends an open session. A session that has already ended stays unchanged. */
  readonly cancel: (id: SessionId) => Effect.Effect<AuthSession, Failure>

  /** The input form of a session that waits for values, with a new form token for each call. */
  readonly form: (id: SessionId) => Effect.Effect<InputForm, Failure | OperationNotAllowedError>

  /**
   * Handles the browser's return from the authorization server. The first callback with the session's `state` goes to
   * the flow; later ones get the same result, and nothing is sent twice. A failure is stored in the session.
   */
  readonly callback: (query: string) => Effect.Effect<
    { readonly session: AuthSession; readonly startedAt: StartedAt },
    Failure
  >

  /** Finds the login of a callback, without using the callback. */
  readonly returning: (query: string) => Effect.Effect<
    { readonly session: AuthSession; readonly profile: ProfileHandle; readonly baseUrl: string | null },
    Failure
  >

  /** Submits values like `resume`, from the form. The form token is used up even if the values are rejected. */
  readonly submitForm: (
    id: SessionId,
    token: string,
    values: FieldValues
  ) => Effect.Effect<AuthSession, Refusal | FormTokenError>
}>()("credsvc/flows/FlowRunner") {
  static readonly layerNoDeps = Layer.effect(
    FlowRunner,
    Effect.gen(function*() {
      const sessions = yield* AuthSessions
      const progress = yield* LoginProgress
      const polling = yield* makeDevicePolling
      const flows = yield* Flows
      const connections = yield* Connections
      const forms = yield* InputForms
      const registry = yield* ProviderRegistry
      const { baseUrl: publicUrl } = yield* PublicUrl
      const changes = yield* StoreChanges
      const owner = yield* LeaseOwner
      const locks = new Map<string, { users: number; readonly lock: Semaphore.Semaphore }>()

      /** Runs one effect at a time for each session, so that only one of two submissions can be the first. */
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

      const urlOf = (id: SessionId, page: "device" | "input") => `${publicUrl}/auth/sessions/${id}/${page}`

      const nextAction = (id: SessionId, action: StoredAction): NextAction => {
        switch (action.type) {
          case "enter_input":
            return { type: "enter_input", fields: action.fields, url: urlOf(id, "input") }
          case "show_user_code":
            return { ...action, url: urlOf(id, "device") }
          case "proceed":
            return { type: "none" }
          default:
            return action
        }
      }

      const toSession = (id: SessionId, session: StoredSession): AuthSession => ({
        sessionId: id,
        provider: session.provider,
        connection: session.name,
        flow: session.flow,
        status: session.status,
        message: session.content.message,
        error: session.content.error,
        warning: session.content.warning,
        createdAt: session.created_at,
        expiresAt: session.expires_at,
        nextAction: nextAction(id, session.content.action)
      })

      const findSession = Effect.fnUntraced(function*(id: SessionId) {
        const session = yield* sessions.find(id)
        if (session === undefined) return yield* SessionNotFoundError.of()
        const now = yield* DateTime.now
        const isLate = !isFinal(session.status) && DateTime.isGreaterThanOrEqualTo(now, session.expires_at)
        if (isLate || session.status === "expired") return yield* SessionExpiredError.of()
        return session
      })

      const findOpen = Effect.fnUntraced(function*(id: SessionId) {
        const session = yield* findSession(id)
        return isFinal(session.status) ? yield* endedSession(session.status) : session
      })

      const read = (id: SessionId) => Effect.map(findSession(id), (session) => toSession(id, session))

      const watch = (session: StoredSession) => Effect.andThen(polling.watch(session), progress.closeAtExpiry(session))

      const readAndWatch = Effect.fnUntraced(function*(id: SessionId) {
        const session = yield* findSession(id)
        yield* watch(session)
        return toSession(id, session)
      })

      /**
       * Applies the input of a client, and reads the session. Even if the client disconnects, the daemon goes on with the next
       * step, such as polling: another request of the client may already have returned the new state.
       */
      const advance = (session: StoredSession, event: FlowEvent) => {
        const { sessionId } = session.content
        return progress.advance(session, event).pipe(
          Effect.onExit(() => Effect.ignore(readAndWatch(sessionId))),
          Effect.andThen(read(sessionId))
        )
      }

      const expectInput = (session: StoredSession) =>
        session.content.action.type === "enter_input"
          ? Effect.succeed(session.content.action)
          : Effect.fail(OperationNotAllowedError.of("This login is not waiting for input."))

      /** Completes a request with the options of the replaced connection and, for `addScopes`, with its scopes. */
      const completeLogin = Effect.fnUntraced(function*(
        profile: ProfileHandle,
        { addScopes, ...login }: StartLogin,
        definition: ProviderDefinition,
        kind: FlowKind
      ) {
        const problem = (message: string) => InvalidRequestError.at("/add_scopes", message)
        if (addScopes !== undefined && login.scopes !== undefined) {
          return yield* problem("cannot be combined with scopes")
        }
        if (addScopes?.length === 0) return yield* problem("names no scope")
        if (addScopes === undefined && login.force !== true) return login
        const name = login.connection ?? defaultConnectionName
        const before = yield* Effect.catchTag(
          connections.get(profile, login.provider, name, { reveal: false }),
          "ConnectionNotFoundError",
          () =>
            addScopes === undefined
              ? Effect.undefined
              : problem(`requires the connection "${name}", which does not exist; use scopes instead`)
        )
        // Options that another profile has accepted for its connection do not apply to this profile.
        if (before === undefined || (before.grantedBy !== undefined && addScopes === undefined)) return login
        const { baseUrl, noResource, scopes, trustedIssuer } = before
        const isSameTenant = Result.getOrUndefined(
          resolveBaseUrl(definition, login.baseUrl ?? (addScopes === undefined ? undefined : baseUrl ?? undefined))
        ) === baseUrl
        return {
          ...(!isSameTenant || trustedIssuer === undefined ||
              issuerProblem(definition, kind, trustedIssuer) !== undefined
            ? {}
            : { trustIssuer: trustedIssuer }),
          ...(isSameTenant && noResource === true && namesResource(definition, kind) ? { noResource } : {}),
          ...(baseUrl === null || addScopes === undefined ? {} : { baseUrl }),
          ...login,
          ...(addScopes === undefined ? {} : { scopes: [...new Set([...scopes, ...addScopes])], force: true })
        }
      })

      const start = Effect.fn("FlowRunner.start")(
        function*(profile: ProfileHandle, asked: StartLogin, startedAt: StartedAt = "client") {
          const { definition } = yield* registry.get(asked.provider)
          const { kind } = yield* flows.of(definition, asked.flow ?? definition.flow)
          const login = yield* completeLogin(profile, asked, definition, kind)
          const connection = login.connection ?? defaultConnectionName
          const force = login.force ?? false
          const baseUrl = yield* Result.match(resolveBaseUrl(definition, login.baseUrl), {
            onFailure: (message) => Effect.fail(InvalidRequestError.at("/base_url", message)),
            onSuccess: Effect.succeed
          })
          const problems = optionProblems(definition, kind, login, asked, publicUrl)
          if (problems.length > 0) return yield* InvalidRequestError.of(problems)
          const scopes = login.scopes ?? defaultScopes(definition, kind)
          if (!force && (yield* connections.exists(profile, login.provider, connection))) {
            return yield* ConnectionAlreadyExistsError.of(login.provider, connection)
          }
          // Stored before the first request to the provider, so that the limit on open sessions also limits these
          // requests.
          const session = yield* sessions.insert({
            profile,
            provider: login.provider,
            name: connection,
            flow: kind,
            status: "pending",
            expires_at: DateTime.addDuration(yield* DateTime.now, stepTime),
            content: {
              startedAt,
              message: `Preparing the login to ${definition.displayName}.`,
              error: null,
              warning: null,
              action: { type: "none" },
              state: {},
              force,
              containedOnly: login.containedOnly,
              baseUrl,
              redirectHost: login.redirectHost,
              clientId: login.clientId,
              scopes,
              trustIssuer: login.trustIssuer,
              noResource: login.noResource,
              command: login.command,
              definitionFp: fingerprint(definition, baseUrl),
              usedTokens: []
            }
          })
          yield* progress.begin(session)
          return yield* Effect.catchTag(
            readAndWatch(session.content.sessionId),
            ["SessionNotFoundError", "SessionExpiredError"],
            // The session was just stored, so it cannot be missing.
            Effect.die
          )
        }
      )

      const get = Effect.fn("FlowRunner.get")(
        function*(id: SessionId, options: { readonly waitSeconds?: number } = {}) {
          const session = yield* findSession(id)
          const seconds = Math.min(options.waitSeconds ?? 0, longestWait)
          if (seconds <= 0 || isFinal(session.status)) return toSession(id, session)
          const left = DateTime.distance(yield* DateTime.now, session.expires_at)
          yield* sessions.awaitChange(session, Duration.min(Duration.seconds(seconds), left))
          return yield* read(id)
        }
      )

      /** Handles the redirect URL that the user has copied from the browser. */
      const paste = Effect.fnUntraced(function*(session: StoredSession, data: FieldValues) {
        const { callback: text, ...others } = data
        const { sessionId } = session.content
        const unknown = Object.keys(others).map((name) => ({
          path: `/data/${name}`,
          message: "is not a field of this step"
        }))
        if (unknown.length > 0) return yield* InvalidRequestError.of(unknown)
        if (text === undefined) return yield* InvalidRequestError.at("/data/callback", "is missing")
        yield* receive(sessionId, yield* progress.pasted(session, text))
        return yield* read(sessionId)
      })

      const resume = Effect.fn("FlowRunner.resume")(function*(id: SessionId, data: FieldValues) {
        const session = yield* findOpen(id)
        if (session.content.action.type === "open_url") return yield* paste(session, data)
        yield* expectInput(session)
        return yield* advance(session, { _tag: "Input", data })
      })

      const cancel = Effect.fn("FlowRunner.cancel")(function*(id: SessionId) {
        // Does not wait for an operation in progress: that operation will find the session changed and store nothing.
        for (;;) {
          const session = yield* findSession(id)
          if (isFinal(session.status) || (yield* progress.close(session, "cancelled")) !== undefined) break
        }
        return yield* read(id)
      })

      const receive = Effect.fnUntraced(function*(id: SessionId, query: string) {
        const session = yield* findSession(id)
        if (session.status !== "waiting_for_user" || session.content.action.type !== "open_url") return
        // Stored durably before the code is sent: after a crash it is unknown whether the code was used.
        const taken = yield* sessions.update(session, {
          status: "processing",
          content: { ...session.content, action: { type: "none" }, message: "Checking the provider's response." }
        })
        if (taken === undefined) return
        yield* Effect.ignore(progress.advance(taken, { _tag: "Callback", query }))
        yield* watch(yield* findSession(id))
      }, Effect.uninterruptible)

      const findByCallback = Effect.fnUntraced(function*(query: string) {
        const state = stateOf(query)
        const found = state === undefined ? undefined : yield* sessions.findByState(state)
        return found ?? (yield* SessionNotFoundError.of())
      })

      const returning = Effect.fn("FlowRunner.returning")(function*(query: string) {
        const { content: { baseUrl, sessionId }, profile } = yield* findByCallback(query)
        return { session: yield* read(sessionId), profile, baseUrl }
      })

      const callback = Effect.fn("FlowRunner.callback")(function*(query: string) {
        const { sessionId, startedAt } = (yield* findByCallback(query)).content
        yield* exclusive(sessionId)(receive(sessionId, query))
        return { session: yield* read(sessionId), startedAt }
      })

      const form = Effect.fn("FlowRunner.form")(function*(id: SessionId) {
        const session = yield* findOpen(id)
        return yield* forms.show(session, yield* expectInput(session))
      })

      const submitForm = Effect.fn("FlowRunner.submitForm")(
        function*(id: SessionId, token: string, data: FieldValues) {
          const session = yield* findOpen(id)
          yield* expectInput(session)
          const spent = yield* forms.spend(session, token)
          return yield* advance(spent, { _tag: "Input", data })
        }
      )

      /** Continues a login whose daemon was about to send a value, or ends it if its daemon waited for a response. */
      const adopt = (session: StoredSession) =>
        exclusive(session.content.sessionId)(Effect.gen(function*() {
          if (session.content.action.type !== "proceed") {
            return yield* progress.fail(session, interruptedLogin(session))
          }
          // Only one daemon succeeds in updating the session.
          const own = yield* sessions.update(session, {})
          if (own !== undefined) yield* Effect.ignore(progress.advance(own, { _tag: "Proceed", again: true }))
        }))

      /** Takes over the logins of daemons that have ended. Returns whether other daemons are still processing logins. */
      const recover = Effect.gen(function*() {
        let others = false
        for (const session of yield* sessions.unfinished) {
          if (session.status === "waiting_for_user") yield* watch(session)
          else if (session.content.owner !== owner.own) {
            const isBusy = session.content.owner !== undefined && (yield* owner.isAlive(session.content.owner))
            if (isBusy) others = true
            else yield* adopt(session)
          }
        }
        return others
      })

      const noticed = yield* Queue.sliding<void>(1)
      yield* changes.onAnnounced("session", () => Queue.offerUnsafe(noticed, undefined))
      // If the store cannot be opened, there are no sessions to recover; the readiness check reports the reason.
      const recovered = Effect.orElseSucceed(recover, () => false)
      yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
        if (!(yield* recovered)) yield* Queue.take(noticed)
        yield* Effect.sleep(recoveryPause)
      })))

      return FlowRunner.of({
        start,
        get,
        belongsTo: (id, profile) =>
          Effect.flatMap(
            findSession(id),
            (session) => session.profile === profile ? Effect.void : Effect.fail(SessionNotFoundError.of())
          ),
        startedAt: (id) => Effect.map(findSession(id), ({ content }) => content.startedAt),
        resume: (id, data) => exclusive(id)(resume(id, data)),
        cancel,
        form,
        returning,
        callback,
        submitForm: (id, token, values) => exclusive(id)(submitForm(id, token, values))
      })
    })
  )

  /** The service together with all services of this room, with the flows that the caller supplies. */
  static readonly layerFlows = this.layerNoDeps.pipe(
    Layer.provide(InputForms.layerNoDeps),
    Layer.provide(LoginProgress.layerNoDeps),
    Layer.provide([AuthSessions.layerNoDeps, PeerOwner.layer, Revocations.layerNoDeps])
  )

  /** Like `layerFlows`, with the built-in flows. */
  static readonly layerRoom = this.layerFlows.pipe(Layer.provide(Flows.layerRoom()))
}
