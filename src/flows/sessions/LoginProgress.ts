/**
 * Applies the steps of a flow to its session. Every change is a compare-and-swap, so a login that was cancelled or
 * finished elsewhere stores nothing, however late the provider's response arrives.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { AuditLog } from "../../audit/AuditLog.ts"
import {
  type ConnectionAlreadyExistsError,
  OperationNotAllowedError,
  SessionExpiredError
} from "../../domain/Errors.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import { PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"
import {
  type Flow,
  type FlowError,
  type FlowEvent,
  type FlowStep,
  type LoginRequest,
  type OpenStep,
  unexpectedEvent
} from "../Flow.ts"
import { Flows } from "../Flows.ts"
import { ownClientId } from "../oauth/ClientMetadata.ts"
import { isOfThisMachine, PublicUrl, redirectUriOf } from "../PublicUrl.ts"
import { AuthSessions, type SessionChange, type StoredAction, type StoredSession } from "./AuthSessions.ts"
import * as GrantStorage from "./GrantStorage.ts"

/** How much time the user has for each step; a device flow uses the provider's limit. */
export const stepTime = Duration.minutes(10)
const longestDeviceTime = Duration.minutes(30)

type ProgressError = FlowError | ConnectionAlreadyExistsError

/** The next open step, or undefined if the session has ended or another operation has changed it. */
export type Outcome = OpenStep | undefined

/**
 * A sentence that names the profile. On a hosted daemon, somebody could send a login link to another person, and the daemon
 * would store that person's access.
 */
const profileNotice = ({ profile }: StoredSession, publicUrl: string): string =>
  isOfThisMachine(publicUrl) ? "" : ` The profile ${profile} gets this access: continue only if you started this login.`

/**
 * Fails if another user listens on `[::1]`, to which a browser may resolve `localhost`: that user could receive
 * the code.
 */
const refuseForeignListener = Effect.fnUntraced(function*(owners: PeerOwner["Service"], redirectUri: string) {
  const { hostname, port } = new URL(redirectUri)
  if (hostname !== "localhost") return
  if ((yield* owners.listener({ address: "::1", port: Number(port) })) === "other") {
    return yield* OperationNotAllowedError.of(
      `Another user of this machine listens on [::1]:${port} and may receive the provider's response. ` +
        "Start the daemon on another port: credsvc daemon stop; credsvc daemon start --port <port>"
    )
  }
})

const makeLoginRequests = Effect.gen(function*() {
  const registry = yield* ProviderRegistry
  const { baseUrl: publicUrl } = yield* PublicUrl

  /** Returns the provider of a session, whose definition may have changed since the login started. */
  const providerOf = ({ provider }: StoredSession) =>
    Effect.mapError(registry.get(provider), (error) => OperationNotAllowedError.of(error.message))

  /** Returns the current login request. Fails if the definition has changed since the login started. */
  const requestOf = Effect.fnUntraced(function*(session: StoredSession) {
    const { definition } = yield* providerOf(session)
    const { baseUrl, command, definitionFp, noResource, scopes, trustIssuer } = session.content
    if (fingerprint(definition, baseUrl) !== definitionFp) {
      // With a changed definition, the credential could be sent to hosts that the user has not seen.
      return yield* OperationNotAllowedError.of(
        `The definition of ${session.provider} has changed during this login. Start again with: ` +
          loginCommand(session.provider, session.name)
      )
    }
    const { redirectHost } = session.content
    const host = redirectHost ?? (definition.authType === "oauth2" ? definition.oauth.redirectHost : "127.0.0.1")
    return {
      profile: session.profile,
      definition,
      connection: session.name,
      baseUrl,
      scopes,
      noResource,
      trustIssuer,
      command,
      redirectUri: redirectUriOf(publicUrl, host),
      clientId: session.content.clientId,
      ownClientId: ownClientId(publicUrl),
      redirectFallback: redirectHost === undefined ? redirectUriOf(publicUrl, "localhost") : undefined
    } satisfies LoginRequest
  })

  return { providerOf, requestOf }
})

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const sessions = yield* AuthSessions
  const flows = yield* Flows
  const manifest = yield* StoreManifest
  const owners = yield* PeerOwner
  const { baseUrl: publicUrl } = yield* PublicUrl
  const { providerOf, requestOf } = yield* makeLoginRequests
  const { giveBack, storeGrant } = yield* GrantStorage.make

  const fail = (session: StoredSession, error: { readonly _tag: string; readonly message: string }) =>
    manifest.transact(Effect.tap(
      sessions.end(session, error._tag === "SessionExpiredError" ? "expired" : "failed", {
        message: "The login did not succeed.",
        error: { error: error._tag, message: error.message }
      }),
      (ended) =>
        ended === undefined ? Effect.void : audit.appendRepeatable({
          event: "login",
          provider: session.provider,
          connection: session.name,
          identity: session.profile,
          status: error._tag === "AuthenticationFailedError" ? "denied" : "failed"
        })
    ))

  const close = (session: StoredSession, status: "cancelled" | "expired") =>
    sessions.end(session, status, {
      message: status === "cancelled" ? "The login was cancelled." : "The login has expired.",
      error: null
    }).pipe(Effect.tap((ended) => ended === undefined ? Effect.void : releaseHeld(session)))

  /** Stores the state before the flow continues, so that a crash loses nothing that the flow sends. */
  const proceed = Effect.fnUntraced(
    function*(session: StoredSession, { message, state }: Extract<FlowStep, { readonly _tag: "Proceed" }>) {
      const taken = yield* sessions.update(session, {
        status: "processing",
        content: { ...session.content, message, action: { type: "proceed" }, state }
      }).pipe(
        Effect.tapError(() => releaseHeld(session, state)),
        Effect.tap((updated) => updated === undefined ? releaseHeld(session, state) : Effect.void)
      )
      return taken === undefined ? undefined : yield* advance(taken, { _tag: "Proceed", again: false })
    }
  )

  const apply = Effect.fnUntraced(function*(session: StoredSession, request: LoginRequest, step: FlowStep) {
    if (step._tag === "Proceed") return yield* proceed(session, step)
    if (step._tag === "Granted") {
      yield* storeGrant(session, request, step.grant)
      return undefined
    }
    if (step._tag === "OpenUrl") yield* refuseForeignListener(owners, step.redirectUri ?? request.redirectUri)
    if (step._tag === "Expired") {
      yield* fail(session, SessionExpiredError.of())
      return undefined
    }
    const change = changeOf(session, step, yield* DateTime.now, profileNotice(session, publicUrl))
    return change === undefined || (yield* sessions.update(session, change)) !== undefined ? step : undefined
  })

  /** Revokes the tokens of a login that ends without a connection, at the server that issued them. */
  const releaseHeld = Effect.fnUntraced(function*(session: StoredSession, state = session.content.state) {
    const held = yield* flows.held(session.flow, state)
    const known = Option.getOrUndefined(yield* Effect.option(providerOf(session)))
    if (held !== undefined) yield* giveBack(session, known?.definition, held)
  })

  const closings = yield* FiberMap.make<string>()

  /** Ends a login that still waits for input when its time is over, and revokes the tokens that it holds. */
  const closeAtExpiry = (session: StoredSession) => {
    if (session.content.action.type !== "enter_input") return Effect.void
    const closing = Effect.gen(function*() {
      yield* Effect.sleep(DateTime.distance(yield* DateTime.now, session.expires_at))
      yield* close(session, "expired")
    })
    const key = `${session.id_hash} ${session.generation}`
    return Effect.asVoid(FiberMap.run(closings, key, Effect.ignore(closing), { onlyIfMissing: true }))
  }

  const take = (
    session: StoredSession,
    next: (flow: Flow, request: LoginRequest) => Effect.Effect<FlowStep, FlowError>,
    leavesOpen: (error: ProgressError) => boolean
  ) =>
    Effect.gen(function*() {
      const request = yield* requestOf(session)
      const flow = yield* flows.of(request.definition, session.flow)
      return { request, step: yield* next(flow, request) }
    }).pipe(
      Effect.tapError((error) => leavesOpen(error) ? Effect.void : releaseHeld(session)),
      Effect.flatMap(({ request, step }) => apply(session, request, step)),
      Effect.tapError((error) => leavesOpen(error) ? Effect.void : Effect.ignore(fail(session, error)))
    )

  const advance = (session: StoredSession, event: FlowEvent): Effect.Effect<Outcome, ProgressError> =>
    // A code can be used once, so its exchange must finish even if the browser closes the connection.
    Effect.uninterruptible(take(
      session,
      (flow, request) => flow.receive(request, session.content.state, event),
      // After a callback the code is used up, and `Proceed` is not sent twice, so this step cannot be retried.
      ({ _tag }) =>
        _tag === "InvalidRequestError" ||
        (_tag === "VaultUnavailableError" && event._tag !== "Callback" && event._tag !== "Proceed")
    ))

  return {
    providerOf,
    requestOf,
    begin: (session: StoredSession) =>
      take(session, (flow, request) => flow.begin(request), () => false).pipe(
        Effect.onInterrupt(() => Effect.ignore(close(session, "cancelled")))
      ),
    advance,

    /** Returns the query of the redirect from text that the user has pasted. */
    pasted: Effect.fnUntraced(function*(session: StoredSession, text: Redacted.Redacted<string>) {
      const request = yield* requestOf(session)
      const flow = yield* flows.of(request.definition, session.flow)
      return yield* flow.pasted?.(request, session.content.state, text) ?? Effect.fail(unexpectedEvent())
    }),

    fail,
    close,
    closeAtExpiry
  }
})

export class LoginProgress
  extends Context.Service<LoginProgress, Effect.Success<typeof make>>()("credsvc/flows/LoginProgress")
{
  static readonly layerNoDeps = Layer.effect(LoginProgress, make)
}

const changeOf = (
  { content }: StoredSession,
  step: OpenStep,
  now: DateTime.Utc,
  whose: string
): SessionChange | undefined => {
  const waiting = (action: StoredAction, message: string, time: Duration.Duration): SessionChange => ({
    status: "waiting_for_user",
    expires_at: DateTime.addDuration(now, time),
    content: { ...content, message, action, state: step.state }
  })
  switch (step._tag) {
    case "AskInput": {
      const { fields, message, reason = null, recipient = null, redirectUri = null } = step
      return waiting({ type: "enter_input", fields, reason, recipient, redirectUri }, message, stepTime)
    }
    case "OpenUrl": {
      const { callbackState, message, url } = step
      return { ...waiting({ type: "open_url", url }, message + whose, stepTime), callbackState }
    }
    case "ShowUserCode": {
      const { expiresInSeconds, interval, message, userCode, verificationUri, verificationUriComplete } = step
      return waiting(
        { type: "show_user_code", userCode, verificationUri, verificationUriComplete, interval },
        message + whose,
        Duration.min(Duration.seconds(expiresInSeconds), longestDeviceTime)
      )
    }
    case "Wait":
      return JSON.stringify(step.state) === JSON.stringify(content.state)
        ? undefined
        : { content: { ...content, state: step.state } }
  }
}
