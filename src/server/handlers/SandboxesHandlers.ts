/** Handlers of the operations on sandboxes. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import { Api } from "../../api/Api.ts"
import { ServedSandboxes } from "../../domain/wire/Sandbox.ts"
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

    return handlers.handleAll({
      list: () => forProfile((profile) => Effect.map(sandboxes.list(profile), (list) => ({ sandboxes: list }))),
      create: ({ payload }) =>
        children.outside("secrets", { event: "sandbox-create", connection: payload.name }, (profile) =>
          Effect.flatMap(
            policies.ruleSets(profile, payload.policies ?? []),
            (sets) => sandboxes.create(profile, { ...payload, rules: [...payload.rules ?? [], ...sets] })
          )),
      access: ({ params: { name } }) =>
        children.outside(
          "secrets",
          { event: "sandbox-access", connection: name },
          (profile) => sandboxes.access(profile, name)
        ),
      rotate: ({ params: { name } }) =>
        children.outside(
          "secrets",
          { event: "sandbox-rotate", connection: name },
          (profile) => sandboxes.rotate(profile, name)
        ).pipe(Effect.tap(runs.notifyRuns)),
      remove: ({ params: { name } }) =>
        forProfile((profile) => Effect.as(sandboxes.remove(profile, name), { status: "deleted" as const, name })).pipe(
          Effect.tap(runs.notifyRuns)
        ),
      served: ({ request }) =>
        children.outside(
          "secrets",
          { event: "sandbox-access" },
          Effect.fnUntraced(function*(profile) {
            const known = request.headers["if-none-match"]
            const version = known === undefined ? undefined : /"([\w-]{1,64})"/.exec(known)?.[1]
            const found = yield* sandboxes.served(profile, version, (yield* currentIdentity)?.profile)
            return found === undefined
              ? HttpServerResponse.empty({ status: 304, headers: { etag: known ?? "" } })
              : HttpServerResponse.text(encodeServed(found), {
                contentType: "application/json",
                headers: { etag: `"${found.version}"` }
              })
          })
        )
    })
  })
)
