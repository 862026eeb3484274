/** The keys of the vault, and their rotation. No value of a key is part of these. */
import * as Schema from "effect/Schema"
import { MasterKeySource } from "./Health.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

const RotationState = Schema.Literals(["running", "interrupted"]).pipe(
  named("RotationState", "Whether the daemon is rotating the keys, or did so until it was interrupted")
)

export const RotationProgress = wire(
  { state: RotationState, sealed: Schema.Int, total: Schema.Int },
  "RotationProgress",
  "A rotation that has not ended",
  {
    state: "Whether it is running",
    sealed: "Rows that are sealed under the new keys",
    total: "Rows with sealed values"
  }
)
export type RotationProgress = typeof RotationProgress.Type

export const VaultKeys = wire(
  {
    source: MasterKeySource,
    description: Schema.String,
    keyId: Schema.String,
    generation: Schema.Int,
    changedAt: Timestamp,
    dataKeys: Schema.Int,
    rotation: Schema.NullOr(RotationProgress)
  },
  "VaultKeys",
  "The keys of the vault",
  {
    source: "The source of the key-encryption key",
    description: "The source in words",
    keyId: "Identifies the key-encryption key without revealing it",
    generation: "Increases by one with each rotation; the first key has 1",
    changedAt: "When this generation began",
    dataKeys: "The number of data keys, one for each profile and one for the store",
    rotation: "The rotation that has not ended, or null"
  }
)
export type VaultKeys = typeof VaultKeys.Type

/** An object, so that no command has a flag whose value is the key. */
const NewKey = wire(
  { base64: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1024))) },
  "NewKey",
  "A key from the client",
  { base64: "The key, 32 bytes in base64" }
)

export const RotateKeys = wire(
  { newKey: Schema.optionalKey(NewKey) },
  "RotateKeys",
  "A rotation of the vault's keys",
  { newKey: "The new key-encryption key, if the environment of the daemon provides the key" }
)
export type RotateKeys = typeof RotateKeys.Type

const RotationStatus = Schema.Literals(["completed", "running"]).pipe(
  named("RotationStatus", "Whether the rotation has ended. A running one continues without the client")
)

export const RotatedKeys = wire(
  { status: RotationStatus, keys: VaultKeys, resumed: Schema.Boolean, rows: Schema.Int, dataKeys: Schema.Int },
  "RotatedKeys",
  "The result of a rotation",
  {
    status: "Whether the rotation has ended",
    keys: "The keys that are now in use",
    resumed: "Whether it completed a rotation that was interrupted, instead of starting one",
    rows: "Rows that were sealed again; 0 while it is running",
    dataKeys: "Data keys that were replaced and deleted; 0 while it is running"
  }
)
export type RotatedKeys = typeof RotatedKeys.Type
