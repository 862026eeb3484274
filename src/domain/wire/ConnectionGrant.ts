/** Grants: connections that a profile may use although they belong to another profile. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { struct, Timestamp, wire } from "./Wire.ts"

const place = {
  provider: [ProviderName, "The provider"],
  connection: [ConnectionName, "The connection"],
  owner: [ProfileHandle, "The profile that the connection belongs to"],
  grantee: [ProfileHandle, "The profile that may use the connection"]
} as const

export const ConnectionGrant = wire("ConnectionGrant", "A connection that another profile may use", {
  ...place,
  createdAt: [Timestamp, "When the connection was granted"]
})
export type ConnectionGrant = typeof ConnectionGrant.Type

export const NewConnectionGrant = wire("NewConnectionGrant", "The connection to grant", {
  provider: [ProviderName, "The provider"],
  connection: [Schema.optionalKey(ConnectionName), "The connection. When absent, it is `default`"],
  grantee: [ProfileHandle, "The profile that will use the connection. It must exist"]
})
export type NewConnectionGrant = typeof NewConnectionGrant.Type

export const ConnectionGrantList = struct("ConnectionGrantList", "The grants that a profile has given and received", {
  grants: [Schema.Array(ConnectionGrant), "The grants, sorted by provider, connection and grantee"]
})

export const ConnectionGrantWithdrawn = wire("ConnectionGrantWithdrawn", "The result of withdrawing a grant", {
  status: [Schema.Literal("withdrawn"), "The grant was withdrawn"],
  ...place
})
