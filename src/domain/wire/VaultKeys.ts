/** The keys of the vault, and their rotation. No value of a key is part of these. */
import * as Schema from "effect/Schema"
import { MasterKeySource } from "./Health.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

export const VaultKeys = wire(
  {
    source: MasterKeySource,
    description: Schema.String,
    keyId: Schema.String,
    generation: Schema.Int,
    changedAt: Timestamp,
    dataKeys: Schema.Int
  },
  "VaultKeys",
  "The keys of the vault",
  {
    source: "The source of the key-encryption key",
    description: "The source in words",
    keyId: "Identifies the key-encryption key without revealing it",
    generation: "Increases by one with each rotation; the first key has 1",
    changedAt: "When this generation began",
    dataKeys: "The number of data keys, one for each profile and one for the store"
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

export const RotatedKeys = wire(
  { keys: VaultKeys, rows: Schema.Int, dataKeys: Schema.Int },
  "RotatedKeys",
  "The result of a rotation",
  {
    keys: "The keys that are now in use",
    rows: "Rows that were sealed again",
    dataKeys: "Data keys that were replaced and deleted"
  }
)
export type RotatedKeys = typeof RotatedKeys.Type
