import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { RunsGroup } from "../../api/RunsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { type Run, RunList } from "../../domain/wire/Run.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"

/** Lists the providers, each with the connection that the run is limited to. */
const providersOf = ({ connections, providers }: Run): string => {
  const chosen = (provider: string) =>
    Object.hasOwn(connections, provider) ? `${provider}=${connections[provider]}` : provider
  if (providers !== null) return providers.map(chosen).join(", ")
  return ["all", ...Object.keys(connections).map(chosen)].join(", ")
}

/** Lists the connections that the run has used. */
const usesOf = ({ uses }: Run): string =>
  uses.length === 0
    ? "-"
    : uses.map(({ connection, provider }) => connection === "default" ? provider : `${provider}=${connection}`).join(
      ", "
    )

export const runs = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const list = yield* client.of(RunsGroup).list()
  if (output.json) return yield* output.document(Schema.encodeSync(RunList)(list))
  if (list.runs.length === 0) return yield* output.note("No command runs with credsvc run.")
  const now = yield* DateTime.now
  yield* output.data(output.table(
    ["RUN", "PROCESS", "PROFILE", "PROVIDERS", "CONTAINED", "STARTED", "USED", "STATE"],
    list.runs.map((run) => [
      { text: run.name },
      { text: String(run.pid) },
      { text: run.profile },
      { text: providersOf(run) },
      { text: run.contained ? "yes" : "no" },
      { text: output.time(run.startedAt, now) },
      { text: usesOf(run) },
      run.stoppedAt !== null
        ? { text: "stopped", style: "red" }
        : run.frozenAt !== null
        ? { text: "frozen", style: "red" }
        : { text: "running" }
    ])
  ))
}, provideDaemon())
