/** The keys of the vault and their rotation. These schemas contain no value of a key. */
import * as Schema from "effect/Schema"
import { MasterKeySource } from "./Health.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

export const VaultKeys = wire(
  {
    source: [MasterKeySource, "The source of the master key"],
    description: [Schema.String, "The source in words"],
    keyId: [Schema.String, "Identifies the master key without revealing it"],
    generation: [Schema.Int, "Increases by one with each rotation; the first generation is 1"],
    changedAt: [Timestamp, "When this generation began"],
    dataKeys: [Schema.Int, "The number of data keys, one for each profile and one for the store"]
  },
  "VaultKeys",
  "The keys of the vault"
)
export type VaultKeys = typeof VaultKeys.Type

/** The new key. It is an object, so that no command gets a flag for the value of the key. */
const NewKey = wire(
  { base64: [Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1024))), "The key, 32 bytes in base64"] },
  "NewKey",
  "A key from the client"
)

export const RotateKeys = wire(
  {
    newKey: [
      Schema.optionalKey(NewKey),
      "The new master key, if the environment of the daemon provides the key"
    ]
  },
  "RotateKeys",
  "A rotation of the vault's keys"
)

export const RotatedKeys = wire(
  {
    keys: [VaultKeys, "The keys that are now in use"],
    rows: [Schema.Int, "The number of rows that were sealed again"],
    dataKeys: [Schema.Int, "The number of data keys that were replaced and deleted"]
  },
  "RotatedKeys",
  "The result of a rotation"
)
export type RotatedKeys = typeof RotatedKeys.Type
