import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import type { PolicyName } from "../../domain/rules/PolicyName.ts"
import type { AuditEvent } from "../../domain/wire/AuditEntry.ts"
import { Policies } from "../../policies/Policies.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { forProfile } from "../http/ProfileSelection.ts"

export const PoliciesHandlers = HttpApiBuilder.group(
  Api,
  "policies",
  Effect.fnUntraced(function*(handlers) {
    const policies = yield* Policies
    const children = yield* ChildRefusal
    /** Refuses commands of a run, which could remove the limits of later runs. */
    const outside = (event: AuditEvent, name: PolicyName) =>
      children.refuse("policies", { event, provider: null, connection: name })
    return handlers.handleAll({
      list: () => forProfile((profile) => Effect.map(policies.list(profile), (list) => ({ policies: list }))),
      get: ({ params }) => forProfile((profile) => policies.get(profile, params.name)),
      set: ({ params, payload }) =>
        Effect.andThen(
          outside("policy-set", params.name),
          forProfile((profile) => policies.set(profile, params.name, payload))
        ),
      remove: ({ params }) =>
        Effect.andThen(
          outside("policy-remove", params.name),
          forProfile((profile) =>
            Effect.as(policies.remove(profile, params.name), { status: "deleted" as const, name: params.name })
          )
        )
    })
  })
)
