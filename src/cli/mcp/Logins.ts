/**
 * Starts the logins that an agent requests, and returns their states. The agent gets the URL of a page of the daemon; the user
 * enters the credential there, or continues to the provider.
 *
 * An agent cannot replace a connection that works, and cannot choose the scopes, the OAuth client or the address of the account.
 * The address can determine the host that receives the credential.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { InvalidRequestError, OperationNotAllowedError } from "../../domain/Errors.ts"
import { isFinal, type SessionStatus } from "../../domain/wire/AuthSession.ts"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { ProviderName } from "../../domain/wire/ProviderName.ts"
import { excessOf } from "../../domain/wire/Run.ts"
import { Timestamp, wire } from "../../domain/wire/Wire.ts"
import { lacksAddress } from "../login/LoginQuestions.ts"
import { singleLine } from "../output/Sanitize.ts"
import { type DaemonView, daemonView, type ShownConnection, type ShownLogin } from "./McpDaemon.ts"

export const LoginState = wire({
  provider: ProviderName,
  connection: ConnectionName,
  state: Schema.Literals([
    "connected",
    "waiting_for_user",
    "in_progress",
    "completed",
    "failed",
    "cancelled",
    "expired"
  ]).annotate({ description: "`connected`: the connection works, so no login was started" }),
  url: Schema.NullOr(Schema.String).annotate({
    description: "The page that the user opens in a browser; null if the user has nothing to do"
  }),
  expiresAt: Schema.NullOr(Timestamp),
  message: Schema.String
})
export type LoginState = typeof LoginState.Encoded

interface LoginTarget {
  readonly provider: ProviderName
  readonly connection: ConnectionName
}

const keyOf = ({ connection, provider }: LoginTarget): string => `${provider} ${connection}`

const stateFor = (status: SessionStatus): LoginState["state"] =>
  status === "pending" || status === "processing" ? "in_progress" : status

const askUser = (url: string): string =>
  `Ask the user to open ${url} in a browser and to log in there. Do not open it yourself, and never ask for a ` +
  "credential in the chat. Then call check_login."

const messageOf = ({ provider }: LoginTarget, { error, status, warning }: ShownLogin, url: string): string => {
  switch (status) {
    case "waiting_for_user":
      return askUser(url)
    case "completed":
      return warning === null ? `${provider} is connected.` : `${provider} is connected. ${singleLine(warning)}`
    case "failed":
      return `The login failed: ${singleLine(error?.message ?? "unknown reason")}`
    case "cancelled":
      return "The user cancelled the login. Do not start it again unless the user asks for it."
    case "expired":
      return "The login has expired. Start it again with request_login if the user wants to log in."
    default:
      return "The login is being processed. Call check_login again."
  }
}

const connectedState = (target: LoginTarget): LoginState => ({
  ...target,
  state: "connected",
  url: null,
  expires_at: null,
  message: `The connection "${target.connection}" of ${target.provider} works.`
})

const notStarted = ({ connection, provider }: LoginTarget) =>
  InvalidRequestError.at(
    "provider",
    `this server has started no login for the connection "${connection}" of ${provider}. Start one with request_login`
  )

/** Rejects a login that would not help, because the outer run of this server may not use the connection. */
const checkLimits = ({ limits }: DaemonView, { connection, provider }: LoginTarget) => {
  const excess = excessOf(limits, provider, connection)
  return excess === undefined
    ? Effect.void
    : Effect.fail(OperationNotAllowedError.of(`${excess} The user can log in outside of that run.`))
}

/** The address of the page with the current step of a login; null after its end. */
const pageOf = (daemon: DaemonView, login: ShownLogin) =>
  isFinal(login.status)
    ? Effect.succeed(null)
    : Effect.map(daemon.whoami, ({ daemon_url: url }) => `${url}/auth/sessions/${login.session_id}/input`)

const existing = (daemon: DaemonView, { connection, provider }: LoginTarget) =>
  Effect.map(
    daemon.connections,
    (all) => all.find((each) => each.provider === provider && each.connection_name === connection)
  )

const works = (connection: ShownConnection | undefined): boolean =>
  connection?.status === "connected" && connection.refused_at === null

const stateOf = Effect.fnUntraced(function*(daemon: DaemonView, target: LoginTarget, login: ShownLogin) {
  const url = yield* pageOf(daemon, login)
  return {
    ...target,
    state: stateFor(login.status),
    url,
    expires_at: url === null ? null : login.expires_at,
    message: messageOf(target, login, url ?? "")
  }
})

/** Waits until the login has ended, for at most this many seconds, and returns its state. */
const waitForEnd = Effect.fnUntraced(function*(daemon: DaemonView, id: string, waitSeconds: number) {
  const until = (yield* Clock.currentTimeMillis) + waitSeconds * 1000
  for (;;) {
    const left = Math.ceil((until - (yield* Clock.currentTimeMillis)) / 1000)
    const login = yield* daemon.login(id, Math.max(0, left))
    if (left <= 0 || isFinal(login.status)) return login
  }
})

/** A login that the user starts on the dashboard's page for the provider, where the address of the account is entered. */
const onProviderPage = Effect.fnUntraced(function*(daemon: DaemonView, target: LoginTarget) {
  const url = `${(yield* daemon.whoami).daemon_url}/ui/apps/${target.provider}`
  return { ...target, state: "waiting_for_user" as const, url, expires_at: null, message: askUser(url) }
})

const make = Effect.gen(function*() {
  const starting = yield* Semaphore.make(1)
  /** The ID of each login, or null if the user starts it on the dashboard, so that only its result can be observed. */
  const started = new Map<string, string | null>()

  const start = Effect.fnUntraced(function*(daemon: DaemonView, target: LoginTarget) {
    const replaced = yield* existing(daemon, target)
    if (works(replaced)) return connectedState(target)
    const address = replaced?.base_url
    const request = { ...target, force: replaced !== undefined, ...(address ? { base_url: address } : {}) }
    return yield* daemon.startLogin(request).pipe(
      Effect.tap(({ session_id }) => Effect.sync(() => started.set(keyOf(target), session_id))),
      Effect.flatMap((login) => stateOf(daemon, target, login)),
      Effect.catchTag("InvalidRequestError", (error) => {
        if (!lacksAddress(error)) return Effect.fail(error)
        started.set(keyOf(target), null)
        return onProviderPage(daemon, target)
      })
    )
  })

  /** Starts a login, or returns the open login for this connection. */
  const request = Effect.fnUntraced(function*(target: LoginTarget) {
    const daemon = yield* daemonView
    yield* checkLimits(daemon, target)
    const open = started.get(keyOf(target))
    const login = open === undefined || open === null ? undefined : yield* daemon.login(open, 0)
    return login === undefined || isFinal(login.status)
      ? yield* start(daemon, target)
      : yield* stateOf(daemon, target, login)
  }, starting.withPermits(1))

  /** The state of a login that was started here. Waits until it has ended, for at most this many seconds. */
  const check = Effect.fnUntraced(function*(target: LoginTarget, waitSeconds: number) {
    const daemon = yield* daemonView
    const id = started.get(keyOf(target))
    if (id !== undefined && id !== null) {
      return yield* stateOf(daemon, target, yield* waitForEnd(daemon, id, waitSeconds))
    }
    if (works(yield* existing(daemon, target))) return connectedState(target)
    if (id === undefined) return yield* notStarted(target)
    yield* Effect.sleep(Duration.seconds(waitSeconds))
    return works(yield* existing(daemon, target)) ? connectedState(target) : yield* onProviderPage(daemon, target)
  })

  return { request, check }
})

export class Logins extends Context.Service<Logins, Effect.Success<typeof make>>()("credsvc/cli/McpLogins") {
  static readonly layer = Layer.effect(Logins, make)
}
