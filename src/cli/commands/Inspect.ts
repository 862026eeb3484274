/** `credsvc inspect`: shows a provider. */
import * as Effect from "effect/Effect"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { providerName } from "./provider/ProviderArgument.ts"

export const inspect = Effect.fnUntraced(function*(input: { readonly provider: string }) {
  const provider = yield* providerName(input.provider)
  const { overrides_bundled, source, ...definition } = yield* call("providers.get", { provider })
  const { connections } = yield* call("connections.list", { provider })
  yield* (yield* Output).document({ definition, source, overrides_bundled, connections })
}, provideDaemon())
