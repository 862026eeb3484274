import * as Command from "effect/cli/Command"
import { calls, lazy, prints, toggle } from "./CommandParts.ts"

const load = () => import("../commands/Vault.ts")

export const vault = Command.make("vault").pipe(
  Command.withDescription("Show or rotate the keys that encrypt the stored secrets"),
  Command.withExamples([{ command: "credsvc vault status" }]),
  Command.withSubcommands([
    Command.make("status", {}, lazy(() => load().then((m) => m.status))).pipe(
      calls(["vault.keys"]),
      prints("vault.keys"),
      Command.withDescription("Show the source and the generation of the keys"),
      Command.withExamples([{ command: "credsvc vault status" }, { command: "credsvc vault status --json" }])
    ),
    Command.make("rotate", {
      stdin: toggle("stdin", "Read the new master key from stdin: 32 bytes in base64")
    }, lazy(() => load().then((m) => m.rotate))).pipe(
      calls(["vault.rotate"]),
      prints("vault.rotate"),
      Command.withDescription(
        "Replace the master key and the data keys, and seal every secret again, while programs use them. credsvc creates the " +
          "new master key where the old one is, in the keyring or the key file; if CREDSVC_MASTER_KEY or " +
          "CREDSVC_MASTER_KEY_FILE provides the key, give the new one with --stdin"
      ),
      Command.withShortDescription("Replace the keys of the vault"),
      Command.withExamples([
        { command: "credsvc vault rotate" },
        {
          command: "openssl rand -base64 32 | tee new-key | credsvc vault rotate --stdin",
          description: "If the environment of the daemon provides the key"
        }
      ])
    )
  ])
)
