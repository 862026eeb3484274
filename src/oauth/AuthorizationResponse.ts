/** Reads the authorization response from the query of the redirect (RFC 6749 section 4.1.2, RFC 9207). */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type AuthorizationServer, isIssuer, mayOmitIssuer, mayTrustIssuer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import { type OAuthRejected, OAuthUnsafe, unsafeError } from "./OAuthErrors.ts"
import { safeUrl } from "./ServerValues.ts"

const MAX_QUERY = 8192

/** Parameters of JARM and of the implicit and hybrid flows, which credsvc never requests. */
const FOREIGN_PARAMETERS = ["response", "access_token", "id_token", "token", "token_type"]

const SINGLE_PARAMETERS = ["code", "state", "iss", "error", "error_description", "error_uri"]

const parametersIn = (query: string, codeParam = "code"): URLSearchParams | undefined => {
  if (query.length > MAX_QUERY) return undefined
  const params = new URLSearchParams(query)
  const wrong = FOREIGN_PARAMETERS.some((name) => params.has(name)) ||
    [codeParam, ...SINGLE_PARAMETERS].some((name) => params.getAll(name).length > 1)
  return wrong ? undefined : params
}

export const stateOf = (query: string): string | undefined => {
  const state = parametersIn(query)?.get("state") ?? ""
  return /^[A-Za-z0-9_-]{1,128}$/.test(state) ? state : undefined
}

/**
 * Returns the query of an authorization response that the user has copied from the browser: the whole URL, its query,
 * or only the code. The failure says what is wrong with the text. Only the state is checked here: a response to another
 * request must not end this login.
 */
export const readPasted = (pasted: {
  readonly text: Redacted.Redacted<string>
  readonly state: Redacted.Redacted<string>
  readonly codeParam?: string | undefined
  /** Whether the code alone is accepted: PKCE binds it to this login, and the server does not promise to send `iss` with it. */
  readonly acceptsCode: boolean
}): Result.Result<string, string> => {
  const { codeParam = "code" } = pasted
  const state = Redacted.value(pasted.state)
  // A terminal or a mail program may have split the URL into several lines.
  const text = Redacted.value(pasted.text).replace(/\s+/g, "")
  const isAddress = /^https?:/i.test(text) && URL.canParse(text)
  // Some servers put an error into the fragment.
  const query = isAddress ? (new URL(text).search || new URL(text).hash).slice(1) : text.replace(/^\?/, "")
  const params = parametersIn(query, codeParam)
  if (params === undefined) return Result.fail("is not a well-formed authorization response")
  if (params.get("state") === state) return Result.succeed(query)
  if (params.has("state")) return Result.fail("belongs to another login")
  if (isAddress || text === "" || params.has(codeParam) || params.has("error")) {
    return Result.fail("is not the address of the last page of the login, which contains a code and a state")
  }
  return pasted.acceptsCode
    ? Result.succeed(new URLSearchParams({ [codeParam]: text, state }).toString())
    : Result.fail("must be the whole address instead of the code, because only the address names the server")
}

/** Reads the code. Checks state and issuer first: if either is wrong, nothing in the response may be used, not even its error. */
export const readCallback = (callback: {
  readonly server: AuthorizationServer
  /** The query as in the URL, with or without the question mark. */
  readonly query: string
  readonly state: Redacted.Redacted<string>
  /** The parameter that carries the code, if it is not `code`. */
  readonly codeParam?: string | undefined
}): Result.Result<Redacted.Redacted<string>, OAuthRejected | OAuthUnsafe> => {
  const { codeParam = "code", server } = callback
  const params = parametersIn(callback.query, codeParam)
  if (params === undefined) return Result.fail(unsafeError("the authorization response is not well-formed"))
  if (params.get("state") !== Redacted.value(callback.state)) {
    return Result.fail(unsafeError("the authorization response belongs to another login"))
  }
  const iss = params.get("iss")
  const named = safeUrl(iss, server.reach) === undefined ? "another authorization server" : iss
  if (iss === null ? !mayOmitIssuer(server) : server.issuerKnown && !isIssuer(iss, server)) {
    const otherIssuer = mayTrustIssuer(server) ? { otherIssuer: iss ?? server.issuer } : {}
    return Result.fail(
      iss === null
        ? new OAuthUnsafe({
          detail: `the authorization response lacks the iss parameter, which ${server.issuer} announces`,
          lacks: "iss",
          ...otherIssuer
        })
        : new OAuthUnsafe({
          detail: `the authorization response is from ${named}, not from ${server.issuer}`,
          ...otherIssuer
        })
    )
  }
  const error = params.get("error")
  if (error !== null) {
    const rejected = Messages.rejection(error, params.get("error_description"), 302, [callback.state])
    return Result.fail(rejected ?? unsafeError("the authorization response has a malformed error"))
  }
  const code = params.get(codeParam) ?? ""
  return /^[\u0020-\u007e]{1,4096}$/.test(code)
    ? Result.succeed(Redacted.make(code))
    : Result.fail(unsafeError("the authorization response has no authorization code"))
}
