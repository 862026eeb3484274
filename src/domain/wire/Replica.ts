/** The daemons of a store. */
import * as Schema from "effect/Schema"
import { MasterKeySource } from "./Health.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

const ReplicaStatus = Schema.Literals(["ok", "degraded", "unhealthy"]).pipe(
  named("ReplicaStatus", "Whether a daemon can serve credentials, as `/ready` reports it")
)

/** What a daemon says about itself. */
export const ReplicaReport = wire(
  {
    home: [Schema.String, "The home directory"],
    version: [Schema.String, "The version of credsvc"],
    schema: [Schema.Int, "The version of the database schema that it supports"],
    status: [ReplicaStatus, "Whether it can serve credentials"],
    startedAt: [Timestamp, "When it was started"],
    clockMilliseconds: [Schema.Int, "How far its clock is ahead of the clock of the database"],
    epoch: [Schema.NullOr(Schema.Int), "The number of changes of the store that it has seen"],
    keySource: [Schema.NullOr(MasterKeySource), "The source of its master key; null if it has no key"],
    keyId: [Schema.NullOr(Schema.String), "Identifies the key without revealing it"]
  },
  "ReplicaReport",
  "What a daemon says about itself"
)
export type ReplicaReport = typeof ReplicaReport.Type

export const Replica = wire(
  {
    name: [Schema.String, "The host name of its machine"],
    owner: [Schema.String, "Its number in the tables of leases and runs"],
    own: [Schema.Boolean, "Whether it is the daemon that sent this response"],
    silentMilliseconds: [Schema.Int, "The time since its last message to the database"],
    runs: [Schema.Int, "The number of runs that are connected to it"],
    refreshes: [Schema.Int, "The number of its token refreshes and polls in progress"],
    report: [Schema.NullOr(ReplicaReport), "What it says about itself; null if it does not respond"]
  },
  "Replica",
  "A daemon of this store"
)
export type Replica = typeof Replica.Type

export const ReplicaList = wire(
  {
    replicas: [Schema.Array(Replica), "The daemons that are connected to the store"],
    problems: [Schema.Array(Schema.String), "The problems of these daemons, as sentences"]
  },
  "ReplicaList",
  "The daemons of this store"
)
