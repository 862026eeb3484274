import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { RunsGroup } from "../../api/RunsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { plural } from "../../domain/text/Plural.ts"
import { type RunName, RunsStopped } from "../../domain/wire/Run.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"

export const stop = Effect.fnUntraced(function*({ run }: { readonly run: RunName }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const response = yield* client.of(RunsGroup).stop({ params: { name: run } })
  if (output.json) return yield* output.document(Schema.encodeSync(RunsStopped)(response))
  const inner = response.runs.filter((name) => name !== run).length
  if (response.runs.length === 0) return yield* output.note(`The run ${run} was already stopped.`)
  yield* output.note(
    inner === 0 ? `Stopped the run ${run}.` : `Stopped the run ${run} and ${plural(inner, "run")} inside it.`
  )
}, provideDaemon())
