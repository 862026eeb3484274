/** Handlers of the operations that let another profile use a connection. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import { Connections } from "../../connections/Connections.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { forProfile } from "../http/ProfileSelection.ts"

export const GrantsHandlers = HttpApiBuilder.group(
  Api,
  "grants",
  Effect.fnUntraced(function*(handlers) {
    const children = yield* ChildRefusal
    const connections = yield* Connections
    return handlers.handleAll({
      list: () => forProfile((profile) => Effect.map(connections.grants(profile), (list) => ({ grants: list }))),
      create: ({ payload }) => {
        const { connection = defaultConnectionName, provider } = payload
        // The other profile could use the connection without the limits of the run.
        return children.outside(
          "secrets",
          { event: "grant", provider, connection },
          (owner) => connections.grant(owner, payload)
        )
      },
      withdraw: ({ params: { connection, grantee, provider } }) =>
        forProfile((owner) => connections.withdraw(owner, provider, connection, grantee))
    })
  })
)
