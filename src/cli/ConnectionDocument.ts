/** A connection in its wire form, for `--json`. A secret in it appears as the daemon sent it. */
import * as Schema from "effect/Schema"
import { Connection } from "../domain/Connection.ts"

export const connectionDocument: (connection: Connection) => Readonly<Record<string, unknown>> = Schema.encodeSync(
  Connection
)
