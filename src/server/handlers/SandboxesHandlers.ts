import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import { Api } from "../../api/Api.ts"
import type { AuditEvent } from "../../domain/wire/AuditEntry.ts"
import { CurrentProfile } from "../../domain/wire/Profile.ts"
import { type SandboxName, ServedSandboxes } from "../../domain/wire/Sandbox.ts"
import { Policies } from "../../policies/Policies.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { Sandboxes } from "../../sandboxes/Sandboxes.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { currentIdentity } from "../http/CurrentCaller.ts"
import { forProfile } from "../http/ProfileSelection.ts"

const encodeServed = Schema.encodeSync(Schema.fromJsonString(ServedSandboxes))

export const SandboxesHandlers = HttpApiBuilder.group(
  Api,
  "sandboxes",
  Effect.fnUntraced(function*(handlers) {
    const sandboxes = yield* Sandboxes
    const policies = yield* Policies
    const children = yield* ChildRefusal
    const runs = yield* RunRegistry
    /** Refuses commands of a run, which could obtain more than the run allows. */
    const outside = (event: AuditEvent, name: SandboxName | null) =>
      children.refuse("secrets", { event, provider: null, connection: name })
    return handlers.handleAll({
      list: () => forProfile((profile) => Effect.map(sandboxes.list(profile), (list) => ({ sandboxes: list }))),
      create: ({ payload }) =>
        Effect.andThen(
          outside("sandbox-create", payload.name),
          forProfile((profile) =>
            Effect.flatMap(
              policies.ruleSets(profile, payload.policies ?? []),
              (sets) => sandboxes.create(profile, { ...payload, rules: [...payload.rules ?? [], ...sets] })
            )
          )
        ),
      access: ({ params }) =>
        Effect.andThen(
          outside("sandbox-access", params.name),
          forProfile((profile) => sandboxes.access(profile, params.name))
        ),
      rotate: ({ params }) =>
        Effect.andThen(
          outside("sandbox-rotate", params.name),
          forProfile((profile) => sandboxes.rotate(profile, params.name))
        ).pipe(Effect.tap(runs.notifyRuns)),
      remove: ({ params }) =>
        forProfile((profile) =>
          Effect.as(sandboxes.remove(profile, params.name), { status: "deleted" as const, name: params.name })
        ).pipe(Effect.tap(runs.notifyRuns)),
      served: ({ request }) =>
        Effect.gen(function*() {
          yield* outside("sandbox-access", null)
          const known = request.headers["if-none-match"]
          const found = yield* sandboxes.served(
            yield* CurrentProfile,
            known === undefined ? undefined : /"([\w-]{1,64})"/.exec(known)?.[1],
            (yield* currentIdentity)?.profile
          )
          if (found === undefined) return HttpServerResponse.empty({ status: 304, headers: { etag: known ?? "" } })
          return HttpServerResponse.text(encodeServed(found), {
            contentType: "application/json",
            headers: { etag: `"${found.version}"` }
          })
        })
    })
  })
)
