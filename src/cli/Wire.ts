/** Answers of the daemon as their wire form, for `--json`: a secret in them appears as the daemon sent it. */
import * as Schema from "effect/Schema"
import { ProviderDetail } from "../api/ProvidersGroup.ts"
import { Connection } from "../domain/Connection.ts"

export const connectionDocument: (connection: Connection) => Readonly<Record<string, unknown>> = Schema.encodeSync(
  Connection
)

/** A definition apart from where it comes from. */
export const providerDocument = (detail: ProviderDetail) => {
  const { overrides_bundled, source, ...definition } = Schema.encodeSync(ProviderDetail)(detail)
  return { definition, source, overrides_bundled }
}
