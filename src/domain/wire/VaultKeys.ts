/** The keys of the vault and their rotation. These schemas contain no value of a key. */
import * as Schema from "effect/Schema"
import { MasterKeySource } from "./Health.ts"
import { Timestamp, wire } from "./Wire.ts"

export const VaultKeys = wire("VaultKeys", "The keys of the vault", {
  source: [MasterKeySource, "The source of the master key"],
  description: [Schema.String, "The source in words"],
  keyId: [Schema.String, "Identifies the master key without revealing it"],
  generation: [Schema.Int, "Increases by one with each rotation; the first generation is 1"],
  changedAt: [Timestamp, "When this generation began"],
  dataKeys: [Schema.Int, "The number of data keys, one for each profile and one for the store"]
})
export type VaultKeys = typeof VaultKeys.Type

/** The new key. It is an object, so that no command gets a flag for the value of the key. */
const NewKey = wire("NewKey", "A new master key that the client supplies", {
  base64: [Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1024))), "The key, 32 bytes in base64"]
})

export const RotateKeys = wire("RotateKeys", "A rotation of the vault's keys", {
  newKey: [Schema.optionalKey(NewKey), "The new master key, if the environment of the daemon provides the key"]
})

export const RotatedKeys = wire("RotatedKeys", "The result of a rotation", {
  keys: [VaultKeys, "The keys that are now in use"],
  rows: [Schema.Int, "The number of rows that were sealed again"],
  dataKeys: [Schema.Int, "The number of data keys that were replaced and deleted"]
})
export type RotatedKeys = typeof RotatedKeys.Type
