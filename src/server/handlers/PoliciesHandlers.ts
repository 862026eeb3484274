import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import type { PolicyName } from "../../domain/rules/PolicyName.ts"
import type { AuditEvent } from "../../domain/wire/AuditEntry.ts"
import { CurrentProfile } from "../../domain/wire/Profile.ts"
import { Policies } from "../../policies/Policies.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"

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
      list: () =>
        Effect.flatMap(
          CurrentProfile,
          (profile) => Effect.map(policies.list(profile), (list) => ({ policies: list }))
        ),
      get: ({ params }) => Effect.flatMap(CurrentProfile, (profile) => policies.get(profile, params.name)),
      set: ({ params, payload }) =>
        Effect.andThen(
          outside("policy-set", params.name),
          Effect.flatMap(CurrentProfile, (profile) => policies.set(profile, params.name, payload))
        ),
      remove: ({ params }) =>
        Effect.andThen(
          outside("policy-remove", params.name),
          Effect.flatMap(
            CurrentProfile,
            (profile) =>
              Effect.as(policies.remove(profile, params.name), { status: "deleted" as const, name: params.name })
          )
        )
    })
  })
)
