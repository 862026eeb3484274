/** The device login: the user enters a code on any device (RFC 8628). */
import * as Effect from "effect/Effect"
import { tokenRequestStyle } from "../connections/oauth/OAuthEndpoints.ts"
import * as DeviceAuthorization from "../oauth/DeviceAuthorization.ts"
import type { OAuthError } from "../oauth/OAuthErrors.ts"
import { requireDeviceEndpoints } from "../oauth/RequiredEndpoints.ts"
import type { Flow, FlowStep, OAuthLogin } from "./Flow.ts"
import { settleGrant } from "./oauth/AccountStep.ts"
import { LoginClients, oauthClient } from "./oauth/LoginClients.ts"
import { arrivedTokens } from "./oauth/OAuthGrant.ts"
import { type AwaitsDevice, decodeState, encodeState, type Opened } from "./oauth/OAuthState.ts"
import { heldTokens, makeOAuthSteps, mixUpWarning, oauthLogin, resourceWarning } from "./oauth/OAuthSteps.ts"
import { OAuthTargets } from "./oauth/OAuthTargets.ts"
import { failureOf } from "./ProviderFailure.ts"

const longestWait = 60

const styleOf = ({ definition }: OAuthLogin) => tokenRequestStyle(definition, definition.oauth.deviceTokenRequest)

const wait = (state: AwaitsDevice, seconds: number) =>
  Effect.map(encodeState(state), (encoded): FlowStep => ({ _tag: "Wait", seconds, state: encoded }))

/** Temporary errors that do not concern the code, from servers that send them with a status other than 5xx. */
const transientErrors = new Set(["temporarily_unavailable", "server_error"])

/** After a failed poll, doubles the interval up to a minute, or follows a longer `Retry-After` of the server. */
const backOff = (state: AwaitsDevice, { retryAfterSeconds = 0 }: { readonly retryAfterSeconds?: number }) => {
  const failures = state.failures + 1
  const doubled = Math.min(state.interval * 2 ** failures, Math.max(longestWait, state.interval))
  return wait({ ...state, failures }, Math.max(doubled, retryAfterSeconds))
}

const poll = Effect.fnUntraced(function*(login: OAuthLogin, state: AwaitsDevice) {
  const { client, deviceCode, fields, target } = state
  const { deviceClientAuthentication: authentication } = login.definition.oauth
  const polling = oauthClient(client)
  const polled = yield* DeviceAuthorization.poll({
    server: target.server,
    client: authentication === undefined ? polling : { ...polling, authentication },
    deviceCode,
    intervalSeconds: state.interval,
    scopes: target.scopes,
    style: styleOf(login),
    resource: target.resource ?? undefined
  })
  if (polled._tag === "Granted") {
    return yield* settleGrant(login, arrivedTokens(login, { target, client, fields, tokens: polled.tokens }))
  }
  const { intervalSeconds: interval } = polled
  return yield* wait({ ...state, interval, failures: 0 }, interval)
}, (effect, _, state) =>
  Effect.catchTags(effect, {
    OAuthUnavailable: (error) => backOff(state, error),
    OAuthRejected: (error): Effect.Effect<FlowStep, OAuthError> => {
      if (error.error === "expired_token") return Effect.succeed({ _tag: "Expired" })
      return transientErrors.has(error.error) ? backOff(state, {}) : Effect.fail(error)
    }
  }))

export const DeviceCodeFlow = Effect.gen(function*() {
  const clients = yield* LoginClients
  const targets = yield* OAuthTargets

  const open = Effect.fnUntraced(function*(login: OAuthLogin, { client, fields, target }: Opened) {
    const { resource, scopes, server } = target
    const device = yield* DeviceAuthorization.request({
      server,
      client: oauthClient(client),
      scopes,
      style: styleOf(login),
      resource: resource ?? undefined
    })
    const state = yield* encodeState({
      phase: "device",
      target,
      client,
      fields,
      deviceCode: device.deviceCode,
      interval: device.intervalSeconds,
      failures: 0
    })
    const step: FlowStep = {
      _tag: "ShowUserCode",
      message: `Enter the code for ${login.definition.displayName} at ${new URL(device.verificationUri).host}.` +
        mixUpWarning(login, target, device.verificationUri) +
        resourceWarning(target),
      userCode: device.userCode,
      verificationUri: device.verificationUri,
      verificationUriComplete: device.verificationUriComplete,
      interval: device.intervalSeconds,
      expiresInSeconds: device.expiresInSeconds,
      state
    }
    return step
  })

  const { asClient, receive, withSomeClient } = yield* makeOAuthSteps({
    redirects: false,
    findClient: (login, target) =>
      login.definition.flows.includes("dcr_pkce")
        ? clients.obtain(login, target, { device: true })
        : clients.find(login, target),
    open
  })

  return {
    kind: "device_code",
    begin: Effect.fn("DeviceCodeFlow.begin")(function*(request) {
      const login = yield* oauthLogin(request)
      const target = yield* targets.find(login, "deviceAuthorizationEndpoint")
      yield* Effect.mapError(
        requireDeviceEndpoints(target.server),
        (error) => failureOf(login.definition, target.server.issuer, error)
      )
      return yield* withSomeClient(login, target)
    }),
    receive: Effect.fn("DeviceCodeFlow.receive")(function*(request, encoded, event) {
      const login = yield* oauthLogin(request)
      const state = yield* decodeState(encoded)
      if (state.phase === "device" && event._tag === "Poll") {
        return yield* asClient(login, state, poll(login, state))
      }
      return yield* receive(login, state, event)
    }),
    held: heldTokens
  } satisfies Flow
})
