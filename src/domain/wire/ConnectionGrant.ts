/** Grants: connections that a profile may use although they belong to another profile. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { struct, wire } from "./Wire.ts"

const place = {
  provider: [ProviderName, "The provider"],
  connection: [ConnectionName, "The connection"],
  owner: [ProfileHandle, "The profile that the connection belongs to"],
  grantee: [ProfileHandle, "The profile that may use the connection"]
} as const

export const ConnectionGrant = wire(
  { ...place, createdAt: [Timestamp, "When the connection was granted"] },
  "ConnectionGrant",
  "A connection that another profile may use"
)
export type ConnectionGrant = typeof ConnectionGrant.Type

export const NewConnectionGrant = wire(
  {
    provider: [ProviderName, "The provider"],
    connection: [Schema.optionalKey(ConnectionName), "The connection; `default` when absent"],
    grantee: [ProfileHandle, "The profile that will use the connection. It must exist"]
  },
  "NewConnectionGrant",
  "The connection to grant"
)
export type NewConnectionGrant = typeof NewConnectionGrant.Type

export const ConnectionGrantList = struct(
  { grants: [Schema.Array(ConnectionGrant), "The grants, sorted by provider, connection and grantee"] },
  "ConnectionGrantList",
  "The grants that a profile has given and received"
)

export const ConnectionGrantWithdrawn = wire(
  { status: [Schema.Literal("withdrawn"), "The grant was withdrawn"], ...place },
  "ConnectionGrantWithdrawn",
  "The result of withdrawing a grant"
)
