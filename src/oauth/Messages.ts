/** Sends OAuth messages and reads their responses. Errors contain no part of the request. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { mediaTypeOf } from "../platform/MediaType.ts"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import { type OAuthError, OAuthRejected, OAuthUnavailable, type OAuthUnsafe, unsafeError } from "./OAuthErrors.ts"
import { OAuthHttp, type OAuthRequest, type OAuthResponse, type Reach } from "./OAuthHttp.ts"
import { isErrorCode, type JsonObject, plainText, presentValue, safeUrl } from "./ServerValues.ts"

export const requireEndpoint = (
  name: string,
  address: string | undefined,
  reach: Reach
): Effect.Effect<string, OAuthUnsafe> => {
  if (address === undefined) return Effect.fail(unsafeError(`the authorization server has no ${name}`))
  const url = safeUrl(address, reach)
  return url === undefined
    ? Effect.fail(unsafeError(`the ${name} of the authorization server is not an allowed https URL`))
    : Effect.succeed(url.href)
}

/** The fields with endpoints, such as `tokenEndpoint`. */
export type EndpointName = Extract<keyof AuthorizationServer, `${string}ndpoint`>

/** Returns the URL of an endpoint that a request needs. An error names the field in words, such as "token endpoint". */
export const endpointOf = (server: AuthorizationServer, name: EndpointName): Effect.Effect<string, OAuthUnsafe> =>
  requireEndpoint(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), server[name], server.reach)

/** Fails for responses that say nothing about the request itself: redirects, 429 and 5xx. */
export const requireAnswer = (
  response: OAuthResponse
): Effect.Effect<OAuthResponse, OAuthUnavailable | OAuthUnsafe> => {
  const { status } = response
  if (status >= 300 && status < 400) {
    return Effect.fail(
      unsafeError(`the authorization server responded with a redirect (${status}), which is not followed`)
    )
  }
  if (status !== 429 && status < 500) return Effect.succeed(response)
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.fail(
      new OAuthUnavailable({
        reason: status === 429 ? "rate_limited" : "server_error",
        detail: status === 429
          ? "the authorization server is rate limiting requests (429)"
          : `the authorization server reported an internal error (${status})`,
        // Requests over the limit are rejected before the server validates them.
        sent: status !== 429,
        ...retryAfter(response, now)
      })
    ))
}

export const send = (
  reach: Reach,
  request: OAuthRequest
): Effect.Effect<OAuthResponse, OAuthUnavailable | OAuthUnsafe, OAuthHttp> =>
  Effect.flatMap(OAuthHttp, (http) => http.request(reach, request))

/** Parses the JSON value in a string, which may begin with a byte order mark. Returns undefined for anything else. */
export const jsonValue = (text: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    return undefined
  }
}

/** The JSON object in a response body, whatever its media type; undefined for other content. */
export const jsonOf = ({ body }: OAuthResponse): JsonObject | undefined => {
  const value = jsonValue(Redacted.value(body))
  return Predicate.isObject(value) ? value : undefined
}

/** The members of a form body as GitHub sends it, or the JSON object in a body of any other type. */
export const bodyOf = (response: OAuthResponse): JsonObject | undefined =>
  mediaTypeOf(response.headers["content-type"]) === "application/x-www-form-urlencoded"
    ? Object.fromEntries(new URLSearchParams(Redacted.value(response.body)))
    : jsonOf(response)

type Secrets = ReadonlyArray<Redacted.Redacted<string>>

/** Removes white space and invisible characters from a string, and decodes its percent-encoding. */
const withoutDisguise = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\s]+/gu, "")
    .replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll("%", ""), "hex").toString())

/** Whether a string contains a secret: as it is, percent-encoded, or in base64 as in an `Authorization` field. */
const repeatsSecret = (text: string, secrets: Secrets): boolean => {
  const fields = (text.match(/[\w+/-]{8,}=*/g) ?? []).map((field) => Buffer.from(field, "base64").toString())
  const readings = [text, ...fields, ...fields.map(withoutDisguise), withoutDisguise(text)]
  return secrets.some((secret) => {
    const value = Redacted.value(secret)
    return value !== "" &&
      readings.some((reading) => reading.includes(value) || reading.includes(withoutDisguise(value)))
  })
}

/** Finds the description for the user in an error of any format. */
const textIn = (body: JsonObject | undefined): unknown => {
  const nested = body?.["error"]
  return [
    body?.["error_description"],
    ...(Predicate.isObject(nested) ? [nested["message"]] : []),
    ...[body?.["message"]].flat(),
    body?.["detail"],
    body?.["errorSummary"]
  ].find((text) => typeof text === "string" && text.trim() !== "")
}

/** Returns the description for the user in an error, or undefined if it repeats one of the `secrets` of the request. */
export const descriptionOf = (body: JsonObject | undefined, secrets: Secrets): string | undefined => {
  const found = textIn(body)
  // Only the beginning is shown, and searching a long text takes time.
  return repeatsSecret(String(found).slice(0, 65_536), secrets) ? undefined : plainText(found)
}

/** Creates the error; undefined if the code is invalid or repeats one of the `secrets` of the request. Omits a description that does. */
export const rejection = (
  error: unknown,
  description: unknown,
  status: number,
  secrets: Secrets
): OAuthRejected | undefined => {
  if (!isErrorCode(error) || repeatsSecret(error, secrets)) return undefined
  const text = descriptionOf({ error_description: description }, secrets)
  return new OAuthRejected({ error, status, ...(text === undefined ? {} : { description: text }) })
}

export interface Expectation {
  readonly secrets: Secrets
  readonly errorOf?: (body: JsonObject) => unknown
}

export interface Accepted {
  readonly status: number
  readonly body: JsonObject
}

/** The error for an unreadable body. A 4xx status still means that the request was rejected. */
const unreadableResponse = (response: OAuthResponse, what: string, secrets: Secrets): OAuthUnavailable => {
  const description = response.status < 400 ? undefined : descriptionOf(bodyOf(response), secrets)
  const more = description === undefined ? "" : `: ${description}`
  const detail = `the authorization server's response (${response.status}) ${what}${more}`
  return new OAuthUnavailable({ reason: "malformed", detail, sent: response.status < 400 })
}

/** Returns the body unless the response is an error, which may have any status: some servers reject with 200. */
export const acceptedResponse = (
  response: OAuthResponse,
  { errorOf = (body) => body["error"], secrets }: Expectation
): Effect.Effect<Accepted, OAuthRejected | OAuthUnavailable> => {
  const { headers, status } = response
  const body = bodyOf(response)
  const error = body === undefined ? undefined : errorOf(body)
  if (presentValue(error) === undefined) {
    if (status === 401 && headers["www-authenticate"] !== undefined) {
      return Effect.fail(new OAuthRejected({ error: "invalid_client", status }))
    }
    if (body !== undefined && status < 400) return Effect.succeed({ status, body })
    return Effect.fail(unreadableResponse(response, "is not an OAuth response", secrets))
  }
  return Effect.fail(
    rejection(error, textIn(body), status, secrets) ??
      unreadableResponse(response, "has a malformed error", secrets)
  )
}

export const exchange = (
  reach: Reach,
  request: OAuthRequest,
  expectation: Expectation
): Effect.Effect<Accepted, OAuthError, OAuthHttp> =>
  send(reach, request).pipe(
    Effect.flatMap(requireAnswer),
    Effect.flatMap((response) => acceptedResponse(response, expectation))
  )

/** The seconds for which `Retry-After` (RFC 9110 section 10.2.3) asks to wait, as a field for `OAuthUnavailable`, if any. */
export const retryAfter = ({ headers }: OAuthResponse, nowMillis: number): { readonly retryAfterSeconds?: number } => {
  const value = headers["retry-after"]?.trim() ?? ""
  // Without this check, V8 would read "-1" as a date.
  const date = value.endsWith(" GMT") ? value : ""
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(date) - nowMillis) / 1000
  return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, Math.ceil(seconds)) } : {}
}
