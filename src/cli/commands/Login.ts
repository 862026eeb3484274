/** Logs in through an auth session of the daemon, and cancels a session that is not complete when the command ends. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { ResponseOf, ValuesOf } from "../../api/Operations.ts"
import type { DaemonClient } from "../../client/DaemonClient.ts"
import {
  AuthenticationFailedError,
  ConnectionAlreadyExistsError,
  EndpointUnreachableError,
  InputCancelledError,
  InvalidRequestError,
  OperationNotAllowedError,
  type PublishedError,
  SessionExpiredError
} from "../../domain/Errors.ts"
import { ExitCode } from "../../domain/ExitCode.ts"
import { plural } from "../../domain/text/Plural.ts"
import { isFinal } from "../../domain/wire/AuthSession.ts"
import type { CredentialCommand } from "../../domain/wire/CredentialCommand.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { confirmedCommand } from "../login/CommandArguments.ts"
import { loggedIn, loginByFile } from "../login/LoginFile.ts"
import {
  askAddress,
  chooseProvider,
  flowWithoutBrowser,
  lacksAddress,
  missingProvider
} from "../login/LoginQuestions.ts"
import { lead } from "../login/LoginSteps.ts"
import { Output } from "../output/Output.ts"
import * as Prompt from "../output/Prompt.ts"
import { Exited } from "../output/Report.ts"
import { given } from "../parse/Given.ts"
import type { LoginInput } from "../tree/CommandInputs.ts"
import { confirmed } from "./Confirmations.ts"
import { discoverProvider, isAddress } from "./provider/DiscoverProvider.ts"
import { providerName } from "./provider/ProviderArgument.ts"

type AuthSession = ResponseOf<"auth.get">

type StartLogin = ValuesOf<"auth.start">

const splitScopes = (text: string): ReadonlyArray<string> =>
  text.split(",").map((scope) => scope.trim()).filter((scope) => scope !== "")

const startOf = (
  input: LoginInput,
  provider: StartLogin["provider"],
  command: CredentialCommand | undefined
): StartLogin => ({
  provider,
  ...(command === undefined ? {} : { command }),
  connection: input.connection,
  force: input.force,
  ...(input.noResource ? { no_resource: true } : {}),
  ...given({
    trust_issuer: input.trustIssuer,
    contained_only: input.containedOnly,
    flow: input.flow,
    client_id: input.clientId,
    redirect_host: input.redirectHost,
    base_url: input.baseUrl,
    scopes: Option.map(input.scopes, splitScopes),
    add_scopes: Option.map(input.addScopes, splitScopes)
  })
})

const sigint: Effect.Effect<never, InputCancelledError> = Effect.callback((resume) => {
  const onSignal = () => resume(Effect.fail(new InputCancelledError({ detail: "The login was cancelled." })))
  process.on("SIGINT", onSignal)
  return Effect.sync(() => process.off("SIGINT", onSignal))
})

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

const outcome = Effect.fnUntraced(function*(session: AuthSession) {
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

const namingFlags = (error: InvalidRequestError): InvalidRequestError =>
  InvalidRequestError.of(error.problems.map(({ message, path }) => ({
    path: path.replace(/^\/([a-z_]+).*$/, "--$1").replaceAll("_", "-"),
    message
  })))

const begin = (start: StartLogin, canAsk: boolean): Effect.Effect<AuthSession, PublishedError, DaemonClient | Output> =>
  call("auth.start", start).pipe(
    Effect.catchTag(
      "ConnectionAlreadyExistsError",
      Effect.fnUntraced(function*(error) {
        if (!canAsk) return yield* error
        const { connection = defaultConnectionName, provider } = start
        const existing = yield* Effect.option(call("connections.get", { provider, connection }))
        // A connection that does not work is replaced without confirmation: the user might type the key as the answer, and
        // the terminal would show it.
        if (Option.isNone(existing) || existing.value.status === "connected") {
          const question = `Connection "${connection}" of ${provider} already exists. Replace it?`
          yield* confirmed(question, "The existing connection was kept.")
        }
        return yield* begin({ ...start, force: true }, canAsk)
      })
    ),
    Effect.catchTag(
      "ProviderNotFoundError",
      Effect.fnUntraced(function*(error) {
        if (!canAsk) return yield* error
        yield* (yield* Output).tell(`Provider "${start.provider}" not found.`)
        const provider = yield* chooseProvider(error.suggestions[0] ?? "")
        return yield* begin({ ...start, provider }, canAsk)
      })
    ),
    Effect.catchTag(
      "InvalidRequestError",
      Effect.fnUntraced(function*(error) {
        if (!canAsk || start.base_url !== undefined || !lacksAddress(error)) return yield* namingFlags(error)
        return yield* begin({ ...start, base_url: yield* askAddress(error) }, canAsk)
      })
    )
  )

/** Tells whether the provider accepts the new credential. Returns `not_checked` if the definition does not say how to check it. */
const check = Effect.fnUntraced(function*({ connection, provider }: AuthSession, isAsked: boolean) {
  const output = yield* Output
  const checked = yield* Effect.result(call("connections.check", { provider, connection }))
  if (Result.isFailure(checked)) {
    yield* output.warn(`The credential could not be checked: ${checked.failure.detail ?? checked.failure.message}`)
    return "unreachable"
  }
  const { message, outcome } = checked.success
  if (outcome === "works" || outcome === "limited") yield* output.note(message)
  else if (outcome !== "not_checked" || isAsked) yield* output.warn(message)
  if (outcome === "refused" && isAsked) {
    yield* output.warn(
      "The connection keeps the refused credential. To use an earlier credential, log in with it again."
    )
  }
  return outcome
})

/** Tells whether to take over a program's login instead of logging in, because of a flag or because the user agrees. */
const usesFile = Effect.fnUntraced(function*(named: string, input: LoginInput, canAsk: boolean) {
  const chosen = (["adopt", "keep", "undo"] as const).filter((flag) => input[flag])
  const others = [
    ...chosen.slice(1).map((flag) => `--${flag}`),
    ...input.stdin ? ["--stdin"] : [],
    ...input.command.length > 0 ? ["<command>"] : [],
    ...(["flow", "scopes", "addScopes", "baseUrl", "clientId", "trustIssuer"] as const).flatMap((option) =>
      Option.isSome(input[option]) ? [`--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`] : []
    )
  ]
  if (chosen.length > 0) {
    if (others.length === 0) return true
    return yield* InvalidRequestError.at(others[0]!, `has no effect with --${chosen[0]}`)
  }
  if (!canAsk || others.length > 0) return false
  const [found] = yield* loggedIn(named)
  return found !== undefined && (yield* Prompt.confirm(
    `${found.program.recipe.description} is logged in on this machine. Take over its login? Then ${found.place} has placeholders, ` +
      "which work only in credsvc run."
  ))
})

export const login = Effect.fnUntraced(function*(input: LoginInput) {
  const output = yield* Output
  const named = Option.isSome(input.provider) ? input.provider.value : yield* missingProvider
  const canAsk = output.interactive && !input.stdin
  if (yield* usesFile(named, input, canAsk)) return yield* loginByFile(named, input)
  const command = yield* confirmedCommand({ ...input, provider: Option.some(named) })
  const asked = yield* isAddress(named) ? discoverProvider(named, input) : providerName(named)
  const flow = canAsk && Option.isNone(input.flow) ? yield* flowWithoutBrowser(asked) : input.flow
  const session = yield* begin(startOf({ ...input, flow }, asked, command), canAsk)
  const { provider, session_id } = session

  const timeout = Option.getOrElse(input.timeout, () => 86_400)
  const ended = yield* lead(session, input).pipe(
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
        : Effect.ignore(call("auth.cancel", { session_id }))
    )
  )
  yield* outcome(ended)
  if (ended.warning !== null) yield* output.warn(ended.warning)
  const isAsked = Option.isSome(input.check)
  const checked = Option.getOrElse(input.check, () => output.interactive) ? yield* check(ended, isAsked) : "not_checked"

  if (output.json) {
    yield* output.document(yield* call("connections.get", { provider, connection: ended.connection }))
  } else {
    const unchecked = checked !== "not_checked" || ended.flow !== "api_key" ? "" : " The key was not checked."
    yield* output.note(`Logged in to ${provider} (connection "${ended.connection}").${unchecked}`)
  }
  if (checked === "refused" && isAsked) return yield* Effect.fail(new Exited(ExitCode.credential))
}, provideDaemon())
