/** Handlers of the operations on trusts, by which CI jobs enroll their keys. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import { Trusts } from "../../callers/Trusts.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { CallerAdmission } from "../http/CallerAdmission.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { Instance } from "../http/Instance.ts"
import { forProfile } from "../http/ProfileSelection.ts"
import { requireSignature } from "./IdentitiesHandlers.ts"

export const TrustsHandlers = HttpApiBuilder.group(
  Api,
  "trusts",
  Effect.fnUntraced(function*(handlers) {
    const callers = yield* CallerAdmission
    const children = yield* ChildRefusal
    const { baseUrl } = yield* Instance
    const runs = yield* RunRegistry
    const trusts = yield* Trusts
    return handlers.handleAll({
      list: () => Effect.map(trusts.list, (list) => ({ trusts: list })),
      create: ({ payload }) =>
        // A command of a run could allow its own job to use the profile without the limits of the run.
        children.outside("secrets", { event: "trust-create" }, (administrator) =>
          trusts.create(administrator, payload, baseUrl)),
      remove: ({ params: { name } }) =>
        forProfile((administrator) => trusts.remove(administrator, name)).pipe(
          Effect.map((identities) => ({ status: "removed" as const, name, identities })),
          // Notifies the proxies of the trust's jobs, which then request the credentials of open streams again.
          Effect.tap(runs.notifyRuns)
        ),
      enroll: ({ payload, request }) => trusts.enroll(payload, requireSignature(callers, payload.publicKey, request))
    })
  })
)
