/** Health and readiness of the daemon. */
import * as Schema from "effect/Schema"
import { wire } from "./Wire.ts"

/** The configured source of the key-encryption key. */
export const MasterKeyMode = Schema.Literals(["auto", "local_key", "keyring"])
export type MasterKeyMode = typeof MasterKeyMode.Type

/** The actual source of the key-encryption key. */
export const MasterKeySource = Schema.Literals(["env", "keyring", "local_key"])
export type MasterKeySource = typeof MasterKeySource.Type

/** Version of the HTTP interface. A client refuses to use a daemon with another version. */
export const apiVersion = 1

const masterKey = {
  masterKeyMode: MasterKeyMode,
  masterKeySource: Schema.NullOr(MasterKeySource),
  masterKeyDescription: Schema.String
}

/** `instance` changes with every start of the daemon. The source is null until a key is available. */
export const Health = wire({
  status: Schema.Literal("ok"),
  version: Schema.String,
  apiVersion: Schema.Int,
  instance: Schema.String,
  ...masterKey
}, "Health")
export type Health = typeof Health.Type

export const ComponentStatus = Schema.Struct({
  status: Schema.Literals(["ok", "warning", "failed"]),
  message: Schema.String
})
export type ComponentStatus = typeof ComponentStatus.Type

/** The six checks, in the order of the report. */
export const componentNames = ["spec_version", "identity", "providers", "connections", "vault", "integrity"] as const

const readiness = {
  checks: Schema.Struct({
    spec_version: ComponentStatus,
    identity: ComponentStatus,
    providers: ComponentStatus,
    connections: ComponentStatus,
    vault: ComponentStatus,
    integrity: ComponentStatus
  }),
  warnings: Schema.Array(Schema.String),
  problems: Schema.Array(Schema.String),
  ...masterKey
}

/** `degraded` has warnings, `unhealthy` has problems. */
export const Readiness = wire({ status: Schema.Literals(["ok", "degraded", "unhealthy"]), ...readiness }, "Readiness")
export type Readiness = typeof Readiness.Type

export const Ready = wire({ status: Schema.Literals(["ok", "degraded"]), ...readiness }, "Ready")
export const NotReady = wire({ status: Schema.Literal("unhealthy"), ...readiness }, "NotReady")

export const Whoami = wire({
  home: Schema.String,
  profile: Schema.String,
  identity: Schema.String,
  ...masterKey,
  daemonUrl: Schema.String,
  version: Schema.String
}, "Whoami")
export type Whoami = typeof Whoami.Type
