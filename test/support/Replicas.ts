/** Several daemons on one PostgreSQL database, each with a home of its own. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { executeOn, queryOn, schemaOf } from "./TestStore.ts"

/** A home for another daemon on the database of this home, with the same key. */
export const replicaOf = (home: string) =>
  Effect.tap(temporaryDirectory, (copy) =>
    Effect.sync(() => {
      fs.cpSync(home, copy, { recursive: true })
      fs.rmSync(path.join(copy, "server", "manifest.anchor"), { force: true })
    }))

/** Closes the connections that hold the locks of a home's daemons, as a restart of the server or the network can do. */
export const disconnect = (home: string): number =>
  queryOn(
    home,
    `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid IN (
       SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = (hashtext('${
      schemaOf(home)
    }')::bigint & 4294967295)::oid
     )`
  ).length

/** The owners of the leases in a home's database. */
export const leaseOwners = (home: string): ReadonlyArray<unknown> =>
  queryOn(home, "SELECT owner FROM token_refreshes").map(({ owner }) => owner)

/** Leaves the refresh of the only connection unfinished, as a daemon that has lost its session does. */
export const abandonedLease = (home: string): void => {
  const deadline = new Date(Date.now() + 20_000).toISOString()
  executeOn(
    home,
    `INSERT INTO token_refreshes SELECT record_id, generation, '7', '${deadline}' FROM connections`
  )
}
