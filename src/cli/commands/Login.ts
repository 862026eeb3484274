/**
 * Leads the user through one auth session of the daemon: shows each step, collects the input, and waits for the result.
 *
 * A session that does not complete is cancelled, however the command ends.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { AuthGroup } from "../../api/AuthGroup.ts"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { ProvidersGroup } from "../../api/ProvidersGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { type AuthSession, type InputField, isFinal, type StartLogin } from "../../domain/AuthSession.ts"
import type { ConnectionName } from "../../domain/Connection.ts"
import {
  AuthenticationFailedError,
  ConnectionAlreadyExistsError,
  EndpointUnreachableError,
  InputCancelledError,
  InvalidRequestError,
  OperationNotAllowedError,
  SessionExpiredError
} from "../../domain/Errors.ts"
import { plural } from "../../domain/Plural.ts"
import type { FlowKind } from "../../domain/ProviderName.ts"
import { connectionDocument } from "../ConnectionDocument.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { discoverProvider, isAddress } from "../definitions/DiscoverProvider.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { askAddress, chooseProvider, lacksAddress, missingProvider } from "../login/LoginQuestions.ts"
import { waiting } from "../login/LoginWait.ts"
import { hasBrowser, openableUrl, openUrl } from "../login/UrlOpener.ts"
import { copy, drawQrCode } from "../login/UserCode.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"
import { readStdin } from "../Stdin.ts"

export interface LoginInput {
  readonly provider: Option.Option<string>
  readonly connection: ConnectionName
  readonly flow: Option.Option<FlowKind>
  readonly scopes: Option.Option<string>
  readonly baseUrl: Option.Option<string>
  readonly force: boolean
  readonly noBrowser: boolean
  readonly stdin: boolean
  readonly timeout: Option.Option<number>
  readonly yes: boolean
  readonly allowInsecureLoopback: boolean
  /** Undefined: check only on a terminal. */
  readonly check: Option.Option<boolean>
}

type Values = Readonly<Record<string, Redacted.Redacted<string>>>

const startOf = (input: LoginInput, provider: StartLogin["provider"]): StartLogin => ({
  provider,
  connection: input.connection,
  force: input.force,
  ...(Option.isSome(input.flow) ? { flow: input.flow.value } : {}),
  ...(Option.isSome(input.baseUrl) ? { baseUrl: input.baseUrl.value } : {}),
  ...(Option.isSome(input.scopes)
    ? { scopes: input.scopes.value.split(",").map((scope) => scope.trim()).filter((scope) => scope !== "") }
    : {})
})

const refusedInput = (message: string) => InvalidRequestError.of([{ path: "--stdin", message }])

/** Describes why a JSON object on stdin does not match the fields. Undefined if it matches. */
const fieldProblem = (entries: ReadonlyArray<[string, unknown]>, names: ReadonlyArray<string>): string | undefined => {
  const unknown = entries.find(([name]) => !names.includes(name))?.[0]
  if (unknown !== undefined) {
    return `unknown field "${unknown.slice(0, 64)}" in the JSON object: expected ${names.join(", ")}`
  }
  const wrong = entries.find(([, value]) => typeof value !== "string")?.[0]
  return wrong === undefined ? undefined : `the field "${wrong}" must be a string`
}

/** The field that a bare value is for. */
const onlyField = (fields: ReadonlyArray<InputField>): InputField | undefined => {
  const required = fields.filter((field) => field.required)
  return required.length === 1 ? required[0] : fields.length === 1 ? fields[0] : undefined
}

/** Parses stdin: a JSON object of fields, or the bare value of the only required field. */
const parseInput = (
  text: string,
  fields: ReadonlyArray<InputField>
): Effect.Effect<Values, InvalidRequestError> => {
  const names = fields.map((field) => field.name)
  const bare = text.trim()
  if (bare === "") return Effect.fail(refusedInput("stdin is empty"))
  if (bare.startsWith("{")) {
    let parsed: unknown
    try {
      parsed = JSON.parse(bare)
    } catch {
      parsed = undefined
    }
    const entries = typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : []
    // A key may itself be a JSON document: one that has none of the field names, or that has several fields.
    const isDocument = onlyField(fields) !== undefined && entries.length !== 1 &&
      !names.some((name) => entries.some(([key]) => key === name))
    if (entries.length > 0 && !isDocument) {
      const problem = fieldProblem(entries, names)
      return problem === undefined
        ? Effect.succeed(Object.fromEntries(entries.map(([name, value]) => [name, Redacted.make(value as string)])))
        : Effect.fail(refusedInput(problem))
    }
  }
  const only = onlyField(fields)
  return only === undefined
    ? Effect.fail(refusedInput(`expected a JSON object with the fields ${names.join(", ")}`))
    : Effect.succeed({ [only.name]: Redacted.make(bare) })
}

const ask = (fields: ReadonlyArray<InputField>, hints: boolean) =>
  Effect.gen(function*() {
    const output = yield* Output
    const values: Record<string, Redacted.Redacted<string>> = {}
    for (const field of fields) {
      if (hints && field.hint !== null) yield* output.note(field.hint)
      const label = field.required ? field.label : `${field.label} (optional)`
      const value = field.secret
        ? yield* Prompt.secret(label)
        : Redacted.make(yield* Prompt.line(label, field.default ?? undefined))
      if (field.required || !isEmpty(value)) values[field.name] = value
    }
    return values
  })

const isEmpty = (value: Redacted.Redacted<string>): boolean => Redacted.value(value).trim() === ""

/** Prompts for the fields and submits them. Asks again for a rejected value. */
const enterOnTerminal = Effect.fnUntraced(function*(session: AuthSession, fields: ReadonlyArray<InputField>) {
  const auth = (yield* DaemonClient).of(AuthGroup)
  const output = yield* Output
  for (let first = true;; first = false) {
    const data = yield* ask(fields, first)
    const answer = yield* auth.resume({ params: { session_id: session.sessionId }, payload: { data } }).pipe(
      Effect.catchTag("InvalidRequestError", (error) => Effect.as(output.tell(sentence(error)), undefined))
    )
    if (answer !== undefined) return answer
  }
})

const sentence = (error: InvalidRequestError): string =>
  error.problems.map((problem) => problem.message).join("; ") || error.detail || "The value was rejected."

/** What the user at this terminal sees, which decides where the next step is shown. */
interface Desk {
  readonly input: LoginInput
  /** A page of this login is open. It shows the next steps itself, so a second page would only confuse. */
  inBrowser: boolean
  /** Set once stdin has been used: its content answers only one request for input. */
  stdinRead: boolean
  /** The user has been told that the login does not use stdin. */
  stdinLeft: boolean
}

/** Waits until the session reaches another step or ends. */
const waitForNext = (session: AuthSession) =>
  Effect.gen(function*() {
    const auth = (yield* DaemonClient).of(AuthGroup)
    const shown = JSON.stringify(session.nextAction)
    let current = session
    while (!isFinal(current.status) && JSON.stringify(current.nextAction) === shown) {
      current = yield* auth.get({ params: { session_id: session.sessionId }, query: { wait: "25" } })
    }
    return current
  })

const piped = Effect.fnUntraced(function*(session: AuthSession, fields: ReadonlyArray<InputField>, desk: Desk) {
  const auth = (yield* DaemonClient).of(AuthGroup)
  if (desk.stdinRead) {
    return yield* new AuthenticationFailedError({ provider: session.provider, detail: session.message })
  }
  desk.stdinRead = true
  const data = yield* parseInput(yield* readStdin, fields)
  return yield* auth.resume({ params: { session_id: session.sessionId }, payload: { data } }).pipe(
    Effect.catchTag(
      "InvalidRequestError",
      (error) =>
        Effect.fail(InvalidRequestError.of(error.problems.map(({ message, path }) => ({
          path: path.replace(/^\/data\//, ""),
          message
        }))))
    )
  )
})

/** Opens one of the daemon's pages unless one is open. Returns whether the user is looking at one now. */
const openPage = Effect.fnUntraced(function*(url: string, desk: Desk) {
  if (desk.inBrowser) return true
  if (desk.input.noBrowser || !hasBrowser()) return false
  desk.inBrowser = yield* openUrl(url)
  return desk.inBrowser
})

/** The provider's page for creating keys, if its definition names one. */
const credentialsUrl = Effect.fnUntraced(function*({ provider }: AuthSession) {
  const client = yield* DaemonClient
  const definition = yield* Effect.option(client.of(ProvidersGroup).get({ params: { provider } }))
  const url = Option.getOrUndefined(definition)?.credentialsUrl
  return url === undefined ? undefined : openableUrl(url)
})

/** Warns, once, that the login does not use stdin. */
const leaveStdin = Effect.fnUntraced(function*({ provider }: AuthSession, desk: Desk) {
  if (!desk.input.stdin || desk.stdinRead || desk.stdinLeft) return
  desk.stdinLeft = true
  yield* (yield* Output).warn(
    `stdin is not read: there is an OAuth client for ${provider} already. To replace one that was entered, end the ` +
      `connections that use it first: credsvc revoke ${provider}`
  )
})

const enter = Effect.fnUntraced(
  function*(session: AuthSession, fields: ReadonlyArray<InputField>, url: string, desk: Desk) {
    const output = yield* Output
    if (desk.input.stdin) return yield* piped(session, fields, desk)
    // An OAuth client needs an explanation, an API key does not.
    const preface = session.flow === "api_key" ? "" : `${session.message}\n`
    if (!desk.input.noBrowser && hasBrowser()) {
      yield* output.tell(`${preface}Enter the credential on this page:\n  ${url}`)
      if (yield* openPage(url, desk)) {
        yield* output.note("Waiting for the page. Press Ctrl-C to cancel, or use --no-browser to type here instead.")
        return yield* waiting(session)(waitForNext(session))
      }
    }
    if (output.interactive) {
      yield* output.note(`${preface}Enter the credential here or on this page:\n  ${url}`)
      // The message of an OAuth client names the page already.
      const origin = session.flow === "api_key" ? yield* credentialsUrl(session) : undefined
      if (origin !== undefined) yield* output.note(`Create a key at:\n  ${origin}`)
      return yield* Effect.raceFirst(enterOnTerminal(session, fields), waitForNext(session))
    }
    if (desk.input.noBrowser) {
      yield* output.tell(`${preface}Enter the credential on this page:\n  ${url}`)
      return yield* waitForNext(session)
    }
    return yield* new InputCancelledError({
      detail: "Cannot ask for the credential without a browser or a terminal. Use --stdin to pipe it in, or " +
        "--no-browser to print the URL of the login page."
    })
  }
)

const unsafeAddress = (session: AuthSession) =>
  new AuthenticationFailedError({
    provider: session.provider,
    detail: "The provider sent a URL that is not https, which is not opened."
  })

const visit = Effect.fnUntraced(function*(session: AuthSession, address: string, desk: Desk) {
  const output = yield* Output
  const url = openableUrl(address)
  if (url === undefined) return yield* unsafeAddress(session)
  yield* output.tell(`${session.message}\n  ${url}`)
  if (!desk.inBrowser) yield* openPage(url, desk)
  return yield* waiting(session)(waitForNext(session))
})

const showCode = Effect.fnUntraced(
  function*(session: AuthSession, action: Extract<AuthSession["nextAction"], { type: "show_user_code" }>, desk: Desk) {
    const output = yield* Output
    const address = openableUrl(action.verificationUri)
    if (address === undefined) return yield* unsafeAddress(session)
    const copied = (yield* copy(action.userCode)) ? " (copied to the clipboard if the terminal supports it)" : ""
    yield* output.tell(`${session.message}\n  URL:  ${address}\n  Code: ${action.userCode}${copied}`)
    // Without a browser on this machine, the user's phone is the next best.
    if (!(yield* openPage(action.url, desk))) {
      yield* drawQrCode(openableUrl(action.verificationUriComplete ?? "") ?? address)
    }
    return yield* waiting(session)(waitForNext(session))
  }
)

/** Leads the user through the steps of the session until it ends. */
const lead = Effect.fnUntraced(function*(session: AuthSession, desk: Desk) {
  let current = session
  while (!isFinal(current.status)) {
    const action = current.nextAction
    switch (action.type) {
      case "enter_input":
        current = yield* enter(current, action.fields, action.url, desk)
        break
      case "open_url":
        yield* leaveStdin(current, desk)
        current = yield* visit(current, action.url, desk)
        break
      case "show_user_code":
        yield* leaveStdin(current, desk)
        current = yield* showCode(current, action, desk)
        break
      case "none":
        current = yield* waitForNext(current)
    }
  }
  return current
})

const sigint: Effect.Effect<never, InputCancelledError> = Effect.callback((resume) => {
  const onSignal = () => resume(Effect.fail(new InputCancelledError({ detail: "The login was cancelled." })))
  process.on("SIGINT", onSignal)
  return Effect.sync(() => process.off("SIGINT", onSignal))
})

/** The session's failure, as the error class that determines the exit code. */
const failureOf = (session: AuthSession) => {
  const detail = session.error?.message ?? session.message
  switch (session.error?.error) {
    case "ConnectionAlreadyExistsError":
      return ConnectionAlreadyExistsError.of(session.provider, session.connection)
    case "EndpointUnreachableError":
      return new EndpointUnreachableError({ endpoint: session.provider, detail })
    case "OperationNotAllowedError":
      return OperationNotAllowedError.of(detail)
    default:
      return new AuthenticationFailedError({ provider: session.provider, detail })
  }
}

const outcome = (session: AuthSession) =>
  Effect.gen(function*() {
    switch (session.status) {
      case "completed":
        return
      case "cancelled":
        return yield* new InputCancelledError({ detail: "The login was cancelled." })
      case "expired":
        return yield* SessionExpiredError.of()
      default:
        return yield* failureOf(session)
    }
  })

const startSession = (start: StartLogin) =>
  Effect.flatMap(DaemonClient, (client) => client.of(AuthGroup).start({ payload: start }))

/** Names fields of the request by their flags. */
const namingFlags = (error: InvalidRequestError): InvalidRequestError =>
  InvalidRequestError.of(error.problems.map(({ message, path }) => ({
    path: path.replace(/^\/([a-z_]+).*$/, "--$1").replaceAll("_", "-"),
    message
  })))

/** Starts the session. On a terminal, asks the user to resolve what prevents it. */
const begin = (
  start: StartLogin,
  canAsk: boolean
): Effect.Effect<
  AuthSession,
  Effect.Error<ReturnType<typeof startSession>> | InputCancelledError,
  DaemonClient | Output
> =>
  startSession(start).pipe(
    Effect.catchTag("ConnectionAlreadyExistsError", (error) =>
      Effect.gen(function*() {
        if (!canAsk) return yield* error
        if (
          !(yield* Prompt.confirm(`Connection "${error.connection}" of ${start.provider} already exists. Replace it?`))
        ) {
          return yield* new InputCancelledError({ detail: "The existing connection was kept." })
        }
        return yield* begin({ ...start, force: true }, canAsk)
      })),
    Effect.catchTag("ProviderNotFoundError", (error) =>
      Effect.gen(function*() {
        if (!canAsk) return yield* error
        yield* (yield* Output).tell(`Provider "${start.provider}" not found.`)
        const provider = yield* chooseProvider(error.suggestions[0] ?? "")
        return yield* begin({ ...start, provider }, canAsk)
      })),
    Effect.catchTag("InvalidRequestError", (error) =>
      Effect.gen(function*() {
        if (!canAsk || start.baseUrl !== undefined || !lacksAddress(error)) return yield* namingFlags(error)
        return yield* begin({ ...start, baseUrl: yield* askAddress(error) }, canAsk)
      }))
  )

/** Checks whether the provider accepts the new credential. The result does not affect the success of the login. */
const check = Effect.fnUntraced(function*({ connection, provider }: AuthSession, isAsked: boolean) {
  const client = yield* DaemonClient
  const output = yield* Output
  const checked = yield* Effect.result(client.of(ConnectionsGroup).check({ params: { provider, connection } }))
  if (Result.isFailure(checked)) {
    return yield* output.warn(
      `The credential could not be checked: ${checked.failure.detail ?? checked.failure.message}`
    )
  }
  const { message, outcome } = checked.success
  if (outcome === "works") yield* output.note(message)
  else if (outcome !== "not_checked" || isAsked) yield* output.warn(message)
})

export const login = Effect.fnUntraced(function*(input: LoginInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  const auth = client.of(AuthGroup)
  const named = Option.isSome(input.provider) ? input.provider.value : yield* missingProvider
  const asked = yield* isAddress(named) ? discoverProvider(named, input) : providerName(named)
  const session = yield* begin(startOf(input, asked), output.interactive && !input.stdin)
  const { provider } = session

  const timeout = Option.getOrElse(input.timeout, () => 86_400)
  const ended = yield* lead(session, { input, inBrowser: false, stdinRead: false, stdinLeft: false }).pipe(
    Effect.timeoutOrElse({
      duration: `${timeout} seconds`,
      orElse: () =>
        Effect.fail(
          new InputCancelledError({ detail: `The login did not complete within ${plural(timeout, "second")}.` })
        )
    }),
    Effect.raceFirst(sigint),
    Effect.onExit((exit) =>
      exit._tag === "Success" && isFinal(exit.value.status)
        ? Effect.void
        : Effect.ignore(auth.cancel({ params: { session_id: session.sessionId } }))
    )
  )
  yield* outcome(ended)
  if (ended.warning !== null) yield* output.warn(ended.warning)
  const isAsked = Option.isSome(input.check)
  if (Option.getOrElse(input.check, () => output.interactive)) yield* check(ended, isAsked)

  if (output.json) {
    const connection = yield* client.of(ConnectionsGroup).get({ params: { provider, connection: ended.connection } })
    return yield* output.document(connectionDocument(connection))
  }
  yield* output.note(`Logged in to ${provider} (connection "${ended.connection}").`)
}, provideDaemon())
