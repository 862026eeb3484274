/** What the browser brings back from the authorization endpoint (RFC 6749 section 4.1.2, RFC 9207). */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import { type OAuthRejected, type OAuthUnsafe, unsafe } from "./OAuthErrors.ts"

const MAX_QUERY = 8192

/** Of JARM and of the implicit and hybrid flows, none of which was asked for. */
const foreign = ["response", "access_token", "id_token", "token", "token_type"]

const once = ["code", "state", "iss", "error", "error_description", "error_uri"]

/** The parameters, if the query is one that an answer to our request can have. */
const parse = (query: string): URLSearchParams | undefined => {
  if (query.length > MAX_QUERY) return undefined
  const params = new URLSearchParams(query)
  const wrong = foreign.some((name) => params.has(name)) || once.some((name) => params.getAll(name).length > 1)
  return wrong ? undefined : params
}

/** The `state` of a callback, by which its login is found; `undefined` for a query that is no answer to any. */
export const stateOf = (query: string): string | undefined => {
  const state = parse(query)?.get("state") ?? ""
  return /^[A-Za-z0-9_-]{1,128}$/.test(state) ? state : undefined
}

/**
 * The authorization code of a callback. State and issuer are checked first: nothing of an answer that fails there may be
 * acted upon or shown, not even its error.
 */
export const readCallback = (callback: {
  readonly server: AuthorizationServer
  /** As it stands in the URL, with or without the question mark. */
  readonly query: string
  readonly state: Redacted.Redacted<string>
}): Result.Result<Redacted.Redacted<string>, OAuthRejected | OAuthUnsafe> => {
  const { server } = callback
  const params = parse(callback.query)
  if (params === undefined) return Result.fail(unsafe("the answer that the browser brought back is not well-formed"))
  if (params.get("state") !== Redacted.value(callback.state)) {
    return Result.fail(unsafe("the answer that the browser brought back belongs to another login"))
  }
  const iss = params.get("iss")
  if (iss === null ? server.issParameterSupported : server.issuerKnown && iss !== server.issuer) {
    return Result.fail(unsafe(
      iss === null
        ? "the answer does not say which authorization server it is from, though this server always says so"
        : "the answer is from another authorization server than the one that was asked"
    ))
  }
  const error = params.get("error")
  if (error !== null) {
    const rejected = Messages.rejection(error, params.get("error_description"), 302, [callback.state])
    return Result.fail(
      rejected ?? unsafe("the answer that the browser brought back has an error that is not well-formed")
    )
  }
  const code = params.get("code") ?? ""
  return /^[\u0020-\u007e]{1,4096}$/.test(code)
    ? Result.succeed(Redacted.make(code))
    : Result.fail(unsafe("the answer that the browser brought back has no authorization code"))
}
