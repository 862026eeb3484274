/** Handlers of the operations on the identities of callers on other machines. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Api } from "../../api/Api.ts"
import { Identities } from "../../callers/Identities.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { CallerAdmission } from "../http/CallerAdmission.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { headOf } from "../http/IncomingRequest.ts"
import { forProfile } from "../http/ProfileSelection.ts"

/** Fails unless the request that enrolls the key is signed with that key. */
export const requireSignature = Effect.fnUntraced(function*(
  { isSignedBy }: CallerAdmission["Service"],
  publicKey: string,
  request: HttpServerRequest.HttpServerRequest
) {
  const text = yield* Effect.orDie(request.text)
  if (yield* isSignedBy(publicKey, headOf(request), text)) return
  return yield* OperationNotAllowedError.of(
    "The request to enroll must be signed by the key that it enrolls, with the current time and a new nonce."
  )
})

export const IdentitiesHandlers = HttpApiBuilder.group(
  Api,
  "identities",
  Effect.fnUntraced(function*(handlers) {
    const callers = yield* CallerAdmission
    const children = yield* ChildRefusal
    const identities = yield* Identities
    const runs = yield* RunRegistry
    // A command of a run could use the identity without the limits of the run.
    const attempt = { event: "enrollment-code-create" } as const
    return handlers.handleAll({
      list: () => Effect.map(identities.list, (list) => ({ identities: list })),
      createCode: ({ payload }) =>
        children.outside("secrets", attempt, (administrator) => identities.createCode(administrator, payload)),
      enroll: Effect.fnUntraced(function*({ payload, request }) {
        yield* identities.requireCode(payload.code)
        yield* requireSignature(callers, payload.publicKey, request)
        return yield* identities.enroll(payload)
      }),
      disable: ({ params }) =>
        forProfile((administrator) => identities.disable(administrator, params.name)).pipe(
          // Notifies the proxies of the identity, which then request the credentials of open streams again.
          Effect.tap(runs.notifyRuns)
        ),
      enable: ({ params }) =>
        children.outside("secrets", attempt, (administrator) => identities.enable(administrator, params.name))
    })
  })
)
