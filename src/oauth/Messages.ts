/**
 * Sending of messages: `oauth4webapi` writes and reads them, the port carries them.
 *
 * The library is given a `fetch` that only takes down what it would send. So it never waits for the network, and a request
 * is an Effect like any other: interruptible, and with failures that hold nothing of the message.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"
import { safeUrl } from "./Endpoint.ts"
import { malformed, type OAuthError, OAuthRejected, OAuthUnavailable, type OAuthUnsafe, unsafe } from "./OAuthErrors.ts"
import { OAuthHttp, type OAuthRequest, type OAuthResponse, type Reach } from "./OAuthHttp.ts"
import { isErrorCode, plainText } from "./ServerText.ts"

/** The options of the library's request functions: what they send is handed back and goes nowhere. */
export type Recording = {
  readonly [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, unknown>) => Promise<Response>
  readonly [oauth.allowInsecureRequests]: true
}

/** Takes down the request that `write` makes. Its endpoint has been checked with `endpoint`. */
export const record = (write: (recording: Recording) => Promise<Response>): Effect.Effect<OAuthRequest> =>
  Effect.promise(async () => {
    let recorded: OAuthRequest | undefined
    await write({
      // Only `safeUrl` knows where http is right.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, { body, headers, method }) => {
        const { authorization, "user-agent": _, ...rest } = headers
        recorded = {
          method: method as OAuthRequest["method"],
          url,
          headers: rest,
          ...(authorization === undefined ? {} : { authorization: Redacted.make(authorization) }),
          ...(body === undefined || body === null ? {} : { body: Redacted.make(String(body)) })
        }
        return new Response()
      }
    })
    return recorded!
  })

/** The endpoint, if the server has it and it may be used. */
export const endpoint = (
  name: string,
  address: string | undefined,
  reach: Reach
): Effect.Effect<string, OAuthUnsafe> => {
  if (address === undefined) return Effect.fail(unsafe(`the authorization server has no ${name}`))
  const url = safeUrl(address, reach)
  return url === undefined
    ? Effect.fail(unsafe(`the ${name} of the authorization server is not an https address that may be used`))
    : Effect.succeed(url.href)
}

/** `Retry-After` in seconds: a number, or the time until a date. */
const retryAfter = (response: OAuthResponse) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const value = response.headers["retry-after"]?.trim() ?? ""
    const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000
    return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, Math.ceil(seconds)) } : {}
  })

/** The answers that say nothing about the message itself, as failures. */
export const settled = (response: OAuthResponse): Effect.Effect<OAuthResponse, OAuthUnavailable | OAuthUnsafe> => {
  const { status } = response
  if (status >= 300 && status < 400) {
    return Effect.fail(unsafe(`the authorization server answered with a redirect (${status}), which is never followed`))
  }
  if (status !== 429 && status < 500) return Effect.succeed(response)
  return Effect.flatMap(retryAfter(response), (hint) =>
    Effect.fail(
      new OAuthUnavailable({
        reason: status === 429 ? "rate_limited" : "server_error",
        detail: status === 429
          ? "the authorization server asks for fewer requests (429)"
          : `the authorization server has a problem of its own (${status})`,
        // What is turned away for being too much has not been looked at.
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

const mediaType = (response: OAuthResponse): string =>
  (response.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()

export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON object of an answer, or that of a form as GitHub sends it; `undefined` for anything else. */
export const bodyOf = (response: OAuthResponse): JsonObject | undefined => {
  const text = Redacted.value(response.body)
  switch (mediaType(response)) {
    case "application/json": {
      try {
        const value: unknown = JSON.parse(text)
        return Predicate.isObject(value) ? value : undefined
      } catch {
        return undefined
      }
    }
    case "application/x-www-form-urlencoded":
      return Object.fromEntries(new URLSearchParams(text))
    default:
      return undefined
  }
}

/**
 * The server's refusal, if the values are one. A server that repeats a secret of the request in its text is not repeated:
 * `secrets` are what the request held.
 */
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

/** What was in the request, and where an answer keeps its error. */
export interface Expectation {
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  readonly errorOf?: (body: JsonObject) => unknown
}

export interface Answer {
  readonly status: number
  readonly body: JsonObject
}

/** With a status of 4xx the request was refused, whatever else the answer means. */
const unreadable = (status: number, what: string): OAuthUnavailable =>
  new OAuthUnavailable({
    reason: "malformed",
    detail: `the authorization server's answer (${status}) ${what}`,
    sent: status < 400
  })

/** The body of an answer that is not a refusal, whatever its status: a server may refuse with 200. */
export const understood = (
  response: OAuthResponse,
  { errorOf = (body) => body["error"], secrets }: Expectation
): Effect.Effect<Answer, OAuthRejected | OAuthUnavailable> => {
  const { headers, status } = response
  const body = bodyOf(response)
  const error = body === undefined ? undefined : errorOf(body)
  if (error === undefined || error === null || error === "") {
    if (status === 401 && headers["www-authenticate"] !== undefined) {
      return Effect.fail(new OAuthRejected({ error: "invalid_client", status }))
    }
    if (body !== undefined && status < 400) return Effect.succeed({ status, body })
    return Effect.fail(unreadable(status, "is not one that OAuth knows"))
  }
  return Effect.fail(
    rejection(error, body?.["error_description"], status, secrets) ??
      unreadable(status, "has an error that is not well-formed")
  )
}

/** One message and its answer. */
export const converse = (
  reach: Reach,
  request: OAuthRequest,
  expectation: Expectation
): Effect.Effect<Answer, OAuthError, OAuthHttp> =>
  send(reach, request).pipe(
    Effect.flatMap(settled),
    Effect.flatMap((response) => understood(response, expectation))
  )

/**
 * Has the library check the fields of a good answer. Its own errors end here: they hold the body.
 */
export const check = <A>(
  what: string,
  status: number,
  body: JsonObject,
  parse: (response: Response) => Promise<A>
): Effect.Effect<A, OAuthUnavailable> =>
  Effect.tryPromise({
    try: () => parse(Response.json(body, { status })),
    catch: () => malformed(`the ${what} of the authorization server is not well-formed`)
  })
