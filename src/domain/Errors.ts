/**
 * The failures credsvc publishes.
 *
 * One class serves three readers: Effect code branches on `_tag`, an HTTP client reads an RFC 9457
 * problem document (`type`, `status`, `detail`, and `error` for the class name), and a shell reads
 * the exit code. A failure on which no client can act differently is not listed here: it stays
 * beside its service and is translated once, by the service that knows its meaning.
 */
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { plural } from "./Plural.ts"

/** Exit codes of the command line, by meaning. */
export const ExitCode = {
  success: 0,
  unexpected: 1,
  usage: 2,
  connectionNotFound: 3,
  provider: 4,
  credential: 5,
  connectionExists: 6,
  providerExists: 7,
  endpointUnreachable: 8,
  daemonUnavailable: 9
} as const

/** One thing wrong with a request: a JSON pointer (or a flag's name) and a sentence. */
export const Problem = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Problem = typeof Problem.Type

const maxProblems = 50
const maxText = 400

const shortened = (text: string): string => text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text

/** The request is malformed: problems are listed with their JSON pointers, `""` for the whole body. */
export class InvalidRequestError extends HttpApiError.Problem<InvalidRequestError>()("InvalidRequestError", {
  type: "urn:credsvc:error:invalid-request",
  status: 400,
  title: "Invalid request"
}, {
  error: Schema.tag("InvalidRequestError"),
  problems: Schema.Array(Problem)
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.usage

  /** Lists the first problems only, and shortens names: both come from the request, which may have tens of thousands. */
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
}

/** The provider did not accept the user's credentials, or the login failed on the provider's side. */
export class AuthenticationFailedError
  extends HttpApiError.Problem<AuthenticationFailedError>()("AuthenticationFailedError", {
    type: "urn:credsvc:error:authentication-failed",
    status: 401,
    title: "Authentication failed"
  }, {
    error: Schema.tag("AuthenticationFailedError"),
    provider: Schema.String
  })
{
  override readonly [Runtime.errorExitCode] = ExitCode.usage
}

/** The person cancelled, or no input could be read where some was needed. */
export class InputCancelledError extends HttpApiError.Problem<InputCancelledError>()("InputCancelledError", {
  type: "urn:credsvc:error:input-cancelled",
  status: 409,
  title: "Input cancelled"
}, {
  error: Schema.tag("InputCancelledError")
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.usage
}

export class ConnectionNotFoundError extends HttpApiError.Problem<ConnectionNotFoundError>()(
  "ConnectionNotFoundError",
  {
    type: "urn:credsvc:error:connection-not-found",
    status: 404,
    title: "Connection not found"
  },
  {
    error: Schema.tag("ConnectionNotFoundError"),
    provider: Schema.String,
    connection: Schema.String
  }
) {
  override readonly [Runtime.errorExitCode] = ExitCode.connectionNotFound

  /** `existing` are the names of the provider's other connections. */
  static of(provider: string, connection: string, existing: ReadonlyArray<string>) {
    const flag = connection === "default" ? "" : ` --connection ${connection}`
    const others = existing.length === 0 ? "" : ` Existing connections: ${existing.join(", ")}.`
    return new ConnectionNotFoundError({
      provider,
      connection,
      detail:
        `Connection "${connection}" not found for ${provider}.${others} Create it with: credsvc login ${provider}${flag}`
    })
  }
}

export class ProviderNotFoundError extends HttpApiError.Problem<ProviderNotFoundError>()("ProviderNotFoundError", {
  type: "urn:credsvc:error:provider-not-found",
  status: 404,
  title: "Provider not found"
}, {
  error: Schema.tag("ProviderNotFoundError"),
  provider: Schema.String,
  suggestions: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.provider

  static of(provider: string, suggestions: ReadonlyArray<string> = []) {
    const hint = suggestions.length > 0
      ? `Did you mean ${suggestions.join(", ")}?`
      : "See the known ones with: credsvc list"
    return new ProviderNotFoundError({
      provider,
      suggestions,
      detail: `There is no provider "${provider}". ${hint}`
    })
  }
}

/** The operation makes no sense for this provider, connection or host, and never will as things stand. */
export class OperationNotAllowedError
  extends HttpApiError.Problem<OperationNotAllowedError>()("OperationNotAllowedError", {
    type: "urn:credsvc:error:operation-not-allowed",
    status: 403,
    title: "Operation not allowed"
  }, {
    error: Schema.tag("OperationNotAllowedError")
  })
{
  override readonly [Runtime.errorExitCode] = ExitCode.provider

  static of(detail: string) {
    return new OperationNotAllowedError({ detail })
  }
}

/** A provider claims the host but holds no usable credential: nobody logged in, or the definition has changed since. */
export class CredentialMissingError extends HttpApiError.Problem<CredentialMissingError>()("CredentialMissingError", {
  type: "urn:credsvc:error:credential-missing",
  status: 404,
  title: "Credential missing"
}, {
  error: Schema.tag("CredentialMissingError"),
  provider: Schema.String,
  connection: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.credential
}

/** The access token has expired and cannot be refreshed: only a new login helps. */
export class TokenExpiredError extends HttpApiError.Problem<TokenExpiredError>()("TokenExpiredError", {
  type: "urn:credsvc:error:token-expired",
  status: 401,
  title: "Token expired"
}, {
  error: Schema.tag("TokenExpiredError"),
  provider: Schema.String,
  connection: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.credential
}

/** The refresh failed for a reason that may pass; the tokens are kept. */
export class RefreshFailedError extends HttpApiError.Problem<RefreshFailedError>()("RefreshFailedError", {
  type: "urn:credsvc:error:refresh-failed",
  status: 502,
  title: "Refresh failed"
}, {
  error: Schema.tag("RefreshFailedError"),
  provider: Schema.String,
  connection: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.credential
}

export class ConnectionAlreadyExistsError
  extends HttpApiError.Problem<ConnectionAlreadyExistsError>()("ConnectionAlreadyExistsError", {
    type: "urn:credsvc:error:connection-already-exists",
    status: 409,
    title: "Connection already exists"
  }, {
    error: Schema.tag("ConnectionAlreadyExistsError"),
    provider: Schema.String,
    connection: Schema.String
  })
{
  override readonly [Runtime.errorExitCode] = ExitCode.connectionExists

  static of(provider: string, connection: string) {
    return new ConnectionAlreadyExistsError({
      provider,
      connection,
      detail: `The connection "${connection}" for ${provider} exists already. ` +
        `Replace it with --force, or choose another name with --connection.`
    })
  }
}

export class ProviderAlreadyRegisteredError
  extends HttpApiError.Problem<ProviderAlreadyRegisteredError>()("ProviderAlreadyRegisteredError", {
    type: "urn:credsvc:error:provider-already-registered",
    status: 409,
    title: "Provider already registered"
  }, {
    error: Schema.tag("ProviderAlreadyRegisteredError"),
    provider: Schema.String
  })
{
  override readonly [Runtime.errorExitCode] = ExitCode.providerExists

  static of(provider: string) {
    return new ProviderAlreadyRegisteredError({
      provider,
      detail: `A provider named "${provider}" is registered already. Replace it with --force.`
    })
  }
}

/** An endpoint of a provider could not be reached: no address, no route, no answer in time, or TLS that does not verify. */
export class EndpointUnreachableError
  extends HttpApiError.Problem<EndpointUnreachableError>()("EndpointUnreachableError", {
    type: "urn:credsvc:error:endpoint-unreachable",
    status: 504,
    title: "Endpoint unreachable"
  }, {
    error: Schema.tag("EndpointUnreachableError"),
    endpoint: Schema.String
  })
{
  override readonly [Runtime.errorExitCode] = ExitCode.endpointUnreachable
}

/** No daemon answered, or what answered is not ours. Made by clients only; no route returns it. */
export class DaemonUnavailableError extends HttpApiError.Problem<DaemonUnavailableError>()("DaemonUnavailableError", {
  type: "urn:credsvc:error:daemon-unavailable",
  status: 503,
  title: "Daemon unavailable"
}, {
  error: Schema.tag("DaemonUnavailableError"),
  url: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.daemonUnavailable
}

/** Several providers or connections claim one host with equal right, so nothing is injected. */
export class AmbiguousProviderError extends HttpApiError.Problem<AmbiguousProviderError>()("AmbiguousProviderError", {
  type: "urn:credsvc:error:ambiguous-provider",
  status: 409,
  title: "Ambiguous provider"
}, {
  error: Schema.tag("AmbiguousProviderError"),
  host: Schema.String,
  candidates: Schema.Array(Schema.Struct({ provider: Schema.String, connection: Schema.String }))
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.provider
}

export class SessionNotFoundError extends HttpApiError.Problem<SessionNotFoundError>()("SessionNotFoundError", {
  type: "urn:credsvc:error:session-not-found",
  status: 404,
  title: "Auth session not found"
}, {
  error: Schema.tag("SessionNotFoundError")
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.usage

  static of() {
    return new SessionNotFoundError({
      detail: "There is no such auth session. Start the login again with: credsvc login <provider>"
    })
  }
}

export class SessionExpiredError extends HttpApiError.Problem<SessionExpiredError>()("SessionExpiredError", {
  type: "urn:credsvc:error:session-expired",
  status: 410,
  title: "Auth session expired"
}, {
  error: Schema.tag("SessionExpiredError")
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.usage

  static of() {
    return new SessionExpiredError({
      detail: "This auth session has expired. Start the login again with: credsvc login <provider>"
    })
  }
}

/** The vault can't be used: its key is out of reach, or the store is damaged. Nothing was changed. */
export class VaultUnavailableError extends HttpApiError.Problem<VaultUnavailableError>()("VaultUnavailableError", {
  type: "urn:credsvc:error:vault-unavailable",
  status: 503,
  title: "Vault unavailable"
}, {
  error: Schema.tag("VaultUnavailableError")
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.unexpected

  static of(detail: string) {
    return new VaultUnavailableError({ detail })
  }
}

/** Anything unforeseen. `id` is also in the daemon's log, beside the cause, which is told nowhere else. */
export class UnexpectedError extends HttpApiError.Problem<UnexpectedError>()("UnexpectedError", {
  type: "urn:credsvc:error:unexpected",
  status: 500,
  title: "Unexpected error"
}, {
  error: Schema.tag("UnexpectedError"),
  id: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = ExitCode.unexpected
}

const refusal = { error: Schema.tag("RequestRefusedError") }

/** Guard answers, given before routing: the request was not one that this daemon serves. */
export class RequestRefusedError extends HttpApiError.Problem<RequestRefusedError>()("RequestRefusedError", {
  type: "urn:credsvc:error:request-refused",
  status: 403,
  title: "Request refused"
}, refusal) {
  override readonly [Runtime.errorExitCode] = ExitCode.unexpected
}

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
