/** Checks that a server has every endpoint that a login needs, before a client is registered and the user consents. */
import * as Effect from "effect/Effect"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import * as Messages from "./Messages.ts"
import type { OAuthUnsafe } from "./OAuthErrors.ts"

const requireEndpoints = (server: AuthorizationServer, names: ReadonlyArray<Messages.EndpointName>) =>
  Effect.forEach(names, (name) => Messages.endpointOf(server, name), { discard: true })

export const requireCodeEndpoints = (server: AuthorizationServer): Effect.Effect<void, OAuthUnsafe> => {
  const pushes = server.pushedAuthorizationRequestEndpoint !== undefined || server.requirePushedAuthorizationRequests
  const pushed = pushes ? ["pushedAuthorizationRequestEndpoint" as const] : []
  return requireEndpoints(server, ["authorizationEndpoint", "tokenEndpoint", ...pushed])
}

/** Checks the endpoints of a device login. Refreshes use the token endpoint, even if the device flow polls elsewhere. */
export const requireDeviceEndpoints = (server: AuthorizationServer): Effect.Effect<void, OAuthUnsafe> =>
  requireEndpoints(server, ["deviceAuthorizationEndpoint", pollingEndpoint(server), "tokenEndpoint"])

export const pollingEndpoint = ({ deviceTokenEndpoint }: AuthorizationServer) =>
  deviceTokenEndpoint === undefined ? "tokenEndpoint" : "deviceTokenEndpoint"
