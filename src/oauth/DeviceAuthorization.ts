/** The device authorization grant (RFC 8628): the user enters a code in a browser on any device. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import { type OAuthClient, parameterRequest } from "./OAuthClient.ts"
import { malformedError, type OAuthError, OAuthRejected, unsafeError } from "./OAuthErrors.ts"
import type { OAuthHttp, OAuthResponse } from "./OAuthHttp.ts"
import { pollingEndpoint } from "./RequiredEndpoints.ts"
import { member, numberOf, printableText, safeLink } from "./ServerValues.ts"
import type { TokenRequestStyle } from "./TokenDialect.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"

export interface DeviceRequest {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  readonly scopes: ReadonlyArray<string>
  readonly resource?: string | undefined
  readonly style: TokenRequestStyle
}

const DEFAULT_INTERVAL = 5
const LONGEST_INTERVAL = 300
const DEFAULT_LIFE = 900
const LONGEST_LIFE = 1800

/** Requests a code. Authenticates the client, because some servers require this here, too. */
export const request = (options: DeviceRequest) =>
  Effect.gen(function*() {
    const { client, resource, scopes, server, style } = options
    const endpoint = yield* Messages.endpointOf(server, "deviceAuthorizationEndpoint")
    const parameters = {
      scope: scopes.length === 0 ? undefined : scopes.join(style.scopeSeparator),
      resource,
      client_id: client.clientId
    }
    const { body } = yield* Messages.exchange(
      server.reach,
      parameterRequest(endpoint, client, parameters, style),
      TokenEndpoint.expectation(options)
    )
    const deviceCode = printableText(body["device_code"], 4096)
    const userCode = printableText(body["user_code"], 64)
    // The name that Google used before the RFC, and that some servers still use.
    const uri = member(body, "verification_uri") ?? member(body, "verification_url")
    if (deviceCode === undefined || deviceCode.includes(" ") || userCode === undefined || uri === undefined) {
      return yield* malformedError(
        "the device authorization response of the authorization server lacks a valid device_code, user_code or verification_uri"
      )
    }
    const verificationUri = safeLink(uri, server.reach)
    if (verificationUri === undefined) return yield* unsafeError("the verification URI is not an allowed https URL")
    const complete = safeLink(body["verification_uri_complete"], server.reach)
    const within = (name: string, fallback: number, longest: number) => {
      const stated = numberOf(body[name]) ?? 0
      return stated > 0 ? Math.min(Math.max(stated, 1), longest) : fallback
    }
    return {
      deviceCode: Redacted.make(deviceCode),
      userCode,
      verificationUri: verificationUri.href,
      // The user is shown only the host of the verification URI.
      verificationUriComplete: complete?.host === verificationUri.host ? complete.href : null,
      expiresInSeconds: within("expires_in", DEFAULT_LIFE, LONGEST_LIFE),
      intervalSeconds: within("interval", DEFAULT_INTERVAL, LONGEST_INTERVAL)
    }
  })

/** The outcome of a poll. `Pending` has the interval to wait before the next one and all later ones. */
type PollResult =
  | { readonly _tag: "Granted"; readonly tokens: TokenEndpoint.TokenResponse }
  | { readonly _tag: "Pending"; readonly intervalSeconds: number }

/** The increase of the interval after `slow_down`. */
const SLOW_DOWN_SECONDS = 5

interface PollRequest extends DeviceRequest {
  readonly deviceCode: Redacted.Redacted<string>
  readonly intervalSeconds: number
}

const pendingAfter = (intervalSeconds: number): PollResult => ({ _tag: "Pending", intervalSeconds })

/** Trakt responds with these statuses and no error code. */
const statusErrors: Readonly<Record<number, string>> = {
  400: "authorization_pending",
  404: "invalid_grant",
  409: "invalid_grant",
  410: "expired_token",
  418: "access_denied"
}

const errorOfStatus = ({ body, status }: OAuthResponse): OAuthRejected | undefined => {
  const error = Redacted.value(body).trim() === "" ? statusErrors[status] : undefined
  return error === undefined ? undefined : new OAuthRejected({ error, status })
}

/** Polls once. After `OAuthUnavailable`, poll less often; any other failure ends the grant. */
export const poll = (options: PollRequest): Effect.Effect<PollResult, OAuthError, OAuthHttp> =>
  Effect.gen(function*() {
    const { deviceCode, intervalSeconds, scopes, server } = options
    const endpoint = yield* Messages.endpointOf(server, pollingEndpoint(server))
    const outgoing = TokenEndpoint.tokenRequest(
      options,
      endpoint,
      "urn:ietf:params:oauth:grant-type:device_code",
      { device_code: deviceCode }
    )
    const sentAtMillis = yield* Clock.currentTimeMillis
    const response = yield* Messages.send(server.reach, outgoing)
    if (response.status === 429) return pendingAfter(intervalSeconds + SLOW_DOWN_SECONDS)
    // Webex responds with "Precondition Required" and its own error format until the user has entered the code.
    if (response.status === 428) return pendingAfter(intervalSeconds)
    const rejected = errorOfStatus(response)
    if (rejected !== undefined) return yield* rejected
    const { body } = yield* Effect.flatMap(
      Messages.requireAnswer(response),
      (settled) => Messages.acceptedResponse(settled, TokenEndpoint.expectation(options, deviceCode))
    )
    const openid = scopes.includes("openid")
    const tokens = yield* TokenEndpoint.tokenResponse({ ...options, revokes: true }, body, {
      openid,
      refresh: false,
      sentAtMillis
    })
    return { _tag: "Granted", tokens } as const
  }).pipe(Effect.catchTag("OAuthRejected", (rejected): Effect.Effect<PollResult, OAuthRejected> => {
    switch (rejected.error) {
      case "authorization_pending":
        return Effect.succeed(pendingAfter(options.intervalSeconds))
      case "slow_down":
        return Effect.succeed(pendingAfter(options.intervalSeconds + SLOW_DOWN_SECONDS))
      default:
        return Effect.fail(rejected)
    }
  }))
