/** Leads the user through the steps of an auth session: shows each one, collects the input, and waits for the next. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { loginPages } from "../../api/LoginPages.ts"
import type { ResponseOf } from "../../api/Operations.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { baseUrlText } from "../../config/daemon/DaemonUrl.ts"
import { AuthenticationFailedError, InputCancelledError, InvalidRequestError } from "../../domain/Errors.ts"
import { type InputField, isFinal } from "../../domain/wire/AuthSession.ts"
import { homeDirectory } from "../../platform/process/Account.ts"
import { call } from "../api/OperationCall.ts"
import { choose } from "../output/ChoiceList.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"
import { readText } from "../parse/InputText.ts"
import { readFields } from "./LoginStdin.ts"
import { hasBrowser, openableUrl, openUrl } from "./UrlOpener.ts"
import { copy, drawQrCode } from "./UserCode.ts"

type AuthSession = ResponseOf<"auth.get">

/** Reads a file whose path the user typed. Expands a leading `~`, because no shell has expanded it. */
const readKeyFile = (path: string) =>
  Effect.map(
    readText({ file: path.replace(/^~(?=[/\\])/, () => homeDirectory()), flag: "<path>" }),
    (text) => Redacted.make(text)
  )

const askFile = Effect.fnUntraced(function*(label: string) {
  const output = yield* Output
  for (;;) {
    const path = (yield* Prompt.line(label)).trim()
    if (path === "") return Redacted.make("")
    const read = yield* Effect.result(readKeyFile(path))
    if (Result.isSuccess(read)) return read.success
    yield* output.tell(sentence(read.failure))
  }
})

const askField = Effect.fnUntraced(function*({ default: standard, multiline, options, ...field }: InputField) {
  const label = field.required ? field.label : `${field.label} (optional)`
  if (options !== undefined) return Redacted.make(yield* choose(label, options))
  if (multiline === true) return yield* askFile(`${label} (path of a file)`)
  return field.secret ? yield* Prompt.secret(label) : Redacted.make(yield* Prompt.line(label, standard ?? undefined))
})

const ask = Effect.fnUntraced(function*(fields: ReadonlyArray<InputField>) {
  const values: Record<string, Redacted.Redacted<string>> = {}
  for (const field of fields) {
    if (field.hint !== null) yield* (yield* Output).note(field.hint)
    const value = yield* askField(field)
    if (field.required || !isEmpty(value)) values[field.name] = value
  }
  return values
})

const resume = ({ session_id }: AuthSession, data: Readonly<Record<string, Redacted.Redacted<string>>>) =>
  call("auth.resume", { session_id, data })

const isEmpty = (value: Redacted.Redacted<string>): boolean => Redacted.value(value).trim() === ""

const enterOnTerminal = Effect.fnUntraced(function*(session: AuthSession, fields: ReadonlyArray<InputField>) {
  const output = yield* Output
  for (let shown = fields;; shown = fields.map((field) => ({ ...field, hint: null }))) {
    const data = yield* ask(shown)
    const resumed = yield* resume(session, data).pipe(
      Effect.catchTag("InvalidRequestError", (error) => Effect.as(output.tell(sentence(error, fields)), undefined))
    )
    if (resumed !== undefined) return resumed
  }
})

const sentence = (error: InvalidRequestError, fields: ReadonlyArray<InputField> = []): string =>
  error.problems.map(({ message, path }) => {
    const label = fields.find(({ name }) => path === `/data/${name}`)?.label
    return label === undefined || !/^[a-z]/.test(message) ? message : `${label} ${message}`
  }).join("; ") || error.detail || "The value was rejected."

/** The state of the user's terminal and browser, which decides where the next step is shown. */
interface LoginView {
  readonly noBrowser: boolean
  readonly usesStdin: boolean
  /** Whether a page of this login is open. It shows the next steps itself, so a second page would only confuse. */
  inBrowser: boolean
  /**
   * The state of stdin, which can answer only one request for input. `left`: the user was told that the login does not read
   * stdin.
   */
  stdin: "unread" | "read" | "left"
}

const waitForNext = Effect.fnUntraced(function*(session: AuthSession) {
  const shown = JSON.stringify(session.next_action)
  let current = session
  while (!isFinal(current.status) && JSON.stringify(current.next_action) === shown) {
    current = yield* call("auth.get", { session_id: session.session_id, wait: "25" })
  }
  return current
})

const enterFromStdin = Effect.fnUntraced(
  function*(session: AuthSession, fields: ReadonlyArray<InputField>, view: LoginView) {
    if (view.stdin === "read") {
      return yield* new AuthenticationFailedError({ provider: session.provider, detail: session.message })
    }
    view.stdin = "read"
    const data = yield* readFields(fields)
    return yield* resume(session, data).pipe(
      Effect.catchTag(
        "InvalidRequestError",
        (error) =>
          Effect.fail(InvalidRequestError.of(error.problems.map(({ message, path }) => ({
            path: path.replace(/^\/data\//, ""),
            message
          }))))
      )
    )
  }
)

/**
 * The page of the daemon that redirects to the provider's page `url`. Other users can read the arguments of the browser, and could
 * finish the login with an account of their own if they knew the `state` in `url`. If the daemon is exposed, returns `url` itself,
 * because everyone who knows the address of a login page can open it.
 */
const redirectingPage = Effect.fnUntraced(function*({ session_id }: AuthSession, url: string) {
  const { loopback, url: base } = yield* (yield* DaemonClient).address
  if (!loopback || (yield* call("system.health")).exposed) return url
  return `${baseUrlText(base)}${loginPages.showInput.path.replace(":session_id", session_id)}?onward=1`
})

/** Opens a page unless one is open. Returns whether a page is open now. With `session`, `url` is a page of the provider. */
const openPage = Effect.fnUntraced(function*(url: string, view: LoginView, session?: AuthSession) {
  if (view.inBrowser) return true
  if (view.noBrowser || !hasBrowser()) return false
  view.inBrowser = yield* openUrl(session === undefined ? url : yield* redirectingPage(session, url))
  return view.inBrowser
})

const credentialsUrl = Effect.fnUntraced(function*({ provider }: AuthSession) {
  const definition = yield* Effect.option(call("providers.get", { provider }))
  return openableUrl(Option.getOrUndefined(definition)?.credentials_url ?? "")
})

const leaveStdin = Effect.fnUntraced(function*({ provider }: AuthSession, view: LoginView) {
  if (!view.usesStdin || view.stdin !== "unread") return
  view.stdin = "left"
  yield* (yield* Output).warn(
    `stdin is not read, because the vault already has an OAuth client for ${provider}. To replace a client that you ` +
      `entered, first end the connections that use it: credsvc revoke ${provider}`
  )
})

const enter = Effect.fnUntraced(
  function*(session: AuthSession, fields: ReadonlyArray<InputField>, url: string, view: LoginView) {
    const output = yield* Output
    if (view.usesStdin) return yield* enterFromStdin(session, fields, view)
    // The request for an OAuth client needs an explanation; the request for an API key does not.
    const preface = session.flow === "api_key" ? "" : `${session.message}\n`
    if (!view.noBrowser && hasBrowser()) {
      yield* output.tell(`${preface}Enter the credential on this page:\n  ${url}`)
      if (yield* openPage(url, view)) {
        yield* output.note("Waiting for the page. Press Ctrl-C to cancel, or use --no-browser to type here instead.")
        return yield* whileWaiting(session, waitForNext(session))
      }
    }
    if (output.interactive) {
      yield* output.note(`${preface}Enter the credential here or on this page:\n  ${url}`)
      // For an OAuth client, the session's message already names the page.
      const origin = session.flow === "api_key" ? yield* credentialsUrl(session) : undefined
      if (origin !== undefined) yield* output.note(`Create a key at:\n  ${origin}`)
      return yield* Effect.raceFirst(enterOnTerminal(session, fields), waitForNext(session))
    }
    if (view.noBrowser) {
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
    detail: "The provider sent a URL that is not https, so it was not opened."
  })

const redirect: InputField = {
  name: "callback",
  label: "Address or code",
  secret: true,
  required: true,
  default: null,
  pattern: null,
  hint: null
}

const visit = Effect.fnUntraced(function*(session: AuthSession, address: string, view: LoginView) {
  const output = yield* Output
  const url = openableUrl(address)
  if (url === undefined) return yield* unsafeAddress(session)
  yield* output.tell(`${session.message}\n  ${url}`)
  const isHere = yield* openPage(url, view, session)
  if (isHere || !output.interactive || view.usesStdin) return yield* whileWaiting(session, waitForNext(session))
  yield* output.note(
    "If the browser cannot show the last page of the login, paste the address of that page here. Ctrl-C cancels."
  )
  // The address is rejected if a browser on this machine has already delivered it.
  const pasted = Effect.catchTag(enterOnTerminal(session, [redirect]), "OperationNotAllowedError", () => Effect.never)
  return yield* Effect.raceFirst(pasted, waitForNext(session))
})

const showCode = Effect.fnUntraced(
  function*(
    session: AuthSession,
    action: Extract<AuthSession["next_action"], { type: "show_user_code" }>,
    view: LoginView
  ) {
    const output = yield* Output
    const address = openableUrl(action.verification_uri)
    if (address === undefined) return yield* unsafeAddress(session)
    const copied = (yield* copy(action.user_code)) ? " (copied to the clipboard if the terminal supports it)" : ""
    yield* output.tell(`${session.message}\n  URL:  ${address}\n  Code: ${action.user_code}${copied}`)
    // Without a browser on this machine, the user can open the URL on a phone.
    if (!(yield* openPage(action.url, view))) {
      yield* drawQrCode(openableUrl(action.verification_uri_complete ?? "") ?? address)
    }
    return yield* whileWaiting(session, waitForNext(session))
  }
)

/** Leads the user through a session, and returns it when it has ended. */
export const lead = Effect.fnUntraced(function*(
  session: AuthSession,
  options: { readonly noBrowser: boolean; readonly stdin: boolean }
) {
  const view: LoginView = {
    noBrowser: options.noBrowser,
    usesStdin: options.stdin,
    inBrowser: false,
    stdin: "unread"
  }
  let current = session
  while (!isFinal(current.status)) {
    const action = current.next_action
    switch (action.type) {
      case "enter_input":
        current = yield* enter(current, action.fields, action.url, view)
        break
      case "open_url":
        yield* leaveStdin(current, view)
        current = yield* visit(current, action.url, view)
        break
      case "show_user_code":
        yield* leaveStdin(current, view)
        current = yield* showCode(current, action, view)
        break
      case "none":
        current = yield* waitForNext(current)
    }
  }
  return current
})

const clockOf = (millis: number): string => {
  const seconds = Math.max(0, Math.ceil(millis / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

const whileWaiting = Effect.fnUntraced(function*<A, E, R>(
  { expires_at }: ResponseOf<"auth.get">,
  effect: Effect.Effect<A, E, R>
) {
  const output = yield* Output
  if (!output.interactive || output.quiet) return yield* effect
  const line = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const text = `Waiting (${clockOf(Date.parse(expires_at) - now)} left, Ctrl-C cancels)`
    return output.draw(`\r\u001b[K${output.paintMessage("dim", text)}`)
  })
  const ticking = Effect.forever(Effect.andThen(line, Effect.sleep("1 second")))
  return yield* Effect.raceFirst(effect, ticking).pipe(Effect.ensuring(output.draw("\r\u001b[K")))
})
