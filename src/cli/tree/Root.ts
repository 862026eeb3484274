/** The command tree: names, flags, descriptions, examples. */
import * as Command from "effect/cli/Command"
import { declarations } from "../parse/GlobalFlagDeclarations.ts"
import { admin, enroll } from "./AdminCommands.ts"
import type { apiCommand } from "./ApiCommand.ts"
import { firstGroups } from "./CommandFacts.ts"
import { described } from "./CommandParts.ts"
import {
  exportCredential,
  get,
  list,
  login,
  logout,
  mcp,
  revoke,
  run,
  scan,
  setContainedOnly,
  setDefault
} from "./ConnectionCommands.ts"
import { policy } from "./PolicyCommands.ts"
import { inspect, providerCommand, register, remove } from "./ProviderCommands.ts"
import { proxy, sandbox, ssh } from "./SandboxCommands.ts"
import { completion, daemon, help, profile, recipes } from "./SetupCommands.ts"
import { approve, deny, doctor, explain, log, runs, stop, ui, whoami } from "./StateCommands.ts"
import { vault } from "./VaultCommands.ts"

/** The command tree with `api` as given: by itself, or with a command for each operation. */
export const treeWith = (api: typeof apiCommand) => {
  const tree = (): Command.Command.Any => cli
  const cli = Command.make("credsvc").pipe(
    described({
      description: "Stores API credentials on this machine and lets programs use them without seeing them",
      examples: `
  credsvc login openai
  credsvc run -- python3 agent.py`
    }),
    Command.withGlobalFlags(declarations),
    Command.withSubcommands([
      { group: firstGroups[0], commands: [login, run, list, get, logout] },
      { group: firstGroups[1], commands: [runs, approve, log, explain, doctor, ui] },
      { group: firstGroups[2], commands: [mcp, sandbox, ssh, recipes] },
      { group: "Credentials", commands: [exportCredential, scan, setDefault, setContainedOnly, revoke] },
      { group: "Rules", commands: [stop, deny, policy] },
      { group: "Providers", commands: [inspect, register, remove, providerCommand] },
      {
        group: "Setup",
        commands: [whoami, profile, enroll, admin, vault, daemon, proxy, api, completion, help(tree)]
      }
    ])
  )
  return cli
}
