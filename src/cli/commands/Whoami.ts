import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SystemGroup } from "../../api/SystemGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import * as Health from "../../domain/wire/Health.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"

export const whoami = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const response = yield* client.of(SystemGroup).whoami()
  yield* output.either(
    () => Schema.encodeSync(Health.Whoami)(response),
    () =>
      output.fields([
        ["home", response.home],
        ["profile", response.profile],
        ["identity", response.identity],
        ["master key mode", response.masterKeyMode],
        ["master key source", response.masterKeySource ?? "none"],
        ["description", response.masterKeyDescription],
        ["daemon", response.daemonUrl],
        ["version", response.version]
      ])
  )
}, provideDaemon())
