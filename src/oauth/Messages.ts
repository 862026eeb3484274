/** Sends OAuth messages and reads their responses. Failures contain nothing of the message. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { safeUrl } from "./Endpoint.ts"
import { given, type JsonObject } from "./Members.ts"
import { type OAuthError, OAuthRejected, OAuthUnavailable, type OAuthUnsafe, unsafe } from "./OAuthErrors.ts"
import { OAuthHttp, type OAuthRequest, type OAuthResponse, type Reach } from "./OAuthHttp.ts"
import { isErrorCode, plainText } from "./ServerText.ts"

export const endpoint = (
  name: string,
  address: string | undefined,
  reach: Reach
): Effect.Effect<string, OAuthUnsafe> => {
  if (address === undefined) return Effect.fail(unsafe(`the authorization server has no ${name}`))
  const url = safeUrl(address, reach)
  return url === undefined
    ? Effect.fail(unsafe(`the ${name} of the authorization server is not an allowed https URL`))
    : Effect.succeed(url.href)
}

const retryAfter = (response: OAuthResponse) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const value = response.headers["retry-after"]?.trim() ?? ""
    const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000
    return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, Math.ceil(seconds)) } : {}
  })

/** Fails for responses that say nothing about the request itself: redirects, 429 and 5xx. */
export const settled = (response: OAuthResponse): Effect.Effect<OAuthResponse, OAuthUnavailable | OAuthUnsafe> => {
  const { status } = response
  if (status >= 300 && status < 400) {
    return Effect.fail(unsafe(`the authorization server responded with a redirect (${status}), which is not followed`))
  }
  if (status !== 429 && status < 500) return Effect.succeed(response)
  return Effect.flatMap(retryAfter(response), (hint) =>
    Effect.fail(
      new OAuthUnavailable({
        reason: status === 429 ? "rate_limited" : "server_error",
        detail: status === 429
          ? "the authorization server is rate limiting requests (429)"
          : `the authorization server reported an internal error (${status})`,
        // Requests over the limit are rejected before the server validates them.
        sent: status !== 429,
        ...hint
      })
    ))
}

export const send = (
  reach: Reach,
  request: OAuthRequest
): Effect.Effect<OAuthResponse, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.flatMap(OAuthHttp, (http) => http.request(reach, request))

/** The JSON object in a text, which may begin with a byte order mark; `undefined` for anything else. */
const jsonObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""))
    return Predicate.isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The JSON object in a response body, whatever its media type. */
export const jsonOf = ({ body }: OAuthResponse): JsonObject | undefined => jsonObject(Redacted.value(body))

const mediaType = (response: OAuthResponse): string =>
  (response.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()

/** The JSON object in a response body, or a form body as GitHub sends it; `undefined` for anything else. */
export const bodyOf = (response: OAuthResponse): JsonObject | undefined => {
  const text = Redacted.value(response.body)
  switch (mediaType(response)) {
    case "application/json":
      return jsonObject(text)
    case "application/x-www-form-urlencoded":
      return Object.fromEntries(new URLSearchParams(text))
    default:
      return undefined
  }
}

/** Drops a description that repeats one of the `secrets` of the request. */
export const rejection = (
  error: unknown,
  description: unknown,
  status: number,
  secrets: ReadonlyArray<Redacted.Redacted<string>>
): OAuthRejected | undefined => {
  const repeats = (text: string) =>
    secrets.some((secret) => Redacted.value(secret).length > 0 && text.includes(Redacted.value(secret)))
  if (!isErrorCode(error) || repeats(error)) return undefined
  const text = plainText(description)
  return new OAuthRejected({
    error,
    status,
    ...(text === undefined || repeats(String(description)) ? {} : { description: text })
  })
}

export interface Expectation {
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  readonly errorOf?: (body: JsonObject) => unknown
}

export interface Accepted {
  readonly status: number
  readonly body: JsonObject
}

/** A 4xx status means that the request was refused, even if the body cannot be read. */
const unreadable = (status: number, what: string): OAuthUnavailable =>
  new OAuthUnavailable({
    reason: "malformed",
    detail: `the authorization server's response (${status}) ${what}`,
    sent: status < 400
  })

/** The body of a response that is not a refusal. Checked for any status, because a server may refuse with 200. */
export const accepted = (
  response: OAuthResponse,
  { errorOf = (body) => body["error"], secrets }: Expectation
): Effect.Effect<Accepted, OAuthRejected | OAuthUnavailable> => {
  const { headers, status } = response
  const body = bodyOf(response)
  const error = body === undefined ? undefined : errorOf(body)
  if (given(error) === undefined) {
    if (status === 401 && headers["www-authenticate"] !== undefined) {
      return Effect.fail(new OAuthRejected({ error: "invalid_client", status }))
    }
    if (body !== undefined && status < 400) return Effect.succeed({ status, body })
    return Effect.fail(unreadable(status, "is not an OAuth response"))
  }
  return Effect.fail(
    rejection(error, body?.["error_description"], status, secrets) ??
      unreadable(status, "has a malformed error")
  )
}

export const exchange = (
  reach: Reach,
  request: OAuthRequest,
  expectation: Expectation
): Effect.Effect<Accepted, OAuthError, OAuthHttp> =>
  send(reach, request).pipe(
    Effect.flatMap(settled),
    Effect.flatMap((response) => accepted(response, expectation))
  )
