/** The operations on the keys of the vault, and backups. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { OperationNotAllowedError, VaultUnavailableError } from "../domain/Errors.ts"
import { Backup, CreateBackup } from "../domain/wire/Backup.ts"
import { RotatedKeys, RotateKeys, VaultKeys } from "../domain/wire/VaultKeys.ts"
import { forAdministrator, ProfileSelection, titled } from "./OperationParts.ts"

export class VaultGroup extends HttpApiGroup.make("vault")
  .add(
    forAdministrator(
      "Describe the keys of the vault",
      "Returns the source and the generation of the keys. Contains no key."
    ).get("keys", "/vault/keys", { success: VaultKeys, error: [VaultUnavailableError] }),
    forAdministrator(
      "Rotate the keys of the vault",
      "Replaces the master key and the data keys, and seals every secret again, in one transaction. Other " +
        "requests wait, about four seconds for 10,000 connections. Commands inside a run cannot rotate keys."
    ).post("rotate", "/vault/rotate", {
      payload: RotateKeys,
      success: RotatedKeys,
      error: [OperationNotAllowedError, VaultUnavailableError]
    }),
    forAdministrator(
      "Back up the store",
      "Writes a copy of the store to a new file on the daemon's machine while the store is in use, and verifies " +
        "every row and both logs in the copy. The file does not contain the key. Commands inside a run are refused."
    ).post("backup", "/vault/backup", {
      payload: CreateBackup,
      success: Backup,
      error: [OperationNotAllowedError, VaultUnavailableError]
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(titled("Vault", "The keys that encrypt the stored secrets."))
{}
