/** The daemons of a store. */
import * as Schema from "effect/Schema"
import { named, Timestamp, wire } from "./Wire.ts"

const ReplicaStatus = Schema.Literals(["ok", "degraded", "unhealthy"]).pipe(
  named("ReplicaStatus", "Whether a daemon can serve credentials, as `/ready` reports it")
)

/** What a daemon says about itself. */
export const ReplicaReport = wire("ReplicaReport", "The report of a daemon about itself", {
  home: [Schema.String, "The home of credsvc (CREDSVC_HOME)"],
  version: [Schema.String, "The version of credsvc"],
  schema: [Schema.Int, "The version of the database schema that the daemon supports"],
  status: [ReplicaStatus, "Whether the daemon can serve credentials"],
  startedAt: [Timestamp, "When the daemon was started"],
  clockMilliseconds: [Schema.Int, "How far the clock of the daemon is ahead of the clock of the database"],
  keyId: [
    Schema.NullOr(Schema.String),
    "Identifies the daemon's master key without revealing it; null if it has no key"
  ]
})
export type ReplicaReport = typeof ReplicaReport.Type

export const Replica = wire("Replica", "A daemon of this store", {
  name: [Schema.String, "The host name of the daemon's machine"],
  owner: [Schema.String, "The number of the daemon in the database"],
  own: [Schema.Boolean, "Whether this daemon sent the response"],
  silentMilliseconds: [Schema.Int, "The time since the daemon's last message to the database"],
  report: [Schema.NullOr(ReplicaReport), "The daemon's own report; null if it does not respond"]
})
export type Replica = typeof Replica.Type

export const ReplicaList = wire("ReplicaList", "The daemons of this store", {
  replicas: [Schema.Array(Replica), "The daemons that are connected to the store"],
  problems: [Schema.Array(Schema.String), "The problems of these daemons, as sentences"]
})
