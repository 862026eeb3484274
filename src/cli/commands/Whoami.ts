import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SystemGroup } from "../../api/SystemGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import * as Health from "../../domain/Health.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"

export const whoami = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const answer = yield* client.of(SystemGroup).whoami()
  yield* output.either(
    () => Schema.encodeSync(Health.Whoami)(answer),
    () =>
      output.fields([
        ["home", answer.home],
        ["profile", answer.profile],
        ["identity", answer.identity],
        ["master key mode", answer.masterKeyMode],
        ["master key source", answer.masterKeySource ?? "none"],
        ["description", answer.masterKeyDescription],
        ["daemon", answer.daemonUrl],
        ["version", answer.version]
      ])
  )
}, provideDaemon())
