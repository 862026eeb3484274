/** `credsvc vault` and its subcommands. */
import { plural } from "../../domain/text/Plural.ts"
import { group } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

/** Where the user keeps the master key, by its source. */
const variables: Readonly<Record<string, string>> = {
  env: "CREDSVC_MASTER_KEY",
  key_file: "the file of CREDSVC_MASTER_KEY_FILE"
}

export const vault = group("vault", {
  description: "Show or rotate the keys that encrypt the stored secrets",
  examples: "credsvc vault status"
}, [
  operationCommand("vault.keys", {
    name: "status",
    summary: "Show the source and the generation of the keys",
    examples: `
  credsvc vault status
  credsvc vault status --json`,
    text: (keys, output) =>
      output.data(output.fields([
        ["master key", keys.description],
        ["key ID", keys.key_id],
        ["generation", String(keys.generation)],
        ["since", output.time(keys.changed_at)],
        ["data keys", String(keys.data_keys)]
      ]))
  }),
  operationCommand("vault.rotate", {
    flags: { stdin: Param.toggle("stdin", "Read the new master key from stdin: 32 bytes in base64") },
    prepare: () => import("../parse/InputText.ts").then((m) => m.readMasterKey),
    description:
      "Replace the master key and the data keys, and seal every secret again, while the daemon is in use. credsvc " +
      "creates the new master key where the old key is, in the keyring or the key file; if CREDSVC_MASTER_KEY or " +
      "CREDSVC_MASTER_KEY_FILE provides the key, give the new one with --stdin",
    summary: "Replace the keys of the vault",
    examples: `
  credsvc vault rotate
  openssl rand -base64 32 | tee new-key | credsvc vault rotate --stdin  # If the environment of the daemon provides the key`,
    text: ({ keys, rows }, output) => {
      const place = variables[keys.source]
      return output.note(
        `Rotated the keys of the vault${rows === 0 ? "" : `, and sealed ${plural(rows, "row")} again`}. The master ` +
          `key is generation ${keys.generation}, in the ${keys.description}.`,
        ...(place === undefined
          ? []
          : [`Put the new key into ${place} before the daemon starts again: only the new key opens the vault.`])
      )
    }
  })
])
