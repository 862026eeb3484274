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
import * as RcMap from "effect/RcMap"
import * as Semaphore from "effect/Semaphore"
import { Revocations } from "../connections/oauth/Revocations.ts"
import {
  AuthenticationFailedError,
  InvalidRequestError,
  OperationNotAllowedError,
  SessionExpiredError,
  SessionNotFoundError
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
import type { FlowEvent } from "./Flow.ts"
import { Flows } from "./Flows.ts"
import { PublicUrl } from "./PublicUrl.ts"
import { AuthSessions, type StartedAt, type StoredAction, type StoredSession } from "./sessions/AuthSessions.ts"
import { makeDevicePolling } from "./sessions/DevicePolling.ts"
import { InputForms } from "./sessions/InputForms.ts"
import { LoginProgress } from "./sessions/LoginProgress.ts"
import { makeLoginStart } from "./sessions/LoginStart.ts"

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

/** Makes the function that runs one effect at a time for each session, so that only one of two submissions can be the first. */
const makeExclusive = Effect.map(
  RcMap.make<SessionId, Semaphore.Semaphore, never, never>({ lookup: () => Semaphore.make(1) }),
  (locks) => (id: SessionId) => <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.scoped(Effect.flatMap(RcMap.get(locks, id), (lock) => lock.withPermits(1)(effect)))
)

/** Makes the functions that all operations on sessions share. They fail if the session has expired. */
const makeSessionAccess = Effect.gen(function*() {
  const sessions = yield* AuthSessions
  const progress = yield* LoginProgress
  const polling = yield* makeDevicePolling
  const { baseUrl: publicUrl } = yield* PublicUrl

  const find = Effect.fnUntraced(function*(id: SessionId) {
    const session = yield* sessions.find(id)
    if (session === undefined) return yield* SessionNotFoundError.of()
    const now = yield* DateTime.now
    const isLate = !isFinal(session.status) && DateTime.isGreaterThanOrEqualTo(now, session.expires_at)
    if (isLate || session.status === "expired") return yield* SessionExpiredError.of()
    return session
  })

  /** Finds a session that accepts input. */
  const findOpen = Effect.fnUntraced(function*(id: SessionId) {
    const session = yield* find(id)
    if (!isFinal(session.status)) return session
    return yield* new SessionExpiredError({
      detail: `This auth session has ended (${session.status}) and accepts no more input. ` +
        "Start again with: credsvc login <provider>"
    })
  })

  const shown = (session: StoredSession) => toSession(publicUrl, session)

  const watch = (session: StoredSession) => Effect.andThen(polling.watch(session), progress.closeAtExpiry(session))

  return {
    exclusive: yield* makeExclusive,
    find,
    findOpen,
    read: (id: SessionId) => Effect.map(find(id), shown),
    readAndWatch: (id: SessionId) => Effect.map(Effect.tap(find(id), watch), shown),
    shown,
    watch
  }
})
type SessionAccess = Effect.Success<typeof makeSessionAccess>

/** Recovers the logins of daemons that have ended, now and whenever a session changes elsewhere. */
const startRecovery = Effect.fnUntraced(function*({ exclusive, watch }: SessionAccess) {
  const sessions = yield* AuthSessions
  const progress = yield* LoginProgress
  const changes = yield* StoreChanges
  const owner = yield* LeaseOwner

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

  /** Takes over a login whose daemon has ended. Returns whether another daemon is still processing the login. */
  const takeOver = Effect.fnUntraced(function*(session: StoredSession) {
    const { content, status } = session
    if (status === "waiting_for_user") yield* watch(session)
    if (status === "waiting_for_user" || content.owner === owner.own) return false
    if (content.owner !== undefined && (yield* owner.isAlive(content.owner))) return true
    yield* adopt(session)
    return false
  })

  const recover = Effect.map(
    Effect.flatMap(sessions.unfinished, Effect.forEach(takeOver)),
    (stillBusy) => stillBusy.includes(true)
  )

  const noticed = yield* Queue.sliding<void>(1)
  yield* changes.onAnnounced("session", () => Queue.offerUnsafe(noticed, undefined))
  yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
    // If the store cannot be opened, there are no sessions to recover; the readiness check reports the reason.
    if (!(yield* Effect.orElseSucceed(recover, () => false))) yield* Queue.take(noticed)
    yield* Effect.sleep(recoveryPause)
  })))
})

const makeCallbacks = Effect.fnUntraced(function*({ exclusive, find, read, watch }: SessionAccess) {
  const sessions = yield* AuthSessions
  const progress = yield* LoginProgress

  const receive = Effect.fnUntraced(function*(id: SessionId, query: string) {
    const session = yield* find(id)
    if (session.status !== "waiting_for_user" || session.content.action.type !== "open_url") return
    // Stored durably before the code is sent: after a crash it is unknown whether the code was used.
    const taken = yield* sessions.update(session, {
      status: "processing",
      content: { ...session.content, action: { type: "none" }, message: "Checking the provider's response." }
    })
    if (taken === undefined) return
    yield* Effect.ignore(progress.advance(taken, { _tag: "Callback", query }))
    yield* watch(yield* find(id))
  }, Effect.uninterruptible)

  const findByCallback = Effect.fnUntraced(function*(query: string) {
    const state = stateOf(query)
    const found = state === undefined ? undefined : yield* sessions.findByState(state)
    return found ?? (yield* SessionNotFoundError.of())
  })

  /** Finds the login of a callback, without using the callback. */
  const returning = Effect.fn("FlowRunner.returning")(function*(query: string) {
    const { content: { baseUrl, sessionId }, profile } = yield* findByCallback(query)
    return { session: yield* read(sessionId), profile, baseUrl }
  })

  /**
   * Handles the browser's return from the authorization server. The first callback with the session's `state` goes to
   * the flow; later ones get the same result, and nothing is sent twice. A failure is stored in the session.
   */
  const callback = Effect.fn("FlowRunner.callback")(function*(query: string) {
    const { sessionId, startedAt } = (yield* findByCallback(query)).content
    yield* exclusive(sessionId)(receive(sessionId, query))
    return { session: yield* read(sessionId), startedAt }
  })

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

  return { callback, paste, returning }
})

const make = Effect.gen(function*() {
  const sessions = yield* AuthSessions
  const progress = yield* LoginProgress
  const forms = yield* InputForms
  const open = yield* makeLoginStart
  const access = yield* makeSessionAccess
  const { exclusive, find: findSession, findOpen, read, readAndWatch, shown } = access
  const { callback, paste, returning } = yield* makeCallbacks(access)

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

  /** Opens a session for ten minutes. Fails if the connection exists, unless the request allows its replacement. */
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

  /** Returns the session. With `waitSeconds`, returns as soon as it changes, and after 30 seconds at the latest. */
  const get = Effect.fn("FlowRunner.get")(
    function*(id: SessionId, options: { readonly waitSeconds?: number } = {}) {
      const session = yield* findSession(id)
      const seconds = Math.min(options.waitSeconds ?? 0, longestWait)
      if (seconds <= 0 || isFinal(session.status)) return shown(session)
      const left = DateTime.distance(yield* DateTime.now, session.expires_at)
      yield* sessions.awaitChange(session, Duration.min(Duration.seconds(seconds), left))
      return yield* read(id)
    }
  )

  const resume = Effect.fn("FlowRunner.resume")(function*(id: SessionId, data: FieldValues) {
    const session = yield* findOpen(id)
    if (session.content.action.type === "open_url") return yield* paste(session, data)
    yield* expectInput(session)
    return yield* advance(session, { _tag: "Input", data })
  })

  /** Ends an open session. A session that has already ended stays unchanged. */
  const cancel = Effect.fn("FlowRunner.cancel")(function*(id: SessionId) {
    // Does not wait for an operation in progress: that operation will find the session changed and store nothing.
    for (;;) {
      const session = yield* findSession(id)
      if (isFinal(session.status) || (yield* progress.close(session, "cancelled")) !== undefined) return yield* read(id)
    }
  })

  /** The input form of a session that waits for values, with a new form token for each call. */
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

  yield* startRecovery(access)

  return {
    start,
    get,

    /** Fails if the session belongs to another profile, as if the session were unknown. */
    belongsTo: (id: SessionId, profile: ProfileHandle) =>
      Effect.flatMap(
        findSession(id),
        (session) => session.profile === profile ? Effect.void : Effect.fail(SessionNotFoundError.of())
      ),

    /** Where the login was started. The browser returns there when the login has ended. */
    startedAt: (id: SessionId) => Effect.map(findSession(id), ({ content }) => content.startedAt),

    /**
     * Submits the requested values, or the redirect URL as `callback` while the user is at the provider. Invalid values
     * leave the session open.
     */
    resume: (id: SessionId, data: FieldValues) => exclusive(id)(resume(id, data)),
    cancel,
    form,
    returning,
    callback,

    /** Submits values like `resume`, from the form. The form token is used up even if the values are rejected. */
    submitForm: (id: SessionId, token: string, values: FieldValues) => exclusive(id)(submitForm(id, token, values))
  }
})

export class FlowRunner extends Context.Service<FlowRunner, Effect.Success<typeof make>>()("credsvc/flows/FlowRunner") {
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
