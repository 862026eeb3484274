import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Api } from "../../api/Api.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { Run } from "../../domain/Run.ts"
import { currentSocket } from "../http/ChildRefusal.ts"
import { PeerAdmission } from "../http/PeerAdmission.ts"
import { RunRegistry } from "../runs/RunRegistry.ts"

const encodeRun = Schema.encodeSync(Run)

export const RunsHandlers = HttpApiBuilder.group(
  Api,
  "runs",
  Effect.fnUntraced(function*(handlers) {
    const admission = yield* PeerAdmission
    const registry = yield* RunRegistry
    return handlers.handleAll({
      list: () =>
        Effect.zipWith(registry.list, Effect.flatMap(currentSocket, registry.around), (runs, around) => ({
          runs,
          callerInside: around === null || around.length > 0,
          callerRuns: around === null ? null : around.map(({ name }) => name)
        })),
      register: Effect.fnUntraced(function*({ headers, payload, request }) {
        const socket = yield* currentSocket
        if (!admission.hasProved(socket)) {
          return yield* OperationNotAllowedError.of("Only credsvc run can register a run.")
        }
        const profile = request.headers["credsvc-profile"]
        const run = yield* registry.register(socket, headers["credsvc-run"], payload, profile)
        const line = Stream.encodeText(Stream.make(`${JSON.stringify(encodeRun(run))}\n`))
        return HttpServerResponse.stream(Stream.concat(line, Stream.fromEffectDrain(registry.untilStopped)), {
          contentType: "application/json"
        })
      })
    })
  })
)
