/** A copy of the store as a file. */
import * as Schema from "effect/Schema"
import { MasterKeySource } from "./Health.ts"
import { wire } from "./Wire.ts"

export const CreateBackup = wire("CreateBackup", "A backup to create", {
  file: [
    Schema.String.check(Schema.isMaxLength(4096)),
    "The absolute path of the new file, on the machine of the daemon"
  ]
})

export const Backup = wire("Backup", "A backup that was made and verified", {
  file: [Schema.String, "The path of the file"],
  bytes: [Schema.Int, "The size of the file"],
  rows: [Schema.Int, "The number of rows that the manifest covers, each of which was verified in the file"],
  epoch: [Schema.Int, "The number of changes to the store up to the backup"],
  auditEntries: [Schema.Int, "The number of entries of the audit log, whose chain was verified in the file"],
  requestBatches: [Schema.Int, "The number of batches of the request log, whose chain was verified in the file"],
  keySource: [MasterKeySource, "The source of the key that opens the backup. The backup does not contain this key"],
  keyDescription: [Schema.String, "The source in words"],
  keyId: [Schema.String, "Identifies the key without revealing it"]
})
export type Backup = typeof Backup.Type
