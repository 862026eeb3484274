/** Health and readiness of the daemon. */
import * as Schema from "effect/Schema"
import { named, wire } from "./Wire.ts"

export const MasterKeyMode = Schema.Literals(["auto", "local_key", "keyring"]).pipe(
  named("MasterKeyMode", "The configured source of the key-encryption key")
)
export type MasterKeyMode = typeof MasterKeyMode.Type

export const MasterKeySource = Schema.Literals(["env", "key_file", "keyring", "local_key"]).pipe(
  named("MasterKeySource", "The actual source of the key-encryption key")
)
export type MasterKeySource = typeof MasterKeySource.Type

const masterKey = {
  masterKeyMode: MasterKeyMode,
  masterKeySource: Schema.NullOr(MasterKeySource),
  masterKeyDescription: Schema.String
}

const masterKeyDescriptions = {
  masterKeyMode: "The configured source of the key-encryption key",
  masterKeySource: "The actual source; null until a key is available",
  masterKeyDescription: "The actual source in words"
}

export const Health = wire(
  {
    status: Schema.Literal("ok"),
    version: Schema.String,
    apiVersion: Schema.Int,
    instance: Schema.String,
    exposed: Schema.Boolean,
    ...masterKey
  },
  "Health",
  "The daemon is running",
  {
    status: "The daemon responds",
    version: "The version of credsvc",
    apiVersion: "The version of the HTTP interface. A client refuses to use a daemon with another version",
    instance: "Changes with every start of the daemon",
    exposed:
      "Whether others than the processes of the daemon's user can reach the daemon. Then only connections that have proved the access key are local",
    ...masterKeyDescriptions
  }
)
export type Health = typeof Health.Type

const CheckStatus = Schema.Literals(["ok", "warning", "failed"]).pipe(
  named("CheckStatus", "The result of a check. Only `failed` makes the daemon unhealthy")
)

export const ComponentStatus = Schema.Struct({ status: CheckStatus, message: Schema.String }).pipe(
  named("ComponentStatus", "The result of one check", { status: "The result", message: "The result in words" })
)
export type ComponentStatus = typeof ComponentStatus.Type

/** The six checks, in the order of the report. */
export const componentNames = ["spec_version", "identity", "providers", "connections", "vault", "integrity"] as const

const ReadinessChecks = Schema.Struct({
  spec_version: ComponentStatus,
  identity: ComponentStatus,
  providers: ComponentStatus,
  connections: ComponentStatus,
  vault: ComponentStatus,
  integrity: ComponentStatus
}).pipe(named("ReadinessChecks", "The results of the checks", {
  spec_version: "The version of the HTTP interface",
  identity: "The identity of the active profile",
  providers: "The provider definitions",
  connections: "The stored connections",
  vault: "The vault and its key",
  integrity: "The integrity of the store"
}))

const readiness = {
  checks: ReadinessChecks,
  warnings: Schema.Array(Schema.String),
  problems: Schema.Array(Schema.String),
  ...masterKey
}

const readinessDescriptions = {
  status: "`degraded`: there are warnings. `unhealthy`: there are problems",
  checks: "The results of the checks",
  warnings: "What does not work as it should, as sentences",
  problems: "What keeps the daemon from serving credentials, as sentences",
  ...masterKeyDescriptions
}

export const Readiness = wire({ status: Schema.Literals(["ok", "degraded", "unhealthy"]), ...readiness })
export type Readiness = typeof Readiness.Type

const ReadyStatus = Schema.Literals(["ok", "degraded"]).pipe(named("ReadyStatus", "`degraded`: there are warnings"))

export const Ready = wire(
  { status: ReadyStatus, ...readiness },
  "Ready",
  "The daemon can serve credentials",
  readinessDescriptions
)
export const NotReady = wire(
  { status: Schema.Literal("unhealthy"), ...readiness },
  "NotReady",
  "The daemon cannot serve credentials",
  readinessDescriptions
)

export const Whoami = wire(
  {
    home: Schema.String,
    profile: Schema.String,
    identity: Schema.String,
    ...masterKey,
    daemonUrl: Schema.String,
    version: Schema.String
  },
  "Whoami",
  "Whose credentials the daemon holds",
  {
    home: "The home directory",
    profile: "The handle of the profile of the request",
    identity: "The handle of its identity",
    ...masterKeyDescriptions,
    daemonUrl: "The address of the daemon",
    version: "The version of credsvc"
  }
)
export type Whoami = typeof Whoami.Type
