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
import * as Semaphore from "effect/Semaphore"
import { Revocations } from "../connections/oauth/Revocations.ts"
import {
  AuthenticationFailedError,
  type ConnectionAlreadyExistsError,
  InvalidRequestError,
  OperationNotAllowedError,
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
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { stateOf } from "../oauth/AuthorizationResponse.ts"
import { PeerOwner } from "../platform/sockets/PeerOwner.ts"
import { LeaseOwner } from "../platform/store/LeaseOwner.ts"
import { StoreChanges } from "../platform/store/StoreChanges.ts"
import type { FlowError, FlowEvent } from "./Flow.ts"
import { Flows } from "./Flows.ts"
import { PublicUrl } from "./PublicUrl.ts"
import { AuthSessions, type StartedAt, type StoredAction, type StoredSession } from "./sessions/AuthSessions.ts"
import { makeDevicePolling } from "./sessions/DevicePolling.ts"
import { type FormTokenError, type InputForm, InputForms } from "./sessions/InputForms.ts"
import { LoginProgress } from "./sessions/LoginProgress.ts"
import { makeLoginStart } from "./sessions/LoginStart.ts"

type Failure = SessionNotFoundError | SessionExpiredError | VaultUnavailableError

type Refusal = Failure | FlowError | ConnectionAlreadyExistsError

const longestWait = 30
/** The pause before a recovery, so that several announcements about logins trigger only one recovery. */
const recoveryPause = Duration.seconds(1)

const nextAction = (pages: string, action: StoredAction): NextAction => {
  switch (action.type) {
    case "enter_input":
      return { type: "enter_input", fields: action.fields, url: `${pages}/input` }
    case "show_user_code":
      return { ...action, url: `${pages}/device` }
    case "proceed":
      return { type: "none" }
    default:
      return action
  }
}

const toSession = (publicUrl: string, { content, ...session }: StoredSession): AuthSession => ({
  sessionId: content.sessionId,
  provider: session.provider,
  connection: session.name,
  flow: session.flow,
  status: session.status,
  message: content.message,
  error: content.error,
  warning: content.warning,
  createdAt: session.created_at,
  expiresAt: session.expires_at,
  nextAction: nextAction(`${publicUrl}/auth/sessions/${content.sessionId}`, content.action)
})

const make = Effect.gen(function*() {
  const sessions = yield* AuthSessions
  const progress = yield* LoginProgress
  const polling = yield* makeDevicePolling
  const forms = yield* InputForms
  const open = yield* makeLoginStart
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
    if (!isFinal(session.status)) return session
    return yield* new SessionExpiredError({
      detail: `This auth session has ended (${session.status}) and accepts no more input. ` +
        "Start again with: credsvc login <provider>"
    })
  })

  const read = (id: SessionId) => Effect.map(findSession(id), (session) => toSession(publicUrl, session))

  const watch = (session: StoredSession) => Effect.andThen(polling.watch(session), progress.closeAtExpiry(session))

  const readAndWatch = (id: SessionId) =>
    Effect.map(Effect.tap(findSession(id), watch), (session) => toSession(publicUrl, session))

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

  const start = Effect.fn("FlowRunner.start")(
    function*(profile: ProfileHandle, login: StartLogin, startedAt: StartedAt = "client") {
      const session = yield* open(profile, login, startedAt)
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
      if (seconds <= 0 || isFinal(session.status)) return toSession(publicUrl, session)
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
      if (isFinal(session.status) || (yield* progress.close(session, "cancelled")) !== undefined) return yield* read(id)
    }
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
      return yield* advance(yield* forms.spend(session, token), { _tag: "Input", data })
    }
  )

  /** Continues a login whose daemon was about to send a value, or ends it if its daemon waited for a response. */
  const adopt = (session: StoredSession) =>
    exclusive(session.content.sessionId)(Effect.gen(function*() {
      if (session.content.action.type !== "proceed") {
        const { name, provider } = session
        const detail = "The daemon stopped during this login, and the provider's response is lost. " +
          `Start again with: ${loginCommand(provider, name)}`
        return yield* progress.fail(session, new AuthenticationFailedError({ provider, detail }))
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
  yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
    // If the store cannot be opened, there are no sessions to recover; the readiness check reports the reason.
    if (!(yield* Effect.orElseSucceed(recover, () => false))) yield* Queue.take(noticed)
    yield* Effect.sleep(recoveryPause)
  })))

  return {
    start,
    get,
    belongsTo: (id: SessionId, profile: ProfileHandle) =>
      Effect.flatMap(
        findSession(id),
        (session) => session.profile === profile ? Effect.void : Effect.fail(SessionNotFoundError.of())
      ),
    startedAt: (id: SessionId) => Effect.map(findSession(id), ({ content }) => content.startedAt),
    resume: (id: SessionId, data: FieldValues) => exclusive(id)(resume(id, data)),
    cancel,
    form,
    returning,
    callback,
    submitForm: (id: SessionId, token: string, values: FieldValues) => exclusive(id)(submitForm(id, token, values))
  }
})

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
  static readonly layerNoDeps = Layer.effect(FlowRunner, make)

  /** The service together with all services of this room, with the flows that the caller supplies. */
  static readonly layerFlows = this.layerNoDeps.pipe(
    Layer.provide(InputForms.layerNoDeps),
    Layer.provide(LoginProgress.layerNoDeps),
    Layer.provide([AuthSessions.layerNoDeps, PeerOwner.layer, Revocations.layerNoDeps])
  )

  /** Like `layerFlows`, with the built-in flows. */
  static readonly layerRoom = this.layerFlows.pipe(Layer.provide(Flows.layerRoom()))
}
