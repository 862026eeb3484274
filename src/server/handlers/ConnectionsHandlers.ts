/** Handlers of the operations on connections. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import { Connections } from "../../connections/Connections.ts"
import { ConnectionChecks } from "../../connections/use/ConnectionChecks.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { forProfile } from "../http/ProfileSelection.ts"

export const ConnectionsHandlers = HttpApiBuilder.group(
  Api,
  "connections",
  Effect.fnUntraced(function*(handlers) {
    const connections = yield* Connections
    const checks = yield* ConnectionChecks
    const children = yield* ChildRefusal
    return handlers.handleAll({
      list: ({ query }) =>
        forProfile((profile) =>
          Effect.map(connections.list(profile, query.provider), (list) => ({ connections: list }))
        ),
      get: ({ params, query }) =>
        query.reveal === "true"
          ? children.outside("secrets", { event: "get", ...params }, (profile) =>
            connections.get(profile, params.provider, params.connection, { reveal: true }))
          : forProfile((profile) =>
            connections.get(profile, params.provider, params.connection, { reveal: false })
          ),
      check: ({ params }) => forProfile((profile) => checks.check(profile, params.provider, params.connection)),
      logout: ({ params }) => forProfile((profile) => connections.logout(profile, params.provider, params.connection)),
      revoke: ({ params }) => forProfile((profile) => connections.revoke(profile, params.provider)),
      setContainedOnly: ({ params }) =>
        forProfile((profile) => connections.setContainedOnly(profile, params.provider, params.connection)),
      setDefault: ({ params }) =>
        forProfile((profile) => connections.setDefault(profile, params.provider, params.connection))
    })
  })
)
