/** Grants: connections that a profile may use although they belong to another one. */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

const place = { provider: ProviderName, connection: ConnectionName, owner: ProfileHandle, grantee: ProfileHandle }

const placeDescriptions = {
  provider: "The provider",
  connection: "The connection",
  owner: "The profile that the connection belongs to",
  grantee: "The profile that may use it"
}

export const ConnectionGrant = wire(
  { ...place, createdAt: Timestamp },
  "ConnectionGrant",
  "A connection that another profile may use",
  { ...placeDescriptions, createdAt: "When it was granted" }
)
export type ConnectionGrant = typeof ConnectionGrant.Type

export const NewConnectionGrant = wire(
  { provider: ProviderName, connection: Schema.optionalKey(ConnectionName), grantee: ProfileHandle },
  "NewConnectionGrant",
  "The connection to grant",
  {
    provider: "The provider",
    connection: "The connection; `default` when absent",
    grantee: "The profile that will use it. It must exist"
  }
)
export type NewConnectionGrant = typeof NewConnectionGrant.Type

export const ConnectionGrantList = Schema.Struct({ grants: Schema.Array(ConnectionGrant) }).pipe(
  named("ConnectionGrantList", "The grants that a profile has given and received", {
    grants: "The grants, by provider, connection and grantee"
  })
)

export const ConnectionGrantWithdrawn = wire(
  { status: Schema.Literal("withdrawn"), ...place },
  "ConnectionGrantWithdrawn",
  "The result of withdrawing a grant",
  { status: "The grant was withdrawn", ...placeDescriptions }
)
export type ConnectionGrantWithdrawn = typeof ConnectionGrantWithdrawn.Type
