/** Health and readiness of the daemon. */
import * as Schema from "effect/Schema"
import { named, struct, wire } from "./Wire.ts"

export const MasterKeyMode = Schema.Literals(["auto", "local_key", "keyring"]).pipe(
  named("MasterKeyMode", "The configured source of the master key")
)
export type MasterKeyMode = typeof MasterKeyMode.Type

export const MasterKeySource = Schema.Literals(["env", "key_file", "keyring", "local_key"]).pipe(
  named("MasterKeySource", "The source from which the daemon read the master key")
)
export type MasterKeySource = typeof MasterKeySource.Type

const masterKey = {
  masterKeyMode: [MasterKeyMode, "The configured source of the master key"],
  masterKeySource: [Schema.NullOr(MasterKeySource), "The actual source; null until a key is available"],
  masterKeyDescription: [Schema.String, "A description of the actual source"]
} as const

export const Health = wire("Health", "The daemon is running", {
  status: [Schema.Literal("ok"), "The daemon responds"],
  version: [Schema.String, "The version of credsvc"],
  apiVersion: [Schema.Int, "The version of the HTTP interface. A client refuses to use a daemon with another version"],
  instance: [Schema.String, "Changes with every start of the daemon"],
  exposed: [
    Schema.Boolean,
    "Whether processes of other users or other machines can reach the daemon. If so, only clients that prove " +
    "that they can read the access key count as local"
  ],
  ...masterKey
})

const CheckStatus = Schema.Literals(["ok", "warning", "failed"]).pipe(
  named("CheckStatus", "The result of a check. Only `failed` makes the daemon unhealthy")
)

export const ComponentStatus = struct("ComponentStatus", "The result of one check", {
  status: [CheckStatus, "The result"],
  message: [Schema.String, "The result in words"]
})
export type ComponentStatus = typeof ComponentStatus.Type

/** The six checks, in the order of the report. */
export const componentNames = ["spec_version", "identity", "providers", "connections", "vault", "integrity"] as const

const ReadinessChecks = struct("ReadinessChecks", "The results of the checks", {
  spec_version: [ComponentStatus, "The version of the HTTP interface"],
  identity: [ComponentStatus, "The identity of the active profile"],
  providers: [ComponentStatus, "The provider definitions"],
  connections: [ComponentStatus, "The stored connections"],
  vault: [ComponentStatus, "The vault and its key"],
  integrity: [ComponentStatus, "The integrity of the store"]
})

const readiness = {
  checks: [ReadinessChecks, "The results of the checks"],
  warnings: [Schema.Array(Schema.String), "The warnings, as sentences"],
  problems: [
    Schema.Array(Schema.String),
    "The problems that prevent the daemon from serving credentials, as sentences"
  ],
  ...masterKey
} as const

const readinessStatus = "`degraded`: there are warnings. `unhealthy`: there are problems"

export const Readiness = wire({ status: Schema.Literals(["ok", "degraded", "unhealthy"]), ...readiness })
export type Readiness = typeof Readiness.Type

const ReadyStatus = Schema.Literals(["ok", "degraded"]).pipe(named("ReadyStatus", "`degraded`: there are warnings"))

export const Ready = wire("Ready", "The daemon can serve credentials", {
  status: [ReadyStatus, readinessStatus],
  ...readiness
})
export const NotReady = wire("NotReady", "The daemon cannot serve credentials", {
  status: [Schema.Literal("unhealthy"), readinessStatus],
  ...readiness
})

export const Whoami = wire("Whoami", "The home, the profile and the key source of the daemon", {
  home: [Schema.String, "The home of credsvc (CREDSVC_HOME)"],
  profile: [Schema.String, "The handle of the profile of the request"],
  identity: [Schema.String, "The handle of the profile's identity"],
  ...masterKey,
  daemonUrl: [Schema.String, "The URL of the daemon"],
  version: [Schema.String, "The version of credsvc"]
})
