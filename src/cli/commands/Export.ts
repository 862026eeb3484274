import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { CredentialsGroup } from "../../api/CredentialsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { ExportFormat } from "../../domain/wire/ConnectionResults.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { warnOtherDefault } from "./OtherDefault.ts"
import { providerName } from "./provider/ProviderArgument.ts"

/** Prints a credential. With `--json` the output is the object of `--format json`, regardless of `--format`. */
export const exportCredential = Effect.fnUntraced(function*(input: {
  readonly provider: string
  readonly connection: Option.Option<ConnectionName>
  readonly format: Option.Option<ExportFormat>
}) {
  const client = yield* DaemonClient
  const output = yield* Output
  const provider = yield* providerName(input.provider)
  const format = output.json ? "json" : Option.getOrElse(input.format, () => "env" as const)
  const exported = yield* client.of(CredentialsGroup).export({
    payload: { provider, connection: Option.getOrElse(input.connection, () => defaultConnectionName), format }
  })
  if (Option.isNone(input.connection)) yield* warnOtherDefault(provider)
  yield* output.raw(Redacted.value(exported.output))
}, provideDaemon())
