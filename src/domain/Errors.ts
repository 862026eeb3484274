/**
 * The published errors of credsvc, for three readers: Effect code matches on `_tag`, an HTTP client reads an RFC 9457
 * problem document with the class name in `error`, and a shell reads the exit code. An error that no client needs to
 * distinguish from others stays in its service.
 */
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { ExitCode } from "./ExitCode.ts"
import { existingConnections } from "./text/ExistingConnections.ts"
import { loginCommand } from "./text/LoginCommand.ts"
import { plural } from "./text/Plural.ts"
import { struct } from "./wire/Wire.ts"

export const Problem = struct("Problem", "One problem in a request", {
  path: [
    Schema.String,
    "JSON pointer to the invalid value, empty for the whole body. In errors of the command line, the name of a flag"
  ],
  message: [Schema.String, "What is wrong with the value"]
})
export type Problem = typeof Problem.Type

const maxProblems = 50
const maxText = 400

const shortened = (text: string): string => text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text

/** The name of an error's class in lower case, as in `token-expired`. */
export const errorSlug = (name: string): string =>
  name.replace(/Error$/, "").replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()

/** The name of an error's class in words, as in `Token expired`. */
const sentenceOf = (name: string): string => name.charAt(0) + errorSlug(name).replaceAll("-", " ").slice(1)

/** Creates the base class of a published error: a problem document with the class name in `error`, and an exit code. */
const problem = <Self>() =>
<
  const Name extends string,
  const Status extends number,
  const Fields extends HttpApiError.ProblemExtensionFields = {}
>(
  name: Name,
  status: Status,
  exitCode: number,
  fields: Fields = {} as Fields,
  title: string = sentenceOf(name)
) => {
  const base = HttpApiError.Problem<Self, { readonly [Runtime.errorExitCode]: number }>()(
    name,
    { type: `urn:credsvc:error:${errorSlug(name)}`, status, title },
    { error: Schema.tag(name), detail: Schema.String, ...fields }
  ) as HttpApiError.ProblemClass<
    Self,
    Name,
    string,
    Status,
    { readonly error: Schema.tag<Name>; readonly detail: Schema.String } & Fields,
    { readonly [Runtime.errorExitCode]: number }
  >
  Object.defineProperty(base.prototype, Runtime.errorExitCode, { value: exitCode })
  return base
}

/** The connection that an error is about. */
const subject = {
  provider: Schema.String.annotate({ description: "The provider" }),
  connection: Schema.String.annotate({ description: "The connection" })
}

/** The request is invalid. Each problem has a JSON pointer, `""` for the whole body. */
export class InvalidRequestError extends problem<InvalidRequestError>()("InvalidRequestError", 400, ExitCode.usage, {
  problems: Schema.Array(Problem).annotate({ description: "The problems, at most 51" })
}) {
  /** Keeps only the first problems and shortens names, because a request may contain tens of thousands of long names. */
  static of(problems: ReadonlyArray<Problem>) {
    const first = problems.slice(0, maxProblems).map(({ message, path }) => ({
      path: shortened(path),
      message: shortened(message)
    }))
    const more = problems.length - first.length
    const listed = more > 0 ? [...first, { path: "", message: plural(more, "more problem") }] : first
    const sentences = listed.map(({ message, path }) => path === "" ? message : `${path}: ${message}`)
    return new InvalidRequestError({ problems: listed, detail: sentences.join("; ") })
  }

  /** Creates the error for one problem. `path` is a JSON pointer or the name of a flag. */
  static at(path: string, message: string) {
    return InvalidRequestError.of([{ path, message }])
  }
}

/** The provider rejected the user's credentials, or the login failed at the provider. */
export class AuthenticationFailedError
  extends problem<AuthenticationFailedError>()("AuthenticationFailedError", 401, ExitCode.usage, {
    provider: subject.provider
  })
{}

/** The user cancelled, or required input could not be read. */
export class InputCancelledError extends problem<InputCancelledError>()("InputCancelledError", 409, ExitCode.usage) {}

export class ConnectionNotFoundError
  extends problem<ConnectionNotFoundError>()("ConnectionNotFoundError", 404, ExitCode.connectionNotFound, subject)
{
  /** Creates the error. `existing`: the names of the provider's other connections. */
  static of(provider: string, connection: string, existing: ReadonlyArray<string> = []) {
    const others = existingConnections(existing)
    const command = loginCommand(provider, connection)
    return new ConnectionNotFoundError({
      provider,
      connection,
      detail: `Connection "${connection}" not found for ${provider}.${others} Create it with: ${command}`
    })
  }
}

export class ProviderNotFoundError
  extends problem<ProviderNotFoundError>()("ProviderNotFoundError", 404, ExitCode.provider, {
    provider: subject.provider,
    suggestions: Schema.Array(Schema.String).annotate({ description: "Providers with a similar name" })
  })
{
  static of(provider: string, suggestions: ReadonlyArray<string> = []) {
    const hint = suggestions.length > 0
      ? `Did you mean ${suggestions.join(", ")}?`
      : "Search for a provider with: credsvc list <text>"
    return new ProviderNotFoundError({
      provider,
      suggestions,
      detail: `Provider "${provider}" not found. ${hint}`
    })
  }
}

/** The operation is not supported for this provider, connection or host; retrying does not help. */
export class OperationNotAllowedError
  extends problem<OperationNotAllowedError>()("OperationNotAllowedError", 403, ExitCode.provider)
{
  static of(detail: string) {
    return new OperationNotAllowedError({ detail })
  }
}

/** The host belongs to a provider without a usable credential: no login yet, or the definition has changed since the login. */
export class CredentialMissingError
  extends problem<CredentialMissingError>()("CredentialMissingError", 404, ExitCode.credential, subject)
{}

/** The access token has expired and cannot be refreshed; a new login is required. */
export class TokenExpiredError
  extends problem<TokenExpiredError>()("TokenExpiredError", 401, ExitCode.credential, subject)
{}

/** The refresh failed for a possibly temporary reason; the tokens are kept. */
export class RefreshFailedError
  extends problem<RefreshFailedError>()("RefreshFailedError", 502, ExitCode.credential, subject)
{}

export class ConnectionAlreadyExistsError extends problem<ConnectionAlreadyExistsError>()(
  "ConnectionAlreadyExistsError",
  409,
  ExitCode.connectionExists,
  subject
) {
  static of(provider: string, connection: string) {
    return new ConnectionAlreadyExistsError({
      provider,
      connection,
      detail: `Connection "${connection}" already exists for ${provider}. ` +
        "Replace it with --force, or choose another name with --connection."
    })
  }
}

export class ProviderAlreadyRegisteredError
  extends problem<ProviderAlreadyRegisteredError>()("ProviderAlreadyRegisteredError", 409, ExitCode.providerExists, {
    provider: subject.provider
  })
{
  static of(provider: string) {
    return new ProviderAlreadyRegisteredError({
      provider,
      detail: `Provider "${provider}" is already registered. Replace it with --force.`
    })
  }
}

/** Name resolution, connection or TLS verification failed, or the request timed out. */
export class EndpointUnreachableError
  extends problem<EndpointUnreachableError>()("EndpointUnreachableError", 504, ExitCode.endpointUnreachable, {
    endpoint: Schema.String.annotate({ description: "The address that was requested" })
  })
{}

/** No daemon responded, or the response was not from our daemon. Created by clients only; no route returns it. */
export class DaemonUnavailableError
  extends problem<DaemonUnavailableError>()("DaemonUnavailableError", 503, ExitCode.daemonUnavailable, {
    url: Schema.String.annotate({ description: "The URL of the daemon" })
  })
{}

const Candidate = struct("Candidate", "A connection that matches a request", {
  provider: [Schema.String, "The provider"],
  connection: [Schema.String, "The connection"]
})

/** Several providers or connections match the host equally, so no credential is injected. */
export class AmbiguousProviderError
  extends problem<AmbiguousProviderError>()("AmbiguousProviderError", 409, ExitCode.provider, {
    host: Schema.String.annotate({ description: "The host of the request" }),
    candidates: Schema.Array(Candidate).annotate({ description: "The connections that the request could use" })
  })
{}

export class SessionNotFoundError
  extends problem<SessionNotFoundError>()("SessionNotFoundError", 404, ExitCode.usage, {}, "Auth session not found")
{
  static of() {
    return new SessionNotFoundError({
      detail: "Auth session not found. Start the login again with: credsvc login <provider>"
    })
  }
}

export class SessionExpiredError
  extends problem<SessionExpiredError>()("SessionExpiredError", 410, ExitCode.usage, {}, "Auth session expired")
{
  static of() {
    return new SessionExpiredError({
      detail: "This auth session has expired. Start the login again with: credsvc login <provider>"
    })
  }
}

/**
 * The vault is unusable: its key is unavailable, or the store is damaged or cannot be reached. An operation that has begun
 * may have had effects, such as a commit whose outcome is unknown.
 */
export class VaultUnavailableError
  extends problem<VaultUnavailableError>()("VaultUnavailableError", 503, ExitCode.unexpected)
{
  static of(detail: string) {
    return new VaultUnavailableError({ detail })
  }
}

/** An unexpected failure. `id` is also in the daemon's log, with the cause, which appears nowhere else. */
export class UnexpectedError extends problem<UnexpectedError>()("UnexpectedError", 500, ExitCode.unexpected, {
  id: Schema.String.annotate({ description: "The ID of the failure in the daemon's log" })
}, "Unexpected error") {}

/** A guard rejected the request before routing. */
export class RequestRefusedError
  extends problem<RequestRefusedError>()("RequestRefusedError", 403, ExitCode.unexpected)
{}

/** The failures of operations on a connection. */
export const connectionErrors = [
  ConnectionNotFoundError,
  ProviderNotFoundError,
  OperationNotAllowedError,
  VaultUnavailableError
] as const

/** Why a connection's credential cannot be used: the failures of every operation that exports, places or checks a credential. */
export const credentialErrors = [
  ...connectionErrors,
  CredentialMissingError,
  TokenExpiredError,
  RefreshFailedError
] as const

export type CredentialError = InstanceType<(typeof credentialErrors)[number]>

/** How operations on the store fail: its content does not allow the operation, or the vault is unavailable. */
export type StoreFailure = OperationNotAllowedError | VaultUnavailableError

/** Every class with a row in the exit-code table, in the order of that table. */
export const published = [
  InvalidRequestError,
  AuthenticationFailedError,
  InputCancelledError,
  ConnectionNotFoundError,
  ProviderNotFoundError,
  OperationNotAllowedError,
  CredentialMissingError,
  TokenExpiredError,
  RefreshFailedError,
  ConnectionAlreadyExistsError,
  ProviderAlreadyRegisteredError,
  EndpointUnreachableError,
  DaemonUnavailableError,
  AmbiguousProviderError,
  SessionNotFoundError,
  SessionExpiredError,
  VaultUnavailableError,
  UnexpectedError,
  RequestRefusedError
] as const

export type PublishedError = InstanceType<(typeof published)[number]>
