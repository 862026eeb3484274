/** Handlers of the operations on policies. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import { Policies } from "../../policies/Policies.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { forProfile } from "../http/ProfileSelection.ts"

export const PoliciesHandlers = HttpApiBuilder.group(
  Api,
  "policies",
  Effect.fnUntraced(function*(handlers) {
    const policies = yield* Policies
    const children = yield* ChildRefusal

    return handlers.handleAll({
      list: () => forProfile((profile) => Effect.map(policies.list(profile), (list) => ({ policies: list }))),
      get: ({ params }) => forProfile((profile) => policies.get(profile, params.name)),
      set: ({ params, payload }) =>
        children.outside(
          "policies",
          { event: "policy-set", connection: params.name },
          (profile) => policies.set(profile, params.name, payload)
        ),
      remove: ({ params: { name } }) =>
        children.outside(
          "policies",
          { event: "policy-remove", connection: name },
          (profile) => Effect.as(policies.remove(profile, name), { status: "deleted" as const, name })
        )
    })
  })
)
