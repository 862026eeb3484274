/** Reads the routing table, which says which hosts belong to which provider, in any profile. */
import * as Effect from "effect/Effect"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { readResponse, unknownResponse } from "../../client/Responses.ts"
import { readRoutes } from "../../domain/wire/ReadRoutes.ts"
import { routesPath } from "../../domain/wire/ResolveMessages.ts"

export const readTable = Effect.gen(function*() {
  const { send } = yield* DaemonClient
  const headers = { accept: "application/json" }
  const response = yield* send({ method: "GET", path: routesPath, headers, body: undefined })
  return readRoutes(yield* readResponse(response)) ?? (yield* unknownResponse(response))
})

/** Runs an effect with this profile for its requests. If undefined, they use the profile of the client. */
export const inProfile = (profile: string | undefined) =>
  Effect.updateService(DaemonClient, (client) =>
    profile === undefined ? client : {
      ...client,
      send: (request) => client.send({ ...request, headers: { ...request.headers, "credsvc-profile": profile } })
    })
