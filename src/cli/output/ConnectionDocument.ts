/** A connection in its wire form, for `--json`. Secrets appear as the daemon sent them. */
import * as Schema from "effect/Schema"
import { Connection } from "../../domain/wire/Connection.ts"

export const connectionDocument: (connection: Connection) => Readonly<Record<string, unknown>> = Schema.encodeSync(
  Connection
)
