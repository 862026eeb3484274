/** Stops a run, with an entry in the audit log. */
import * as Effect from "effect/Effect"
import type { AuditLog } from "../../audit/AuditLog.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { RunName } from "../../domain/wire/Run.ts"
import type { Peer } from "../http/Caller.ts"
import type { RunRegistry } from "./RunRegistry.ts"

/** Stops a run and those inside it, as `RunRegistry.stopRun` does, and records it. Returns the runs that were stopped. */
export const stopRun = Effect.fnUntraced(function*(
  registry: RunRegistry["Service"],
  audit: AuditLog["Service"],
  peer: Peer,
  name: RunName
) {
  const runs = yield* registry.stopRun(peer, name)
  for (const { name, profile } of runs) {
    const connection = name as string as ConnectionName
    yield* audit.append({ event: "run-stop", provider: null, connection, identity: profile, status: "ok" })
  }
  return runs
})
