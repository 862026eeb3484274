/** The device authorization grant (RFC 8628): a person enters a code in a browser on any device. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import { safeLink } from "./Endpoint.ts"
import * as Messages from "./Messages.ts"
import { authenticate, type OAuthClient } from "./OAuthClient.ts"
import { malformed, type OAuthError, OAuthRejected, unsafe } from "./OAuthErrors.ts"
import type { OAuthHttp, OAuthResponse } from "./OAuthHttp.ts"
import { record } from "./RecordedRequest.ts"
import { inFormat, type TokenRequestStyle } from "./TokenDialect.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"

export interface DeviceRequest {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  readonly scopes: ReadonlyArray<string>
  readonly resource?: string
  readonly style: TokenRequestStyle
}

export interface DeviceAuthorization {
  readonly deviceCode: Redacted.Redacted<string>
  readonly userCode: string
  readonly verificationUri: string
  readonly verificationUriComplete: string | null
  readonly expiresInSeconds: number
  readonly intervalSeconds: number
}

const DEFAULT_INTERVAL = 5
const LONGEST_INTERVAL = 300
const LONGEST_LIFE = 1800

const secondsOf = (value: unknown): number =>
  typeof value === "number" ? value : typeof value === "string" ? Number.parseFloat(value) : NaN

/** Some servers require client authentication here, too. */
export const request = (
  options: DeviceRequest
): Effect.Effect<DeviceAuthorization, OAuthError, OAuthHttp> =>
  Effect.gen(function*() {
    const { client, resource, scopes, server, style } = options
    const endpoint = yield* Messages.endpoint(
      "device authorization endpoint",
      server.deviceAuthorizationEndpoint,
      server.reach
    )
    const metadata = { issuer: server.issuer, device_authorization_endpoint: endpoint }
    const identity = { client_id: client.clientId }
    const parameters = {
      ...(scopes.length === 0 ? {} : { scope: scopes.join(style.scopeSeparator) }),
      ...(resource === undefined ? {} : { resource })
    }
    const outgoing = yield* record((recording) =>
      oauth.deviceAuthorizationRequest(metadata, identity, authenticate(client), parameters, recording)
    )
    const { body } = yield* Messages.exchange(
      server.reach,
      inFormat(outgoing, style.format, style.names),
      TokenEndpoint.expectation(options)
    )
    const authorization = yield* Messages.check(
      "device authorization response",
      200,
      // Google's name from before the RFC, which some servers still use.
      { ...body, verification_uri: body["verification_uri"] ?? body["verification_url"], interval: undefined },
      (response) => oauth.processDeviceAuthorizationResponse(metadata, identity, response)
    )
    if (
      !/^[\u0021-\u007e]{1,4096}$/.test(authorization.device_code) ||
      !/^[\u0020-\u007e]{1,64}$/.test(authorization.user_code)
    ) {
      return yield* malformed("the device authorization response of the authorization server is not well-formed")
    }
    const verificationUri = safeLink(authorization.verification_uri, server.reach)?.href
    if (verificationUri === undefined) {
      return yield* unsafe("the verification URI is not an allowed https URL")
    }
    const interval = secondsOf(body["interval"])
    const complete = authorization.verification_uri_complete
    return {
      deviceCode: Redacted.make(authorization.device_code),
      userCode: authorization.user_code,
      verificationUri,
      verificationUriComplete: complete === undefined ? null : safeLink(complete, server.reach)?.href ?? null,
      expiresInSeconds: Math.min(Math.max(authorization.expires_in, 1), LONGEST_LIFE),
      intervalSeconds: interval > 0 ? Math.min(Math.max(interval, 1), LONGEST_INTERVAL) : DEFAULT_INTERVAL
    }
  })

/** `SlowDown`: add five seconds to the polling interval from now on. */
export type PollResult =
  | { readonly _tag: "Granted"; readonly tokens: TokenEndpoint.TokenResponse }
  | { readonly _tag: "Pending" }
  | { readonly _tag: "SlowDown" }

export interface PollRequest extends DeviceRequest {
  readonly deviceCode: Redacted.Redacted<string>
}

/** Trakt responds with a status and no error code. */
const statusErrors: Readonly<Record<number, string>> = {
  400: "authorization_pending",
  404: "invalid_grant",
  409: "invalid_grant",
  410: "expired_token",
  418: "access_denied"
}

const bareStatus = ({ body, status }: OAuthResponse): OAuthRejected | undefined => {
  const error = Redacted.value(body).trim() === "" ? statusErrors[status] : undefined
  return error === undefined ? undefined : new OAuthRejected({ error, status })
}

/** After `OAuthUnavailable`, poll less often; any other failure ends the grant. */
export const poll = (options: PollRequest): Effect.Effect<PollResult, OAuthError, OAuthHttp> =>
  Effect.gen(function*() {
    const { deviceCode, scopes, server } = options
    const endpoint = yield* Messages.endpoint(
      "token endpoint",
      server.deviceTokenEndpoint ?? server.tokenEndpoint,
      server.reach
    )
    const outgoing = yield* TokenEndpoint.tokenRequest(
      options,
      endpoint,
      "urn:ietf:params:oauth:grant-type:device_code",
      { device_code: deviceCode }
    )
    const sentAtMillis = yield* Clock.currentTimeMillis
    const response = yield* Messages.send(server.reach, outgoing)
    if (response.status === 429) return { _tag: "SlowDown" } as const
    // Webex responds with "Precondition Required", and errors of its own form, until the user has entered the code.
    if (response.status === 428) return { _tag: "Pending" } as const
    const rejected = bareStatus(response)
    if (rejected !== undefined) return yield* rejected
    const { body } = yield* Effect.flatMap(
      Messages.settled(response),
      (settled) => Messages.accepted(settled, TokenEndpoint.expectation(options, deviceCode))
    )
    const openid = scopes.includes("openid")
    const tokens = yield* TokenEndpoint.tokenResponse(options, body, { openid, refresh: false, sentAtMillis })
    return { _tag: "Granted", tokens } as const
  }).pipe(Effect.catchTag("OAuthRejected", (rejected): Effect.Effect<PollResult, OAuthRejected> => {
    switch (rejected.error) {
      case "authorization_pending":
        return Effect.succeed({ _tag: "Pending" })
      case "slow_down":
        return Effect.succeed({ _tag: "SlowDown" })
      default:
        return Effect.fail(rejected)
    }
  }))
