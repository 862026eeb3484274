/** Checks that a server has every endpoint a login needs, before a client is registered and a person consents. */
import * as Effect from "effect/Effect"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import type { OAuthUnsafe } from "./OAuthErrors.ts"

export const requireCodeEndpoints = (server: AuthorizationServer): Effect.Effect<void, OAuthUnsafe> =>
  Effect.gen(function*() {
    const { authorizationEndpoint, pushedAuthorizationRequestEndpoint: pushed, reach, tokenEndpoint } = server
    yield* Messages.endpoint("authorization endpoint", authorizationEndpoint, reach)
    yield* Messages.endpoint("token endpoint", tokenEndpoint, reach)
    if (pushed !== undefined || server.requirePushedAuthorizationRequests) {
      yield* Messages.endpoint("pushed authorization request endpoint", pushed, reach)
    }
  })

export const requireDeviceEndpoints = (server: AuthorizationServer): Effect.Effect<void, OAuthUnsafe> =>
  Effect.gen(function*() {
    const { deviceAuthorizationEndpoint, deviceTokenEndpoint, reach, tokenEndpoint } = server
    yield* Messages.endpoint("device authorization endpoint", deviceAuthorizationEndpoint, reach)
    if (deviceTokenEndpoint !== undefined) yield* Messages.endpoint("token endpoint", deviceTokenEndpoint, reach)
    // Refreshes use it, even if the device flow polls elsewhere.
    yield* Messages.endpoint("token endpoint", tokenEndpoint, reach)
  })
